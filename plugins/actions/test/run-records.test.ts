// What records, lists and pages say of runs, their attempts and their jobs.
import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { accounts as accountsRef } from '@mortise/accounts/api';
import { signUp } from '@mortise/accounts/testing';
import { submitForm, type TestClient } from '@mortise/plugin-sdk/testing';
import { registrationTokens, runnerService, siteScope, statusNumbers, type TaskReport } from '../api.js';
import { AttemptRow } from '../models/attempt.js';
import { RunRow } from '../models/run.js';
import { Mill, workflowText } from './run-kit.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('records of runs', { timeout: 120_000 }, () => {
  let mill: Mill;
  const dispatches = () => `${mill.api}/actions/workflows/hand.yml/dispatches?return_run_details=true`;
  const dispatch = async () => {
    const made = await mill.send('POST', dispatches(), { ref: 'main' });
    expect(made.status, JSON.stringify(made.body)).to.equal(200);
    return Number(made.body.workflow_run_id);
  };
  const urlOf = (run: number) => `${mill.api}/actions/runs/${run}`;
  const rowOf = (run: number) => mill.host.database.query(RunRow).findById(run);

  before(async () => {
    mill = await Mill.start(['actions-artifacts']);
    const text = workflowText('workflow_dispatch', { one: '', two: 'needs: one' });
    await mill.workflow('hand.yml', text);
    await mill.send('POST', '/api/v1/user/repos', { name: 'other', auto_init: true });
  });
  after(() => mill?.host.close());

  it('ACT-01: workflows, runs, attempts, jobs, runners, secrets, variables and artifacts each have a list', async () => {
    const run = await dispatch();
    const lists: Readonly<Record<string, string>> = {
      workflows: 'actions/workflows',
      workflow_runs: 'actions/runs',
      jobs: `actions/runs/${run}/attempts/1/jobs`,
      runners: 'actions/runners',
      artifacts: 'actions/artifacts',
    };
    for (const [field, path] of Object.entries(lists)) {
      const { status, body } = await mill.send('GET', `${mill.api}/${path}`);
      expect([status, Array.isArray(body[field]), typeof body.total_count], path).to.equal([200, true, 'number']);
    }
    for (const path of ['actions/secrets', 'actions/variables']) {
      const { status, body } = await mill.send('GET', `${mill.api}/${path}`);
      expect([status, Array.isArray(body)], path).to.equal([200, true]);
    }
  });

  it('ACT-19, ACT-20, ACT-21: a run has times, the addresses of what belongs to it, and an empty conclusion', async () => {
    const run = await dispatch();
    const { body } = await mill.send('GET', urlOf(run));
    for (const time of [body.created_at, body.updated_at])
      expect(Math.abs(Date.now() - Date.parse(String(time)))).to.be.below(60_000);
    const url = String(body.url);
    expect(url).to.endWith(urlOf(run));
    expect(body).to.include({
      conclusion: '',
      head_branch: 'main',
      jobs_url: `${url}/jobs`,
      logs_url: `${url}/logs`,
      artifacts_url: `${url}/artifacts`,
      cancel_url: `${url}/cancel`,
      rerun_url: `${url}/rerun`,
    });
    for (const part of ['jobs', 'artifacts'])
      expect((await mill.send('GET', `${urlOf(run)}/${part}`)).status, part).to.equal(200);
  });

  it('ACT-22: a workflow is known by the name of its file, in its own record and in that of a task', async () => {
    const { body } = await mill.send('GET', `${mill.api}/actions/workflows`);
    expect((body.workflows as readonly { readonly id: unknown }[]).map(({ id }) => id)).to.equal(['hand.yml']);
    await mill.take(await dispatch(), 'one');
    const tasks = await mill.send('GET', `${mill.api}/actions/tasks`);
    const [task] = tasks.body.workflow_runs as readonly { readonly workflow_id: unknown }[];
    expect(task!.workflow_id).to.equal('hand.yml');
  });

  it('ACT-07, ACT-10, ACT-12: attempts count from 1, a run knows its latest, and a job belongs to one', async () => {
    const run = await dispatch();
    const attempts = () => mill.host.database.query(AttemptRow).where('run_id', run).orderBy('number');
    const ofJobs = async () => [...new Set((await mill.rows(run)).map((row) => row.run_attempt_id))];
    const [first] = await attempts();
    expect(first!.number).to.equal(1);
    expect(Number((await rowOf(run))!.latest_attempt_id)).to.equal(first!.id);
    expect(await ofJobs()).to.equal([first!.id]);
    await mill.finish(run, 'one', 'failure');
    expect((await mill.send('POST', `${urlOf(run)}/rerun`)).status).to.equal(201);
    const [, second] = await attempts();
    expect(second!.number).to.equal(2);
    expect(Number((await rowOf(run))!.latest_attempt_id)).to.equal(second!.id);
    expect(await ofJobs()).to.equal([second!.id]);
    const record = (await mill.send('GET', urlOf(run))).body;
    expect(record.run_attempt).to.equal(2);
    expect(String(record.previous_attempt_url)).to.endWith(`/runs/${run}/attempts/1`);
    const { jobs } = (await mill.send('GET', `${urlOf(run)}/attempts/1/jobs`)).body;
    expect((jobs as readonly { readonly run_attempt: number }[]).map((job) => job.run_attempt)).to.equal([1, 1]);
  });

  it('ACT-07: a run from before there were attempts has the attempt 0 and none before it', async () => {
    const run = await dispatch();
    const { database } = mill.host;
    await database.write(async () => {
      await database.query(AttemptRow).delete().where('run_id', run);
      await database.query(RunRow).findById(run).patch({ latest_attempt_id: 0 });
    });
    const { body } = await mill.send('GET', urlOf(run));
    expect([body.run_attempt, body.previous_attempt_url]).to.equal([0, null]);
    await mill.send('DELETE', urlOf(run));
  });

  it('ACT-08, ACT-09: a run of a workflow of its own repository names that repository and the commit read', async () => {
    const row = (await rowOf(await dispatch()))!;
    expect([row.workflow_repo_id, row.workflow_commit_sha]).to.equal([row.repository_id, row.commit_sha]);
    expect(row.is_scoped_run).to.be.false();
  });

  it('ACT-64: the jobs of a run are listed, and one is read by its id, in its own repository alone', async () => {
    const run = await dispatch();
    const { body } = await mill.send('GET', `${urlOf(run)}/jobs`);
    const jobs = body.jobs as readonly { readonly id: number; readonly name: string; readonly run_id: number }[];
    expect(jobs.map(({ name, run_id: of }) => [name, of])).to.equal([
      ['one', run],
      ['two', run],
    ]);
    const one = await mill.send('GET', `${mill.api}/actions/jobs/${jobs[0]!.id}`);
    expect([one.status, one.body.name]).to.equal([200, 'one']);
    expect((await mill.send('GET', `/api/v1/repos/ada/other/actions/jobs/${jobs[0]!.id}`)).status).to.equal(404);
  });

  it('ACT-33, ACT-42, ACT-44: cancelling, at once or not, answers 200, 403, 404 and 409 alike', async () => {
    for (const way of ['cancel', 'force-cancel']) {
      const run = await dispatch();
      const url = `${urlOf(run)}/${way}`;
      expect((await mill.send('POST', url, {}, mill.ben)).status, way).to.equal(403);
      const elsewhere = `/api/v1/repos/ada/other/actions/runs/${run}/${way}`;
      expect((await mill.send('POST', elsewhere)).status, way).to.equal(404);
      const { status, body } = await mill.send('POST', url);
      expect([status, body.id, body.status, body.conclusion], way).to.equal([200, run, 'completed', 'cancelled']);
      expect((await mill.send('POST', url)).status, way).to.equal(409);
    }
  });

  it('ACT-60: a workflow is dispatched from its page by those who may write', async () => {
    const newest = async () => Number((await mill.runs())[0]!.id);
    const before = await newest();
    const form = { workflow: 'hand.yml', ref: 'refs/heads/main' };
    const made = await submitForm(mill.ada, '/ada/mill/actions/run', form);
    const run = await newest();
    expect(run).to.be.above(before);
    expect([made.statusCode, made.headers.location]).to.equal([303, `/ada/mill/actions/runs/${run}`]);
    expect((await rowOf(run))!.trigger_event).to.equal('workflow_dispatch');
    expect((await submitForm(mill.ben, '/ada/mill/actions/run', form)).statusCode).to.equal(403);
    expect(await newest()).to.equal(run);
  });

  it('ACT-51, ACT-52: the page of a run shows its latest attempt; earlier ones have pages that change nothing', async () => {
    const run = await dispatch();
    await mill.finish(run, 'one', 'failure');
    await mill.send('POST', `${urlOf(run)}/rerun`);
    const page = async (path = '') => {
      const answer = await mill.ada.inject(`/ada/mill/actions/runs/${run}${path}`);
      return answer.statusCode === 200 ? answer.payload : String(answer.statusCode);
    };
    const own = `/ada/mill/actions/runs/${run}`;
    const current = (path: string) => new RegExp(`href="${path}" aria-current="true"`);
    const latest = await page();
    expect(latest)
      .to.match(current(own))
      .and.to.include(['Attempt 2', `action="${own}/cancel"`]);
    const first = await page('/attempts/1');
    expect(first)
      .to.match(current(`${own}/attempts/1`))
      .and.to.include('Failed');
    for (const act of ['cancel', 'rerun', 'rerun-failed', 'delete'])
      expect(first).not.to.include(`action="${own}/${act}"`);
    expect([await page('/attempts/3'), await page('/attempts/0')]).to.equal(['404', '404']);
  });

  it('ACT-66, ACT-67: runs and jobs are listed for the site, a user, an organization and a repository', async () => {
    await mill.send('POST', '/api/v1/orgs', { username: 'guild' });
    const run = await dispatch();
    const root = await signUp(mill.host, 'boss', { isAdmin: true });
    const lists: readonly (readonly [string, Pick<TestClient, 'inject'>, boolean])[] = [
      ['/api/v1/admin/actions', root, true],
      ['/api/v1/user/actions', mill.ada, true],
      ['/api/v1/orgs/guild/actions', mill.ada, false],
      [`${mill.api}/actions`, mill.ada, true],
    ];
    for (const [path, by, hasRun] of lists)
      for (const [name, field] of [
        ['runs', 'workflow_runs'],
        ['jobs', 'jobs'],
      ] as const) {
        const answer = await by.inject(`${path}/${name}?limit=50`);
        expect(answer.statusCode, `${path}/${name}`).to.equal(200);
        const listed = answer.json[field] as readonly { readonly id: number; readonly run_id?: number }[];
        expect(
          listed.some(({ id, run_id: of }) => (of ?? id) === run),
          `${path}/${name}`,
        ).to.equal(hasRun);
      }
    expect((await mill.ada.inject('/api/v1/admin/actions/jobs')).statusCode).to.equal(403);
    const jobs = async (query: string) => (await mill.ada.inject(`${mill.api}/actions/jobs?${query}`)).json;
    const ids = async (order: string) =>
      (await jobs(`limit=50&sort=id&order=${order}`)).jobs.map(({ id }: { id: number }) => id);
    expect(await ids('asc')).to.equal((await ids('desc')).reverse());
    const blocked = (await jobs('limit=50&status=pending')).jobs as readonly { readonly name: string }[];
    expect(new Set(blocked.map(({ name }) => name))).to.equal(new Set(['two']));
  });

  it('TOK-24: with a public-only token lists have runs and jobs of public repositories alone, also for an admin', async () => {
    await dispatch();
    const accounts = mill.host.services.get(accountsRef);
    const boss = { ...(await accounts.byName('ada'))!, isAdmin: true };
    const by = (publicOnly: boolean) => mill.host.as(accounts.actorOf(boss, 'token', { publicOnly }));
    const count = async (name: string, publicOnly = true) => {
      const answer = await by(publicOnly).inject(`/api/v1/admin/actions/${name}`);
      expect(answer.statusCode).to.equal(200);
      return Number(answer.json.total_count);
    };
    for (const name of ['runs', 'jobs']) expect(await count(name), name).to.be.above(0);
    await mill.send('PATCH', mill.api, { private: true });
    for (const name of ['runs', 'jobs']) {
      expect(await count(name), name).to.equal(0);
      expect(await count(name, false), name).to.be.above(0);
    }
    await mill.send('PATCH', mill.api, { private: false });
  });

  it('ACT-11, ACT-27: a job is told its attempt, and how it ended stays so whatever its runner says later', async () => {
    const { services, database } = mill.host;
    await database.write(() => database.query(RunRow).delete());
    await database.write(() => database.knex()('action_job').delete());
    const run = await dispatch();
    const gateway = services.get(runnerService);
    const token = await services.get(registrationTokens).current(siteScope);
    const registration = { token, name: 'one', version: 'v1', labels: ['linux'], isEphemeral: false, capabilities: [] };
    const { runner } = await gateway.register(registration);
    const fetch = async () => (await gateway.fetch(runner, 0n, new AbortController().signal)).task!;
    const task = await fetch();
    expect(task.context.run_attempt).to.equal('1');
    const times = { startedAt: Date.now(), stoppedAt: Date.now() };
    const report = (result: TaskReport['result']): Promise<{ readonly result: number }> =>
      gateway.report(runner, { taskId: task.id, result, steps: [], outputs: {}, ...times });
    const state = async () => (await mill.rows(run)).find(({ name }) => name === 'one')!.status;
    expect((await report(2)).result).to.equal(2);
    expect(await state()).to.equal(statusNumbers.failure);
    for (const later of [0, 1, 3] as const) {
      // one that goes on is told to stop, as if it had been cancelled
      expect((await report(later)).result, `reported ${later}`).to.equal(later === 0 ? 3 : 2);
      expect(await state(), `reported ${later}`).to.equal(statusNumbers.failure);
    }
    await mill.host.settle();
    expect((await mill.send('POST', `${urlOf(run)}/rerun`)).status).to.equal(201);
    expect((await fetch()).context.run_attempt).to.equal('2');
  });
});
