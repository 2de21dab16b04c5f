// A server set up from packed packages in a fresh folder, and plugins that strangers built against it.
import { spawn, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '@mortise/plugin-sdk/testing';
import { engineSettings } from '../support/server.mjs';

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const { satisfies } = createRequire(join(root, 'core/package.json'))('semver');
const fixtures = join(root, 'test/fixtures/outside');
/** Those that stand by themselves, or upon one before. */
export const outsidePlugins = ['package-wheels', 'webhook-pager', 'auth-gate', 'shelf', 'shelf-labels'];
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

const workspaces = [
  'plugin-sdk',
  'migrations',
  'core',
  ...readdirSync(join(root, 'plugins')).map((name) => `plugins/${name}`),
].filter((path) => existsSync(join(root, path, 'package.json')));

/** Packs every workspace that is published, and installs them, with their dependencies, as an operator would. */
export function installFromTarballs(folder) {
  const tarballs = join(folder, 'tarballs');
  mkdirSync(tarballs);
  must('npm', ['pack', ...workspaces.flatMap((path) => ['-w', path]), '--pack-destination', tarballs, ...quiet], {
    cwd: root,
  });
  const server = join(folder, 'server');
  mkdirSync(join(server, 'node_modules'), { recursive: true });
  writeFileSync(join(server, 'package.json'), '{ "private": true }');
  const files = readdirSync(tarballs).map((name) => join(tarballs, name));
  if (process.env.MORTISE_TEST_FULL) installWithNpm(server, files);
  else layPackages(server, files);
  return server;
}

function installWithNpm(server, files) {
  // The one native library takes minutes to compile: it is taken as it was compiled for this checkout.
  must('npm', ['install', ...files, '--ignore-scripts', '--prefer-offline', ...quiet], { cwd: server });
  for (const name of ['better-sqlite3', 'better-sqlite3-13']) {
    const built = join(root, 'node_modules', name, 'build');
    if (existsSync(built)) cpSync(built, join(server, 'node_modules', name, 'build'), { recursive: true });
  }
}

/**
 * The same without the minute that npm works on it: packed files are unpacked where npm puts them, and beside them lies
 * what their own package.json asks for, with what that needs, and nothing else: copied from what npm installed here.
 */
function layPackages(server, files) {
  const modules = join(server, 'node_modules');
  const packed = new Map();
  for (const file of files) {
    const staging = join(server, 'unpacked');
    mkdirSync(staging);
    must('tar', ['-xzf', file, '-C', staging]);
    const about = aboutOf(join(staging, 'package'));
    mkdirSync(dirname(join(modules, about.name)), { recursive: true });
    renameSync(join(staging, 'package'), join(modules, about.name));
    rmSync(staging, { recursive: true });
    packed.set(about.name, about);
  }
  /** Where it is to lie → where it lies here. */
  const laid = new Map();
  for (const { name, dependencies = {}, optionalDependencies = {} } of packed.values())
    for (const [wanted, range] of Object.entries({ ...dependencies, ...optionalDependencies })) {
      const from = packed.has(wanted) ? undefined : installedFor(folderOf(name), wanted);
      const found = packed.get(wanted) ?? (from && aboutOf(from));
      if (!found && optionalDependencies[wanted]) continue;
      // of an alias only the name differs
      if (!found || (!range.startsWith('npm:') && !satisfies(found.version, range)))
        throw new Error(`${name} needs ${wanted} ${range}; there is ${found?.version ?? 'none'}`);
      if (from) laid.set(placeOf(from), from);
    }
  // a library finds what it needs below itself, or beside itself; what lies below one needs libraries too
  const needed = new Set(laid.values());
  for (const from of needed) {
    const { dependencies, optionalDependencies, peerDependencies } = aboutOf(from);
    for (const wanted of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })) {
      const found = installedFor(from, wanted);
      if (!found) continue;
      needed.add(found);
      const place = placeOf(found);
      if (place) laid.set(place, found);
    }
  }
  const byFolder = new Map();
  for (const [place, from] of laid) {
    const target = dirname(join(modules, place));
    byFolder.set(target, [...(byFolder.get(target) ?? []), from]);
  }
  for (const [target, sources] of byFolder) {
    mkdirSync(target, { recursive: true });
    must('cp', ['-r', ...sources, target]);
  }
}

const aboutOf = (folder) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
const folderOf = (workspace) =>
  workspaces.map((path) => join(root, path)).find((path) => aboutOf(path).name === workspace);

/** Where a library of this checkout is to lie in `node_modules`; undefined for one that lies within another. */
function placeOf(path) {
  const [owner, ...rest] = relative(root, path).split(/(?:^|\/)node_modules\//);
  if (rest.length > 1) return undefined;
  return owner === '' ? rest[0] : `${aboutOf(join(root, owner)).name}/node_modules/${rest[0]}`;
}

/** Where npm laid a library for whoever lies in that folder. */
function installedFor(folder, library) {
  for (let at = folder; at.startsWith(root); at = dirname(at)) {
    const path = join(at, 'node_modules', library);
    if (existsSync(path)) return path;
  }
  return undefined;
}

/** Copies a plugin's sources beside the server, and changes them. Gives their folder. */
function layPlugin(server, { name, folder = name, over = [], change = (text) => text }) {
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
  return target;
}

/**
 * Builds plugins with their own settings of the compiler, and packs them. Gives their packed files.
 */
export function buildPlugins(server, wanted) {
  const folders = wanted.map((one) => layPlugin(server, one));
  // it builds many at once: whoever needs the types of another comes afterwards
  const later = folders.filter((_, at) => wanted[at].name === 'shelf-labels');
  const first = folders.filter((folder) => !later.includes(folder));
  for (const some of [first, later]) if (some.length) must(process.execPath, [tsc, '-b', ...some]);
  const packed = join(server, 'packed', wanted[0].folder ?? wanted[0].name);
  mkdirSync(packed, { recursive: true });
  const told = must('npm', ['pack', ...folders, '--json', '--pack-destination', packed, ...quiet], { cwd: server });
  const names = JSON.parse(told).map(({ filename }) => filename.replace('@', '').replace('/', '-'));
  return names.map((name) => join(packed, name));
}

/** The packed plugin with other words in package.json and in its compiled definition, packed again. */
export function repack(file, folder, change) {
  const target = join(dirname(file), folder);
  mkdirSync(target);
  must('tar', ['-xzf', file, '-C', target]);
  let isOther = false;
  for (const path of ['package.json', 'dist/plugin.js'].map((name) => join(target, 'package', name))) {
    const before = readFileSync(path, 'utf8');
    const after = change(before);
    isOther ||= after !== before;
    writeFileSync(path, after);
  }
  if (!isOther) throw new Error(`nothing of ${file} was changed`);
  must('tar', ['-czf', `${target}.tgz`, '-C', target, 'package']);
  return `${target}.tgz`;
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
