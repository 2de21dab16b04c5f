import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { Invalid, definePlugin, type Actor } from '@mortise/plugin-sdk';
import { accounts } from '@mortise/accounts/api';
import { gitReader, gitStore, refUpdates, refsUpdated, type RefChange, type RefUpdate } from '@mortise/git/api';
import { issues } from '@mortise/issues/api';
import { repositories } from '@mortise/repositories/api';
import { mergedFact } from '../services/pull-merger.js';
import { pullServices } from '../services/services.js';
import { api, makeWorld, merge, propose, send, shown, write, type PullJson, type World } from './support.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

let refuses = false;
/** Refuses moved references in their transaction when told to. */
const witness = definePlugin({
  name: 'witness',
  version: '1.0.0',
  sdk: '^1.0.0',
  requires: { pulls: '^1.0.0', git: '^1.0.0' },
  register(host) {
    host.on(refsUpdated, 'within', 'refuse', {}, async () => {
      if (refuses) throw Invalid('not today');
    });
  },
});

/** The parts of the gate between which a kill can fall. */
interface Gate {
  readonly journal: { abandon(entry: unknown): void };
  readonly moves: { move(folder: string, updates: readonly RefUpdate[]): Promise<void> };
  begin(change: RefChange, options: { readonly isAtomic: boolean }): Promise<unknown>;
  repair(repositoryId: number): Promise<void>;
}

describe('merging pull requests', () => {
  let world: World;
  before(async () => {
    world = await makeWorld({ plugins: ['branch-protection', 'commit-status', 'forks', witness] });
  });
  after(() => world.host.close());

  const repositoryId = async () => (await world.host.services.get(repositories).byPath('ada', 'loom'))!.id;
  const git = async () => world.host.services.get(gitReader).open(await repositoryId());
  const tip = async (branch = 'main') => (await (await git()).branch(branch))!.oid;
  const commit = async (branch = 'main') => (await git()).commit(await tip(branch));
  const subjects = async (limit: number) => {
    const repository = await git();
    const { commits } = await repository.log({ from: [await tip()], firstParent: true, limit });
    return commits.map(({ message }) => message.split('\n')[0]);
  };

  it('makes what each style says', async () => {
    for (const style of ['merge', 'squash', 'rebase', 'rebase-merge'] as const) {
      const made = await propose(world.ben, `by-${style}`);
      await write(world.ada, {});
      const base = await tip();
      const merged = await merge(world.ada, made.number, { do: style, merge_title_field: `By ${style}` });
      expect([style, merged.status]).to.equal([style, 200]);
      const { parents, committer } = await commit();
      expect([style, parents.length, parents[0] === base, committer.name]).to.equal([
        style,
        style.includes('merge') ? 2 : 1,
        true,
        'ada',
      ]);
      const record = await shown(world, made.number);
      expect([record.merged, record.state, record.merged_by?.login, record.merge_commit_sha]).to.equal([
        true,
        'closed',
        'ada',
        await tip(),
      ]);
    }
    expect((await subjects(2))[0]).to.equal('By rebase-merge');
  });

  it('does not fast-forward what went apart', async () => {
    const made = await propose(world.ben, 'ahead');
    expect((await merge(world.ada, made.number, { do: 'fast-forward-only' })).status).to.equal(200);
    expect(await tip()).to.equal(made.head.sha);
    const apart = await propose(world.ben, 'apart');
    await write(world.ada, {});
    expect((await merge(world.ada, apart.number, { do: 'fast-forward-only' })).status).to.equal(409);
    expect((await shown(world, apart.number)).merged).to.be.false();
  });

  it('is done once, however many ask at once', async () => {
    const made = await propose(world.ben, 'wanted');
    const before = await tip();
    const answers = await Promise.all([1, 2, 3].map(() => merge(world.ada, made.number)));
    expect(answers.map(({ status }) => status).sort()).to.equal([200, 405, 405]);
    expect((await commit()).parents).to.equal([before, made.head.sha]);
  });

  it('merges different ones into one branch one after the other', async () => {
    const made: PullJson[] = [];
    for (const name of ['p1', 'p2', 'p3', 'p4']) made.push(await propose(world.ben, name));
    const answers = await Promise.all(made.map(({ number }) => merge(world.ada, number, { do: 'squash' })));
    expect(answers.map(({ status }) => status)).to.equal([200, 200, 200, 200]);
    expect((await subjects(4)).sort()).to.equal(made.map(({ number, title }) => `${title} (#${number})`).sort());
    const counted = await send<{ open_pr_counter: number }>(world.ada, 'GET', api);
    const open = await send<PullJson[]>(world.ada, 'GET', `${api}/pulls?limit=50`);
    expect(counted.body.open_pr_counter).to.equal(open.body.length);
  });

  it('refuses conflicts, drafts, strangers and heads that moved, and changes nothing', async () => {
    const made = await propose(world.ben, 'clash', { path: 'same.txt', text: 'one\n' });
    await write(world.ada, { path: 'same.txt', text: 'two\n' });
    const before = await tip();
    expect((await merge(world.ada, made.number)).status).to.equal(405);
    expect((await shown(world, made.number)).mergeable).to.be.false();
    const draft = await propose(world.ben, 'draft', { title: 'WIP: draft' });
    expect([draft.draft, (await merge(world.ada, draft.number)).status]).to.equal([true, 405]);
    const other = await propose(world.ben, 'other');
    for (const [by, body, status] of [
      [world.cas, {}, 405],
      [world.ada, { head_commit_id: made.head.sha }, 409],
      [world.ada, { do: 'blend' }, 422],
      [world.ada, { do: 'manually-merged' }, 405],
    ] as const)
      expect([body, (await merge(by, other.number, body)).status]).to.equal([body, status]);
    expect(await tip()).to.equal(before);
  });

  it('PUL-02, LIM-01: looks again at those that something happened to within seven days', async () => {
    const { database } = world.host;
    const days = 86_400_000;
    const made = [await propose(world.ben, 'seven-days'), await propose(world.ben, 'nearly-seven-days')];
    for (const [at, { number }] of made.entries())
      await database.write(() =>
        database
          .knex()('issue')
          .where({ number, is_pull: true })
          .update({ updated_at: Date.now() - 7 * days + at * 3_600_000 }),
      );
    await write(world.ada, {});
    await world.host.settle();
    await world.host.jobs.runDue();
    const states = await database
      .knex()('pull_request')
      .join('issue', 'issue.id', 'pull_request.issue_id')
      .whereIn(
        'issue.number',
        made.map(({ number }) => number),
      )
      .orderBy('issue.number')
      .pluck('merge_state');
    expect(states).to.equal(['checking', 'clean']);
  });

  it('asks the rule of the branch again when it is merged', async () => {
    const rule = {
      rule_name: 'main',
      enable_push: false,
      enable_status_check: true,
      status_check_contexts: ['build'],
    };
    await send(world.ada, 'POST', `${api}/branch_protections`, rule);
    const made = await propose(world.ben, 'checked', { base: 'main' }).catch((error: unknown) => error);
    expect(made).to.not.be.instanceof(Error);
    const { number, head } = made as PullJson;
    expect((await merge(world.ben, number)).status).to.equal(405);
    expect((await merge(world.ben, number, { force_merge: true })).status).to.equal(405);
    const scheduled = { merge_when_checks_succeed: true };
    expect((await merge(world.ben, number, scheduled)).status).to.equal(201);
    expect((await merge(world.ben, number, scheduled)).status).to.equal(409);
    await send(world.ada, 'POST', `${api}/statuses/${head.sha}`, { context: 'build', state: 'success' });
    await world.host.jobs.runDue();
    await world.host.settle();
    const merged = await shown(world, number);
    expect([merged.merged, merged.merged_by?.login]).to.equal([true, 'ben']);
    const other = await propose(world.ben, 'unchecked');
    expect((await merge(world.ben, other.number, scheduled)).status).to.equal(201);
    const waited = await send<{ number: number }>(world.ada, 'POST', `${api}/issues`, { title: 'first' });
    const index = waited.body.number;
    const dependency = { owner: 'ada', repo: 'loom', index };
    const depends = await send(world.ada, 'POST', `${api}/issues/${other.number}/dependencies`, dependency);
    expect(depends.status).to.equal(201);
    await world.host.settle();
    expect((await shown(world, other.number)).merged).to.be.false();
    // nothing is required any more, but for what it waits for
    await send(world.ada, 'DELETE', `${api}/branch_protections/main`);
    await world.host.settle();
    expect((await shown(world, other.number)).merged).to.be.false();
    await send(world.ada, 'PATCH', `${api}/issues/${index}`, { state: 'closed' });
    await world.host.settle();
    expect((await shown(world, other.number)).merged).to.be.true();
    const third = await propose(world.ben, 'required');
    await send(world.ada, 'POST', `${api}/branch_protections`, rule);
    expect((await merge(world.ben, third.number, scheduled)).status).to.equal(201);
    await world.host.settle();
    expect((await shown(world, third.number)).merged).to.be.false();
    await send(world.ada, 'DELETE', `${api}/branch_protections/main`);
    await world.host.settle();
    expect((await shown(world, third.number)).merged).to.be.true();
  });

  it('goes on by itself when what it waited for is deleted, or it waits for it no more', async () => {
    const rule = { rule_name: 'main', enable_status_check: true, status_check_contexts: ['build'] };
    await send(world.ada, 'POST', `${api}/branch_protections`, rule);
    expect((await send(world.ada, 'POST', '/api/v1/user/repos', { name: 'yarn' })).status).to.equal(201);
    const waiting: { readonly number: number; readonly needs: { readonly repo: string; readonly index: number } }[] =
      [];
    for (const repo of ['loom', 'loom', 'yarn', 'loom']) {
      const { number } = await propose(world.ben, `waits-${waiting.length}`);
      expect((await merge(world.ada, number, { merge_when_checks_succeed: true })).status).to.equal(201);
      const first = await send<PullJson>(world.ada, 'POST', `/api/v1/repos/ada/${repo}/issues`, { title: 'First' });
      const needs = { owner: 'ada', repo, index: first.body.number };
      expect((await send(world.ada, 'POST', `${api}/issues/${number}/dependencies`, needs)).status).to.equal(201);
      waiting.push({ number, needs });
    }
    const [removed, deleted, away] = waiting as [(typeof waiting)[0], (typeof waiting)[0], (typeof waiting)[0]];
    const tracker = (enable_issue_dependencies: boolean) =>
      send(world.ada, 'PATCH', api, { internal_tracker: { enable_issue_dependencies } });
    await world.host.settle();
    // a change of the rule stores one job, however many wait
    const { database } = world.host;
    const jobs = async () => (await database.knex()('job').where('state', 'waiting').pluck<string[]>('name')).sort();
    const before = await jobs();
    await send(world.ada, 'DELETE', `${api}/branch_protections/main`);
    const stored = (await jobs()).filter((name) => name.startsWith('pulls.autoMerge'));
    expect([before.includes('pulls.autoMergeAll'), stored]).to.equal([false, ['pulls.autoMergeAll']]);
    await world.host.settle();
    const merged = () => Promise.all(waiting.map(async ({ number }) => (await shown(world, number)).merged));
    expect(await merged()).to.equal([false, false, false, false]);
    await send(world.ada, 'DELETE', `${api}/issues/${removed.number}/dependencies`, removed.needs);
    await world.host.settle();
    expect(await merged()).to.equal([true, false, false, false]);
    expect((await send(world.ada, 'DELETE', `${api}/issues/${deleted.needs.index}`)).status).to.equal(204);
    await world.host.settle();
    expect(await merged()).to.equal([true, true, false, false]);
    expect((await send(world.ada, 'DELETE', `/api/v1/repos/ada/${away.needs.repo}`)).status).to.equal(204);
    await world.host.settle();
    expect(await merged()).to.equal([true, true, true, false]);
    expect((await tracker(false)).status).to.equal(200);
    await world.host.settle();
    expect(await merged()).to.equal([true, true, true, true]);
    await tracker(true);
  });

  it('merges by itself what somebody saw, and not what others pushed afterwards', async () => {
    await send(world.ada, 'POST', `${api}/branch_protections`, {
      rule_name: 'main',
      enable_status_check: true,
      status_check_contexts: ['build'],
    });
    expect((await send(world.cas, 'POST', `${api}/forks`, {})).status).to.equal(202);
    const fork = '/api/v1/repos/cas/loom';
    await write(world.cas, { at: fork, into: 'gift' });
    const made = await send<PullJson>(world.cas, 'POST', `${api}/pulls`, {
      title: 'A gift',
      head: 'cas:gift',
      base: 'main',
    });
    const { number } = made.body;
    expect((await merge(world.ada, number, { merge_when_checks_succeed: true })).status).to.equal(201);
    const sha = await write(world.cas, { at: fork, branch: 'gift' });
    await world.host.settle();
    await send(world.ada, 'POST', `${api}/statuses/${sha}`, { context: 'build', state: 'success' });
    await world.host.settle();
    expect((await shown(world, number)).merged).to.be.false();
    const kinds = await send<{ type: string }[]>(world.ada, 'GET', `${api}/issues/${number}/timeline`);
    expect(kinds.body.map(({ type }) => type)).to.include('pull_cancel_scheduled_merge');
    expect((await send(world.ada, 'DELETE', `${api}/pulls/${number}/merge`)).status).to.equal(404);
    await send(world.ada, 'DELETE', `${api}/branch_protections/main`);
  });

  it('says when a scheduled merge is given up, and takes none from those whose rights end', async () => {
    const { services } = world.host;
    const users = services.get(accounts);
    const ben = (await users.byName('ben'))!;
    await send(world.ada, 'POST', `${api}/branch_protections`, {
      rule_name: 'main',
      enable_status_check: true,
      status_check_contexts: ['build'],
    });
    const { number } = await propose(world.ben, 'given-up');
    const { id } = (await services.get(issues).byIndex(await repositoryId(), number))!;
    const { autoMerger } = services.get(pullServices);
    const job: Actor = { ...users.actorOf(ben, ''), kind: 'task' };
    const context = (await autoMerger.context(id, users.actorOf(ben, '')))!;
    await expect(autoMerger.schedule(context, { style: 'merge' }, job)).to.reject(/rights of a job/);
    expect((await merge(world.ben, number, { merge_when_checks_succeed: true })).status).to.equal(201);
    await world.host.settle();
    await users.update(ben.id, { prohibitLogin: true });
    await send(world.ada, 'DELETE', `${api}/branch_protections/main`);
    await world.host.settle();
    await users.update(ben.id, { prohibitLogin: false });
    const entries = await send<{ type: string }[]>(world.ada, 'GET', `${api}/issues/${number}/timeline`);
    expect(entries.body.at(-1)!.type).to.equal('pull_cancel_scheduled_merge');
    expect((await shown(world, number)).merged).to.be.false();
  });

  it('says that something else comes first, and moves nothing', async () => {
    const made = await propose(world.ben, 'waiting');
    const first = await send<PullJson>(world.ada, 'POST', `${api}/issues`, { title: 'First this' });
    const needs = { owner: 'ada', repo: 'loom', index: first.body.number };
    expect((await send(world.ada, 'POST', `${api}/issues/${made.number}/dependencies`, needs)).status).to.equal(201);
    const before = await tip();
    expect((await merge(world.ada, made.number)).status).to.equal(405);
    expect(await tip()).to.equal(before);
    // what takes its branch is not kept from it
    expect((await send(world.ada, 'DELETE', `${api}/branches/waiting`)).status).to.equal(204);
    await world.host.settle();
    expect((await shown(world, made.number)).state).to.equal('closed');
  });

  it('goes on with what was stacked on a merged one, and leaves open what lost its base and cannot have another', async () => {
    const low = await propose(world.ben, 'low');
    const high = await propose(world.ben, 'high', { base: 'low' });
    expect((await merge(world.ada, low.number, { delete_branch_after_merge: true })).status).to.equal(200);
    await world.host.settle();
    const followed = await shown(world, high.number);
    expect([followed.base.ref, followed.state, followed.changed_files]).to.equal(['main', 'open', 1]);
    await write(world.ada, { into: 'doomed' });
    const lost = await propose(world.ben, 'lost', { base: 'doomed' });
    // there is one into the default branch already
    const other = { head: 'lost', base: 'main', title: 'lost' };
    expect((await send(world.ben, 'POST', `${api}/pulls`, other)).status).to.equal(201);
    await send(world.ada, 'DELETE', `${api}/branches/doomed`);
    await world.host.settle();
    expect([(await shown(world, lost.number)).state, (await merge(world.ada, lost.number)).status]).to.equal([
      'open',
      405,
    ]);
    expect((await world.ada.inject(`/ada/loom/pulls/${lost.number}`)).statusCode).to.equal(200);
    expect((await world.ada.inject(`/ada/loom/pulls/${lost.number}/files`)).statusCode).to.equal(200);
    await send(world.ada, 'POST', `${api}/branches`, { new_branch_name: 'doomed', old_branch_name: 'main' });
    await world.host.settle();
    expect((await merge(world.ada, lost.number)).status).to.equal(200);
  });

  it('leaves both or neither when the transaction fails', async () => {
    const made = await propose(world.ben, 'unlucky');
    const before = await tip();
    refuses = true;
    const refused = await merge(world.ada, made.number);
    refuses = false;
    expect(refused.status).to.equal(422);
    expect([await tip(), (await shown(world, made.number)).merged]).to.equal([before, false]);
    expect((await merge(world.ada, made.number)).status).to.equal(200);
  });

  it('is written down after a kill between the branch and the database', async () => {
    const made = await propose(world.ben, 'killed');
    const id = await repositoryId();
    const gate = world.host.services.get(refUpdates) as unknown as Gate;
    const updates = [{ ref: 'refs/heads/main', old: await tip(), new: made.head.sha }];
    const issueId = (await send<{ id: number }>(world.ada, 'GET', `${api}/issues/${made.number}`)).body.id;
    const ada = (await send<{ id: number }>(world.ada, 'GET', '/api/v1/user')).body.id;
    const entry = await gate.begin(
      {
        repositoryId: id,
        kind: 'code',
        updates,
        pusher: { kind: 'user', id: ada, name: 'ada' } as RefChange['pusher'],
        pushOptions: {},
        source: 'merge',
        facts: mergedFact.with({
          issueId,
          style: 'fast-forward-only',
          headOid: made.head.sha,
          mergerId: ada,
          deletesBranch: true,
        }),
      },
      { isAtomic: true },
    );
    gate.journal.abandon(entry);
    await gate.moves.move(world.host.services.get(gitStore).path(id), updates);
    expect((await shown(world, made.number)).merged).to.be.false();
    await gate.repair(id);
    await world.host.settle();
    const found = await shown(world, made.number);
    expect([found.merged, found.merge_commit_sha, found.merged_by?.login]).to.equal([true, made.head.sha, 'ada']);
    expect(await (await git()).branch('killed')).to.be.undefined();
  });
});
