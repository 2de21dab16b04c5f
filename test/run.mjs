#!/usr/bin/env node
// `npm test`: installs and builds what is missing, starts real engines, runs the linters and every lab file in
// parallel (database tests on SQLite and on MariaDB), and ends with "N passed, N failed".
//
//   node test/run.mjs                    everything
//   node test/run.mjs git accounts       only files whose path contains one of the words
//   MORTISE_TEST_JOBS=4                  how many test files run at once
//   MORTISE_TEST_AGAIN=1                 a file that fails beside others runs once more alone; if it passes then, the
//                                        run is green, and says at its end what was unsteady and why. CI does so
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
process.chdir(root);
// How loud this run is must not decide how loud the clients under test are.
for (const name of ['npm_config_loglevel', 'npm_config_silent']) delete process.env[name];
const words = process.argv.slice(2);
const started = Date.now();
let passed = 0;
let failed = 0;
let skipped = 0;
/** Said again at the end: of a long output only the last part may be kept. */
const failures = [];
/** Failed beside others and passed alone: defects of the test or, worse, races of the product. Never hidden. */
const unsteady = [];
const say = (text) => console.log(`[${((Date.now() - started) / 1000).toFixed(0).padStart(4)}s] ${text}`);

function fail(what, tests = 1) {
  failed += tests;
  failures.push(what);
  console.log(`✖ ${what}`);
}

function step(name, command, args) {
  say(name);
  const run = spawnSync(command, args, { stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8', maxBuffer: 1 << 28 });
  if (run.status === 0) passed++;
  else {
    fail(`${name}\n${run.stdout}\n${run.stderr}`);
  }
  return run.status === 0;
}

function finish() {
  say(skipped ? `done; ${skipped} skipped` : 'done');
  const short = (what) => (what.length > 3000 ? `${what.slice(0, 3000)}…` : what);
  for (const what of unsteady) console.log(`\nunsteady, passed when run alone: ${short(what)}`);
  for (const what of failures) console.log(`\n✖ ${short(what)}`);
  console.log(`${passed} passed, ${failed} failed`);
  process.exit(failed ? 1 : 0);
}

// ---------------------------------------------------------------- install and build

const lockIsNewer = () =>
  !existsSync('node_modules/.package-lock.json') ||
  statSync('package-lock.json').mtimeMs > statSync('node_modules/.package-lock.json').mtimeMs + 1000;
if (lockIsNewer() && !step('npm ci', 'npm', ['ci', '--no-audit', '--no-fund'])) finish();
if (!step('build', process.execPath, ['core/bin/build.mjs'])) finish();

const { startServices } = await import('./services/engines.mjs');
const services = await startServices(say);

// ---------------------------------------------------------------- the files

/** Compiled lab files of every package: core/dist/test, plugins/<name>/dist/test, and test/<area>. */
function labFiles() {
  const found = [];
  const walk = (folder, ending) => {
    if (!existsSync(folder)) return;
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) walk(path, ending);
      else if (ending.test(entry.name)) found.push(path);
    }
  };
  walk('core/dist/test', /\.test\.js$/);
  for (const plugin of readdirSync('plugins')) {
    const folder = join('plugins', plugin, 'dist', 'test');
    // A compiled file without its source is left over from an earlier build.
    walk(folder, /(\.test|\.spec)\.js$/);
  }
  for (const area of [
    'build',
    'end-to-end',
    'browser',
    'faults',
    'clients',
    'authorization',
    'hostile',
    'scale',
    'requirements',
    'docs',
  ])
    walk(join('test', area), /\.test\.mjs$/);
  return found.filter((file) => {
    const source = file.replace(/([/\\])dist([/\\]test)/, '$1$2').replace(/\.js$/, '.ts');
    const coreSource = file.replace('core/dist/', 'core/src/').replace(/\.js$/, '.ts');
    return file.startsWith('test/') || existsSync(source) || existsSync(`${source}x`) || existsSync(coreSource);
  });
}

/** Does the file, or a kit that it imports, start a server? Such tests run on each database. */
function needsHost(file, seen = new Set()) {
  if (seen.has(file) || !existsSync(file)) return false;
  seen.add(file);
  const text = readFileSync(file, 'utf8');
  if (/startHost|startServer|MORTISE_TEST_ENGINE|describe(PackageFormat|WebhookKind|AuthMethod)/.test(text))
    return true;
  return [...text.matchAll(/from '(\.[^']*)'/g)].some(
    ([, path]) => path.startsWith('./') && needsHost(join(dirname(file), path), seen),
  );
}

const wanted = labFiles().filter((file) => words.length === 0 || words.some((word) => file.includes(word)));
const tasks = [];
for (const file of wanted) {
  tasks.push({ file, engine: 'sqlite', weight: statSync(file).size });
  if (services.mysql && needsHost(file)) tasks.push({ file, engine: 'mysql', weight: statSync(file).size });
}
tasks.sort((a, b) => b.weight - a.weight);

const firstLines = (text) => text.split('\n').slice(0, 12).join('\n');

/** Files to run once more, alone. */
const again = [];

function runLab(task) {
  const { file, engine, before } = task;
  const output = mkdtempSync(join(tmpdir(), 'mortise-lab-'));
  const report = join(output, 'report.json');
  return new Promise((resolve) => {
    const child = spawn(
      process.execPath,
      [
        'node_modules/@hapi/lab/bin/lab',
        '-l',
        '-m',
        // only what hangs takes so long, however busy the machine is
        '600000',
        '-r',
        './test/services/reporter.cjs',
        '-o',
        report,
        file,
      ],
      {
        env: {
          ...process.env,
          NODE_ENV: 'test',
          MORTISE_TEST_ENGINE: engine,
          ...(services.mysql && { MORTISE_TEST_MYSQL: services.mysql }),
          ...(services.redis && { MORTISE_TEST_REDIS: services.redis }),
          ...(services.s3 && { MORTISE_TEST_S3: services.s3 }),
          ...(services.chromium && { MORTISE_TEST_CHROMIUM: services.chromium }),
        },
        stdio: ['ignore', 'pipe', 'pipe'],
        detached: true,
      },
    );
    let printed = '';
    child.stdout.on('data', (chunk) => (printed += chunk));
    child.stderr.on('data', (chunk) => (printed += chunk));
    const clock = setTimeout(() => process.kill(-child.pid, 'SIGKILL'), 20 * 60_000);
    child.on('close', (code) => {
      clearTimeout(clock);
      const name = `${relative(root, file)} (${engine})`;
      let found;
      try {
        found = JSON.parse(readFileSync(report, 'utf8'));
      } catch {
        found = { passed: 0, skipped: 0, failed: [], hooks: [`no report (exit ${code})`] };
      }
      rmSync(output, { recursive: true, force: true });
      resolve();
      const why = [...found.hooks, ...found.failed.map(({ title, why }) => `${title}\n${firstLines(why)}`)];
      const text = [`${name} (exit ${code})`, ...why, printed.slice(-4000)].join('\n');
      const isGreen = code === 0 && why.length === 0;
      if (!isGreen && !before && process.env.MORTISE_TEST_AGAIN === '1') {
        console.log(`? ${text}`);
        again.push({ ...task, before: text });
        return;
      }
      passed += found.passed;
      skipped += found.skipped;
      if (!isGreen) fail(text, found.failed.length || 1);
      else say(`✔ ${name}: ${found.passed}${found.skipped ? ` (${found.skipped} skipped)` : ''}`);
      if (isGreen && before) unsteady.push(before);
    });
  });
}

const lint = () =>
  new Promise((resolve) => {
    const child = spawn('npm', ['run', '--silent', 'lint'], { stdio: ['ignore', 'pipe', 'pipe'] });
    let printed = '';
    child.stdout.on('data', (chunk) => (printed += chunk));
    child.stderr.on('data', (chunk) => (printed += chunk));
    child.on('close', (code) => {
      if (code === 0) passed++;
      else fail(`lint\n${printed.slice(-8000)}`);
      if (code === 0) say('✔ lint');
      resolve();
    });
  });

const jobs = Number(process.env.MORTISE_TEST_JOBS) || Math.max(2, availableParallelism());
// The linters take a place among the files: beside them they would slow all that are measured by a clock.
const queue = [...(words.length ? [] : [lint]), ...tasks.map((task) => () => runLab(task))];
await Promise.all(
  Array.from({ length: jobs }, async () => {
    for (let work = queue.shift(); work; work = queue.shift()) await work();
  }),
);
// so many are broken, not unsteady
if (again.length > 10) for (const { before } of again) fail(before);
else for (const task of again) await runLab(task);
await services.stop();
finish();
