// Database: SQLite and MariaDB. What is shown is that a mirror goes on where it was.
// The server is killed (SIGKILL to its whole group) at random moments while a repository follows another one and a third
// follows it. After each restart references have moved all together or not at all, and in the end both have everything.
// Time: about 60 s
// Load: sleeps
//
//   MORTISE_TEST_FULL=1   30 kills instead of 3
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { RemoteServer } from '@mortise/git/testing';
import { startServer } from '../support/server.mjs';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const kills = process.env.MORTISE_TEST_FULL ? 30 : 3;
/** A seeded generator, so that a failing run can be repeated with the same kill moments. */
const seed = Number(process.env.MORTISE_FAULT_SEED ?? Date.now() % 100_000);
let state = seed;
const random = () => (state = (state * 1_103_515_245 + 12_345) % 2 ** 31) / 2 ** 31;
const branches = ['main', 'side/a', 'side/b', 'z'];
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

describe(`a server killed while it synchronizes mirrors (seed ${seed})`, { timeout: 1_800_000 }, () => {
  let server;
  let remote;
  before(async () => {
    remote = await RemoteServer.start();
    server = await startServer({
      plugins: ['mirrors', 'migrations', 'refs', 'git-http', 'admin'],
      settings: { MORTISE__migrations__ALLOW_LOCALNETWORKS: 'true' },
    });
  });
  after(async () => {
    await server?.close();
    await remote?.close();
  });

  /**
   * Every branch of the source on one new commit, at once, since the run that a kill interrupted may go on and look at any
   * time: what has moved whole shows one commit on all of them.
   */
  const advance = async (round) => {
    const content = Buffer.from(Array.from({ length: 200_000 }, () => Math.floor(random() * 256)));
    const oid = await remote.commit('work', 'main', { 'a.bin': content, 'round.txt': String(round) });
    const specs = branches.map((branch) => `main:refs/heads/${branch}`);
    await remote.git('work', 'push', '-q', '--atomic', remote.folder('spring'), ...specs);
    return oid;
  };
  const branchesOf = async () => {
    const { json } = await server.api('GET', '/repos/root/pond/branches');
    return json.map(({ name, commit }) => [name, commit.id]);
  };
  const sent = async () => {
    const lines = await remote.git('echo', 'for-each-ref', '--format=%(refname:short) %(objectname)', 'refs/heads');
    return lines
      .split('\n')
      .filter(Boolean)
      .map((line) => line.split(' '));
  };
  const until = async (condition, what) => {
    for (let tries = 0; tries < 1200; tries++) {
      if (await condition()) return;
      await pause(100);
    }
    throw new Error(`${what} did not come about\n${server.log.slice(-3000)}`);
  };

  it(`moves references at once or not at all over ${kills} kills, and has everything in the end`, async () => {
    await remote.repository('work');
    await remote.repository('spring');
    await remote.repository('echo');
    await advance(0);
    const made = await server.api('POST', '/repos/migrate', {
      body: { clone_addr: remote.url('spring'), repo_name: 'pond', mirror: true, service: 'git', mirror_interval: '0' },
    });
    expect(made.status, made.text).to.equal(201);
    await until(async () => (await branchesOf()).length === branches.length, 'the mirror');
    const push = { remote_address: remote.url('echo'), interval: '0', sync_on_commit: true };
    expect((await server.api('POST', '/repos/root/pond/push_mirrors', { body: push })).status).to.equal(200);
    let oid;
    for (let round = 1; round <= kills; round++) {
      oid = await advance(round);
      expect((await server.api('POST', '/repos/root/pond/mirror-sync')).status).to.equal(200);
      await pause(random() * 1500);
      await server.kill();
      await server.start();
      const there = await branchesOf();
      expect(there.map(([name]) => name).sort(), `round ${round}`).to.equal([...branches].sort());
      expect(new Set(there.map(([, commit]) => commit)).size, `round ${round}: all moved, or none`).to.equal(1);
    }
    await server.api('POST', '/repos/root/pond/mirror-sync');
    await until(async () => (await branchesOf()).every(([, commit]) => commit === oid), 'the last commit');
    await until(async () => {
      await server.api('POST', '/repos/root/pond/push_mirrors-sync');
      const pairs = await sent();
      return pairs.length === branches.length && pairs.every(([, commit]) => commit === oid);
    }, 'the last commit at the other server');
    const folder = join(server.folder, 'checked.git');
    mkdirSync(folder);
    execFileSync('git', ['clone', '-q', '--mirror', `${server.base}/root/pond.git`, folder], { stdio: 'pipe' });
    expect(existsSync(join(folder, 'HEAD'))).to.be.true();
    execFileSync('git', ['fsck', '--full', '--strict'], { cwd: folder, stdio: 'pipe' });
    // the log of runs says which were interrupted, and none is left running
    const page = await server.api('GET', `${server.base}/root/pond/settings/mirrors`);
    expect(page.status).to.be.within(200, 399);
  });
});
