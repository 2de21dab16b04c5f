#!/usr/bin/env node
// `npm start`: installs when needed, builds when needed, and serves. Needs nothing but node and npm.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isCompiled, isInstalled } from './installed.mjs';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const sourceEndings = new Set(['.ts', '.tsx', '.css', '.svg']);

const [major] = process.versions.node.split('.').map(Number);
if (major < 20) {
  console.error(`Mortise needs Node 20 or later; this is ${process.versions.node}.`);
  process.exit(1);
}

/** Says what is going on and, where it took long, for how long. */
function run(title, command, args) {
  console.log(`${title} …`);
  const began = Date.now();
  const done = spawnSync(command, args, { cwd: root, stdio: 'inherit', shell: process.platform === 'win32' });
  if (done.status !== 0) {
    console.error(`${title}: failed`);
    process.exit(done.status ?? 1);
  }
  console.log(`${title}: done in ${Math.round((Date.now() - began) / 1000)} s`);
}

const timeOf = (path) => (existsSync(path) ? statSync(path).mtimeMs : 0);

/** Is any source newer than `time`? */
function changedSince(time, folder) {
  return readdirSync(folder, { withFileTypes: true }).some((entry) => {
    if (entry.name === 'dist' || entry.name === 'node_modules') return false;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return changedSince(time, path);
    return sourceEndings.has(extname(entry.name)) && statSync(path).mtimeMs > time;
  });
}

if (!isInstalled(root) || !isCompiled(root)) {
  run('Installing packages', 'npm', ['ci', '--no-audit', '--no-fund']);
}
const built = timeOf(join(root, 'core', 'dist', '.built'));
if (
  built <= timeOf(join(root, 'node_modules', '.package-lock.json')) ||
  ['plugin-sdk', 'migrations', 'core', 'plugins'].some((folder) => changedSince(built, join(root, folder)))
) {
  run('Building', process.execPath, [join(root, 'core', 'bin', 'build.mjs')]);
}

const folder = process.env.MORTISE_WORK_DIR ?? join(process.cwd(), 'data');
console.log(
  existsSync(join(folder, 'data')) || existsSync(join(folder, 'config'))
    ? `Starting Mortise with what is in ${folder}`
    : `Starting Mortise for the first time; everything it keeps goes to ${folder}. The first account that registers becomes the administrator.`,
);

// npm hands signals to its shell, and not every shell hands them on: when the parent goes, the server drains and goes.
const parent = process.ppid;
if (process.env.npm_command) {
  setInterval(() => process.ppid !== parent && process.kill(process.pid, 'SIGTERM'), 200).unref();
}

// In this process, so that signals reach the server itself.
const mortise = join(root, 'core', 'bin', 'mortise.mjs');
process.argv = [process.argv[0], mortise, 'web', ...process.argv.slice(2)];
await import('./mortise.mjs');
