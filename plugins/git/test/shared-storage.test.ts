/** Repositories on a file system whose clients believe for a while what stat said (A11). */
import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { cache } from '@mortise/plugin-sdk';
import { asActor, startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { gitReader, gitStore, gitWriter, refUpdates, zeroOid } from '../api.js';
import { gitCore } from '../services/service-refs.js';
import { DatabaseGenerations } from '../services/generations.js';
import { isNetworked } from '../services/ref-fingerprints.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const ada = asActor({ id: 1, name: 'ada' });
const by = { name: 'Ada', email: 'ada@example.com', time: 1_700_000_000_000, zone: '+0000' };

describe('shared storage', () => {
  let host: TestHost;
  let folder: string;
  let oid: string;
  before(async () => {
    host = await startHost({ plugins: ['git'], settings: { git: { SHARED_STORAGE: 'true' } } });
    await host.services.get(gitStore).create(1);
    folder = host.services.get(gitStore).path(1);
    const writer = host.services.get(gitWriter);
    const tree = await writer.writeTree(1, undefined, [{ path: 'a', content: 'a' }]);
    oid = await writer.writeCommit(1, { tree, parents: [], author: by, committer: by, message: 'first' });
  });
  after(() => host.close());

  const set = (ref: string, old = zeroOid, next = oid) =>
    host.services
      .get(refUpdates)
      .apply({ repositoryId: 1, updates: [{ ref, old, new: next }], pusher: ada, source: 'api' });
  const names = async () => (await host.services.get(gitReader).open(1).refs()).map(({ name }) => name);
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder });
  const nextTick = () => new Promise((resolve) => setImmediate(resolve));
  const generations = () => new DatabaseGenerations(host.database);
  const stat = () => statSync(join(folder, 'mortise-refs'), { bigint: true }).ctimeNs;

  it('A11: what another node changed is seen although stat says nothing of it', async () => {
    await set('refs/heads/main');
    expect(await names()).to.equal(['main']);
    const before = stat();
    git('update-ref', 'refs/heads/elsewhere', oid);
    await nextTick();
    // nobody has told yet: the table is kept, so it is the generation that counts
    expect(await names()).to.equal(['main']);
    await generations().move('1.git', 'another word');
    await nextTick();
    expect(await names()).to.equal(['elsewhere', 'main']);
    expect(stat()).to.equal(before);
    const derived = host.services.get(cache).query<string[]>('test.names');
    const kept = () => derived.load('names', names);
    expect(await kept()).to.equal(['elsewhere', 'main']);
    expect(derived.peek('names')).to.equal(['elsewhere', 'main']);
    // while another node is at it, nothing is kept, nor what is made from it
    await generations().move('1.git', 'changing');
    for (const name of ['one', 'two']) {
      git('update-ref', `refs/heads/${name}`, oid);
      await nextTick();
      expect(await names()).to.include(name);
      expect(await kept()).to.include(name);
    }
    await generations().move('1.git', 'settled');
  });

  it('A11: each change through the gate moves the generation', async () => {
    const before = (await generations().read('1.git')).word;
    await set('refs/heads/moved');
    const after = (await generations().read('1.git')).word;
    expect(after).to.not.equal(before);
    expect(after).to.not.equal('changing');
    await host.services.get(gitStore).setHead(1, 'moved');
    expect((await generations().read('1.git')).word).to.not.equal(after);
    await host.services.get(gitStore).create(2);
    expect((await generations().read('2.git')).word).to.be.a.string();
  });

  it('A11: nothing moves while the others cannot be told, and they are told once they can', async () => {
    const database = host.database as unknown as { write?: unknown };
    const { write } = host.database;
    const away = async () => {
      throw new Error('the database is away');
    };
    database.write = away;
    await expect(set('refs/heads/untold')).to.reject(/away/);
    delete database.write;
    expect(await names()).to.not.include('untold');
    expect(() => git('rev-parse', '--verify', '-q', 'refs/heads/untold')).to.throw();
    // gone right after the references have moved
    const { fingerprints } = host.services.get(gitCore);
    await fingerprints.changing(folder);
    database.write = away;
    await fingerprints.changed(folder);
    delete database.write;
    expect((await generations().read('1.git')).word).to.equal('changing');
    await fingerprints.retry();
    expect((await generations().read('1.git')).word).to.not.equal('changing');
    expect(host.database.write).to.equal(write);
  });

  it('a node that still follows the link from before a move reads nothing that it keeps, and writes nothing', async () => {
    await set('refs/heads/settled');
    const { fingerprints } = host.services.get(gitCore);
    expect(await fingerprints.read(folder)).to.be.a.string();
    // another node has moved it, and the link here is the one before
    await generations().place('1.git', 'moved', '../.storages/other/001/1-00000000.git');
    await nextTick();
    expect(await fingerprints.read(folder)).to.be.undefined();
    await expect(set('refs/heads/lost')).to.reject(/being moved to another disk/);
    expect(() => git('rev-parse', '--verify', '-q', 'refs/heads/lost')).to.throw();
    // as soon as it follows the new one
    await fingerprints.moved(folder);
    await nextTick();
    expect(await fingerprints.read(folder)).to.be.a.string();
    await set('refs/heads/kept');
    // and a database that was brought back says nothing for long
    await generations().place('1.git', 'moved', '../.storages/other/001/1-00000000.git');
    await host.database.write(async () => {
      await host.database
        .knex()('git_generation')
        .update({ placed_at: Date.now() - 301_000 });
    });
    await set('refs/heads/kept-too');
  });

  it('A11: a local disk is known for one', () => {
    expect(isNetworked('/dev')).to.be.false();
    expect(isNetworked('/no/such/folder')).to.be.false();
  });
});
