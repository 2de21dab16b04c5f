// The runner of the tests itself: what failed is never said to be well.
// Database: SQLite alone
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { belowFloor, sumLines, tableOf } from '../services/coverage-table.mjs';
import { enginesOf, labFiles, sourceOf } from '../services/files.mjs';
import { runFiles } from '../services/lab.mjs';
import { idleness, Queue, runInPlaces } from '../services/places.mjs';
import { leftToFullRun, onMariadbInFullRun, retried, sampleOf, whyOnSqliteAlone } from '../services/selection.mjs';
import { Verdicts } from '../services/verdicts.mjs';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('what becomes of test files that failed', () => {
  /** `fails(files, round)`: how many tests fail; each file has two. */
  function make(fails, mayRetry, whichFailed = () => undefined) {
    const runs = [];
    const verdicts = new Verdicts({
      async run({ files }) {
        const round = runs.filter((one) => one.includes(files[0])).length;
        runs.push(files);
        const failed = fails(files, round);
        const passed = 2 * files.length - failed;
        const name = files.join(' ');
        const failedFiles = whichFailed(files);
        const costs = { skipped: 0, seconds: 1, busySeconds: 1 };
        return { name, text: name, isGreen: failed === 0, passed, failed, failedFiles, ...costs };
      },
      mayRetry: (file) => mayRetry.includes(file),
      noteSeconds() {},
      say() {},
      warn() {},
    });
    const all = async (...groups) => {
      for (const files of groups) await verdicts.first({ files, engine: 'sqlite' });
      await verdicts.retry();
      const { passed, failed, flaky, failures } = verdicts;
      return { passed, failed, flaky, failures, runs: runs.length };
    };
    return all;
  }
  const together = (files) => (files.length > 1 ? 1 : 0);

  it('nothing runs twice that is not listed: also files that share a process fail', async () => {
    const all = make(together, []);
    expect(await all(['a', 'b'], ['c'])).to.equal({ passed: 5, failed: 1, flaky: [], failures: ['a b'], runs: 2 });
    const one = make(together, ['a']);
    expect(await one(['a', 'b'], ['c'])).to.equal({ passed: 5, failed: 1, flaky: [], failures: ['a b'], runs: 2 });
  });

  it('each that is listed runs by itself after all others, and is flaky when it passes then', async () => {
    const all = make(together, ['a', 'b']);
    expect(await all(['a', 'b'], ['c'])).to.equal({ passed: 6, failed: 0, flaky: ['a b'], failures: [], runs: 4 });
    const one = make((files, round) => Number(files.includes('b') && round < 2), ['a', 'b']);
    expect(await one(['a', 'b'], ['c'])).to.equal({ passed: 5, failed: 1, flaky: [], failures: ['b'], runs: 4 });
  });

  it('what is known to have passed beside them does not run again, and counts', async () => {
    const all = make(together, ['b'], () => ['b']);
    expect(await all(['a', 'b', 'c'], ['d'])).to.equal({
      passed: 8,
      failed: 0,
      flaky: ['a b c'],
      failures: [],
      runs: 3,
    });
    const broken = make(
      (files) => Number(files.includes('b')),
      ['b'],
      () => ['b'],
    );
    expect(await broken(['a', 'b', 'c'])).to.equal({ passed: 5, failed: 1, flaky: [], failures: ['b'], runs: 2 });
  });
});

describe('what npm test leaves to the full run, and what may run twice', () => {
  const files = labFiles();

  it('at most three files may run twice, each with a reason, and all of them exist', () => {
    expect(retried.size).to.be.at.most(3);
    for (const [file, why] of retried) {
      expect(files, file).to.include(file);
      expect(why.length, file).to.be.above(20);
    }
  });

  it('each reason to leave out MariaDB holds for files that would run on it', () => {
    const onTwo = files.filter((file) => enginesOf(file).length > 1);
    for (const { why, files: pattern } of onMariadbInFullRun)
      expect(onTwo.filter((file) => pattern.test(file)).length, why).to.be.above(0);
    const left = onTwo.filter(whyOnSqliteAlone);
    // what has statements, tables or locks of its own stays
    for (const name of [
      'core/dist/test/database',
      'killed-server',
      'board-statements',
      'packages/dist/test/store',
      'pulls/dist/test/pulls',
    ])
      expect(
        left.filter((file) => file.includes(name)),
        name,
      ).to.equal([]);
    expect(left.length).to.be.below(0.7 * onTwo.length);
  });

  it('a file that does more in the full run says so in its head, from where it is printed', () => {
    const silent = files.filter(
      (file) => /process\.env(?:\.|\[')MORTISE_TEST_FULL/.test(readFileSync(sourceOf(file), 'utf8')) && !sampleOf(file),
    );
    expect(silent).to.equal([]);
    expect(sampleOf('test/scale/two-nodes.test.mjs')).to.match(/^\d+ rounds instead of \d+$/);
    const printed = leftToFullRun(files, (file) => enginesOf(file).length > 1);
    expect(printed.some((line) => line.startsWith('test/scale/two-nodes.test.mjs, in the full run: '))).to.be.true();
    expect(printed.some((line) => /^on SQLite alone.*: \d+ files/.test(line))).to.be.true();
  });
});

describe('coverage', () => {
  const map = (files) => ({
    files: () => Object.keys(files),
    fileCoverageFor: (path) => ({ toSummary: () => ({ lines: { covered: files[path][0], total: files[path][1] } }) }),
  });

  it('is summed for each package and for the services of each plugin, which alone have a floor of the plugin', () => {
    const sums = sumLines(
      map({
        '/m/core/src/a.ts': [90, 100],
        '/m/plugin-sdk/src/b.ts': [84, 100],
        '/m/plugins/wiki/pages/c.tsx': [0, 100],
        '/m/plugins/wiki/services/d.ts': [9, 10],
        '/m/plugins/stars/services/e.ts': [8, 10],
      }),
      '/m',
    );
    expect(belowFloor(sums).map(([name]) => name)).to.equal(['plugin-sdk', 'stars services']);
    const table = tableOf(sums).split('\n');
    expect(table).to.include(['| core | 90.0 % |  |', '| wiki | 8.2 % | 90.0 % |', '| all | 59.7 % |  |']);
  });
});

describe('a process of test files', () => {
  let folder;
  before(() => (folder = mkdtempSync(join(tmpdir(), 'mortise-runner-'))));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const file = (name, body) => {
    const path = join(folder, `${name}.test.mjs`);
    writeFileSync(
      path,
      `import * as Lab from '${import.meta.resolve('@hapi/lab')}';
       import { spawn } from 'node:child_process';
       import { writeFileSync } from 'node:fs';
       export const lab = Lab.script();
       lab.test('${name}', async () => { ${body} });`,
    );
    return path;
  };
  const run = (files, maxMs) => {
    const scratch = join(folder, 'scratch');
    mkdirSync(scratch, { recursive: true });
    return runFiles({ files, engine: 'sqlite', maxMs }, {}, scratch);
  };
  const leaves = (options) =>
    `const child = spawn('sleep', ['300'], { stdio: ['ignore', 'inherit', 'inherit'], ${options} });
     child.unref();
     writeFileSync('${folder}/pid', String(child.pid));`;

  /** Where the system tells; one that nobody has taken note of (`Z`) has ended. */
  const isRunning = (pid) => {
    try {
      return !/^.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
    } catch {
      return false;
    }
  };

  it('does not wait for what it has left behind, in its group or out of it', async () => {
    for (const [name, options] of [
      ['own', ''],
      ['other', 'detached: true'],
    ]) {
      const { seconds, isGreen, passed } = await run([file(name, leaves(options))]);
      expect([isGreen, passed, seconds < 60]).to.equal([true, 1, true]);
      const left = Number(readFileSync(join(folder, 'pid'), 'utf8'));
      if (name === 'other') process.kill(left);
      else for (; isRunning(left);) await new Promise((resolve) => setTimeout(resolve, 20));
    }
  });

  it('says in which files tests failed, where their stacks tell', async () => {
    const files = [file('well', ''), file('ill', `throw new Error('ill')`), file('late', '')];
    expect((await run(files)).failedFiles).to.equal([files[1]]);
    const mute = file('mute', `throw Object.assign(new Error('mute'), { stack: 'mute' })`);
    expect((await run([...files, mute])).failedFiles).to.be.undefined();
    expect((await run([files[0]])).failedFiles).to.be.undefined();
  });

  it('has one limit however many files it runs, and says which they were', async () => {
    const files = [file('good', ''), file('stuck', 'await new Promise((resolve) => setTimeout(resolve, 300_000));')];
    const { isGreen, seconds, text } = await run(files, 5000);
    expect([isGreen, seconds < 60]).to.equal([false, true]);
    expect(text).to.include(`${files[0]}\n  ${files[1]}`);
    expect(text).to.include('no report');
  });
});

describe('places for test files', () => {
  it('a further file may begin once cores were idle for a while, and the next not at once', () => {
    const mayBegin = idleness();
    const tell = (...idle) => idle.map((one) => mayBegin(one));
    expect(tell(0, 0, 0, 0)).to.equal([false, false, false, false]);
    expect(tell(2, 2, 2, 2, 2)).to.equal([true, false, false, false, true]);
    expect(tell(0.1, 0.1, 0.1, 0.1, 0.1)).to.equal([false, false, false, false, false]);
  });

  it('so many run at once, and more while cores are idle', async () => {
    const ends = {};
    const begun = [];
    const work = (task) => {
      begun.push(task);
      return new Promise((resolve) => (ends[task] = resolve));
    };
    const reached = async (count) => {
      while (begun.length < count) await new Promise((resolve) => setTimeout(resolve, 20));
    };
    let idle = 0;
    const all = runInPlaces(new Queue('abcdef'), work, { count: 2, most: 3, measure: () => idle });
    await reached(2);
    idle = 2;
    await reached(3);
    ends.c();
    await reached(4);
    // the place that was there anyway goes on at once
    idle = 0;
    ends.a();
    await reached(5);
    for (const task of 'bde') ends[task]();
    await reached(6);
    ends.f();
    expect(await all).to.be.above(0);
    expect(begun).to.equal([...'abcdef']);
  });

  it('what can be run before the rest is known begins, and then the longest is next', async () => {
    const told = ['eight', 'two'].map((name, at) => ({ name, expected: [8, 2][at] }));
    let tell;
    const queue = new Queue(
      [5, 3].map((expected) => ({ name: `early ${expected}`, expected })),
      new Promise((resolve) => (tell = resolve)),
    );
    const begun = [];
    const work = async ({ name }) => {
      begun.push(name);
      if (begun.length === 1) tell(told);
      await new Promise((resolve) => setTimeout(resolve, 1));
    };
    await runInPlaces(queue, work, { count: 1 });
    expect(begun).to.equal(['early 5', 'eight', 'early 3', 'two']);

    // nobody goes while there may be more
    const late = new Queue([], new Promise((resolve) => setTimeout(resolve, 20, told)));
    expect(late.length).to.equal(0);
    await runInPlaces(late, work, { count: 3 });
    expect(begun.slice(4)).to.equal(['eight', 'two']);
  });
});
