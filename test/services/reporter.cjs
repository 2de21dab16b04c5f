'use strict';
// What lab's own JSON reporter leaves out: tests that were skipped, that did not run because a hook failed, and stacks.

const text = (error) => error?.stack ?? String(error?.message ?? error);

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
      }),
    );
  }
};
