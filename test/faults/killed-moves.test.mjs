// A repository is moved from disk to disk by the command while real git clones it and pushes to it through two workers,
// and some of the commands are killed (SIGKILL) in the middle. Every push that was acknowledged is there in the end.
// Time: about 25 s
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { root, startServer } from '../support/server.mjs';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

/** What a refused push is told; it is tried again. */
const isToTryAgain = /being moved to another disk|was moved to another disk meanwhile/;

describe('moves of a repository that is used', { timeout: 300_000 }, () => {
  let server;
  let disks;
  before(async () => {
    server = await startServer({
      plugins: ['git-http'],
      workers: 2,
      settings: {
        MORTISE__git_0X2E_storages__one: 'one',
        MORTISE__git_0X2E_storages__two: 'two 0',
      },
    });
    disks = Object.fromEntries(['one', 'two'].map((name) => [name, join(server.env.MORTISE_WORK_DIR, name)]));
    disks.default = join(server.env.MORTISE_WORK_DIR, 'repositories');
  });
  after(() => server?.close());

  it('loses no push, whenever a move is killed', async () => {
    const { status, json } = await server.api('POST', '/user/repos', { body: { name: 'busy', auto_init: true } });
    expect(status).to.equal(201);
    const bucket = (json.id % 1024).toString(16).padStart(3, '0');
    const path = join(disks.default, bucket, `${json.id}.git`);
    const link = () => {
      try {
        return readlinkSync(path);
      } catch {
        return '';
      }
    };
    const lies = () => link().split('/').at(-3) ?? 'default';
    const url = server.base.replace('//', '//root:password@') + '/root/busy.git';
    const acknowledged = [];
    let isDone = false;
    const push = async (at) => {
      const work = join(server.folder, `work-${at}`);
      await server.git(['clone', '-q', url, work]);
      const git = (...args) => server.git(args, { cwd: work });
      for (let n = 0; !isDone; n++) {
        await git('checkout', '-q', '-b', `b-${at}-${n}`, 'origin/main');
        await git('commit', '-q', '--allow-empty', '-m', `${at} ${n}`);
        const { code, err } = await git('push', '-q', 'origin', 'HEAD');
        if (code === 0) acknowledged.push(`b-${at}-${n}`);
        else expect(err).to.match(isToTryAgain);
      }
    };
    const clone = async () => {
      for (let n = 0; !isDone; n++) {
        const target = join(server.folder, `clone-${n}`);
        const { code, err } = await server.git(['clone', '-q', url, target]);
        expect([code, err]).to.equal([0, '']);
        rmSync(target, { recursive: true });
      }
    };
    const users = Promise.all([push(0), push(1), clone()]);
    /** Runs the command, and kills it once `isReached`; gives its exit code. */
    const move = async (to, isReached = () => false) => {
      const words = ['core/bin/mortise.mjs', 'repositories', 'move', 'root/busy', '--to', to];
      const child = spawn(process.execPath, words, { cwd: root, env: server.env, stdio: ['ignore', 'pipe', 'pipe'] });
      let said = '';
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (said += data));
      const ended = new Promise((resolve) => child.on('close', resolve));
      const watching = (async () => {
        while (child.exitCode === null && child.signalCode === null && !isReached()) await sleep(1);
        child.kill('SIGKILL');
      })();
      const code = await ended;
      await watching;
      return { code, said };
    };
    const isCopying = (to) => () =>
      readdirSync(join(disks[to], '.temporary')).some((name) => name.startsWith(`${json.id}-`));
    const isPaused = () => existsSync(join(disks.default, '.journal', `paused-${json.id}-code`));
    for (const storage of Object.values(disks)) mkdirSync(join(storage, '.temporary'), { recursive: true });
    const targets = ['two', 'one', 'default'];
    const steps = [
      isCopying,
      () => isPaused,
      () => {
        const before = link();
        return () => link() !== before;
      },
    ];
    let killed = 0;
    for (const [n, step] of steps.entries()) {
      const to = targets[(n + (lies() === targets[n] ? 1 : 0)) % 3];
      if ((await Promise.race([users, move(to, step(to))])).code === null) killed++;
      const next = targets.find((one) => one !== lies() && one !== to) ?? 'one';
      const { code, said } = await Promise.race([users, move(next)]);
      expect([code, said.split('\n').at(-2)]).to.equal([0, `Repository root/busy lies on ${next} now.`]);
      expect(lies()).to.equal(next);
    }
    expect(killed).to.equal(steps.length);
    isDone = true;
    await users;
    expect(acknowledged.length).to.be.above(5);
    const { out } = await server.git(['ls-remote', '--heads', url]);
    const names = out.split('\n').map((line) => line.split('refs/heads/')[1]);
    for (const name of acknowledged) expect(names).to.include(name);
    const checked = await server.git(['fsck', '--full', '--strict'], { cwd: path });
    expect([checked.code, checked.err]).to.equal([0, '']);
    expect(existsSync(join(disks.default, '.journal', `paused-${json.id}-code`))).to.be.false();
    // all at once, and back-ups know where it lies
    const emptied = server.cli(
      'repositories',
      'move',
      '--all',
      '--from',
      lies(),
      '--to',
      lies() === 'one' ? 'two' : 'one',
    );
    expect(emptied.code, emptied.err).to.equal(0);
    expect(emptied.out).to.match(/1 repositories were moved/);
  });
});
