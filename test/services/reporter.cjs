'use strict';
// What lab's own JSON reporter leaves out: tests that were skipped, that did not run because a hook failed, stacks, and
// for how long a core was busy with it.
/* global require */
const { readFileSync } = require('node:fs'); // oxlint-disable-line typescript/no-require-imports

const text = (error) => error?.stack ?? String(error?.message ?? error);

/** Seconds of a core, of this process and of those that it started and saw ending; where the system tells. */
function busySeconds() {
  try {
    const [, text] = /^.*\) (.*)/s.exec(readFileSync('/proc/self/stat', 'utf8'));
    // `utime`, `stime`, `cutime` and `cstime` of proc(5), in hundredths of a second
    return (
      text
        .split(' ')
        .slice(11, 15)
        .reduce((sum, ticks) => sum + Number(ticks), 0) / 100
    );
  } catch {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  }
}

module.exports = class {
  start() {}
  test() {}

  end({ tests, errors }) {
    const ran = tests.filter(({ skipped, todo }) => !skipped && !todo);
    const failed = ran.filter(({ err }) => err);
    this.report(
      JSON.stringify({
        passed: ran.length - failed.length,
        skipped: tests.length - ran.length,
        failed: failed.map(({ title, err }) => ({ title, why: text(err) })),
        hooks: errors.map(text),
        busySeconds: busySeconds(),
      }),
    );
  }
};
