import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { statusNumbers } from '../api.js';
import { AttemptRow } from '../models/attempt.js';
import { RunRow } from '../models/run.js';
import { Mill, workflowText } from './run-kit.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('runs', () => {
  let mill: Mill;
  before(async () => {
    mill = await Mill.start();
  });
  after(() => mill.host.close());

  it('begin with a push, go on with their jobs, and are told as statuses', async () => {
    await mill.workflow(
      'build.yml',
      workflowText('push', { one: '', two: 'needs: one', off: 'needs: one\nif: false' }),
    );
    const sha = await mill.touch();
    const [run] = await mill.runs();
    expect(run).to.include({ event: 'push', status: 'queued', run_attempt: 1, head_sha: sha, head_branch: 'main' });
    const never = { started_at: '1970-01-01T00:00:00Z', completed_at: '1970-01-01T00:00:00Z' };
    expect(run).to.include(never);
    expect(await mill.jobs(run!.id)).to.equal({ one: 'waiting', two: 'blocked', off: 'blocked' });
    const { body } = await mill.send('GET', `${mill.api}/actions/runs/${String(run!.id)}/jobs`);
    const [job] = body.jobs as readonly Record<string, unknown>[];
    expect(job).to.include(never);
    const told = await mill.send('GET', `${mill.api}/commits/${sha}/statuses`);
    const page = `/ada/mill/actions/runs/${String(run!.id)}/jobs/`;
    for (const status of told.body as unknown as readonly { target_url: string }[])
      expect(status.target_url).to.startWith(page);
    expect(await mill.statuses(sha)).to.equal({
      'build.yml / one (push)': 'pending: Waiting to run',
      'build.yml / two (push)': 'pending: Blocked by required conditions',
      'build.yml / off (push)': 'pending: Blocked by required conditions',
    });
    await mill.take(run!.id, 'one');
    expect(await mill.run(run!.id)).to.equal('in_progress');
    await mill.finish(run!.id, 'one');
    expect(await mill.jobs(run!.id)).to.equal({ one: 'success', two: 'waiting', off: 'skipped' });
    await mill.finish(run!.id, 'two', 'failure');
    expect(await mill.run(run!.id)).to.equal('completed/failure');
    expect(await mill.statuses(sha)).to.equal({
      'build.yml / one (push)': 'success: Successful in <time>',
      'build.yml / two (push)': 'failure: Failing after <time>',
      'build.yml / off (push)': 'skipped: Skipped',
    });
  });

  it('are not started twice by one activity event, and not by words that stop them', async () => {
    const before = (await mill.runs()).length;
    await mill.push({ 'quiet.txt': 'x' }, 'quiet [skip ci]');
    expect((await mill.runs()).length).to.equal(before);
  });

  it('ACT-30, ACT-31, ACT-32, ERR-03: end when they are cancelled, once only', async () => {
    await mill.touch();
    const [run] = await mill.runs();
    await mill.take(run!.id, 'one');
    const cancelled = await mill.send('POST', `${mill.api}/actions/runs/${String(run!.id)}/cancel`);
    expect([cancelled.status, cancelled.body.conclusion]).to.equal([200, 'cancelled']);
    expect(await mill.jobs(run!.id)).to.equal({ one: 'cancelled', two: 'cancelled', off: 'cancelled' });
    const again = await mill.send('POST', `${mill.api}/actions/runs/${String(run!.id)}/force-cancel`);
    expect(again.status).to.equal(409);
    const stranger = await mill.send('POST', `${mill.api}/actions/runs/${String(run!.id)}/cancel`, {}, mill.ben);
    expect(stranger.status).to.equal(403);
    // one that waits though its jobs have ended is brought to its end
    const { database } = mill.host;
    const stuck = { status: statusNumbers.waiting, stopped_at: 0 };
    await database.write(() => database.query(RunRow).findById(Number(run!.id)).patch(stuck));
    await database.write(() => database.query(AttemptRow).where('run_id', Number(run!.id)).patch(stuck));
    expect((await mill.send('POST', `${mill.api}/actions/runs/${String(run!.id)}/cancel`)).status).to.equal(200);
    expect(await mill.run(run!.id)).to.equal('completed/cancelled');
  });

  it('ACT-37 to ACT-40, ACT-46, ACT-47, ERR-12, LIM-07: run again as attempts, all jobs or those that failed, 50 times at most', async () => {
    await mill.touch();
    const [run] = await mill.runs();
    const url = `${mill.api}/actions/runs/${String(run!.id)}`;
    expect((await mill.send('POST', `${url}/rerun`)).status).to.equal(400);
    await mill.finish(run!.id, 'one');
    await mill.finish(run!.id, 'two', 'failure');
    expect((await mill.send('POST', `${url}/rerun-failed-jobs`)).status).to.equal(201);
    expect(await mill.jobs(run!.id)).to.equal({ one: 'success', two: 'waiting', off: 'skipped' });
    await mill.finish(run!.id, 'two');
    expect(await mill.run(run!.id)).to.equal('completed/success');
    expect((await mill.send('POST', `${url}/rerun-failed-jobs`)).status).to.equal(400);
    const all = await mill.send('POST', `${url}/rerun`);
    expect([all.status, all.body.run_attempt, all.body.status]).to.equal([201, 3, 'queued']);
    expect(await mill.jobs(run!.id)).to.equal({ one: 'waiting', two: 'blocked', off: 'blocked' });
    const first = await mill.send('GET', `${url}/attempts/1`);
    expect([first.body.run_attempt, first.body.conclusion]).to.equal([1, 'failure']);
    expect((await mill.send('GET', `${url}/attempts/1/jobs`)).body.total_count).to.equal(3);
    expect((await mill.send('GET', `${url}/attempts/9`)).status).to.equal(404);
    await mill.send('POST', `${url}/cancel`);
    const { database } = mill.host;
    const last = { run_id: Number(run!.id), number: 3 };
    await database.write(() => database.query(AttemptRow).where(last).patch({ number: 50 }));
    const beyond = await mill.send('POST', `${url}/rerun`);
    expect([beyond.status, beyond.body.message]).to.equal([400, 'workflow run has reached the maximum of 50 attempts']);
  });

  it('are asked for by hand, and go when they have ended (ACT-61, ACT-63)', async () => {
    await mill.workflow(
      'hand.yml',
      workflowText('workflow_dispatch', { one: '' }, 'run-name: By ${{ github.actor }}\n'),
    );
    const url = `${mill.api}/actions/workflows/hand.yml/dispatches`;
    const made = await mill.send('POST', `${url}?return_run_details=true`, { ref: 'main' });
    expect(made.status).to.equal(200);
    const run = `${mill.api}/actions/runs/${String(made.body.workflow_run_id)}`;
    expect((await mill.send('GET', run)).body.display_title).to.equal('By ada');
    expect((await mill.send('DELETE', run)).status).to.equal(400);
    await mill.finish(made.body.workflow_run_id, 'one');
    expect((await mill.send('DELETE', run)).status).to.equal(204);
    expect((await mill.send('GET', run)).status).to.equal(404);
    expect((await mill.send('POST', url, { ref: 'nowhere' })).status).to.equal(404);
    expect((await mill.send('POST', url, {})).status).to.equal(422);
    expect(
      (await mill.send('POST', `${mill.api}/actions/workflows/build.yml/dispatches`, { ref: 'main' })).status,
    ).to.equal(422);
    expect((await mill.send('PUT', `${mill.api}/actions/workflows/hand.yml/disable`)).status).to.equal(204);
    expect((await mill.send('POST', url, { ref: 'main' })).status).to.equal(403);
    // REP-06: units start anew
    for (const has_actions of [false, true]) await mill.send('PATCH', mill.api, { has_actions });
    expect((await mill.send('POST', url, { ref: 'main' })).status).to.be.below(300);
  });

  it('are found by status, actor and branch, and refused for words that mean nothing (ACT-41, ERR-01)', async () => {
    const url = `${mill.api}/actions/workflows/build.yml/runs`;
    const count = async (query: string) => (await mill.send('GET', `${url}?${query}`)).body.total_count;
    expect(Number(await count('actor=ada&branch=main&event=push'))).to.be.above(0);
    for (const none of ['actor=nobody', 'branch=other', 'event=release', `head_sha=${'0'.repeat(40)}`])
      expect(await count(none), none).to.equal(0);
    const of = async (...words: string[]) => count(words.map((word) => `status=${word}`).join('&'));
    expect(await of('completed')).to.equal(Number(await of('cancelled')) + Number(await of('success', 'failure')));
    // several words, page by page: those of each in one order
    const done = (await mill.runs('&status=completed')).map(({ id }) => Number(id));
    const paged = async (page: number) => {
      const { body } = await mill.send('GET', `${mill.api}/actions/runs?limit=2&page=${page}&status=completed`);
      expect(body.total_count).to.equal(done.length);
      return (body.workflow_runs as readonly { readonly id: number }[]).map(({ id }) => id);
    };
    expect([...(await paged(1)), ...(await paged(2))]).to.equal(done.slice(0, 4));
    expect((await mill.send('GET', `${url}?status=done`)).status).to.equal(400);
    for (const id of ['0', '-1'])
      expect((await mill.send('GET', `${mill.api}/actions/runs/${id}/jobs`)).status).to.equal(400);
    expect((await mill.send('GET', `${mill.api}/actions/runs/99999/jobs`)).status).to.equal(404);
    expect((await mill.send('GET', `${mill.api}/actions/workflows/none.yml/runs`)).status).to.equal(404);
  });

  it('name the pull requests that are open from their branch, in lists as they stand now', async () => {
    await mill.push({ 'topic.txt': 'x' }, 'a topic', 'main', 'topic');
    const shown = async () => {
      const [run] = await mill.runs('&branch=topic');
      const { body } = await mill.send('GET', `${mill.api}/actions/runs/${String(run!.id)}`);
      expect(body.pull_requests).to.equal(run!.pull_requests);
      return (body.pull_requests as readonly { readonly number: number }[]).map(({ number }) => number);
    };
    expect(await shown()).to.equal([]);
    const input = { title: 'Topic', head: 'topic', base: 'main' };
    const { body } = await mill.send('POST', `${mill.api}/pulls`, input);
    expect(await shown()).to.equal([Number(body.number)]);
    await mill.send('PATCH', `${mill.api}/pulls/${String(body.number)}`, { state: 'closed' });
    expect(await shown()).to.equal([]);
  });

  it('have badges, also of a workflow in a folder, and are not asked for in an archived repository', async () => {
    await mill.push(
      { '.gitea/workflows/in/side & out.yml': workflowText('workflow_dispatch', { a: '' }) },
      '[skip ci]',
    );
    const { body } = await mill.send('GET', `${mill.api}/actions/workflows`);
    const records = body.workflows as readonly { readonly id: string; readonly badge_url: string }[];
    const badge = async (id: string) => {
      const address = new URL(records.find((one) => one.id === id)!.badge_url);
      const answer = await mill.ada.inject(address.pathname + address.search);
      expect(answer.headers['content-type'], id).to.include('image/svg+xml');
      return answer.payload;
    };
    expect(await badge('in/side & out.yml')).to.include(['#9f9f9f', 'aria-label="in/side &#38; out: no status"']);
    expect(await badge('build.yml')).to.match(/#(?:4c1|e05d44|fe7d37|dfb317)/);
    const url = `${mill.api}/actions/workflows/${encodeURIComponent('in/side & out.yml')}`;
    expect((await mill.send('GET', url)).status).to.equal(200);
    await mill.send('PATCH', mill.api, { archived: true });
    expect((await mill.send('POST', `${url}/dispatches`, { ref: 'main' })).status).to.equal(423);
    await mill.send('PATCH', mill.api, { archived: false });
    expect((await mill.send('POST', `${url}/dispatches`, { ref: 'main' })).status).to.equal(204);
  });
});
