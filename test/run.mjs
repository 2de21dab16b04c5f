#!/usr/bin/env node
// `npm test`: installs and builds what is missing, starts real engines, runs the linters and every lab file in
// parallel (database tests on SQLite and on MariaDB), and ends with "N passed, N failed".
//
//   npm test                             everything
//   npm test git accounts                only files whose path contains one of the words
//   npm test -- --tier unit              only files that start no server; `plugin`: one plugin among those that it
//                                        needs; `system`: what crosses plugins
//   npm test wiki -- --watch             again whenever a source changes, on SQLite alone
//   npm run coverage                     the half on SQLite, and which lines of each package it runs (`--coverage`);
//                                        with words of files it writes no test/coverage.md and knows no floor
//   npm run test:full                    everything at its full size (`--full`): more kills, larger loads, all pages. The
//                                        same as MORTISE_TEST_FULL=1; takes longer than `npm test`. With `--coverage`
//                                        the lines that its half on SQLite runs are counted too
//   MORTISE_TEST_JOBS=4                  how many test files run at once; otherwise more while cores are idle
//   MORTISE_TEST_AGAIN=1                 what `services/selection.mjs` lists (three files at most) runs once more alone
//                                        where it failed beside others; if it passes then, the run is green, and says
//                                        at its end what was flaky and why. CI does so
import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { goEnvironment } from '../core/bin/go-environment.mjs';
import { isCompiled, isInstalled } from '../core/bin/installed.mjs';
import { belowFloor, floor, tableOf, writeTable } from './services/coverage-table.mjs';
import { enginesOf, labFiles, needsNothing, tierOf } from './services/files.mjs';
import { has } from './services/install.mjs';
import { runFiles } from './services/lab.mjs';
import { Queue, runInPlaces } from './services/places.mjs';
import { leftToFullRun, retried, whyOnSqliteAlone } from './services/selection.mjs';
import { tasksOf } from './services/tasks.mjs';
import { keepTimes, noteSeconds } from './services/times.mjs';
import { Verdicts } from './services/verdicts.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
process.chdir(root);
// How loud this run is must not decide how loud the clients under test are.
for (const name of ['npm_config_loglevel', 'npm_config_silent']) delete process.env[name];
const {
  positionals: words,
  values: { tier, watch: isWatching, full: isFull, coverage: isCoverage },
} = parseArgs({
  allowPositionals: true,
  options: {
    tier: { type: 'string' },
    watch: { type: 'boolean' },
    full: { type: 'boolean' },
    coverage: { type: 'boolean' },
  },
});
if (isFull) process.env.MORTISE_TEST_FULL = '1';
const started = Date.now();
const say = (text) => console.log(`[${((Date.now() - started) / 1000).toFixed(0).padStart(4)}s] ${text}`);

const verdicts = new Verdicts({
  run: runTask,
  mayRetry: (file) => process.env.MORTISE_TEST_AGAIN === '1' && retried.has(file),
  noteSeconds,
  say,
  warn: (text) => console.log(text),
});

/** Whether it went well, which is known when it has ended. */
function step(name, command, args) {
  say(name);
  const began = Date.now();
  // `JOBS`: addons are compiled on all cores. `-O2`: SQLite is as quick as with its `-O3`, and compiled in three quarters
  // of the time.
  const env = {
    JOBS: String(availableParallelism()),
    CFLAGS: '-O2',
    CXXFLAGS: '-O2',
    ...goEnvironment,
    ...process.env,
  };
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], env });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (printed += chunk));
  return new Promise((resolve) => {
    const ended = (code) => {
      if (code === 0) {
        verdicts.passed++;
        say(`✔ ${name}, ${((Date.now() - began) / 1000).toFixed(1)} s`);
      } else verdicts.fail(`${name}\n${printed.slice(-20_000)}`);
      resolve(code === 0);
    };
    child.on('error', (error) => ended(error.message));
    child.on('close', ended);
  });
}

/** The files of this run. */
let wanted = [];
let isBelowFloor = false;

function finish() {
  const { passed, failed, failures, flaky, skipped } = verdicts;
  say(skipped ? `done; ${skipped} skipped` : 'done');
  const short = (what) => (what.length > 3000 ? `${what.slice(0, 3000)}…` : what);
  if (!isFull)
    for (const what of leftToFullRun(wanted, (file) => isSample && enginesOf(file).length > 1))
      console.log(`left to the full run: ${what}`);
  for (const what of flaky) console.log(`\nflaky, passed when run alone: ${short(what)}`);
  for (const what of failures) console.log(`\n✖ ${short(what)}`);
  console.log(`${passed} passed, ${failed} failed`);
  process.exit(Number(isBelowFloor || (failed > 0 && (isFull || !isCoverage))));
}

// ---------------------------------------------------------------- install and build

// Beside the packages: both wait for the network most of the time.
const isFresh = !isInstalled();
const installer = spawn(process.execPath, ['test/services/install.mjs', ...(isFresh ? ['--all'] : [])], {
  stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
});
const installing = new Promise((resolve) => installer.on('close', resolve));
// it says so when the system's packages are there, and goes on
const packages = new Promise((resolve) => installer.once('message', resolve).once('close', resolve));
const quiet = ['--no-audit', '--no-fund'];
if (isFresh && !(await step('npm ci', 'npm', ['ci', '--ignore-scripts', ...quiet]))) finish();
// One compiler works a minute on one library, which neither the build nor the linters need.
const compilingSqlite = isCompiled() ? true : step('npm rebuild', 'npm', ['rebuild', 'better-sqlite3', 'esbuild']);
// Needs what is being installed; where that may not be installed, its tests are left out.
const kerberos = 'node_modules/kerberos';
const isMissing = existsSync(`${kerberos}/package.json`) && !existsSync(`${kerberos}/build/Release/kerberos.node`);
const compilingKerberos =
  isMissing && packages.then(() => !has('krb5-config') || step('npm rebuild kerberos', 'npm', ['rebuild', 'kerberos']));
const compiling = Promise.all([compilingSqlite, compilingKerberos]).then(([isThere]) => isThere);
if (!(await step('build', process.execPath, ['core/bin/build.mjs']))) finish();
const linting =
  words.length || tier || isCoverage ? Promise.resolve() : step('lint', 'npm', ['run', '--silent', 'lint']);

// Not before the build: they import what is built.
const { scratchFolder, startServices } = await import('./services/engines.mjs');
const { makeTemplates } = await import('./services/template.mjs');
const { watchFiles } = await import('./services/watch.mjs');
// Test processes find it by `tmpdir()`.
const scratch = mkdtempSync(join(scratchFolder(), 'mortise-tests-'));
// Engines that run as somebody else pass through.
chmodSync(scratch, 0o711);
process.env.TMPDIR = scratch;
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
/** Filled when what they need is installed. */
let services = {};
const coverage = isCoverage && new (await import('./services/coverage.mjs')).Coverage(root, scratch);
const servicesStarted = installing
  .then(async () => {
    services = await startServices(say);
    // What is not installed is left out with a notice; what is there and does not work is a failure.
    for (const failure of services.failures) verdicts.fail(failure);
  })
  .catch((error) => verdicts.fail(`the services did not start: ${error.stack}`));

// ---------------------------------------------------------------- the files

wanted = labFiles().filter(
  (file) => (words.length === 0 || words.some((word) => file.includes(word))) && (!tier || tierOf(file) === tier),
);
if (wanted.length === 0) {
  verdicts.fail('no test file is named so');
  await servicesStarted;
  await services.stop?.();
  finish();
}
if (isWatching && (await compiling)) {
  await servicesStarted;
  await watchFiles(wanted, services, scratch);
}

/** With words or a tier, all of these files on both databases. */
const isSample = !isFull && !isCoverage && words.length === 0 && !tier;
const enginesHere = (file) => {
  if (!services.mysql || (isCoverage && !isFull) || (isSample && whyOnSqliteAlone(file))) return ['sqlite'];
  return enginesOf(file);
};

// While the rest is being installed, that which needs nothing of it.
const needless = new Set(wanted.filter(needsNothing));
const early = tasksOf([...needless], () => ['sqlite']);
const others = servicesStarted.then(() =>
  tasksOf(wanted, (file) => enginesHere(file).filter((engine) => engine !== 'sqlite' || !needless.has(file))),
);
// Beside the linters; who needs one waits.
const templates = Promise.all([compiling, others])
  .then(([isCompiled, tasks]) => (isCompiled ? makeTemplates(tasks, services, scratch) : []))
  .then((failures) => failures.forEach((one) => verdicts.fail(one)));

async function runTask(task) {
  if (!coverage || task.engine !== 'sqlite') return runFiles(task, services, scratch);
  const folder = coverage.begin();
  const result = await runFiles(task, services, scratch, { NODE_V8_COVERAGE: folder });
  await coverage.add(folder);
  return result;
}

/** A test that fails because it is slower while lines are counted is said; only the floor decides here. */
async function showCoverage() {
  const sums = await coverage.lines();
  console.log(tableOf(sums));
  if (words.length || tier) return;
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  const date = new Date().toISOString().slice(0, 10);
  writeTable(sums, { date, commit, seconds: (Date.now() - started) / 1000 });
  for (const [name, { covered, total }] of belowFloor(sums)) {
    isBelowFloor = true;
    console.log(`below ${floor} %: ${name}, ${covered} of ${total} lines`);
  }
}

async function runLab(task) {
  if (task.needsTemplate) await templates;
  await verdicts.first(task);
}

// One more than cores: each waits a fifth of its time, for disks, browsers and git; more while cores are idle.
const jobs = Number(process.env.MORTISE_TEST_JOBS) || availableParallelism() + 1;
const most = Number(process.env.MORTISE_TEST_JOBS) || 3 * availableParallelism();
const ofKind = (isAsleep) =>
  compiling.then(() => others).then((tasks) => tasks.filter((task) => task.isAsleep === isAsleep));
let idle = 0;
if (await compilingSqlite) {
  const sleeping = runInPlaces(new Queue([], ofKind(true)), runLab, { count: 1 });
  // The linters take a place among the files: beside them they would slow all that are measured by a clock.
  idle = await runInPlaces(new Queue(early, ofKind(false)), runLab, { count: jobs, most, first: linting });
  await sleeping;
} else await linting;
await servicesStarted;
await verdicts.retry();
await services.stop?.();
if (coverage) await showCoverage();
if (!isCoverage || isFull) keepTimes();
// Of a clock it depends what else went on; of the processor's time, what is worth making cheaper.
for (const { name, seconds, busySeconds } of verdicts.costs.sort((a, b) => b.busySeconds - a.busySeconds).slice(0, 10))
  console.log(`costs most: ${busySeconds.toFixed(0)} s of a core in ${seconds.toFixed(0)} s, ${name}`);
const all = verdicts.costs.reduce((sum, { busySeconds }) => sum + busySeconds, 0);
console.log(`the test files kept cores busy for ${all.toFixed(0)} s; cores were idle for ${idle.toFixed(0)} s`);
finish();
