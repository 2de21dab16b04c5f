// Database: SQLite alone; how many sessions and git processes there are has nothing to do with it.
// Time: about 30 s
//
//   MORTISE_TEST_FULL=1   4,000 commits and 20 clients at one branch instead of 1,500 and 6
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createConnection } from 'node:net';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { gitReader, gitStore } from '@mortise/git/api';
import { sshAddresses } from '../contract/git-ssh.js';
import { Kit } from './kit.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function until(holds: () => Promise<boolean> | boolean, what: string): Promise<void> {
  for (const end = Date.now() + 200_000; Date.now() < end;) {
    if (await holds()) return;
    await wait(10);
  }
  throw new Error(`${what} did not come about`);
}

describe('git over SSH under load', { timeout: 600_000 }, () => {
  let kit: Kit;
  before(async () => {
    // a slow machine is to be no reason to turn away those who do sign in
    kit = await Kit.start({
      server: { SSH_MAX_UNAUTHENTICATED: 60, SSH_MAX_IDLE_PER_ADDRESS: 0, SSH_LOGIN_GRACE_TIME: '10m' },
    });
  });
  after(() => kit.host.close());

  const refsOf = async (folder: string) =>
    kit.git(folder, 'for-each-ref', '--format=%(objectname) %(refname)', 'refs/heads', 'refs/tags');

  it('a long history goes over SSH and HTTP with the same result', async () => {
    const [overSsh, overHttp] = [await kit.repository('by-ssh'), await kit.repository('by-http')];
    const history = await kit.history(process.env.MORTISE_TEST_FULL ? 4000 : 1500);
    await kit.git(history, 'push', '-q', '--all', kit.url('ada/by-ssh'));
    await kit.git(history, 'push', '-q', '--all', await kit.http('ada/by-http'));
    const refs = await refsOf(history);
    for (const repository of [overSsh, overHttp]) {
      const folder = kit.folder(repository);
      expect(await refsOf(folder)).to.equal(refs);
      expect(await kit.git(folder, 'fsck', '--full', '--strict')).to.not.match(/error|missing|broken/);
    }
    for (const url of [kit.url('ada/by-ssh'), await kit.http('ada/by-http')]) {
      const name = url.startsWith('ssh') ? 'ssh' : 'http';
      const clone = (kind: string, ...args: string[]) =>
        kit.git(kit.host.workDir, 'clone', '-q', ...args, url, kit.path(`${name}-${kind}`));
      await clone('full', '--mirror');
      expect(await refsOf(kit.path(`${name}-full`))).to.equal(refs);
      await kit.git(kit.path(`${name}-full`), 'fsck', '--strict');
      await clone('shallow', '--bare', '--depth', '5');
      expect(await kit.git(kit.path(`${name}-shallow`), 'rev-list', '--count', 'HEAD')).to.equal('5\n');
      await clone('single', '--bare', '--single-branch', '-b', 'b1');
      expect((await refsOf(kit.path(`${name}-single`))).trim().split('\n')).to.have.length(1);
      await clone('blobless', '--bare', '--filter=blob:none');
      const missing = await kit.git(kit.path(`${name}-blobless`), 'rev-list', '--objects', '--missing=print', '--all');
      expect((missing.match(/^\?/gm) ?? []).length).to.be.above(100);
      // what is left out is fetched when it is needed
      expect(await kit.git(kit.path(`${name}-blobless`), 'cat-file', '-p', 'HEAD:d1/f1')).to.contain('file 1');
      await kit.git(kit.path(`${name}-shallow`), 'fetch', '-q', '--deepen', '10', 'origin', 'main');
    }
  });

  it('twenty clients push different branches at once, while others fetch: nothing is lost', async () => {
    const made = await kit.repository('busy');
    const first = await kit.source();
    await kit.git(first, 'push', '-q', kit.url('ada/busy'), 'main');
    const clients = await Promise.all(
      Array.from({ length: 20 }, async (_, n) => {
        const folder = kit.path(`busy-${n}`);
        await kit.git(kit.host.workDir, 'clone', '-q', first, folder);
        await kit.commit(folder, `file-${n}`, randomBytes(20_000));
        return folder;
      }),
    );
    let pushing = true;
    const readers = [0, 1].map(async (n) => {
      let rounds = 0;
      do {
        const folder = kit.path(`reader-${n}-${rounds++}`);
        const { code, err } = await kit.try(
          'ben',
          kit.host.workDir,
          'clone',
          '-q',
          '--mirror',
          kit.url('ada/busy'),
          folder,
        );
        expect([code, err]).to.equal([0, '']);
        expect((await kit.try('ben', folder, 'fsck', '--strict')).code).to.equal(0);
      } while (pushing);
    });
    const url = async (n: number) => (n % 2 ? kit.url('ada/busy') : kit.http('ada/busy'));
    const done = await Promise.all(
      clients.map(async (folder, n) => kit.try('ada', folder, 'push', await url(n), `HEAD:refs/heads/branch-${n}`)),
    );
    pushing = false;
    await Promise.all(readers);
    expect(done.filter(({ code }) => code !== 0).map(({ err }) => err)).to.equal([]);
    expect(await kit.host.services.get(gitReader).open(made.id).branches()).to.have.length(21);
    expect(await kit.git(kit.folder(made), 'fsck', '--full', '--strict')).to.not.match(/error|missing|broken/);
  });

  it('many clients push the same branch at once: each lands or is told, nothing is lost', async () => {
    // all but one have to try again each time: twice as many cost four times as much
    const count = process.env.MORTISE_TEST_FULL ? 20 : 6;
    const made = await kit.repository('narrow');
    const first = await kit.source();
    await kit.git(first, 'push', '-q', kit.url('ada/narrow'), 'main');
    const landed: string[] = [];
    await Promise.all(
      Array.from({ length: count }, async (_, n) => {
        const folder = kit.path(`narrow-${n}`);
        await kit.git(kit.host.workDir, 'clone', '-q', first, folder);
        await kit.git(
          folder,
          'remote',
          'set-url',
          'origin',
          n % 2 ? kit.url('ada/narrow') : await kit.http('ada/narrow'),
        );
        await kit.commit(folder, `file-${n}`, `${n}\n`);
        for (let attempt = 0; attempt < 60; attempt++) {
          const { code, err } = await kit.try('ada', folder, 'push', 'origin', 'HEAD:main');
          if (code === 0) return void landed.push((await kit.git(folder, 'rev-parse', 'HEAD')).trim());
          expect(err).to.match(/rejected|fetch first|non-fast-forward|failed to update ref|cannot lock ref/);
          await kit.git(folder, 'pull', '-q', '--rebase', 'origin', 'main');
        }
        throw new Error(`client ${n} never landed`);
      }),
    );
    const all = (await kit.git(kit.folder(made), 'rev-list', 'main')).trim().split('\n');
    expect(all).to.have.length(count + 1);
    for (const oid of landed) expect(all).to.include(oid);
    expect(await kit.git(kit.folder(made), 'fsck', '--full', '--strict')).to.not.match(/error|missing|broken/);
  });

  it('a client that is killed midway leaves nothing behind, pushing or fetching', async () => {
    const made = await kit.repository('cut');
    const dir = await kit.source();
    await kit.git(dir, 'push', '-q', kit.url('ada/cut'), 'main');
    await kit.commit(dir, 'noise', randomBytes(20_000_000));
    const folder = kit.folder(made);
    const quarantines = async () => (await readdir(join(folder, 'objects'))).filter((name) => /incoming/.test(name));
    // the rest of this push never comes, so it cannot be over before it is seen
    const halting = kit.path('halting-ssh');
    const words = kit.options('ada').join(' ');
    const script = `#!/bin/sh\n{ head -c 8000000; exec sleep 600; } | exec ssh ${words} "$@"\n`;
    await writeFile(halting, script, { mode: 0o755 });
    const push = spawn('git', ['-c', 'core.compression=0', 'push', kit.url('ada/cut'), 'HEAD:refs/heads/half'], {
      cwd: dir,
      env: { ...kit.environment(), GIT_SSH_COMMAND: halting, GIT_SSH_VARIANT: 'ssh' },
      stdio: 'ignore',
      detached: true,
    });
    await until(async () => (await quarantines()).length > 0, 'a push under way');
    kit.kill(push);
    await until(async () => (await quarantines()).length === 0, 'the end of the push');
    const names = (await kit.host.services.get(gitReader).open(made.id).branches()).map((ref) => ref.name);
    expect(names).to.equal(['main']);
    await kit.git(folder, 'fsck', '--strict');
    await kit.git(dir, 'push', '-q', kit.url('ada/cut'), 'HEAD:refs/heads/whole');

    const clone = kit.start(
      'ada',
      kit.host.workDir,
      'clone',
      '-q',
      '--bare',
      kit.url('ada/cut'),
      kit.path('cut-clone'),
    );
    const target = kit.path('cut-clone');
    await until(async () => (await readdir(join(target, 'objects', 'pack')).catch(() => [])).length > 0, 'a clone');
    kit.kill(clone);
    await kit.git(kit.host.workDir, 'clone', '-q', '--bare', kit.url('ada/cut'), kit.path('whole-clone'));
    await kit.git(kit.path('whole-clone'), 'fsck', '--strict');
  });

  /** A client that connects and says nothing. */
  const knock = (port: number, closed: () => void) =>
    createConnection(port, '127.0.0.1')
      .on('error', () => undefined)
      .on('close', closed)
      .resume();

  it('turns away whoever does not sign in, in number', async () => {
    const { port } = kit.host.services.get(sshAddresses);
    let closed = 0;
    const sockets = Array.from({ length: 80 }, () => knock(port, () => closed++));
    await until(() => closed >= 20, 'connections beyond the limit being closed');
    expect(closed).to.equal(20);
    // idle ones do not keep others from signing in: whoever waited longest, and for a second, makes room
    await wait(1200);
    expect((await kit.ssh('ada')).code).to.equal(0);
    await until(() => closed === 21, 'the end of the one that waited longest');
    for (const socket of sockets) socket.destroy();
    const rubbish = createConnection(port, '127.0.0.1', () => rubbish.write('GET / HTTP/1.1\r\n\r\n'.repeat(10)));
    rubbish.on('error', () => undefined);
    await new Promise((resolve) => rubbish.on('close', resolve).resume());
    expect((await kit.ssh('ada')).code).to.equal(0);
  });

  it('S11: one address leaves room for others, with however many connections that do nothing', async () => {
    const narrow = await Kit.start({ server: { SSH_MAX_IDLE_PER_ADDRESS: 10, SSH_LOGIN_GRACE_TIME: '10m' } });
    try {
      const { port } = narrow.host.services.get(sshAddresses);
      let closed = 0;
      const sockets = Array.from({ length: 40 }, () => knock(port, () => closed++));
      await until(() => closed >= 30, 'connections beyond the limit being closed');
      expect(closed).to.equal(30);
      await wait(1200);
      // whoever comes next is let in, and the oldest goes
      expect((await narrow.ssh('ada')).code).to.equal(0);
      await until(() => closed === 31, 'the end of the one that waited longest');
      for (const socket of sockets) socket.destroy();
    } finally {
      await narrow.host.close();
    }
  });

  it('turns away whoever does not sign in, in time', async () => {
    const brief = await Kit.start({ server: { SSH_LOGIN_GRACE_TIME: '3s' } });
    try {
      const { port } = brief.host.services.get(sshAddresses);
      const begun = Date.now();
      let closed = 0;
      const sockets = Array.from({ length: 20 }, () => knock(port, () => closed++));
      await until(() => closed > 0, 'the grace time being over');
      expect(Date.now() - begun).to.be.above(2500);
      await until(() => closed === 20, 'the grace time of all being over');
      for (const socket of sockets) socket.destroy();
    } finally {
      await brief.host.close();
    }
  });

  it('lets commands end when the server stops, and starts with a port that is taken', async () => {
    const { port } = kit.host.services.get(sshAddresses);
    const neighbour = await Kit.start({ server: { SSH_PORT: port } });
    await neighbour.host.close();

    const other = await Kit.start({ server: { SSH_DRAIN_TIME: '200s' } });
    const made = await other.repository('large');
    const dir = await other.source();
    await other.commit(dir, 'noise', randomBytes(20_000_000));
    await other.git(dir, 'push', '-q', other.url('ada/large'), 'main');
    const store = other.host.services.get(gitStore).path(made.id);
    expect(store).to.contain(other.host.workDir);
    // a client that takes its time, into a folder that outlives the server's
    const target = kit.path('outliving');
    const clone = other.start('ada', '/tmp', 'clone', '-q', '--bare', other.url('ada/large'), target);
    await until(async () => (await readdir(join(target, 'objects', 'pack')).catch(() => [])).length > 0, 'a clone');
    const ended = other.end(clone);
    const stopped = other.host.close().catch(() => undefined);
    expect(await ended).to.include({ code: 0, err: '' });
    await stopped;
  });
});
