// What a start loads: each library is a part of every start's time, so what can wait is loaded at first use.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startServer } from '../support/server.mjs';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

/** Needed before the first request is answered; the large ones are bundled (docs/decisions/0012). */
const libraries = new Set([
  ...['better-sqlite3', 'bindings', 'file-uri-to-path'],
  ...['@node-rs/argon2', 'ipaddr.js', 'lru-cache', 'preact', 'preact-render-to-string'],
  ...['ssh2', 'asn1', 'bcrypt-pbkdf', 'cpu-features', 'safer-buffer', 'tweetnacl'],
]);
/** Loaded as soon as it listens: tasks by the clock, threads that draw. */
const afterwards = new Set(['cron-parser', 'luxon', 'piscina']);
/** Files of the kernel and of libraries, and of each plugin; raise it only for what really is needed so early. */
const mostFiles = (plugins) => 220 + plugins;

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

  it('loads plugins and the kernel from few files', () => {
    const plugins = files.filter((file) => file.endsWith('plugin.bundle.cjs')).length;
    expect(plugins).to.be.above(30);
    expect(files.length, 'files that a start loads').to.be.below(mostFiles(plugins));
  });
});
