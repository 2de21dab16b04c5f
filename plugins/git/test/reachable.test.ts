/** What may be read by an id: what references lead to, and for a while what they led to. */
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { asActor, startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { gitReader, gitStore, gitWriter, refUpdates, zeroOid, type GitRepository } from '../api.js';
import { FormerTips, maxAgeMs } from '../services/former-tips.js';
import type { Reachable } from '../services/reachable.js';
import type { References } from '../services/references.js';
import { FormerTip } from '../models/former-tip.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const ada = asActor({ id: 1, name: 'ada' });
const by = { name: 'Ada', email: 'ada@example.com', time: 1_700_000_000_000, zone: '+0000' };

describe('ids of objects', () => {
  let host: TestHost;
  let repository: GitRepository;
  before(async () => {
    host = await startHost({ plugins: ['git'] });
    await host.services.get(gitStore).create(1);
    repository = host.services.get(gitReader).open(1);
  });
  after(() => host.close());

  let count = 0;
  const commit = async (...parents: string[]) => {
    const writer = host.services.get(gitWriter);
    const tree = await writer.writeTree(1, undefined, [{ path: 'a', content: String(++count) }]);
    return writer.writeCommit(1, { tree, parents, author: by, committer: by, message: `m ${count}` });
  };
  const set = (ref: string, old: string, next: string) =>
    host.services
      .get(refUpdates)
      .apply({ repositoryId: 1, updates: [{ ref, old, new: next }], pusher: ada, source: 'api' });

  it('S4: what no reference leads to is not read by its id, whole or short', async () => {
    const hidden = await commit();
    const first = await commit();
    const second = await commit(first);
    await set('refs/heads/main', zeroOid, second);
    for (const oid of [first, second]) {
      expect((await repository.resolve(oid))?.commit).to.equal(oid);
      expect((await repository.resolve(oid.slice(0, 7)))?.commit).to.equal(oid);
      expect(await repository.expand(oid.slice(0, 10))).to.equal(oid);
      expect(await repository.expand(oid.slice(0, 6))).to.be.undefined();
    }
    for (const name of [hidden, hidden.slice(0, 7), hidden.slice(0, 20), `${hidden}~0`, `${hidden.slice(0, 8)}^0`]) {
      expect(await repository.resolve(name), name).to.be.undefined();
      expect(await repository.expand(name), name).to.be.undefined();
    }
    expect(await repository.isReadable(hidden)).to.be.false();
    const tree = (await repository.commit(first)).tree;
    expect(await repository.expand(tree.slice(0, 12))).to.be.undefined(); // whole ids only
    expect(await repository.expand(tree)).to.equal(tree);
  });

  it('S4: a short id means the one that references lead to, whatever else begins so', async () => {
    // two that share seven digits would take long to find, so the shortest start that git takes has to do
    const all: string[] = [];
    for (let at = 0; at < 60; at++) all.push(await commit());
    const [shown] = all as [string];
    await set('refs/heads/shown', zeroOid, shown);
    const { revisions } = repository as unknown as {
      revisions: { deps: { reachable: Reachable; references: References } };
    };
    const { reachable, references } = revisions.deps;
    expect(await reachable.expand(shown.slice(0, 4), await references.table())).to.equal(shown);
  });

  it('S4: follows references as they move, are forced away and come back', async () => {
    const root = await commit();
    const one = await commit(root);
    await set('refs/heads/moving', zeroOid, one);
    expect(await repository.isReadable(root)).to.be.true();
    const two = await commit(one);
    await set('refs/heads/moving', one, two);
    expect(await repository.isReadable(root)).to.be.true();
    expect(await host.database.query(FormerTip).where({ oid: one })).to.be.empty();
    const other = await commit();
    await set('refs/heads/moving', two, other);
    // forced away: events name it, so its whole id still reads, and what lies below it does not
    expect(await repository.isReadable(two)).to.be.true();
    expect((await repository.resolve(two))?.commit).to.equal(two);
    expect(await repository.expand(two.slice(0, 12))).to.be.undefined();
    expect(await repository.isReadable(one)).to.be.false();
    expect(await repository.isReadable(root)).to.be.false();
    await set('refs/tags/back', zeroOid, one);
    expect(await repository.isReadable(root)).to.be.true();
    await set('refs/heads/moving', other, zeroOid);
    expect(await repository.isReadable(other)).to.be.true();
    await host.database.write(async () => {
      await host.database.query(FormerTip).patch({ replaced_at: Date.now() - maxAgeMs - 1 });
    });
    expect(await repository.isReadable(other)).to.be.false();
    await new FormerTips(host.database).forgetOld();
    expect(await host.database.query(FormerTip)).to.be.empty();
  });

  it('S4: comparing sees both sides and writes neither', async () => {
    const store = host.services.get(gitStore);
    await store.copy(1, 2);
    const writer = host.services.get(gitWriter);
    const main = (await repository.branch('main'))!.oid;
    const tree = await writer.writeTree(2, main, [{ path: 'b', content: 'only in the fork' }]);
    const own = await writer.writeCommit(2, { tree, parents: [main], author: by, committer: by, message: 'own' });
    const before = await store.size(1);
    const both = host.services.get(gitReader).across(1, [2]);
    expect(await both.mergeBase(main, own)).to.equal(main);
    expect((await both.log({ from: [own], not: [main] })).commits.map(({ message }) => message)).to.equal(['own\n']);
    expect((await both.changes(main, own)).map(({ path }) => path)).to.equal(['b']);
    expect((await both.blob((await both.entry(own, 'b'))!.oid)).toString()).to.equal('only in the fork');
    expect(await both.patchText(main, own)).to.contain('+only in the fork');
    expect(await store.size(1)).to.equal(before);
    expect(await repository.info(own)).to.be.undefined();
    expect(await repository.resolve(own)).to.be.undefined();
    expect((await repository.commits([own])).length).to.equal(0);
  });
});
