/** Repositories on several disks (architecture, 3; decision 0063). */
import { execFile, execFileSync, spawn } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Finding } from '@mortise/plugin-sdk';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { repositoryStorages, gitBackup, zeroOid, type RepositoryStorages } from '../api.js';
import { RepositoryCopy } from '../services/copy-repository.js';
import { checkRepositories } from '../services/doctor.js';
import { removeFormer } from '../services/repository-move.js';
import { gitCore, refGate } from '../services/service-refs.js';
import { linkAt, Storages } from '../services/storages.js';
import type { FolderStore } from '../services/store.js';
import { WritePauses } from '../services/write-pauses.js';
import { ada, RepositoryKit } from './repository-kit.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const run = promisify(execFile);

describe('storages of repositories', { timeout: 120_000 }, () => {
  let kit: RepositoryKit;
  let host: TestHost;
  let folder: string;
  let storages: RepositoryStorages;
  let store: FolderStore;
  const git = (id: number, ...args: string[]) =>
    execFileSync('git', args, { cwd: kit.store.path(id), encoding: 'utf8' }).trim();
  const findings = async (fix: boolean): Promise<Finding[]> => {
    const found: Finding[] = [];
    for await (const one of checkRepositories(host.services.get(refGate), { fix })) found.push(one);
    return found;
  };
  /** Folders of repositories that lie there. */
  const lying = (root: string) =>
    readdirSync(root)
      .filter((name) => /^[0-9a-f]{3}$/.test(name))
      .flatMap((bucket) =>
        readdirSync(join(root, bucket)).filter((name) => !lstatSync(join(root, bucket, name)).isSymbolicLink()),
      );

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'storages-'));
    kit = await RepositoryKit.start({
      git: { LOOSE_OBJECTS: 1000 },
      'git.storages': { default: '0', fast: `${join(folder, 'fast')} 3`, slow: join(folder, 'slow disk') },
    });
    host = kit.host;
    storages = host.services.get(repositoryStorages);
    store = host.services.get(gitCore).store;
  });
  after(async () => {
    await host.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('places new repositories, forks and wikis by weight, and reads them by their names', async () => {
    const ids = [];
    for (let n = 0; n < 12; n++) ids.push(await kit.make());
    const names = await Promise.all(ids.map((id) => storages.storageOf(id)));
    expect(names).to.not.include('default');
    const [id = 0] = ids;
    const oid = await kit.commit(id, 'main', [{ path: 'a', content: 'a' }]);
    expect((await kit.reader.open(id).branch('main'))?.oid).to.equal(oid);
    expect(lstatSync(kit.store.path(id)).isSymbolicLink()).to.be.true();
    await kit.store.copy(id, 1000);
    // hard links need one disk
    expect(await storages.storageOf(1000)).to.equal(await storages.storageOf(id));
    expect(git(1000, 'rev-parse', 'main')).to.equal(oid);
    await kit.store.create(id, {}, 'wiki');
    expect(['fast', 'slow']).to.include((await storages.storageOf(id, 'wiki')) as string);
    expect(await kit.store.size(id)).to.be.above(100);
    expect(await storages.storageOf(4711)).to.be.undefined();
  });

  it('chooses by weight, and never what takes nothing new or is not mounted', () => {
    const root = join(folder, 'apart');
    const some = new Storages(root, [
      { name: 'one', root: join(folder, 'one'), weight: 1 },
      { name: 'full', root: join(folder, 'full'), weight: 0 },
    ]);
    some.prepare();
    const chosen = (preferred?: string) => new Set(Array.from({ length: 200 }, () => some.choose(preferred).name));
    // 1 of 2^199 that one of the two never comes
    expect([...chosen()].sort()).to.equal(['default', 'one']);
    expect([...chosen('one')]).to.equal(['one']);
    expect([...chosen('full')].sort()).to.equal(['default', 'one']);
    rmSync(join(folder, 'one', '.mortise-storage'));
    expect([...chosen('one')]).to.equal(['default']);
    expect(() => new Storages(root, [{ name: 'inner', root: join(root, 'x'), weight: 1 }])).to.throw(/inner/);
  });

  it('deletes a repository with what its name leads to', async () => {
    const id = await kit.make();
    const place = join(dirname(kit.store.path(id)), linkAt(kit.store.path(id)) ?? '');
    expect(existsSync(place)).to.be.true();
    await kit.store.delete(id);
    expect(existsSync(place)).to.be.false();
    expect(await kit.store.exists(id)).to.be.false();
    // killed after it lost its name
    const other = await kit.make();
    const left = join(dirname(kit.store.path(other)), linkAt(kit.store.path(other)) ?? '');
    renameSync(kit.store.path(other), join(store.temporary, `deleted-${other}-code-x`));
    await store.sweep();
    expect(existsSync(left)).to.be.false();
  });

  it('says how full the disks are, and refuses what is no storage', async () => {
    const all = await storages.list();
    expect(all.map(({ name, weight }) => [name, weight])).to.equal([
      ['default', 0],
      ['fast', 3],
      ['slow', 1],
    ]);
    for (const { disk } of all) expect(disk!.totalBytes).to.be.above(disk!.freeBytes);
    const id = await kit.make();
    await expect(storages.move(id, 'nowhere')).to.reject(/no storage "nowhere"/);
    await expect(storages.move(4711, 'slow')).to.reject();
    const now = (await storages.storageOf(id)) as string;
    expect(await storages.move(id, now)).to.be.false();
  });

  it('moves a repository again and again while it is cloned and changed, and loses nothing', async () => {
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

  it('gives a folder that alone is left its name back, and tells of disks that are away', async () => {
    const id = await kit.make();
    const oid = await kit.commit(id, 'main', [{ path: 'a', content: 'a' }]);
    const path = kit.store.path(id);
    const link = linkAt(path) as string;
    rmSync(path);
    const place = join(dirname(path), link);
    const old = new Date(Date.now() - 2 * 3_600_000);
    utimesSync(place, old, old);
    const [found] = (await findings(true)).filter(({ text }) => text.includes('nothing else is left of it'));
    expect(found?.fixed).to.be.true();
    expect(git(id, 'rev-parse', 'main')).to.equal(oid);
    if ((await storages.storageOf(id)) === 'slow') await storages.move(id, 'fast');
    const mark = join(folder, 'slow disk', '.mortise-storage');
    renameSync(mark, `${mark}-away`);
    expect((await findings(false)).map(({ text }) => text).join('\n')).to.contain('the storage slow is not mounted');
    await expect(storages.move(id, 'slow')).to.reject(/not mounted/);
    expect((await host.inject('/api/healthz')).statusCode).to.equal(503);
    renameSync(`${mark}-away`, mark);
  });

  it('is unavailable while its disk is away, and what is deleted then goes when the disk is back', async () => {
    const [kept, deleted] = [await kit.make(), await kit.make()];
    for (const id of [kept, deleted]) {
      await kit.commit(id, 'main', [{ path: 'a', content: 'a' }]);
      await storages.move(id, 'slow');
    }
    const place = join(dirname(kit.store.path(deleted)), linkAt(kit.store.path(deleted)) ?? '');
    const disk = join(folder, 'slow disk');
    renameSync(disk, `${disk} away`);
    mkdirSync(disk);
    const unavailable = /not available at the moment/;
    try {
      await expect(kit.reader.open(kept).refs()).to.reject(unavailable);
      await expect(kit.store.exists(kept)).to.reject(unavailable);
      await expect(kit.store.create(kept)).to.reject(unavailable);
      await expect(kit.commit(kept, 'main', [{ path: 'b', content: 'b' }])).to.reject(unavailable);
      await expect(kit.writer.writeTree(kept, undefined, [{ path: 'b', content: 'b' }])).to.reject(unavailable);
      await expect(host.services.get(gitBackup).unit(kept).folder()).to.reject(unavailable);
      expect((await findings(false)).map(({ text }) => text).join('\n')).to.contain(
        `repository ${kept} is not where its link leads, on the storage slow`,
      );
      await kit.store.delete(deleted);
      expect(await kit.store.exists(deleted)).to.be.false();
      await store.sweep();
    } finally {
      rmSync(disk, { recursive: true });
      renameSync(`${disk} away`, disk);
    }
    expect(existsSync(place)).to.be.true();
    expect((await findings(true)).filter(({ text }) => text.includes(basename(place)))).to.equal([]);
    await store.sweep();
    expect(existsSync(place)).to.be.false();
    expect((await kit.reader.open(kept).refs()).map(({ name }) => name)).to.equal(['main']);
  });

  it('begins again where somebody writes in its pause, tells the database in the end, and leaves no copy behind', async () => {
    const id = await kit.make();
    await kit.commit(id, 'main', [{ path: 'a', content: 'a' }]);
    await storages.move(id, 'fast');
    const { pauses, journal } = host.services.get(refGate);
    const { fingerprints } = host.services.get(gitCore);
    const copies = () => lying(join(folder, 'slow disk')).filter((name) => name.startsWith(`${id}-`));
    const { isAsked, during } = pauses;
    const { moved } = fingerprints;
    try {
      pauses.isAsked = async (...args) => {
        if (copies().length) throw new Error('held up');
        return isAsked.apply(pauses, args);
      };
      await expect(storages.move(id, 'slow')).to.reject('held up');
      expect(copies()).to.be.empty();

      // another node takes the pause for over when the copy has its place
      let end = undefined as (() => void) | undefined;
      let writing: Promise<void> | undefined;
      pauses.isAsked = async (...args) => {
        if (copies().length && !writing)
          await new Promise<void>((resolve) => {
            writing = journal.maintaining(id, 'code', () => {
              resolve();
              return new Promise((ended) => (end = ended));
            });
          });
        return isAsked.apply(pauses, args);
      };
      let begun = 0;
      pauses.during = (async (...args: Parameters<typeof during>) => {
        begun++;
        end?.();
        return during.apply(pauses, args);
      }) as typeof during;
      let tries = 0;
      fingerprints.moved = async (path) => {
        expect(await isAsked.call(pauses, id, 'code')).to.be.true();
        if (++tries < 3) throw new Error('the database is away');
        return moved.call(fingerprints, path);
      };
      expect(await storages.move(id, 'slow')).to.be.true();
      await writing;
      expect([begun, tries, copies().length]).to.equal([2, 3, 1]);
    } finally {
      Object.assign(pauses, { isAsked, during });
      fingerprints.moved = moved;
    }
  });

  it('writes wait for a pause, and are refused with a clear answer where it does not end', async () => {
    const id = await kit.make();
    const { pauses, journal } = host.services.get(refGate);
    let end = undefined as (() => void) | undefined;
    const pause = pauses.during(id, 'code', () => new Promise<void>((resolve) => (end = resolve)));
    while (!end) await new Promise((resolve) => setTimeout(resolve, 5));
    let isWritten = false;
    const writing = kit.commit(id, 'main', [{ path: 'a', content: 'a' }]).then(() => (isWritten = true));
    await expect(new WritePauses(journal, true, 100).over(id, 'code')).to.reject(/being moved to another disk/);
    expect(isWritten).to.be.false();
    end();
    await pause;
    await writing;
    expect(await pauses.isAsked(id, 'code')).to.be.false();
    // somebody goes on writing: nothing is done, and writes are taken again
    await pauses.maintaining(id, 'code', async () => {
      let isRun = false;
      const nothing = await pauses.during(id, 'code', async () => (isRun = true));
      expect([nothing, isRun, await pauses.isAsked(id, 'code')]).to.equal([undefined, false, false]);
    });
  });

  it('a back-up has what lies on storages, and a restored one goes by weight', async () => {
    const id = await kit.make();
    const backup = host.services.get(gitBackup);
    const unit = backup.unit(id);
    expect(await unit.folder()).to.equal(kit.store.path(id));
    expect(unit.name).to.match(new RegExp(`^[0-9a-f]{3}/${id}\\.git$`));
    expect(backup.otherFolders).to.equal([join(folder, 'fast'), join(folder, 'slow disk')]);
    const made = await backup.makeFolder!('3ff/1023.git');
    expect(made).to.equal(kit.store.path(1023));
    expect(linkAt(made)).to.match(/^\.\.\/\.storages\/(fast|slow)\/3ff\/1023-[0-9a-f]{8}\.git$/);
  });
});

describe('a site without storages', () => {
  it('lays repositories out as ever, and a bad setting stops the start', async () => {
    const kit = await RepositoryKit.start();
    const id = await kit.make();
    expect(lstatSync(kit.store.path(id)).isDirectory()).to.be.true();
    const storages = kit.host.services.get(repositoryStorages);
    await expect(storages.move(id, 'default')).to.reject(/no storages/);
    expect(existsSync(join(dirname(dirname(kit.store.path(id))), '.storages'))).to.be.false();
    await kit.host.close();
    await expect(startHost({ plugins: ['git'], settings: { 'git.storages': { fast: '/x 1001' } } })).to.reject(
      /weight/,
    );
  });
});
