/** Repositories that move to other disks while they are used (decision 0063). */
import { execFile, execFileSync, spawn } from 'node:child_process';
import { existsSync, renameSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { gitBackup, zeroOid } from '../api.js';
import { RepositoryCopy } from '../services/copy-repository.js';
import { removeFormer } from '../services/repository-move.js';
import { gitCore, refGate } from '../services/service-refs.js';
import { linkAt } from '../services/storages.js';
import { WritePauses } from '../services/write-pauses.js';
import { ada } from './repository-kit.js';
import { startStorages } from './storages-kit.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const run = promisify(execFile);

describe('moves of repositories', { timeout: 120_000 }, () => {
  let started: Awaited<ReturnType<typeof startStorages>>;
  before(async () => void (started = await startStorages()));
  after(() => started.close());

  it('moves a repository again and again while it is cloned and changed, and loses nothing', async () => {
    const { folder, kit, storages, store, git, lying } = started;
    const id = await kit.make();
    await kit.commit(id, 'main', [{ path: 'start', content: 'start' }]);
    let isDone = false;
    const acknowledged: string[] = [];
    const write = async () => {
      for (let n = 0; !isDone; n++) {
        await kit.commit(id, 'main', [{ path: `f${n}`, content: `${n}` }], `number ${n}`);
        acknowledged.push(`f${n}`);
      }
    };
    const clone = async (reader: number) => {
      for (let n = 0; !isDone; n++) {
        const target = join(folder, `clone-${reader}-${n}`);
        await run('git', ['clone', '-q', '--no-local', kit.store.path(id), target]);
        await run('git', ['fsck', '--strict', '--no-dangling'], { cwd: target });
        await rm(target, { recursive: true });
      }
    };
    const read = async () => {
      while (!isDone) {
        const names = (await kit.reader.open(id).tree((await kit.reader.open(id).branch('main'))!.oid)).map(
          ({ name }) => name,
        );
        expect(names).to.include('start');
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    const users = [write(), clone(1), clone(2), read()];
    // a failure of one of them must not wait for the moves
    const broken = Promise.all(users);
    for (const to of ['default', 'slow', 'fast', 'default', 'fast', 'slow'])
      await Promise.race([
        broken,
        storages
          .move(id, to)
          .then(async (isMoved) => expect([to, isMoved, await storages.storageOf(id)]).to.equal([to, true, to])),
      ]);
    isDone = true;
    await broken;
    expect(acknowledged).to.not.be.empty();
    expect(git(id, 'ls-tree', '--name-only', 'main').split('\n').sort()).to.equal(['start', ...acknowledged].sort());
    git(id, 'fsck', '--strict');
    const ofThis = (root: string) => lying(root).filter((name) => name.startsWith(`${id}-`) || name === `${id}.git`);
    expect([store.root, join(folder, 'fast'), join(folder, 'slow disk')].flatMap(ofThis)).to.have.length(1);
  });

  it('moves and backs up branches whatever their names, and drops what is deleted meanwhile', async () => {
    const { folder, kit, host, storages, git } = started;
    const id = await kit.make();
    const oid = await kit.commit(id, 'main', [{ path: 'a', content: 'a' }]);
    const names = ['tmp_feature', 'tmp_folder/a', 'incoming-2024', 'x', 'x.tmp', 'mortise-homepage', 'mortise-refs.1'];
    const updates = names.map((name) => ({ ref: `refs/heads/${name}`, old: zeroOid, new: oid }));
    await kit.gate.apply({ repositoryId: id, updates, pusher: ada, source: 'api' });
    await kit.store.setHead(id, 'x.tmp');
    for (const to of ['default', 'slow']) {
      await storages.move(id, to);
      expect(git(id, 'for-each-ref', '--format=%(refname:short)').split('\n')).to.only.include(['main', ...names]);
      expect(git(id, 'symbolic-ref', 'HEAD')).to.equal('refs/heads/x.tmp');
    }
    const backup = host.services.get(gitBackup);
    expect(names.filter((name) => backup.isLeftOut(`refs/heads/${name}`))).to.equal([]);
    for (const path of [
      'refs/heads/main.lock',
      'objects/00/tmp_obj_a',
      'objects/tmp_objdir-a',
      'HEAD.1.tmp',
      'mortise-home',
    ])
      expect(backup.isLeftOut(path)).to.be.true();

    const copied = join(folder, 'copied');
    const copy = new RepositoryCopy(kit.store.path(id), copied);
    await copy.update(() => undefined);
    expect(existsSync(join(copied, 'refs/heads/tmp_folder/a'))).to.be.true();
    git(id, 'branch', '-q', '-D', 'tmp_folder/a', 'x');
    git(id, 'branch', 'tmp_folder', oid);
    git(id, 'branch', 'x/y', oid);
    await copy.update(() => undefined);
    const refs = execFileSync('git', ['for-each-ref'], { cwd: copied, encoding: 'utf8' }).trim();
    expect(refs).to.equal(git(id, 'for-each-ref'));
  });

  it('lets a reader that began before the move finish, and removes the former folder later', async () => {
    const { kit, storages } = started;
    const id = await kit.make();
    await kit.commit(id, 'main', [{ path: 'a', content: 'a' }]);
    if ((await storages.storageOf(id)) !== 'fast') await storages.move(id, 'fast');
    const reader = spawn('git', ['cat-file', '--batch-check'], {
      cwd: kit.store.path(id),
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const answer = () =>
      new Promise<string>((resolve) => reader.stdout.once('data', (data: Buffer) => resolve(data.toString())));
    const former = join(dirname(kit.store.path(id)), linkAt(kit.store.path(id)) ?? '');
    const moving = storages.move(id, 'slow');
    for (; (await storages.storageOf(id)) !== 'slow';) await new Promise((resolve) => setTimeout(resolve, 10));
    const answered = answer();
    reader.stdin.write('main\n');
    expect(await answered).to.match(/^[0-9a-f]{40} commit/);
    expect(existsSync(join(former, 'HEAD'))).to.be.true();
    reader.stdin.end();
    await moving;
    expect(existsSync(former)).to.be.false();
  });

  it('finishes or undoes what a kill has left between any two steps', async () => {
    const { folder, kit, storages, store, git, findings } = started;
    const id = await kit.make();
    const oid = await kit.commit(id, 'main', [{ path: 'a', content: 'a' }]);
    await storages.move(id, 'default');
    await storages.move(id, 'slow');
    const path = kit.store.path(id);
    const link = linkAt(path) as string;
    const paused = join(store.root, '.journal', `paused-${id}-code`);
    // the copy is whole, nothing leads to it yet
    const unused = join(folder, 'fast', basename(dirname(path)), `${id}-00000000.git`);
    await run('cp', ['-r', `${path}/.`, unused]).catch(() => run('git', ['clone', '-q', '--bare', path, unused]));
    symlinkSync(link, `${path}.next`);
    writeFileSync(paused, '1');
    await kit.commit(id, 'main', [{ path: 'b', content: 'b' }]);
    expect(existsSync(paused)).to.be.false();
    expect(linkAt(`${path}.next`)).to.be.undefined();
    expect((await findings(false)).map(({ text }) => text).join('\n')).to.contain(`${id}-00000000.git is in no use`);
    await removeFormer(store, { readMs: 0 }); // notes since when
    const old = new Date(Date.now() - 10_000);
    utimesSync(join(unused, 'mortise-former'), old, old);
    expect(await removeFormer(store, { readMs: 20_000 })).to.equal(0);
    expect(await removeFormer(store, { readMs: 5000 })).to.equal(1);
    expect(existsSync(unused)).to.be.false();
    // between the two steps of one that lay in the folder of the site itself
    renameSync(path, `${path}.next`);
    writeFileSync(paused, '1');
    await kit.store.create(id);
    expect(linkAt(path)).to.equal(link);
    expect(git(id, 'merge-base', '--is-ancestor', oid, 'main')).to.equal('');
    expect((await findings(false)).filter(({ text }) => text.includes(`${id}-`))).to.be.empty();
  });

  it('begins again where somebody writes in its pause, tells the database in the end, and leaves no copy behind', async () => {
    const { folder, kit, host, storages, lying } = started;
    const id = await kit.make();
    await kit.commit(id, 'main', [{ path: 'a', content: 'a' }]);
    await storages.move(id, 'fast');
    const { pauses, journal } = host.services.get(refGate);
    const { fingerprints } = host.services.get(gitCore);
    const copies = () => lying(join(folder, 'slow disk')).filter((name) => name.startsWith(`${id}-`));
    const { isPaused, whilePaused } = pauses;
    const { moved } = fingerprints;
    try {
      pauses.isPaused = async (...args) => {
        if (copies().length) throw new Error('held up');
        return isPaused.apply(pauses, args);
      };
      await expect(storages.move(id, 'slow')).to.reject('held up');
      expect(copies()).to.be.empty();

      // another node takes the pause for over when the copy has its place
      let end = undefined as (() => void) | undefined;
      let writing: Promise<void> | undefined;
      pauses.isPaused = async (...args) => {
        if (copies().length && !writing)
          await new Promise<void>((resolve) => {
            writing = journal.maintaining(id, 'code', () => {
              resolve();
              return new Promise((ended) => (end = ended));
            });
          });
        return isPaused.apply(pauses, args);
      };
      let begun = 0;
      pauses.whilePaused = (async (...args: Parameters<typeof whilePaused>) => {
        begun++;
        end?.();
        return whilePaused.apply(pauses, args);
      }) as typeof whilePaused;
      let tries = 0;
      fingerprints.moved = async (path) => {
        expect(await isPaused.call(pauses, id, 'code')).to.be.true();
        if (++tries < 3) throw new Error('the database is away');
        return moved.call(fingerprints, path);
      };
      expect(await storages.move(id, 'slow')).to.be.true();
      await writing;
      expect([begun, tries, copies().length]).to.equal([2, 3, 1]);
    } finally {
      Object.assign(pauses, { isPaused, whilePaused });
      fingerprints.moved = moved;
    }
  });

  it('writes wait for a pause, and are refused with a clear answer where it does not end', async () => {
    const { kit, host } = started;
    const id = await kit.make();
    const { pauses, journal } = host.services.get(refGate);
    let end = undefined as (() => void) | undefined;
    const pause = pauses.whilePaused(id, 'code', () => new Promise<void>((resolve) => (end = resolve)));
    while (!end) await new Promise((resolve) => setTimeout(resolve, 5));
    let isWritten = false;
    const writing = kit.commit(id, 'main', [{ path: 'a', content: 'a' }]).then(() => (isWritten = true));
    await expect(new WritePauses(journal, true, 100).waitForEnd(id, 'code')).to.reject(/being moved to another disk/);
    expect(isWritten).to.be.false();
    end();
    await pause;
    await writing;
    expect(await pauses.isPaused(id, 'code')).to.be.false();
    // somebody goes on writing: nothing is done, and writes are taken again
    await pauses.maintaining(id, 'code', async () => {
      let isRun = false;
      const nothing = await pauses.whilePaused(id, 'code', async () => (isRun = true));
      expect([nothing, isRun, await pauses.isPaused(id, 'code')]).to.equal([undefined, false, false]);
    });
  });
});
