import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { definePlugin, locks, Problem } from '@mortise/plugin-sdk';
import { accounts } from '@mortise/accounts/api';
import { signUp } from '@mortise/accounts/testing';
import { gitReader, gitStore, refUpdates, zeroOid, type RefChange, type RefUpdate } from '@mortise/git/api';
import { issueChanged } from '@mortise/issues/api';
import { repositories } from '@mortise/repositories/api';
import { up } from '../migrations/0003_own_topics_by_account.js';
import { mergeLock } from '../services/pull-merger.js';
import { headFact } from '../services/pull-refs.js';
import { pullServices } from '../services/services.js';
import { api, makeWorld, merge, propose, send, shown, write, type World } from './support.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const records: Readonly<Record<string, unknown>>[] = [];
/** Keeps what is told of deleted ones. */
const witness = definePlugin({
  name: 'witness',
  version: '1.0.0',
  sdk: '^1.0.0',
  requires: { issues: '^1.0.0' },
  register(host) {
    host.on(issueChanged, 'within', 'keep', {}, ({ record }) => {
      if (record) records.push(record);
      return Promise.resolve();
    });
  },
});

interface Gate {
  readonly journal: { abandon(entry: unknown): void };
  readonly moves: { move(folder: string, updates: readonly RefUpdate[]): Promise<void> };
  begin(change: RefChange, options: { readonly isAtomic: boolean }): Promise<unknown>;
  repair(repositoryId: number): Promise<void>;
}

describe('following pull requests', () => {
  let world: World;
  before(async () => {
    world = await makeWorld({ plugins: ['branch-protection', 'commit-status', 'webhook-mortise', witness] });
  });
  after(() => world.host.close());

  const repository = async () => (await world.host.services.get(repositories).byPath('ada', 'loom'))!;
  const git = async () => world.host.services.get(gitReader).open((await repository()).id);
  const issueId = async (index: number) =>
    (await send<{ id: number }>(world.ada, 'GET', `${api}/issues/${index}`)).body.id;
  const actorOf = async (name: string) => {
    const service = world.host.services.get(accounts);
    return service.actorOf((await service.byName(name))!, '');
  };
  /** As `git push origin <oid>:refs/for/main -o topic=…` ends. */
  const receive = async (name: string, topic: string, oid: string) => {
    const change: RefChange = {
      repositoryId: (await repository()).id,
      kind: 'code',
      updates: [],
      pusher: await actorOf(name),
      pushOptions: { topic, 'force-push': 'true' },
      source: 'http',
    };
    const update = { ref: 'refs/for/main', old: zeroOid, new: oid };
    const { ref } = (await world.host.services.get(pullServices).agit.receive(change, update)) as { ref: string };
    return Number(/\d+/.exec(ref)![0]);
  };

  it('tells clients of topics which protocol they push by', async () => {
    const told = await world.host.inject('/ssh_info');
    expect([told.statusCode, told.json]).to.equal([200, { type: 'agit', version: 1 }]);
  });

  it('keeps a topic with the account that pushed it, whatever it is called', async () => {
    const first = await write(world.ada, { into: 'source' });
    const index = await receive('ben', 'fix', first);
    const service = world.host.services.get(accounts);
    await world.host.database.write(() =>
      world.host.database.knex()('user').where({ lower_name: 'ben' }).update({ name: 'benny', lower_name: 'benny' }),
    );
    await signUp(world.host, 'ben', { email: 'squatter@example.com' });
    expect((await service.byName('benny'))?.id).to.be.a.number();
    const second = await write(world.ada, { branch: 'source' });
    expect(await receive('ben', 'fix', second)).to.be.above(index);
    expect((await shown(world, index)).head.sha).to.equal(first);
    const third = await write(world.ada, { branch: 'source' });
    expect(await receive('benny', 'fix', third)).to.equal(index);
    expect((await shown(world, index)).head.sha).to.equal(third);
    await world.host.database.write(async () => {
      await world.host.database.knex()('user').where({ lower_name: 'ben' }).update({ name: 'bo', lower_name: 'bo' });
      await world.host.database
        .knex()('user')
        .where({ lower_name: 'benny' })
        .update({ name: 'ben', lower_name: 'ben' });
    });
  });

  it("C5: takes a topic with the pusher's name before it for the same topic", async () => {
    const first = await write(world.ada, { into: 'prefixed' });
    const index = await receive('ada', 'docs/intro', first);
    const second = await write(world.ada, { branch: 'prefixed' });
    expect(await receive('ada', 'Ada/docs/intro', second)).to.equal(index);
    expect((await shown(world, index)).head.sha).to.equal(second);
    // the name of another is part of the topic
    const third = await write(world.ada, { branch: 'prefixed' });
    expect(await receive('ada', 'ben/docs/intro', third)).to.be.above(index);
  });

  it('keeps both topics of one name that a renamed account had open under two names', async () => {
    const indexes = [
      await receive('ada', 'twice-1', await write(world.ada, { into: 'twice-1' })),
      await receive('ada', 'twice-2', await write(world.ada, { into: 'twice-2' })),
    ];
    const ids = await Promise.all(indexes.map(issueId));
    const rows = () => world.host.database.knex()('pull_request').whereIn('issue_id', ids).orderBy('issue_id');
    await world.host.database.write(async () => {
      for (const [at, id] of ids.entries())
        await world.host.database
          .knex()('pull_request')
          .where('issue_id', id)
          .update({ head_branch: `name-${at}/twice`, topic_owner_id: 0, open_key: `old ${at}` });
      await up(world.host.database.knex());
    });
    const found = (await rows()) as { head_branch: string; open_key: string | null }[];
    expect(found.map(({ head_branch: topic, open_key: key }) => [topic, key !== null])).to.equal([
      ['twice', true],
      ['twice', false],
    ]);
  });

  it('moves the row of a pushed topic with its reference, also after a kill between the two', async () => {
    const first = await write(world.ada, { into: 'killed' });
    const index = await receive('ada', 'killed', first);
    const next = await write(world.ada, { branch: 'killed' });
    const { id } = await repository();
    const gate = world.host.services.get(refUpdates) as unknown as Gate;
    const updates = [
      { ref: `refs/pull/${index}/head`, old: first, new: next },
      { ref: `refs/pull/${index}/versions/2`, old: zeroOid, new: next },
    ];
    const pusher = await actorOf('ada');
    const facts = headFact.with({ issueId: await issueId(index), pusherId: pusher.id, at: 1 });
    const entry = await gate.begin(
      {
        repositoryId: id,
        kind: 'code',
        updates,
        pusher,
        pushOptions: {},
        source: 'internal',
        facts,
      },
      { isAtomic: true },
    );
    gate.journal.abandon(entry);
    await gate.moves.move(world.host.services.get(gitStore).path(id), updates);
    expect((await shown(world, index)).head.sha).to.equal(first);
    await gate.repair(id);
    await world.host.settle();
    expect((await shown(world, index)).head.sha).to.equal(next);
  });

  it('HOK-08, HOK-09: tells of new commits with the heads before and after, of a branch and of a topic', async () => {
    const hook = await send<{ id: number }>(world.ada, 'POST', `${api}/hooks`, {
      type: 'mortise',
      active: true,
      events: ['pull_request_sync'],
      config: { url: 'http://127.0.0.1:9/', content_type: 'json' },
    });
    expect(hook.status).to.equal(201);
    const made = await propose(world.ben, 'synced');
    const next = await write(world.ben, { branch: 'synced' });
    await world.host.settle();
    const first = await write(world.ada, { into: 'for-topic' });
    const index = await receive('ada', 'synced-topic', first);
    const second = await write(world.ada, { branch: 'for-topic' });
    expect(await receive('ada', 'synced-topic', second)).to.equal(index);
    await world.host.settle();
    const rows = (await world.host.database.knex()('hook_delivery').where('hook_id', hook.body.id).orderBy('id')) as {
      payload: string;
    }[];
    const told = rows.map(({ payload }) => JSON.parse(payload) as Record<string, unknown>);
    expect(told.map(({ action, number, before, after }) => [action, number, before, after])).to.equal([
      ['synchronized', made.number, made.head.sha, next],
      ['synchronized', index, first, second],
    ]);
    expect((await send(world.ada, 'DELETE', `${api}/hooks/${hook.body.id}`)).status).to.equal(204);
  });

  it('HOK-08: tells of a deleted one as a pull request, and leaves no reference of it', async () => {
    const made = await propose(world.ben, 'deleted');
    const below = async () => (await (await git()).refs(`refs/pull/${made.number}/`)).length;
    expect(await below()).to.equal(2);
    expect((await send(world.ada, 'DELETE', `${api}/issues/${made.number}`)).status).to.equal(204);
    await world.host.settle();
    expect(await below()).to.equal(0);
    expect(records.at(-1)).to.include({ number: made.number, merged: false, draft: false });
    expect(Object.keys(records.at(-1)!)).to.include(['base', 'head', 'requested_reviewers']);
  });

  it('follows every branch of a push, though one of their pull requests fails', async () => {
    const busy = await propose(world.ben, 'x-busy');
    const bad = await propose(world.ben, 'y-bad');
    const good = await propose(world.ben, 'z-good');
    const next = await write(world.ada, { into: 'ahead' });
    const names = Array.from({ length: 120 }, (_, at) => `many/${at}`);
    const { syncer } = world.host.services.get(pullServices);
    const head = syncer.head.bind(syncer);
    const [busyId, badId, goodId] = [await issueId(busy.number), await issueId(bad.number), await issueId(good.number)];
    expect(goodId).to.be.above(badId);
    const errors = new Map([
      [busyId, new Problem('unavailable', 'a lock is in use')],
      [badId, new Error('no memory')],
    ]);
    syncer.head = (id, move) => (errors.has(id) ? Promise.reject(errors.get(id)!) : head(id, move));
    await world.host.services.get(refUpdates).apply({
      repositoryId: (await repository()).id,
      updates: [
        ...names.map((name) => ({ ref: `refs/heads/${name}`, old: zeroOid, new: next })),
        { ref: 'refs/heads/x-busy', old: busy.head.sha, new: next },
        { ref: 'refs/heads/y-bad', old: bad.head.sha, new: next },
        { ref: 'refs/heads/z-good', old: good.head.sha, new: next },
      ],
      pusher: await actorOf('ada'),
      source: 'internal',
    });
    await world.host.events.deliverAll();
    const heads = async () => {
      const { reader } = world.host.services.get(pullServices);
      return Promise.all([busyId, badId, goodId].map(async (id) => (await reader.fresh(id))?.headOid));
    };
    expect(await heads()).to.equal([busy.head.sha, bad.head.sha, next]);
    syncer.head = head;
    await world.host.settle();
    expect(await heads()).to.equal([next, next, next]);
  });

  it('asks again who may merge once it has waited for its turn', async () => {
    const made = await propose(world.ben, 'patient');
    const { id } = await repository();
    let asked: ReturnType<typeof merge> | undefined;
    await world.host.services.get(locks).hold(mergeLock({ repositoryId: id, baseBranch: 'main' }), async () => {
      asked = merge(world.ben, made.number);
      // it has read its rights, and waits
      await new Promise((resolve) => setTimeout(resolve, 300));
      expect((await send(world.ada, 'DELETE', `${api}/collaborators/ben`)).status).to.equal(204);
    });
    expect((await asked!).status).to.equal(405);
    expect((await shown(world, made.number)).merged).to.be.false();
    await send(world.ada, 'PUT', `${api}/collaborators/ben`, { permission: 'write' });
  });

  it('merges nothing by itself in an archived repository', async () => {
    await send(world.ada, 'POST', `${api}/branch_protections`, {
      rule_name: 'main',
      enable_status_check: true,
      status_check_contexts: ['build'],
    });
    const made = await propose(world.ben, 'scheduled');
    expect((await merge(world.ada, made.number, { merge_when_checks_succeed: true })).status).to.equal(201);
    await send(world.ada, 'POST', `${api}/statuses/${made.head.sha}`, { context: 'build', state: 'success' });
    expect((await send(world.ada, 'PATCH', api, { archived: true })).status).to.equal(200);
    await world.host.settle();
    expect((await shown(world, made.number)).merged).to.be.false();
    await send(world.ada, 'PATCH', api, { archived: false });
    await world.host.services.get(pullServices).autoMerger.run(await issueId(made.number));
    expect((await shown(world, made.number)).merged).to.be.true();
    await send(world.ada, 'DELETE', `${api}/branch_protections/main`);
  });

  it('shows no names of files to those who may not read the code', async () => {
    const made = await propose(world.ben, 'hidden', { path: 'secret-name.txt', text: 'one\n' });
    await write(world.ada, { path: 'secret-name.txt', text: 'two\n' });
    await world.host.settle();
    const page = () => world.cas.inject(`/ada/loom/pulls/${made.number}`);
    const before = await page();
    expect([before.statusCode, before.payload.includes('secret-name.txt')]).to.equal([200, true]);
    expect((await send(world.ada, 'PATCH', api, { has_code: false })).status).to.equal(200);
    const without = await page();
    expect([without.statusCode, without.payload.includes('secret-name.txt')]).to.equal([200, false]);
    await send(world.ada, 'PATCH', api, { has_code: true });
  });
});
