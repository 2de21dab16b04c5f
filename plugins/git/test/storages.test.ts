/** Repositories on several disks (architecture, 3; decision 0063). */
import { existsSync, lstatSync, mkdirSync, renameSync, rmSync, utimesSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startHost } from '@mortise/plugin-sdk/testing';
import { repositoryStorages, gitBackup } from '../api.js';
import { linkAt, Storages } from '../services/storages.js';
import { RepositoryKit } from './repository-kit.js';
import { startStorages } from './storages-kit.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('storages of repositories', { timeout: 120_000 }, () => {
  let started: Awaited<ReturnType<typeof startStorages>>;
  before(async () => void (started = await startStorages()));
  after(() => started.close());

  it('places new repositories, forks and wikis by weight, and reads them by their names', async () => {
    const { kit, storages, git } = started;
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
    const { folder } = started;
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
    const { kit, store } = started;
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
    const { kit, storages } = started;
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

  it('gives a folder that alone is left its name back, and tells of disks that are away', async () => {
    const { folder, kit, host, storages, git, findings } = started;
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
    const { folder, kit, host, storages, store, findings } = started;
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

  it('a back-up has what lies on storages, and a restored one goes by weight', async () => {
    const { folder, kit, host } = started;
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
