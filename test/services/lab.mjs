// Test files in a process of their own.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { ownerOf, sourceOf } from './files.mjs';

const firstLines = (text) => text.split('\n').slice(0, 12).join('\n');
/** Only what hangs takes so long, however busy the machine is. */
const maxTestMs = 600_000;
const maxTaskMs = 2_400_000;
/** For what was printed last to arrive. */
const lastWordsMs = 2000;

/** `plugins/stars: stars; plugins/wiki: api, pages`. */
function titleOf(files) {
  const names = new Map();
  for (const file of files)
    names.set(ownerOf(file), [...(names.get(ownerOf(file)) ?? []), basename(file).split('.')[0]]);
  return [...names].map(([owner, own]) => `${owner}: ${own.join(', ')}`).join('; ');
}

/** Nothing of it goes on, also where it has left processes behind. */
function killGroup({ pid }) {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    // all gone, or of another user
    if (!['ESRCH', 'EPERM'].includes(error.code)) throw error;
  }
}

/** In which of the files the failed tests are, by their stacks; undefined where one of them does not tell. */
export function failedFiles(files, { failed, hooks }) {
  if (hooks.length > 0 || failed.length === 0) return undefined;
  const found = failed.map(({ why }) => files.filter((file) => why.includes(file) || why.includes(sourceOf(file))));
  return found.every((some) => some.length === 1)
    ? files.filter((file) => found.some(([one]) => one === file))
    : undefined;
}

/**
 * Runs the files, one after the other in one process, on that database. Gives what passed, was skipped and failed,
 * in which files if that can be told, whether all is well, how long it took in seconds, for how many of them a core was busy, and what to say of it.
 */
export function runFiles({ files, engine, maxMs = maxTaskMs }, services, scratch, environment = {}) {
  const name = `${files.length === 1 ? files[0] : titleOf(files)} (${engine})`;
  const output = mkdtempSync(join(scratch, 'lab-'));
  const report = join(output, 'report.json');
  const started = Date.now();
  return new Promise((resolve) => {
    const child = spawn(
      process.execPath,
      [
        'test/services/run-lab.mjs',
        '-l',
        '-m',
        String(maxTestMs),
        '-r',
        './test/services/reporter.cjs',
        '-o',
        report,
        ...files,
      ],
      {
        env: {
          ...process.env,
          ...environment,
          NODE_ENV: 'test',
          MORTISE_TEST_ENGINE: engine,
          MORTISE_TEST_TABLES: join(scratch, 'tables'),
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
    let clock = setTimeout(() => killGroup(child), maxMs);
    // Who holds its output open would keep it from being closed.
    child.on('exit', () => {
      clearTimeout(clock);
      killGroup(child);
      clock = setTimeout(() => [child.stdout, child.stderr].forEach((stream) => stream.destroy()), lastWordsMs);
    });
    child.on('close', (code) => {
      clearTimeout(clock);
      let found;
      try {
        found = JSON.parse(readFileSync(report, 'utf8'));
      } catch {
        found = { passed: 0, skipped: 0, failed: [], hooks: [`no report (exit ${code})`] };
      }
      rmSync(output, { recursive: true, force: true });
      const why = [...found.hooks, ...found.failed.map(({ title, why }) => `${title}\n${firstLines(why)}`)];
      resolve({
        name,
        passed: found.passed,
        skipped: found.skipped,
        failed: found.failed.length,
        failedFiles: failedFiles(files, found),
        isGreen: code === 0 && why.length === 0,
        busySeconds: found.busySeconds ?? 0,
        seconds: (Date.now() - started) / 1000,
        text: [
          `${name} (exit ${code})`,
          ...(files.length > 1
            ? [`in one process, in this order:\n${files.map((file) => `  ${file}`).join('\n')}`]
            : []),
          ...why,
          printed.slice(-4000),
        ].join('\n'),
      });
    });
  });
}
