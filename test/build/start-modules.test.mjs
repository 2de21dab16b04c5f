// What a start loads: each library is a part of every start's time, so what can wait is loaded at first use.
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startServer } from '../support/server.mjs';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** Needed before the first request is answered, with the libraries that they need themselves. */
const libraries = withDependencies(join(root, 'core'), [
  ...['@hapi/hapi', 'joi', 'knex', 'objection', 'better-sqlite3', 'pino', 'semver', 'commander'],
  ...['@node-rs/argon2', 'ipaddr.js', 'lru-cache', 'preact', 'preact-render-to-string', 'ssh2'],
]);
/** `debug` colours with it where somebody else installed it. */
for (const name of ['supports-color', 'has-flag']) libraries.add(name);

/** The names, and those of all that the libraries need; looked for from the folder of who asks, as node does. */
function withDependencies(folder, names, found = new Set()) {
  for (const name of names) {
    const places = createRequire(join(folder, 'package.json')).resolve.paths(name) ?? [];
    const library = places.map((place) => join(place, name)).find((path) => existsSync(join(path, 'package.json')));
    if (found.has(name)) continue;
    found.add(name);
    if (!library) continue;
    const { dependencies, optionalDependencies } = JSON.parse(readFileSync(join(library, 'package.json'), 'utf8'));
    withDependencies(library, Object.keys({ ...dependencies, ...optionalDependencies }), found);
  }
  return found;
}

/** Loaded as soon as it listens: tasks by the clock, threads that draw. */
const afterwards = new Set(['cron-parser', 'luxon', 'piscina']);
/** Files of libraries; raise it only for what really is needed so early. */
const maxLibraryFiles = 1050;

/** Undefined: a file of Mortise. */
const libraryOf = (file) => /.*\/node_modules\/((?!@mortise\/)(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1];

describe('a start', { skip: process.env.MORTISE_TEST_ENGINE === 'mysql' }, () => {
  let server;
  let files;
  before(async () => {
    const probe = fileURLToPath(new URL('../support/loaded-files.mjs', import.meta.url));
    server = await startServer({ settings: { NODE_OPTIONS: `--import ${probe}` }, start: false });
    const list = join(server.folder, 'loaded');
    server.env.MORTISE_LOADED_FILES = list;
    await server.start();
    process.kill(server.pid, 'SIGUSR2');
    for (let tries = 0; tries < 200 && !existsSync(list); tries++) await new Promise((next) => setTimeout(next, 50));
    files = readFileSync(list, 'utf8')
      .split('\n')
      .filter((file) => !afterwards.has(libraryOf(file)));
  });
  after(() => server.close());

  it('loads no library that could be loaded at first use', () => {
    const others = new Set(files.map(libraryOf).filter((name) => name && !libraries.has(name)));
    expect([...others], 'libraries that a start has begun to load').to.equal([]);
  });

  it('loads few files of libraries', () => {
    expect(files.filter(libraryOf).length, 'files of libraries that a start loads').to.be.below(maxLibraryFiles);
  });

  it('loads plugins and the kernel as the compiler wrote them', () => {
    const own = files.filter((file) => !libraryOf(file) && /\/(core|plugin-sdk|plugins\/[^/]+)\/dist\//.test(file));
    expect(own.filter((file) => /\.c?js$/.test(file) && !existsSync(`${file}.map`))).to.equal([]);
    for (const plugin of ['accounts', 'git', 'issues'])
      expect(own).to.include(join(root, 'plugins', plugin, 'dist/plugin.js'));
  });
});
