// A server set up from packed packages in a fresh folder, and plugins that strangers built against it.
import { spawn, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '@mortise/plugin-sdk/testing';
import { engineSettings } from '../support/server.mjs';

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const fixtures = join(root, 'test/fixtures/outside');
const tsc = join(root, 'node_modules/typescript-native/bin/tsc');

export function run(command, args, options = {}) {
  const began = process.hrtime.bigint();
  const done = spawnSync(command, args, { encoding: 'utf8', maxBuffer: 1 << 28, ...options });
  if (done.error) throw done.error;
  if (process.env.MORTISE_TEST_TIMES) {
    const took = Number((process.hrtime.bigint() - began) / 1_000_000n);
    console.log(`${took} ms: ${[command, ...args].join(' ').slice(0, 120)}`);
  }
  return { status: done.status, stdout: done.stdout, stderr: done.stderr, all: `${done.stdout}\n${done.stderr}` };
}

export function must(command, args, options) {
  const done = run(command, args, options);
  if (done.status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${done.status}:\n${done.all}`);
  return done.stdout;
}

const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];

/** Packs every workspace that is published, and installs them, with their dependencies, as an operator would. */
export function installFromTarballs(folder) {
  const tarballs = join(folder, 'tarballs');
  mkdirSync(tarballs);
  const workspaces = [
    'plugin-sdk',
    'migrations',
    'core',
    ...readdirSync(join(root, 'plugins')).map((name) => `plugins/${name}`),
  ]
    .filter((path) => existsSync(join(root, path, 'package.json')))
    .flatMap((path) => ['-w', path]);
  must('npm', ['pack', ...workspaces, '--pack-destination', tarballs, ...quiet], { cwd: root });
  const server = join(folder, 'server');
  mkdirSync(server);
  writeFileSync(join(server, 'package.json'), '{ "private": true }');
  // The one native library takes minutes to compile: it is taken as it was compiled for this checkout.
  const files = readdirSync(tarballs).map((name) => join(tarballs, name));
  must('npm', ['install', ...files, '--ignore-scripts', '--prefer-offline', ...quiet], { cwd: server });
  for (const name of ['better-sqlite3', 'better-sqlite3-13']) {
    const built = join(root, 'node_modules', name, 'build');
    if (existsSync(built)) cpSync(built, join(server, 'node_modules', name, 'build'), { recursive: true });
  }
  return server;
}

/** Copies a plugin's sources beside the server, changes them, builds them with their own build, and packs them. */
export function buildPlugin(server, name, { folder = name, over = [], change = (text) => text } = {}) {
  const target = join(server, 'sources', folder);
  for (const from of [name, ...over]) cpSync(join(fixtures, from), target, { recursive: true });
  for (const file of ['package.json', 'plugin.ts']) {
    const path = join(target, file);
    writeFileSync(path, change(readFileSync(path, 'utf8')));
  }
  const types = join(server, 'sources/node_modules/@types');
  if (!existsSync(types)) {
    mkdirSync(types, { recursive: true });
    symlinkSync(join(root, 'node_modules/@types/node'), join(types, 'node'));
  }
  const link = join(server, 'sources/node_modules/@acme');
  if (name === 'shelf-labels' && !existsSync(link)) {
    mkdirSync(link);
    symlinkSync(join(server, 'sources/shelf'), join(link, 'mortise-plugin-shelf'));
  }
  must(process.execPath, [tsc, '-p', target]);
  const packed = join(server, 'packed', folder);
  mkdirSync(packed, { recursive: true });
  must('npm', ['pack', '--pack-destination', packed, ...quiet], { cwd: target });
  return join(packed, readdirSync(packed)[0]);
}

/** A work folder with a server of its own, on SQLite or MariaDB; of the packages that `from` has installed, where given. */
export async function makeInstallation({ engine = 'sqlite3', from } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'mortise-outside-'));
  const server = from?.server ?? installFromTarballs(folder);
  const port = await freePort();
  const base = `http://127.0.0.1:${port}`;
  const workDir = join(folder, 'work');
  const env = {
    ...process.env,
    NODE_ENV: 'production',
    MORTISE_WORK_DIR: workDir,
    MORTISE__server__HTTP_PORT: String(port),
    MORTISE__server__HTTP_ADDR: '127.0.0.1',
    MORTISE__server__SSH_PORT: '0',
    MORTISE__server__ROOT_URL: base,
    MORTISE__server__WORKERS: '1',
    MORTISE__log__LEVEL: 'warn',
    MORTISE__security__ALLOWED_HOST_LIST: '*',
    ...(await engineSettings(`mortise_outside_${process.pid}_${Date.now() % 1e9}`, engine)),
  };
  delete env.MORTISE_HOME;
  const program = join(server, 'node_modules/@mortise/core/bin/mortise.mjs');
  const mortise = (...words) => run(process.execPath, [program, ...words], { cwd: server, env });
  /** Environment of commands, for instance to name another registry. */
  const set = (name, value) => (env[name] = value);
  let child;
  let log = '';
  const stop = async () => {
    if (!child || child.exitCode !== null) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await gone;
  };
  return {
    folder,
    server,
    workDir,
    base,
    mortise,
    set,
    log: () => log,
    /** The same, and it must go well. Gives what it printed. */
    ok(...words) {
      const done = mortise(...words);
      if (done.status !== 0) throw new Error(`mortise ${words.join(' ')} ended with ${done.status}:\n${done.all}`);
      return done.stdout;
    },
    async start() {
      log = '';
      child = spawn(process.execPath, [program, 'web'], { cwd: server, env, stdio: ['ignore', 'pipe', 'pipe'] });
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (log += chunk));
      for (;;) {
        if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}:\n${log}`);
        const ready = await fetch(`${base}/-/ready`).catch(() => undefined);
        if (ready?.ok) return;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    },
    stop,
    async close() {
      await stop();
      rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}
