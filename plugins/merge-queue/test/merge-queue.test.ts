import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { signUp } from '@mortise/accounts/testing';
import { activityListener } from '@mortise/activity-events/testing';
import { gitReader, gitStore, refUpdates, zeroOid, type RefChange, type RefUpdate } from '@mortise/git/api';
import { repositories } from '@mortise/repositories/api';
import { QueueRunner } from '../services/queue-runner.js';
import { startHost, submitForm, type TestHost } from '@mortise/plugin-sdk/testing';

export const lab = Lab.script();
const { describe, it, before, after, beforeEach } = lab;

const minute = 60_000;
const api = '/api/v1/repos/ada/loom';
type Person = Awaited<ReturnType<typeof signUp>>;
interface Entry {
  readonly position: number;
  readonly state: string;
  readonly number: number;
  readonly do: string;
  readonly candidate_sha: string;
  readonly candidate_ref: string;
  readonly candidate_base_sha: string;
}
const listener = activityListener();

/** The parts of the gate between which a kill can fall. */
interface Gate {
  readonly journal: { abandon(entry: unknown): void };
  readonly moves: { move(folder: string, updates: readonly RefUpdate[]): Promise<void> };
  begin(change: RefChange, options: { readonly isAtomic: boolean }): Promise<unknown>;
  repair(repositoryId: number): Promise<void>;
}

describe('merge queue', () => {
  let host: TestHost;
  let ada: Person;
  let ben: Person;
  let cas: Person;
  let written = 0;

  before(async () => {
    host = await startHost({
      plugins: ['merge-queue', 'files', 'refs', listener.plugin],
      settings: { 'merge-queue': { MAX_ENTRIES: 4 } },
    });
    [ada, ben, cas] = [await signUp(host, 'ada'), await signUp(host, 'ben'), await signUp(host, 'cas')];
    await send(ada, 'POST', '/api/v1/user/repos', { name: 'loom', auto_init: true, default_branch: 'main' });
    await send(ada, 'PUT', `${api}/collaborators/ben`, { permission: 'write' });
    const rule = await send<{ enable_merge_queue: boolean; merge_queue_group_size: number }>(
      ada,
      'POST',
      `${api}/branch_protections`,
      {
        rule_name: 'main',
        enable_push: true,
        enable_status_check: true,
        status_check_contexts: ['build'],
        enable_merge_queue: true,
        merge_queue_group_size: 3,
        merge_queue_timeout_minutes: 30,
      },
    );
    expect([rule.status, rule.body.enable_merge_queue, rule.body.merge_queue_group_size]).to.equal([201, true, 3]);
  });
  after(() => host.close());
  beforeEach(async () => {
    for (const { number } of await queue()) await send(ada, 'DELETE', `${api}/pulls/${number}/merge-queue`);
    await host.settle();
  });

  async function send<T = { message?: string }>(by: Person, method: string, url: string, payload?: object) {
    const answer = await by.inject({ method: method as 'GET', url, ...(payload && { payload }) });
    const isJson = /json/.test(String(answer.headers['content-type']));
    return { status: answer.statusCode, body: (isJson ? JSON.parse(answer.payload) : {}) as T };
  }
  const queue = async () => (await send<Entry[]>(ada, 'GET', `${api}/merge-queue/main`)).body;
  const write = async (branch: string, into?: string, path = `file-${++written}.txt`, text = 'one\n') => {
    const content = Buffer.from(text).toString('base64');
    const body = { content, message: `add ${path}`, branch, ...(into && { new_branch: into }) };
    const made = await send<{ commit: { sha: string } }>(ada, 'POST', `${api}/contents/${path}`, body);
    expect(made.status, JSON.stringify(made.body)).to.equal(201);
    return made.body.commit.sha;
  };
  const propose = async (path?: string, text?: string) => {
    const head = `topic-${++written}`;
    const sha = await write('main', head, path, text);
    const made = await send<{ number: number }>(ben, 'POST', `${api}/pulls`, { head, base: 'main', title: head });
    expect(made.status).to.equal(201);
    return { number: made.body.number, head, sha };
  };
  const add = (number: number, by = ben, more: object = {}) =>
    send<Entry & { message?: string }>(by, 'POST', `${api}/pulls/${number}/merge-queue`, { do: 'merge', ...more });
  const merged = async (number: number) =>
    (await send<{ merged: boolean }>(ada, 'GET', `${api}/pulls/${number}`)).body.merged;
  const tell = async (sha: string, state = 'success') => {
    const made = await send(ada, 'POST', `${api}/statuses/${sha}`, { context: 'build', state });
    expect(made.status).to.equal(201);
    await host.settle();
  };
  const repository = async () => (await host.services.get(repositories).byPath('ada', 'loom'))!;
  const git = async () => host.services.get(gitReader).open((await repository()).id);
  const tip = async () => (await (await git()).branch('main'))!.oid;
  const refs = async () => (await (await git()).refs('refs/heads/merge-queue/')).map(({ oid }) => oid);
  const status = async (sha: string) => {
    const { body } = await send<{ context: string; status: string; description: string }[]>(
      ada,
      'GET',
      `${api}/commits/${sha}/statuses`,
    );
    return body.find(({ context }) => context === 'merge-queue')?.status;
  };

  it('tests each on everything before it, and merges exactly what passed, in order', async () => {
    const [one, two] = [await propose(), await propose()];
    expect((await send(ben, 'POST', `${api}/pulls/${one.number}/merge`, { do: 'merge' })).status).to.equal(405);
    expect([(await add(one.number)).status, (await add(two.number)).status]).to.equal([201, 201]);
    expect((await add(one.number)).status).to.equal(409);
    await host.settle();
    const base = await tip();
    const [first, second] = await queue();
    expect([first!.number, first!.candidate_base_sha, second!.candidate_base_sha]).to.equal([
      one.number,
      base,
      first!.candidate_sha,
    ]);
    expect(first!.candidate_ref).to.include(`refs/heads/merge-queue/main/pr-${one.number}-`);
    expect((await refs()).sort()).to.equal([first!.candidate_sha!, second!.candidate_sha!].sort());
    // what it is about is told by a push, so that what runs on pushes tests it
    const pushed = listener.events.filter(
      ({ kind, resource }) => kind === 'push' && resource.ref === first!.candidate_ref,
    );
    expect(pushed.length).to.equal(1);
    expect(await status(one.sha)).to.equal('pending');
    // what may be thrown away is not mentioned
    const entries = await send<{ type: string }[]>(ada, 'GET', `${api}/issues/${one.number}/timeline`);
    expect(entries.body.map(({ type }) => type)).to.equal(['pull_push', 'merge_queue_add']);
    // the second has passed, but waits for its turn
    await tell(second!.candidate_sha!);
    expect([await merged(two.number), await tip()]).to.equal([false, base]);
    await tell(first!.candidate_sha!);
    expect([await merged(one.number), await merged(two.number)]).to.equal([true, true]);
    expect(await tip()).to.equal(second!.candidate_sha);
    expect([await queue(), await refs(), await status(one.sha)]).to.equal([[], [], 'success']);
    const told = listener.events.map(({ action }) => action).filter((action) => /queued$/.test(action));
    expect(told.sort()).to.equal(['dequeued', 'dequeued', 'enqueued', 'enqueued']);
  });

  it('throws out what fails, and tests the rest again, with what did not merge onto it', async () => {
    const path = `same-${++written}.txt`;
    const [bad, clash, good] = [await propose(path, 'one\n'), await propose(path, 'two\n'), await propose()];
    for (const { number } of [bad, clash, good]) expect((await add(number)).status).to.equal(201);
    await host.settle();
    // the second does not merge onto the first, which may not stay
    expect((await queue()).map(({ number, state }) => [number, state])).to.equal([
      [bad.number, 'testing'],
      [clash.number, 'waiting'],
      [good.number, 'testing'],
    ]);
    const [failing, , behind] = await queue();
    expect(behind!.candidate_base_sha).to.equal(failing!.candidate_sha);
    // nobody knows yet whose fault that is
    await tell(behind!.candidate_sha!, 'failure');
    expect((await queue()).map(({ state }) => state)).to.equal(['testing', 'waiting', 'failed']);
    await tell(failing!.candidate_sha!, 'failure');
    const [second, third] = await queue();
    expect([second!.number, second!.state, second!.candidate_base_sha]).to.equal([
      clash.number,
      'testing',
      await tip(),
    ]);
    expect([third!.state, third!.candidate_base_sha]).to.equal(['testing', second!.candidate_sha]);
    expect(third!.candidate_sha).to.not.equal(behind!.candidate_sha);
    await tell(third!.candidate_sha!);
    await tell(second!.candidate_sha!);
    expect([await merged(bad.number), await merged(clash.number), await merged(good.number)]).to.equal([
      false,
      true,
      true,
    ]);
    expect([await status(bad.sha), await refs()]).to.equal(['failure', []]);
    const { body } = await send<{ type: string; reason?: string }[]>(
      ada,
      'GET',
      `${api}/issues/${bad.number}/timeline`,
    );
    expect(
      body.filter(({ type }) => type.startsWith('merge_queue')).map(({ type, reason }) => [type, reason]),
    ).to.equal([
      ['merge_queue_add', undefined],
      ['merge_queue_remove', 'checks'],
    ]);
  });

  it('takes what is to be merged when it is ready, once its own checks have passed', async () => {
    const one = await propose();
    const later = { do: 'merge', merge_when_checks_succeed: true };
    expect((await send(ben, 'POST', `${api}/pulls/${one.number}/merge`, later)).status).to.equal(201);
    await host.settle();
    expect(await queue()).to.equal([]);
    const shown = (await ben.inject(`/ada/loom/pulls/${one.number}`)).payload;
    expect(shown).to.include('once all requirements are met');
    await tell(one.sha);
    const [waiting] = await queue();
    expect([waiting!.number, waiting!.state]).to.equal([one.number, 'testing']);
    // it waits there, and not twice
    expect((await send(ben, 'POST', `${api}/pulls/${one.number}/merge`, later)).status).to.equal(405);
    expect((await send(ben, 'DELETE', `${api}/pulls/${one.number}/merge`)).status).to.equal(404);
    await tell(waiting!.candidate_sha!);
    expect(await merged(one.number)).to.be.true();
  });

  it('follows the rule of the branch: without a queue nothing passes by it, and what is not required is not waited for', async () => {
    const rule = async (changes: object) => {
      expect((await send(ada, 'PATCH', `${api}/branch_protections/main`, changes)).status).to.equal(200);
      await host.settle();
    };
    const one = await propose();
    expect((await add(one.number)).status).to.equal(201);
    await host.settle();
    expect((await queue())[0]!.state).to.equal('testing');
    await rule({ enable_merge_queue: false });
    expect([await queue(), await refs(), await merged(one.number)]).to.equal([[], [], false]);
    await rule({ enable_merge_queue: true });
    expect((await add(one.number)).status).to.equal(201);
    await host.settle();
    await rule({ enable_status_check: false });
    expect([await queue(), await merged(one.number)]).to.equal([[], true]);
    await rule({ enable_status_check: true });
  });

  it('throws out what conflicts with what was merged before it', async () => {
    const path = `same-${++written}.txt`;
    const [one, clash] = [await propose(path, 'one\n'), await propose(path, 'two\n')];
    for (const { number } of [one, clash]) expect((await add(number)).status).to.equal(201);
    await host.settle();
    const [first] = await queue();
    await tell(first!.candidate_sha!);
    expect([await merged(one.number), await queue(), await merged(clash.number)]).to.equal([true, [], false]);
    expect([await status(clash.sha), await refs()]).to.equal(['failure', []]);
  });

  it('throws out a head that moves, and what is closed, and what takes too long', async () => {
    const [moved, closed, slow] = [await propose(), await propose(), await propose()];
    for (const { number } of [moved, closed, slow]) expect((await add(number)).status).to.equal(201);
    await host.settle();
    await write(moved.head);
    await send(ada, 'PATCH', `${api}/pulls/${closed.number}`, { state: 'closed' });
    await host.settle();
    expect((await queue()).map(({ number }) => number)).to.equal([slow.number]);
    await host.database.write(() =>
      host.database
        .knex()('merge_queue_entry')
        .update({ tested_at: Date.now() - 31 * minute }),
    );
    await host.jobs.runDue(Date.now() + 40 * minute);
    await host.settle();
    expect([await queue(), await merged(slow.number), await status(slow.sha)]).to.equal([[], false, 'failure']);
  });

  it('makes new candidates when somebody else moves the base branch', async () => {
    const { number } = await propose();
    await add(number);
    await host.settle();
    const [before] = await queue();
    await write('main');
    await host.settle();
    const [now] = await queue();
    expect([now!.candidate_base_sha, now!.candidate_sha === before!.candidate_sha]).to.equal([await tip(), false]);
    await tell(before!.candidate_sha!);
    expect(await merged(number)).to.be.false();
    await tell(now!.candidate_sha!);
    expect([await merged(number), await tip()]).to.equal([true, now!.candidate_sha]);
  });

  it('is for those who may merge, has an end, and asks again before it merges', async () => {
    const made = [await propose(), await propose(), await propose(), await propose(), await propose()];
    expect((await add(made[0]!.number, cas)).status).to.equal(405);
    expect((await add(made[0]!.number, ben, { head_commit_id: zeroOid })).status).to.equal(409);
    expect((await add(made[0]!.number, ben, { do: 'blend' })).status).to.equal(422);
    expect((await send(ada, 'GET', `${api}/pulls/${made[0]!.number}/merge-queue`)).status).to.equal(404);
    for (const { number } of made.slice(0, 4)) expect((await add(number)).status).to.equal(201);
    expect((await add(made[4]!.number)).status).to.equal(405);
    await host.settle();
    // three at once
    expect((await queue()).map(({ state }) => state)).to.equal(['testing', 'testing', 'testing', 'waiting']);
    expect((await send(cas, 'DELETE', `${api}/pulls/${made[0]!.number}/merge-queue`)).status).to.equal(403);
    expect((await send(ben, 'DELETE', `${api}/pulls/${made[0]!.number}/merge-queue`)).status).to.equal(204);
    await host.settle();
    await send(ada, 'DELETE', `${api}/collaborators/ben`);
    const [first] = await queue();
    await tell(first!.candidate_sha!);
    expect([await merged(first!.number), (await queue()).length]).to.equal([false, 2]);
    await send(ada, 'PUT', `${api}/collaborators/ben`, { permission: 'write' });
  });

  it('goes on after a kill between the branch of a candidate and its row', async () => {
    const { number } = await propose();
    const { id } = await repository();
    await add(number);
    const ref = `refs/heads/merge-queue/main/pr-${number}-${(await tip()).slice(0, 12)}`;
    await host.database.write(() =>
      host.database.knex()('merge_queue_ref').insert({ repository_id: id, base_branch: 'main', ref }),
    );
    const gate = host.services.get(refUpdates) as unknown as Gate;
    const updates = [{ ref, old: zeroOid, new: await tip() }];
    const entry = await gate.begin(
      {
        repositoryId: id,
        kind: 'code',
        updates,
        pusher: ada.actor,
        pushOptions: {},
        source: 'internal',
      },
      { isAtomic: true },
    );
    gate.journal.abandon(entry);
    await gate.moves.move(host.services.get(gitStore).path(id), updates);
    await gate.repair(id);
    await host.settle();
    const [found] = await queue();
    expect([found!.candidate_ref, await refs()]).to.equal([ref, [found!.candidate_sha]]);
    await tell(found!.candidate_sha!);
    expect([await merged(number), await refs()]).to.equal([true, []]);
  });

  it('keeps its names for itself, by whatever way a branch is made', async () => {
    const make = async (by: Person, name: string) =>
      (await send(by, 'POST', `${api}/branches`, { new_branch_name: name, old_branch_name: 'main' })).status;
    expect([await make(ben, 'merge-queue'), await make(ben, 'merge-queue/mine')]).to.equal([422, 422]);
    expect(await make(ben, 'merge-queues')).to.equal(201);
    const { number } = await propose();
    await add(number);
    await host.settle();
    const [entry] = await queue();
    // S15: nor does anybody else move or delete what the queue tests
    const branch = entry!.candidate_ref!.replace('refs/heads/', '');
    const file = { branch, content: 'eA==', message: 'x' };
    expect((await send(ada, 'POST', `${api}/contents/sneaked.txt`, file)).status).to.equal(403);
    expect((await send(ada, 'DELETE', `${api}/branches/${branch}`)).status).to.equal(403);
    expect(await refs()).to.equal([entry!.candidate_sha]);
    await tell(entry!.candidate_sha!);
    expect([await merged(number), await refs()]).to.equal([true, []]);
  });

  it('goes on at once when one run is not enough', async () => {
    const asked: unknown[][] = [];
    const known = await repository();
    const runner = new QueueRunner({
      // a queue without an end, of a branch that is gone: each round throws one out
      queue: {
        rows: () => Promise.resolve([{ id: 1, candidate_ref: '' }]),
        ruleFor: () => Promise.resolve(undefined),
        leave: () => Promise.resolve(),
        enqueue: (...call: unknown[]) => Promise.resolve(void asked.push(call)),
      },
      locks: { hold: (_name: string, work: () => Promise<void>) => work() },
      database: host.database,
      gitReader: host.services.get(gitReader),
      repositories: { byId: () => Promise.resolve(known) },
      settings: { GROUP_SIZE: 1 },
    } as never);
    await runner.run(known.id, 'gone', new AbortController().signal);
    expect(asked).to.equal([[known.id, 'gone']]);
  });

  it('is shown in the merge box and on a page of its own', async () => {
    const { number } = await propose();
    const page = async (path: string, by = ben) => (await by.inject(`/ada/loom/${path}`)).payload;
    expect(await page(`pulls/${number}`)).to.include(['Add to merge queue', 'needs the merge queue']);
    // its own checks have not passed: it can be put there now, or when they have
    expect(await page(`pulls/${number}`))
      .to.include('Merge when')
      .and.include('name="when" value="queue" checked');
    const sent = await submitForm(ben, `/ada/loom/pulls/${number}/merge`, { style: 'squash', when: 'queue' });
    expect(sent.statusCode).to.equal(303);
    expect((await queue()).map((one) => [one.number, one.do])).to.equal([[number, 'squash']]);
    await host.settle();
    const waiting = await page(`pulls/${number}`);
    expect(waiting).to.include(['In the merge queue at position 1', 'added this to the merge queue']);
    expect(waiting).to.not.include('Merge when');
    expect(await page('queue/main')).to.include([`topic-`, `#${number}`, 'Testing', 'Remove from queue']);
    expect(await page('queue/main', cas)).to.not.include('Remove from queue');
    expect((await ben.inject('/ada/loom/queue/nowhere')).statusCode).to.equal(404);
  });
});
