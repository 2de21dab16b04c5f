import { execFileSync, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { asActor, freePort, startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { gitReader, gitRemotes, gitStore, refUpdates, remoteFailureOf, zeroOid, type GitRemotes } from '../api.js';
import type { RemoteFetch } from '../contract/remotes.js';
import { RemoteServer } from './remote-server.js';

export const lab = Lab.script();
const { describe, it, before, after, beforeEach } = lab;
const ada = asActor({ id: 1, name: 'ada' });

const failureOf = async (work: Promise<unknown>): Promise<{ kind: string | undefined; message: string }> => {
  const error = (await work.then(
    (result) => expect(result).to.equal('a failure'),
    (reason: unknown) => reason,
  )) as Error & { code: string };
  expect(error, error.stack).to.include({ code: 'invalid' });
  return { kind: remoteFailureOf(error), message: error.message };
};

describe('repositories of other servers', () => {
  let host: TestHost;
  let server: RemoteServer;
  let remotes: GitRemotes;
  let last = 0;

  before(async () => {
    host = await startHost({
      plugins: ['git'],
      settings: { migrations: { ALLOW_LOCALNETWORKS: true, BLOCKED_DOMAINS: 'blocked.example, *.bad.example' } },
    });
    remotes = host.services.get(gitRemotes);
    server = await RemoteServer.start();
  });
  after(async () => {
    await server.close();
    await host.close();
  });
  beforeEach(() => {
    server.misbehave = undefined;
    server.login = undefined;
  });

  const temporaries = () => readdirSync(join(host.services.get(gitStore).path(1), '..', '..', '.temporary'));
  const make = async () => {
    const id = ++last;
    await host.services.get(gitStore).create(id);
    return { id, name: `source${id}`, ...(await server.repository(`source${id}`).then(() => ({}))) };
  };
  const at = (name: string) => remotes.parse(server.url(name));
  const fetch = (id: number, name: string, options: Partial<RemoteFetch> = {}) =>
    remotes.fetch(id, at(name), { pusher: ada, ...options });
  const refs = async (id: number) =>
    (await host.services.get(gitReader).open(id).refs()).map(({ ref, oid }) => `${ref} ${oid}`).sort();

  it('MIR-01: what comes is there at once and whole, and what went goes', async () => {
    const { id, name } = await make();
    const main = await server.commit(name, 'trunk', { 'a.txt': 'a' });
    await server.git(name, 'symbolic-ref', 'HEAD', 'refs/heads/trunk');
    await server.commit(name, 'a', { 'b.txt': 'b' });
    await server.git(name, 'tag', '-a', 'v1', '-m', 'one', main);
    const seen: string[] = [];
    const first = await fetch(id, name, { onProgress: ({ stage }) => void seen.push(stage) });
    expect(first.head).to.equal('trunk');
    expect(first.updates).to.have.length(3);
    expect(seen).to.include('receiving');
    const store = host.services.get(gitStore);
    expect(await store.head(id)).to.equal('trunk');
    expect((await fetch(id, name)).updates).to.be.empty();
    // a name that goes is in the way of the one that comes
    await server.git(name, 'update-ref', '-d', 'refs/heads/a');
    await server.commit(name, 'a/b', { 'c.txt': 'c' });
    const prunes = (ref: string) => ref.startsWith('refs/heads/');
    const second = await fetch(id, name, { prunes });
    expect(second.updates.map(({ ref }) => ref).sort()).to.equal(['refs/heads/a', 'refs/heads/a/b']);
    const there = (await server.git(name, 'for-each-ref', '--format=%(refname) %(objectname)')).split('\n').sort();
    expect(await refs(id)).to.equal(there);
    expect(temporaries()).to.be.empty();
  });

  it('U1: a name that goes for another one comes back when that one cannot come', async () => {
    const { id, name } = await make();
    await server.commit(name, 'a', { 'a.txt': 'a' });
    await fetch(id, name);
    const had = await refs(id);
    await server.git(name, 'update-ref', '-d', 'refs/heads/a');
    await server.commit(name, 'a/b', { 'b.txt': 'b' });
    const within = () => Promise.reject(new Error('no longer wanted'));
    await expect(fetch(id, name, { prunes: () => true, within })).to.reject('no longer wanted');
    expect(await refs(id)).to.equal(had);
    expect((await fetch(id, name, { prunes: () => true })).updates).to.have.length(2);
  });

  it('U1: references that move while they come are taken as they are together', async () => {
    const { id, name } = await make();
    await server.commit(name, 'one', { 'a.txt': 'a' });
    await server.git(name, 'branch', 'two', 'one');
    await fetch(id, name);
    await server.commit(name, 'one', { 'a.txt': 'b' });
    // behind the list, and before the objects are asked for
    let isListed = false;
    server.misbehave = (request) => {
      if (isListed || request.method !== 'POST') return undefined;
      isListed = true;
      const tree = execFileSync('git', ['rev-parse', 'one^{tree}'], { cwd: server.folder(name), encoding: 'utf8' });
      const who = ['-c', 'user.name=a', '-c', 'user.email=a@example.com'];
      const made = ['commit-tree', tree.trim(), '-p', 'one', '-m', 'both'];
      const oid = execFileSync('git', [...who, ...made], { cwd: server.folder(name), encoding: 'utf8' }).trim();
      lists.push(oid);
      return undefined;
    };
    const lists: string[] = [];
    const moving = fetch(id, name, {
      onProgress: () => undefined,
      target: (ref) => {
        // asked once the list is there
        if (lists.length === 1) {
          const oid = lists[0]!;
          const input = `update refs/heads/one ${oid}\nupdate refs/heads/two ${oid}\n`;
          execFileSync('git', ['update-ref', '--stdin'], { cwd: server.folder(name), input });
          lists.push('moved');
        }
        return ref;
      },
    });
    await moving;
    const oids = (await refs(id)).map((line) => line.split(' ')[1]);
    expect(oids).to.equal([lists[0], lists[0]]);
  });

  it('moves no reference when something in between fails', async () => {
    const { id, name } = await make();
    await server.commit(name, 'main', { 'a.txt': 'a' });
    const beforeMove = () => Promise.reject(new Error('no room'));
    await expect(fetch(id, name, { beforeMove })).to.reject('no room');
    expect(await refs(id)).to.be.empty();
    await fetch(id, name);
    expect(await refs(id)).to.have.length(1);
  });

  it('pushes references with an answer for each', async () => {
    const { id, name } = await make();
    await server.commit(name, 'main', { 'a.txt': 'a' });
    await server.commit(name, 'side', { 'a.txt': 'b' });
    await fetch(id, name);
    await server.repository('copy');
    const target = remotes.parse(server.url('copy'));
    const pushed = await remotes.push(id, target);
    expect(pushed.updates).to.have.length(2);
    expect(pushed.refused).to.be.empty();
    await server.git('copy', 'config', 'receive.denyDeletes', 'true');
    const oid = (await host.services.get(gitReader).open(id).branch('side'))!.oid;
    const gate = host.services.get(refUpdates);
    const gone = [{ ref: 'refs/heads/side', old: oid, new: zeroOid }];
    await gate.apply({ repositoryId: id, updates: gone, pusher: ada, source: 'api' });
    const refused = await remotes.push(id, target, { prunes: () => true });
    expect(refused.updates).to.be.empty();
    expect(refused.refused).to.equal([{ ref: 'refs/heads/side', reason: 'deletion prohibited' }]);
    await server.git('copy', 'config', 'receive.denyDeletes', 'false');
    expect((await remotes.push(id, target, { prunes: () => true })).updates).to.have.length(1);
    expect(await server.git('copy', 'for-each-ref', '--format=%(refname)')).to.equal('refs/heads/main');
    expect((await remotes.push(id, target)).updates).to.be.empty();
  });

  it('GEN-14: goes to no host that administrators have not opened', async () => {
    for (const blocked of ['http://blocked.example/x', 'https://ci.bad.example/x', 'git://BLOCKED.example./x'])
      expect(await failureOf(remotes.list(remotes.parse(blocked))), blocked).to.include({ kind: 'forbidden' });
    const closed = await startHost({ plugins: ['git'], settings: { security: { ALLOWED_HOST_LIST: 'external' } } });
    const { name } = await make();
    await server.commit(name, 'main', { 'a.txt': 'a' });
    const closedRemotes = closed.services.get(gitRemotes);
    server.requests.length = 0;
    for (const inwards of [
      server.url(name),
      `http://localhost:${server.port}/${name}.git`,
      `git://127.0.0.1:${server.port}/x`,
    ])
      expect(await failureOf(closedRemotes.list(closedRemotes.parse(inwards))), inwards).to.include({
        kind: 'forbidden',
      });
    expect(server.requests).to.be.empty();
    await closed.close();
    const named = await startHost({
      plugins: ['git'],
      settings: {
        security: { ALLOWED_HOST_LIST: 'external' },
        migrations: { ALLOWED_DOMAINS: 'a.example, localhost' },
      },
    });
    const some = named.services.get(gitRemotes);
    expect(await failureOf(some.list(some.parse('https://b.example/x')))).to.include({ kind: 'forbidden' });
    expect((await some.list(some.parse(`http://localhost:${server.port}/${name}.git`))).refs).to.have.length(1);
    // another host that is not named, by a redirect
    server.misbehave = (request, response) => {
      response.writeHead(302, { location: `http://127.0.0.1:${server.port}${request.url}` }).end();
      return true;
    };
    expect(await failureOf(some.list(some.parse(`http://localhost:${server.port}/${name}.git`)))).to.include({
      kind: 'forbidden',
    });
    await named.close();
  });

  it('MIR-01: credentials go to their host alone, and are in no error', async () => {
    const { id, name } = await make();
    await server.commit(name, 'main', { 'a.txt': 'a' });
    server.login = { username: 'ada', password: 'pass w\u00f6rd' };
    const wrong = await failureOf(fetch(id, name, { credentials: { username: 'ada', password: 'hidden-word' } }));
    expect(wrong.kind).to.equal('authentication');
    expect(wrong.message).to.not.contain('hidden-word');
    expect((await failureOf(fetch(id, name))).kind).to.equal('authentication');
    expect((await fetch(id, name, { credentials: { ...server.login } })).updates).to.have.length(1);
    const config = readFileSync(join(host.services.get(gitStore).path(id), 'config'), 'utf8');
    expect(config).to.not.contain('127.0.0.1');
    server.requests.length = 0;
    server.misbehave = (request, response) => {
      if (!request.headers.host?.startsWith('127.')) return undefined;
      response.writeHead(302, { location: `http://localhost:${server.port}${request.url}` }).end();
      return true;
    };
    const away = await failureOf(fetch(id, name, { credentials: { ...server.login } }));
    expect(away.kind).to.equal('forbidden');
    expect(server.requests.every(({ url }) => !url.includes('word'))).to.be.true();
  });

  it('bounds what comes and how long it takes', async () => {
    const { id, name } = await make();
    await server.commit(name, 'main', {
      'a.bin': Buffer.from(Array.from({ length: 300_000 }, () => Math.random() * 256)),
    });
    expect((await failureOf(fetch(id, name, { maxBytes: 100_000 }))).kind).to.equal('tooLarge');
    server.misbehave = (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-advertisement' });
      const timer = setInterval(() => response.write('0'), 20);
      response.once('close', () => clearInterval(timer));
      return true;
    };
    const started = Date.now();
    expect((await failureOf(fetch(id, name, { timeoutMs: 400 }))).kind).to.equal('timeout');
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 200);
    expect((await failureOf(fetch(id, name, { signal: stop.signal }))).kind).to.equal('aborted');
    expect(Date.now() - started).to.be.below(10_000);
    // drips keep no connection open, however long the work may take
    const impatient = await startHost({
      plugins: ['git'],
      settings: { git: { WRITE_TIMEOUT: 1 }, migrations: { ALLOW_LOCALNETWORKS: true } },
    });
    await impatient.services.get(gitStore).create(1);
    const dripped = impatient.services.get(gitRemotes).fetch(1, at(name), { pusher: ada });
    expect((await failureOf(dripped)).kind).to.equal('timeout');
    await impatient.close();
    // O1: a server that does not even list its references is given up as a read is, also by a fetch
    const reading = await startHost({
      plugins: ['git'],
      settings: { git: { READ_TIMEOUT: 1 }, migrations: { ALLOW_LOCALNETWORKS: true } },
    });
    server.misbehave = () => true;
    await reading.services.get(gitStore).create(1);
    const begun = Date.now();
    const silent = reading.services.get(gitRemotes).fetch(1, at(name), { pusher: ada });
    expect((await failureOf(silent)).kind).to.equal('timeout');
    expect(Date.now() - begun).to.be.below(30_000);
    await reading.close();
    // references without end
    server.misbehave = (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-advertisement' });
      response.write('001e# service=git-upload-pack\n0000');
      const line = (n: number) => `003f${'a'.repeat(40)} refs/heads/b${String(n).padStart(9, '0')}\n`;
      let n = 0;
      const more = () => {
        while (!response.destroyed && response.write(Array.from({ length: 1000 }, () => line(n++)).join('')));
      };
      response.on('drain', more);
      more();
      return true;
    };
    expect((await failureOf(remotes.list(at(name), { maxBytes: 4_000_000 }))).kind).to.equal('tooLarge');
    expect(await refs(id)).to.be.empty();
    expect(temporaries()).to.be.empty();
  });

  it('keeps nothing of a pack that is broken or unsafe, and fetches it well the next time', async () => {
    const { id, name } = await make();
    await server.commit(name, 'main', {
      'a.bin': Buffer.from(Array.from({ length: 100_000 }, () => Math.random() * 256)),
    });
    server.misbehave = (request, response) => {
      if (!request.url?.endsWith('git-upload-pack') || request.method !== 'POST') return undefined;
      const write = response.write.bind(response) as (chunk: Buffer) => boolean;
      let sent = 0;
      response.write = ((chunk: Buffer) => {
        // in the middle of the pack, in pieces of whatever size it goes
        const [from, to] = [10_000, 15_000].map((at) => Math.min(Math.max(at - sent, 0), chunk.length));
        sent += chunk.length;
        return write(chunk.fill(0, from, to));
      }) as typeof response.write;
      return undefined;
    };
    expect((await failureOf(fetch(id, name))).kind).to.equal('invalidData');
    expect(await refs(id)).to.be.empty();
    server.misbehave = undefined;
    expect((await fetch(id, name)).updates).to.have.length(1);
    // a tree that no push may bring
    const blob = execFileSync('git', ['hash-object', '-w', '--stdin'], { cwd: server.folder(name), input: 'x' })
      .toString()
      .trim();
    const entry = Buffer.concat([Buffer.from('100644 .git\0'), Buffer.from(blob, 'hex')]);
    const hash = (type: string, input: Buffer | string) =>
      execFileSync('git', ['hash-object', '-w', '--literally', '-t', type, '--stdin'], {
        cwd: server.folder(name),
        input,
      })
        .toString()
        .trim();
    const tree = hash('tree', entry);
    const commit = hash('commit', `tree ${tree}\nauthor a <a@b> 1 +0000\ncommitter a <a@b> 1 +0000\n\nx\n`);
    await server.git(name, 'update-ref', 'refs/heads/bad', commit);
    const unsafe = await failureOf(fetch(id, name));
    expect(unsafe.kind).to.equal('invalidData');
    expect(unsafe.message).to.match(/hasDotgit|\.git/);
    expect(await refs(id)).to.have.length(1);
    expect(temporaries()).to.be.empty();
  });

  it('uses the protocol of git by a checked connection', async () => {
    const { id, name } = await make();
    await server.commit(name, 'main', { 'a.txt': 'a' });
    const port = await freePort();
    const base = dirname(server.folder(name));
    const words = [`--base-path=${base}`, '--export-all', '--listen=127.0.0.1', `--port=${port}`, '--reuseaddr'];
    const programs = execFileSync('git', ['--exec-path']).toString().trim();
    const daemon = spawn(join(programs, 'git-daemon'), [...words, base], { stdio: 'ignore' });
    try {
      const address = remotes.parse(`git://127.0.0.1:${port}/${name}.git`);
      for (let tries = 0; tries < 100 && (await remotes.list(address).catch(() => undefined)) === undefined; tries++);
      expect((await remotes.fetch(id, address, { pusher: ada })).updates).to.have.length(1);
      expect(
        (await failureOf(remotes.push(id, remotes.parse(`git://127.0.0.1:${port}/x.git`)))).message,
      ).to.not.contain(base);
    } finally {
      daemon.kill('SIGKILL');
    }
  });

  it('leaves out names that would be read as something else', async () => {
    const { id, name } = await make();
    const oid = await server.commit(name, 'main', { 'a.txt': 'a' });
    for (const odd of ['refs/heads/-x', 'refs/heads/HEAD', `refs/tags/${'a'.repeat(40)}`, 'refs/pull/1/head'])
      await server.git(name, 'update-ref', odd, oid);
    const { leftOut, updates } = await fetch(id, name);
    expect(updates.map(({ ref }) => ref)).to.equal(['refs/heads/main']);
    expect(leftOut).to.have.length(3);
    const target = (ref: string) => ref.replace(/^refs\/pull\//, 'refs/imported/');
    await fetch(id, name, { target: (ref) => (ref.startsWith('refs/pull/') ? target(ref) : undefined) });
    expect(await refs(id)).to.have.length(2);
  });

  it('tells what is no repository from what is not there and what does not answer', async () => {
    expect((await failureOf(remotes.list(at('nothing')))).kind).to.equal('notFound');
    for (const body of ['', '<html>Sign in</html>']) {
      server.misbehave = (_request, response) => Boolean(response.writeHead(200).end(body));
      const failure = await failureOf(remotes.list(at('nothing')));
      expect(failure).to.include({ kind: 'notFound' });
      expect(failure.message).to.contain('no list of references');
    }
    server.misbehave = undefined;
    await server.repository('empty');
    expect((await remotes.list(at('empty'))).refs).to.equal([]);
    const silent = createServer((socket) => socket.destroy());
    await new Promise<void>((resolve) => {
      silent.listen(0, '127.0.0.1', resolve);
    });
    const { port } = silent.address() as { port: number };
    expect((await failureOf(remotes.list(remotes.parse(`http://127.0.0.1:${port}/x`)))).kind).to.equal('unreachable');
    silent.close();
    const closed = await failureOf(remotes.list(remotes.parse(`http://127.0.0.1:${port}/x`)));
    expect(closed.kind).to.equal('unreachable');
    expect(closed.message).to.not.match(/\/tmp|mortise:/);
  });
});
