import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { gitReader, gitWriter, refUpdates, zeroOid } from '@mortise/git/api';
import { DeliveryKit, hooksApi } from './delivery-kit.js';

export const lab = Lab.script();
const { describe, it, before, after, beforeEach } = lab;

describe('deliveries about pushes', () => {
  let kit: DeliveryKit;
  before(async () => {
    kit = await DeliveryKit.start();
  });
  after(() => kit?.close());
  beforeEach(() => kit.reset());

  it('tells of pushes, new and deleted references, one each', async () => {
    const { id } = await kit.make();
    const writer = kit.host.services.get(gitWriter);
    const person = { name: 'Ada', email: 'ada@example.com', time: Date.now(), zone: '+0200' };
    const tree = await writer.writeTree(kit.repository.id, undefined, [{ path: 'a.txt', content: 'a' }]);
    const commit = await writer.writeCommit(kit.repository.id, {
      tree,
      parents: [],
      author: person,
      committer: person,
      message: 'one\n',
    });
    const pusher = kit.ada.actor;
    const apply = (ref: string, old: string, next: string) =>
      kit.host.services
        .get(refUpdates)
        .apply({ repositoryId: kit.repository.id, updates: [{ ref, old, new: next }], pusher, source: 'api' });
    await apply('refs/heads/main', zeroOid, commit);
    await apply('refs/tags/v1', zeroOid, commit);
    await apply('refs/tags/v1', commit, zeroOid);
    await kit.host.settle();
    const heard = kit.received.map(({ body }) => JSON.parse(body) as { event: string; payload: Record<string, any> }); // oxlint-disable-line typescript/no-explicit-any
    // the kind has nothing to say about deletions
    expect(heard.map(({ event, payload }) => `${event} ${payload.ref}`)).to.only.include([
      'create main',
      'push refs/heads/main',
      'create v1',
      'push refs/tags/v1',
      'push refs/tags/v1',
    ]);
    const push = heard.find(({ event }) => event === 'push')!.payload;
    expect(push.total_commits).to.equal(1);
    expect(push.commits[0]).to.include({ id: commit, added: ['a.txt'], message: 'one\n' });
    expect(push.commits[0].author).to.equal({ name: 'Ada', email: 'ada@example.com', username: 'ada' });
    expect(push.commits[0].timestamp).to.match(/\+02:00$/);
    expect(push.repository.full_name).to.equal('ada/tool');
    expect(push.pusher.login).to.equal('ada');
    await kit.drop(id);
  });

  it('compares what a push brought: a new branch with where it left, a new or moved tag with nothing', async () => {
    const { id } = await kit.make();
    const writer = kit.host.services.get(gitWriter);
    const who = { name: 'Ada', email: 'ada@example.com', time: Date.now(), zone: '+0000' };
    const first = (await kit.host.services.get(gitReader).open(kit.repository.id).branch('main'))!.oid;
    const tree = await writer.writeTree(kit.repository.id, undefined, [{ path: 'b.txt', content: 'b' }]);
    const second = await writer.writeCommit(kit.repository.id, {
      tree,
      parents: [first],
      author: who,
      committer: who,
      message: 'two\n',
    });
    const pusher = kit.ada.actor;
    const apply = async (ref: string, old: string, next: string) => {
      const updates = [{ ref, old, new: next }];
      await kit.host.services
        .get(refUpdates)
        .apply({ repositoryId: kit.repository.id, updates, pusher, source: 'api' });
      await kit.host.settle();
      const heard = kit.received
        .splice(0)
        .map(({ body }) => JSON.parse(body) as { event: string; payload: Record<string, any> }); // oxlint-disable-line typescript/no-explicit-any
      const push = heard.find(({ event }) => event === 'push')!.payload;
      return [heard.map(({ event }) => event).sort(), (push.compare_url as string).split('/compare/')[1]];
    };
    const both = ['create', 'push'];
    expect(await apply('refs/heads/copy', zeroOid, first)).to.equal([both, `main...${first}`]);
    expect(await apply('refs/heads/on', zeroOid, second)).to.equal([both, `${first}...${second}`]);
    expect(await apply('refs/tags/t', zeroOid, first)).to.equal([both, `${zeroOid}...${first}`]);
    expect(await apply('refs/tags/t', first, second)).to.equal([both, `${zeroOid}...${second}`]);
    await kit.drop(id);
  });

  it('tests a hook whatever it listens to, but none that is off or has nothing to send (HOK-21)', async () => {
    const { id } = await kit.make({ events: ['greeting'], branch_filter: 'nothing' });
    const test = async (query = '') =>
      (await kit.ada.inject({ method: 'POST', url: `${hooksApi}/${id}/tests${query}` })).statusCode;
    expect(await test()).to.equal(204);
    expect(await test('?ref=nowhere')).to.equal(404);
    await kit.host.settle();
    const [one] = kit.received.splice(0).map(({ body }) => JSON.parse(body));
    expect(one.event).to.equal('push');
    expect(one.payload.commits.map((commit: object) => ({ ...commit }))[0]).to.include({ added: null, modified: null });
    expect(
      (await kit.ada.inject({ method: 'PATCH', url: `${hooksApi}/${id}`, payload: { active: false } })).statusCode,
    ).to.equal(200);
    expect(await test()).to.equal(204);
    await kit.host.settle();
    expect(kit.received).to.be.empty();
    await kit.drop(id);
  });
});
