#!/usr/bin/env node
// `npm run dev`: builds, serves, and does both again whenever a source is saved. Open pages load again by themselves.
// What does not compile is said, and the server that runs goes on. `mortise dev FOLDER` does the same for one plugin.
import { spawn } from 'node:child_process';
import { readdirSync, watch } from 'node:fs';
import { dirname, extname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const folders = ['plugin-sdk', 'migrations', 'core', 'plugins'];
const skipped = new Set(['dist', 'node_modules', 'test', '.git']);
const endings = new Set(['.ts', '.tsx', '.css', '.svg', '.json']);
/** Editors write a file in several steps, and people save several files at once. */
const settleMs = 100;
const killMs = 3000;

const say = (text) => console.log(`[dev] ${text}`);
let server;
let watchers = [];
let timer;
let isEnding = false;
let work = Promise.resolve();

const run = (args, env) =>
  spawn(process.execPath, args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } });
const ended = (child) => new Promise((resolve) => child.once('exit', (code) => resolve(code)));

function* below(folder) {
  yield folder;
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory() && !skipped.has(entry.name)) yield* below(join(folder, entry.name));
}

function serve() {
  const child = run(
    ['--enable-source-maps', join(root, 'core', 'bin', 'mortise.mjs'), 'web', ...process.argv.slice(2)],
    {
      MORTISE_LIVE_RELOAD: '1',
      MORTISE__DEFAULT__RUN_MODE: process.env.MORTISE__DEFAULT__RUN_MODE ?? 'dev',
      MORTISE__server__WORKERS: '1',
      MORTISE__server__GRACEFUL_HAMMER_TIME: '200ms',
    },
  );
  server = child;
  child.once('exit', (code) => {
    if (server === child && !isEnding) say(`the server ended (${code}); waiting for a change`);
  });
}

async function endServer() {
  const child = server;
  server = undefined;
  if (!child || child.exitCode !== null || child.signalCode !== null) return;
  const gone = ended(child);
  child.kill('SIGTERM');
  const clock = setTimeout(() => child.kill('SIGKILL'), killMs);
  await gone;
  clearTimeout(clock);
}

function watchAll() {
  for (const one of watchers) one.close();
  watchers = folders
    .flatMap((folder) => [...below(join(root, folder))])
    .map((folder) =>
      watch(folder, (_kind, name) => {
        if (!name || skipped.has(name) || !endings.has(extname(name))) return;
        clearTimeout(timer);
        timer = setTimeout(() => changed(relative(root, join(folder, name))), settleMs);
        // a folder that goes away
      }).on('error', () => undefined),
    );
}

function changed(path) {
  work = work.then(async () => {
    if (isEnding) return;
    say(`${path} changed: building`);
    const began = Date.now();
    if ((await ended(run([join(root, 'core', 'bin', 'build.mjs')]))) !== 0)
      return say('the build failed; what was built before goes on');
    watchAll(); // folders may have come
    await endServer();
    if (isEnding) return;
    serve();
    say(`built in ${((Date.now() - began) / 1000).toFixed(1)} s; starting again`);
  });
}

async function end() {
  if (isEnding) return;
  isEnding = true;
  for (const one of watchers) one.close();
  await endServer();
  process.exit(0);
}
process.on('SIGINT', () => void end());
process.on('SIGTERM', () => void end());

say('building');
if ((await ended(run([join(root, 'core', 'bin', 'build.mjs')]))) !== 0) say('the build failed; waiting for a change');
else serve();
watchAll();
