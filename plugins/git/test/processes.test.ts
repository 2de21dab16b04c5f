/** The one runner of git: its limits, its guards, and what it keeps from others. */
// Database: SQLite alone; processes, folders and hooks of git have nothing to do with it.
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { asActor, startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { gitProcesses, gitStore, refUpdates, type GitChild, type GitProcesses } from '../api.js';
import { refGate } from '../services/service-refs.js';
import { Hooks } from '../services/hooks.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const ended = (child: GitChild) =>
  new Promise<NodeJS.Signals | number | null>((resolve) =>
    child.once('close', (code, signal) => resolve(signal ?? code)),
  );
const failure = (work: Promise<unknown>) =>
  work.then(
    () => '',
    (error: Error) => `${error.name}: ${error.message}`,
  );

describe('running git', () => {
  let host: TestHost;
  let folder: string;
  before(async () => {
    host = await startHost({ plugins: ['git'] });
    await host.services.get(gitStore).create(1);
    folder = host.services.get(gitStore).path(1);
  });
  after(() => host.close());
  const git = () => host.services.get(gitProcesses);

  it('A5: ends a process when it is told to, takes too long, or stands still', async () => {
    const stop = new AbortController();
    const waits = ['cat-file', '--batch'];
    const told = git().start(waits, { cwd: folder, signal: stop.signal });
    const long = git().start(waits, { cwd: folder, timeoutMs: 50 });
    const quiet = git().start(waits, { cwd: folder, quietMs: 50 });
    stop.abort();
    expect(await Promise.all([told, long, quiet].map(ended))).to.equal(['SIGKILL', 'SIGKILL', 'SIGKILL']);
    const late = git().run(['cat-file', '--batch'], { cwd: folder, signal: stop.signal });
    expect(await failure(late)).to.contain('cancelled');
  });

  it('A5: ends output that is too long', async () => {
    const input = 'HEAD\n'.repeat(1000);
    const options = { cwd: folder, input, maxBytes: 100 };
    expect(await failure(git().run(['cat-file', '--batch-check'], options))).to.contain('too large');
    const read = async () => {
      for await (const chunk of git().stream(['cat-file', '--batch-check'], options)) void chunk;
    };
    expect(await failure(read())).to.contain('too large');
  });

  it('starts one process in a turn of the event loop, so that others are answered in between', async () => {
    const running = () => (git() as GitProcesses & { counts: { running: number } }).counts.running;
    const before = running();
    const highest: number[] = [];
    let last = before;
    const all = Promise.all([1, 2, 3].map(() => git().run(['--version'])));
    while (last < before + 3 && highest.length < 100) {
      await new Promise((resolve) => process.nextTick(resolve));
      const now = running();
      highest.push(now - last);
      last = Math.max(last, now);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect((await all).length).to.equal(3);
    expect(Math.max(...highest)).to.equal(1);
  });

  it('A5: ends what runs with the host', async () => {
    const other = await startHost({ plugins: ['git'] });
    await other.services.get(gitStore).create(1);
    const cwd = other.services.get(gitStore).path(1);
    const child = other.services.get(gitProcesses).start(['cat-file', '--batch'], { cwd });
    const over = ended(child);
    await other.close();
    expect(String(await over)).to.match(/^SIG/);
  });

  it('D: simple-git has our environment, and its guards are on', async () => {
    const porcelain = git().porcelain(folder, { protocols: ['https'] });
    expect((await porcelain.raw('config', '--get', 'user.name')).trim()).to.equal('Mortise');
    expect(await failure(porcelain.raw('config', '--get', 'no.such'))).to.contain('GitFailure');
    for (const bad of [
      ['-c', 'core.sshCommand=touch x', 'fetch', 'ssh://a/b'],
      ['-c', 'core.hooksPath=/tmp', 'gc'],
      ['clone', '--upload-pack=touch x', 'https://a.example/b', 'c'],
      ['clone', 'ext::sh -c touch% x', 'c'],
      ['clone', '-c', 'protocol.ext.allow=always', 'https://a.example/b', 'c'],
    ])
      expect(await failure(porcelain.raw(...bad)), bad.join(' ')).to.not.be.empty();
    expect(existsSync(join(folder, 'x'))).to.be.false();
    // a protocol that is not asked for
    const refused = await failure(git().porcelain(folder).raw('ls-remote', '--end-of-options', 'https://127.0.0.1:1/'));
    expect(refused).to.match(/transport 'https' not allowed/);
  });

  it('D: simple-git ends with its signal and its time', async () => {
    const { server, url, asked } = await silentServer();
    try {
      const stop = new AbortController();
      const fetch = git()
        .porcelain(folder, { protocols: ['http'], signal: stop.signal })
        .raw('ls-remote', url);
      await asked;
      stop.abort();
      expect(await failure(fetch)).to.not.be.empty();
      const late = git()
        .porcelain(folder, { protocols: ['http'], timeoutMs: 100 })
        .raw('ls-remote', url);
      expect(await failure(late)).to.not.be.empty();
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

  it('B: passwords of remotes are in no arguments, and go to the remote alone', async () => {
    const { server, url, asked } = await silentServer(true);
    const password = 'pass word/%41';
    try {
      const stop = new AbortController();
      const options = { username: 'ada', password, signal: stop.signal };
      const clone = host.services.get(gitStore).cloneFrom(2, url, options);
      const request = await asked;
      expect(request.headers.authorization).to.equal(`Basic ${Buffer.from(`ada:${password}`).toString('base64')}`);
      expect(request.url).to.not.contain('pass');
      const lines = argumentsOfAll();
      expect(lines.some((line) => line.includes(new URL(url).host))).to.be.true();
      expect(lines.some((line) => line.includes('pass word') || line.includes('pass%20word'))).to.be.false();
      stop.abort();
      const said = await failure(clone);
      expect(said).to.not.be.empty();
      expect(said).to.not.contain('pass');
    } finally {
      server.closeAllConnections();
      server.close();
    }
    expect(await host.services.get(gitStore).exists(2)).to.be.false();
  });

  it('B: a clone that fails is told with what git said, and leaves nothing', async () => {
    const closed = host.services.get(gitStore).cloneFrom(4, 'http://127.0.0.1:1/a.git');
    const refused = (await expect(closed).to.reject()) as Error & { code: string };
    expect(refused.code).to.equal('invalid');
    expect(refused.message).to.match(/^The repository could not be cloned: unable to access/);
    expect(refused.message).to.not.contain(host.workDir);
    expect(await host.services.get(gitStore).exists(4)).to.be.false();
  });

  it('B: an address may hold the password, too', async () => {
    const { server, url, asked } = await silentServer(true);
    const stop = new AbortController();
    const address = Object.assign(new URL(url), { username: 'ben', password: 'se%20cret' }).href;
    const clone = failure(host.services.get(gitStore).cloneFrom(3, address, { signal: stop.signal }));
    expect((await asked).headers.authorization).to.equal(`Basic ${Buffer.from('ben:se cret').toString('base64')}`);
    expect(argumentsOfAll().some((line) => line.includes('se%20cret') || line.includes('se cret'))).to.be.false();
    stop.abort();
    expect(await clone).to.not.contain('cret');
    server.closeAllConnections();
    server.close();
  });
});

describe('the folder of repositories', () => {
  it('S11: is closed to other users of the machine', async () => {
    const host = await startHost({ plugins: ['git'] });
    const { root } = host.services.get(refGate).deps.store;
    expect(statSync(root).mode & 0o077).to.equal(0);
    await host.close();
  });
});

describe('the hooks of pushes', () => {
  let host: TestHost;
  before(async () => {
    host = await startHost({ plugins: ['git'] });
  });
  after(() => host.close());

  const files = () => {
    const { folder } = host.services.get(refGate).deps.hooks;
    return readdirSync(folder).map((name) => join(folder, name));
  };
  const open = () =>
    host.services
      .get(refUpdates)
      .openPush({ repositoryId: 1, pusher: asActor({ id: 1, name: 'ada' }), source: 'http' });
  const script = () => readFileSync(files()[0]!, 'utf8');

  it('B: are written aside and only where they differ', () => {
    const before = files().map((file) => statSync(file, { bigint: true }).ctimeNs);
    const again = new Hooks(join(files()[0]!, '..', '..'), script());
    again.ensure();
    expect(again.folder).to.equal(join(files()[0]!, '..'));
    expect(files().map((file) => statSync(file, { bigint: true }).ctimeNs)).to.equal(before);
    expect(files()).to.have.length(3);
  });

  it('B: no push meets one that is missing, empty, altered or not to be run', () => {
    const good = script();
    for (const [what, harm] of Object.entries({
      missing: (file: string) => rmSync(file),
      empty: (file: string) => truncateSync(file),
      altered: (file: string) => writeFileSync(file, '#!/bin/sh\nexit 0\n'),
      'not to be run': (file: string) => chmodSync(file, 0o600),
    }))
      for (const file of files()) {
        harm(file);
        open();
        expect(readFileSync(file, 'utf8'), what).to.equal(good);
        expect(statSync(file).mode & 0o777, what).to.equal(0o700);
      }
  });

  it('B: a server that cannot have its hooks run takes no pushes', () => {
    const { folder } = host.services.get(refGate).deps.hooks;
    rmSync(folder, { recursive: true });
    writeFileSync(folder, 'in the way');
    expect(() => open()).to.throw();
    rmSync(folder);
    open();
    expect(files()).to.have.length(3);
  });
});

/** Keeps whoever asks waiting; with `isGuarded` only after who it is was told. */
async function silentServer(isGuarded = false) {
  let hear!: (request: IncomingMessage) => void;
  const asked = new Promise<IncomingMessage>((resolve) => (hear = resolve));
  const server: Server = createServer((request, response) => {
    if (!isGuarded || request.headers.authorization) return hear(request);
    response.writeHead(401, { 'www-authenticate': 'Basic realm="test"' }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/a.git` };
}

const argumentsOfAll = () => execFileSync('ps', ['-eo', 'args', '-ww'], { encoding: 'utf8' }).split('\n');
