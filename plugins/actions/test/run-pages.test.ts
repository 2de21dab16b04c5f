import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { database as databaseRef } from '@mortise/plugin-sdk';
import { accounts } from '@mortise/accounts/api';
import { createAccount } from '@mortise/accounts/testing';
import { submitForm, type TestClient } from '@mortise/plugin-sdk/testing';
import type { Repository } from '@mortise/repositories/api';
import { createRepository, send, startScene, type Scene } from '@mortise/repositories/testing';
import { statusNumbers, taskLogs } from '../api.js';
import { JobRow } from '../models/job.js';
import { RunRow } from '../models/run.js';
import { RunnerRow } from '../models/runner.js';
import { StepRow } from '../models/step.js';
import { TaskRow } from '../models/task.js';
import { columnsOf } from '../pages/runs/job-graph.js';
import { groupLines } from '../pages/runs/log-lines.js';
import { endTask, makeTask, type MadeTask } from '../testing.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const home = '/ada/tool/actions';

describe('pages of runs', { timeout: 120_000 }, () => {
  let scene: Scene;
  let repository: Repository;
  let made: MadeTask;
  const page = async (client: Pick<TestClient, 'inject'>, path: string, status = 200) => {
    const answer = await client.inject(path);
    expect(answer.statusCode, path).to.equal(status);
    return answer.payload;
  };
  before(async () => {
    scene = await startScene({ plugins: ['actions', 'organizations', 'admin'] });
    repository = await createRepository(scene.host, scene.ada.account, { name: 'tool', autoInit: true });
    made = await makeTask(scene.host, repository, { jobName: 'weave <b>', steps: 2 });
  });
  after(() => scene?.host.close());

  it('the list shows runs, filters them and gives rows alone', async () => {
    const { ada } = scene;
    expect(await page(ada, home)).to.include(['Build it', 'Running', 'All workflows', `${home}/runs/${made.run.id}`]);
    expect(await page(ada, `${home}?status=6&branch=main&actor=ada&workflow=build.yml`)).to.include('Build it');
    for (const other of ['status=1', 'branch=other', 'actor=nobody', 'workflow=other.yml'])
      expect(await page(ada, `${home}?${other}`)).to.include('No runs');
    // its file is gone, its runs are not
    expect(await page(ada, home)).to.include(['Other workflows', 'workflow=build.yml']);
    expect(await page(ada, `${home}?workflow=build.yml`))
      .to.include('Build it')
      .and.not.to.include('Disable workflow');
    expect(await page(ada, `${home}?run_ids=${made.run.id},999,x`))
      .to.include('Build it')
      .and.not.to.include('<html');
  });

  it('a run shows its jobs as a picture; old addresses lead to it', async () => {
    const { ada } = scene;
    const own = `${home}/runs/${made.run.id}`;
    expect(await page(ada, own))
      .to.include(['<svg', 'weave &lt;b>', 'Cancel run'])
      .and.not.to.include('weave <b>');
    expect((await ada.inject(`${home}/runs/latest`)).headers.location).to.equal(own);
    expect((await ada.inject(`${own}?by_index=1`)).statusCode).to.equal(302);
    await page(ada, `${own}/attempts/1`);
    await page(ada, `${own}/attempts/9`, 404);
    await page(ada, `${home}/runs/999?by_id=1`, 404);
    expect((await ada.inject(`${own}/jobs/0`)).headers.location).to.equal(`${own}/jobs/${made.job.id}`);
  });

  it('a job shows the log of its steps with colours and groups, and nothing of it as markup', async () => {
    const { ada, ben, host } = scene;
    const own = `${home}/runs/${made.run.id}/jobs/${made.job.id}`;
    const words = ['set up', '##[group]Fetch', 'in a group', '##[endgroup]', '\u001b[31mred\u001b[0m', '<i>plain</i>'];
    const rows = words.map((content, at) => ({ time: { seconds: 1000 + at, nanos: 0 }, content }));
    await host.services.get(taskLogs).append(made.task.id, rows, { index: 0, noMore: false });
    const database = host.services.get(databaseRef);
    const reported = (log_length: number) =>
      database.write(() =>
        database.query(StepRow).where({ task_id: made.task.id, number: 0 }).patch({ log_index: 1, log_length }),
      );
    await reported(4);
    expect(await page(ada, own), 'the last line is of no step yet')
      .to.include('data-lines="5"')
      .and.not.to.include('plain');
    await reported(5);
    expect(await page(ada, `${own}?from=5`)).to.include(['data-lines="6"', 'plain']);
    const html = await page(ada, own);
    expect(html).to.include([
      'Set up job',
      'Complete job',
      'step 0',
      'in a group',
      'id="L2"',
      'id="L6"',
      'ansi-red-fg',
    ]);
    expect(html).to.include('&lt;i&gt;plain').and.not.to.include('<i>plain');
    expect(await page(ada, `${own}?from=5`))
      .to.include('plain')
      .and.not.to.include('in a group');
    const log = await ada.inject(`${own}/logs`);
    expect(log.headers['content-disposition']).to.include(`build-weave _b_-${made.task.id}.log`);
    const all = await ada.inject(`${home}/runs/${made.run.id}/logs`);
    expect(all.headers['content-disposition']).to.include(`build-run-${made.run.id}-logs.zip`);
    expect((await ada.inject(`${home}/runs/${made.run.id}/logs?attempt=9`)).statusCode).to.equal(404);
    expect(log.payload.split('\n')[1]).to.include('##[group]Fetch');
    expect((await ben.inject(own)).statusCode).to.equal(200);
  });

  it('the state is given as JSON, with the lines that are asked for', async () => {
    const { ada } = scene;
    const own = `${home}/runs/${made.run.id}`;
    const ask = (url: string, payload: object = {}) => ada.inject({ method: 'POST', url, payload });
    const run = (await ask(own)).json.state.run;
    expect(run).to.include({ status: 'running', canCancel: true, canRerun: false, done: false, runAttempt: 1 });
    expect(run).to.include({ titleHTML: 'Build it', canViewWorkflowFile: true, pullRequest: null });
    const database = scene.host.services.get(databaseRef);
    const change = (fields: Partial<RunRow>) =>
      database.write(() => database.query(RunRow).findById(made.run.id).patch(fields));
    await change({ title: '<i> & more', pull_index: 7 });
    expect((await ask(own)).json.state.run).to.include({
      titleHTML: '&lt;i&gt; &amp; more',
      pullRequest: { index: '#7', link: '/ada/tool/pulls/7' },
    });
    expect(await page(ada, home)).to.include('href="/ada/tool/pulls/7"');
    expect(await page(ada, own)).to.include('href="/ada/tool/pulls/7"');
    await change({ title: 'Build it', pull_index: 0 });
    const answer = await ask(`${own}/jobs/${made.job.id}`, { logCursors: [{ step: 1, cursor: 2, expanded: true }] });
    expect(answer.json.state.currentJob.steps).to.have.length(4);
    const [log] = answer.json.logs.stepsLog;
    expect(log.cursor).to.equal(5);
    expect(log.lines[0]).to.include({ index: 3, message: '##[endgroup]' });
    expect((await ask(own, { logCursors: 1 })).statusCode).to.equal(422);
  });

  it('the workflow of a scoped run is read where it lies, by those who may', async () => {
    const { ada, ben, host } = scene;
    const source = await createRepository(host, scene.ada.account, { name: 'rules', autoInit: true, isPrivate: true });
    const scoped = await makeTask(host, repository);
    const own = `${home}/runs/${scoped.run.id}`;
    const file = `/src/commit/${scoped.run.workflow_commit_sha}/.gitea/workflows/build.yml`;
    expect((await ben.inject(`${own}/workflow`)).headers.location).to.equal(`/ada/tool${file}`);
    const database = host.services.get(databaseRef);
    await database.write(() =>
      database.query(RunRow).findById(scoped.run.id).patch({ workflow_repo_id: source.id, is_scoped_run: true }),
    );
    expect((await ada.inject(`${own}/workflow`)).headers.location).to.equal(`/ada/rules${file}`);
    expect((await ben.inject(`${own}/workflow`)).statusCode).to.equal(404);
    const link = `href="${own}/workflow"`;
    expect(await page(ada, own)).to.include(link);
    expect(await page(ben, own)).not.to.include(link);
    const state = await ben.inject({ method: 'POST', url: own, payload: {} });
    expect(state.json.state.run.canViewWorkflowFile).to.be.false();
    await endTask(host, scoped);
  });

  it('the tab counts runs that have not ended', async () => {
    const { ada, host } = scene;
    const shown = async () => {
      const tab = /<a[^>]*href="\/ada\/tool\/actions"[\s\S]*?<\/a>/.exec(await page(ada, home))![0];
      return Number(/Counter ml-1">(\d+)</.exec(tab)?.[1] ?? 0);
    };
    const before = await shown();
    const other = await makeTask(host, repository, { status: statusNumbers.waiting });
    expect(await shown()).to.equal(before + 1);
    await endTask(host, other);
    expect(await shown()).to.equal(before);
  });

  it('what runs has another picture and another word than what waits', async () => {
    const { ada, host } = scene;
    const [running, waiting] = ['Running', 'Waiting'].map((label) => (html: string) => {
      const icons = [...html.matchAll(/<svg class="octicon octicon-([a-z-]+)[^"]*"[^>]*aria-label="([^"]*)"/g)];
      return [...new Set(icons.filter(([, , said]) => said === label).map(([, name]) => name))];
    }) as [(html: string) => unknown[], (html: string) => unknown[]];
    const other = await makeTask(host, repository, { status: statusNumbers.waiting });
    for (const path of [home, `${home}/runs/${made.run.id}`, `${home}/runs/${made.run.id}/jobs/${made.job.id}`])
      expect(running(await page(ada, path)), path).to.equal(['sync']);
    for (const path of [home, `${home}/runs/${other.run.id}`, `${home}/runs/${other.run.id}/jobs/${other.job.id}`])
      expect(waiting(await page(ada, path)), path).to.equal(['clock']);
    await endTask(host, other);
  });

  it('answers of the API and pages are kept, and never older than what they show', async () => {
    const { ada, ben, root, host } = scene;
    const database = host.services.get(databaseRef);
    const kept = await createRepository(host, ada.account, { name: 'kept', autoInit: true });
    const eve = await createAccount(host, 'eve');
    const tasks = [await makeTask(host, kept), await makeTask(host, kept)] as const;
    const [task] = tasks;
    let [name, at] = ['kept', `runs/${task.run.id}`];
    const api = async (path: string, client: TestClient = ada) =>
      (await client.inject(`/api/v1/repos/ada/${name}/actions/${path}`)).json;
    const look = async () => {
      const one = await api(at);
      const [job] = (await api(`${at}/jobs`)).jobs;
      expect((await api(`${at}/attempts/1`)).status).to.equal(one.status);
      expect((await api(`${at}/attempts/1/jobs`)).jobs).to.equal([job]);
      expect((await api('jobs')).jobs).to.include([job]);
      expect(await api(`jobs/${task.job.id}`)).to.equal(job);
      const list = await api('runs?limit=1&page=2');
      expect(list.workflow_runs).to.equal(at === `runs/${task.run.id}` ? [one] : []);
      expect((await api('workflows/build.yml/runs')).workflow_runs).to.include([one]);
      const rows = await page(ada, `/ada/${name}/actions?workflow=build.yml`);
      const run = await page(ada, `/ada/${name}/actions/${at}`);
      const steps = await page(ada, `/ada/${name}/actions/${at}/jobs/${task.job.id}`);
      const mine = (await ada.inject('/api/v1/user/actions/runs')).json.total_count;
      return { one, job, total: list.total_count, rows, run, steps, mine };
    };
    const change = async <T>(make: () => Promise<T>) => {
      await look();
      await make();
      return look();
    };
    const ofRun = { title: 'Weave', trigger_user_id: eve.id };
    const ofStep = { name: 'warp', status: statusNumbers.success };

    let seen = await change(() => database.write(() => database.query(RunRow).findById(task.run.id).patch(ofRun)));
    expect([seen.one.display_title, seen.one.actor.login, seen.total]).to.equal(['Weave', 'eve', 2]);
    expect(seen.rows).to.include(['Weave', 'eve']);
    const before = seen.mine;

    seen = await change(() =>
      database.write(() => database.query(StepRow).where('task_id', task.task.id).patch(ofStep)),
    );
    expect(seen.job.steps[0]).to.include({ name: 'warp', conclusion: 'success' });
    expect(seen.steps).to.include('warp');

    const runner = { uuid: 'u', name: 'loom', owner_id: 0, repository_id: 0, description: '', version: '' };
    const hashes = { token_hash: '', token_salt: '', labels: [], created_at: 0, updated_at: 0 };
    const { id: runnerId } = await database.write(() =>
      database.query(RunnerRow).insertAndFetch({ ...runner, ...hashes }),
    );
    seen = await change(() =>
      database.write(() => database.query(TaskRow).findById(task.task.id).patch({ runner_id: runnerId })),
    );
    expect(seen.job.runner_name).to.equal('loom');
    seen = await change(() =>
      database.write(() => database.query(RunnerRow).findById(runnerId).patch({ name: 'mule' })),
    );
    expect(seen.job.runner_name).to.equal('mule');

    expect(seen.run).to.include(['Cancel run', 'Running']);
    seen = await change(() => endTask(host, task, statusNumbers.failure));
    expect([seen.one.conclusion, seen.job.conclusion]).to.equal(['failure', 'failure']);
    expect(seen.run).to.include('Delete run').and.not.to.include('Running');
    expect(await api('runs?status=failure')).to.include({ total_count: 1 });
    expect(await api('runs?status=completed&limit=1')).to.include({ total_count: 1 });

    seen = await change(() => host.services.get(accounts).rename(eve.id, 'eva'));
    expect([seen.one.actor.login, seen.rows.includes('eve'), seen.run.includes('eve')]).to.equal(['eva', false, false]);

    seen = await change(async () => {
      expect((await send(ada, 'PATCH', `/repos/ada/${name}`, { name: 'loom' })).statusCode).to.equal(200);
      name = 'loom';
    });
    expect(seen.one.repository.full_name).to.equal('ada/loom');
    expect([seen.one.html_url, seen.job.html_url].every((url) => url.includes('/ada/loom/'))).to.be.true();
    expect(seen.rows).to.include(`/ada/loom/actions/${at}`).and.not.to.include('/ada/kept/');

    // whom it is hidden from learns no more of it, not even from what was kept
    expect((await api(at, ben)).id).to.equal(task.run.id);
    await send(ada, 'PATCH', '/repos/ada/loom', { private: true });
    for (const path of ['runs', at, `${at}/jobs`, 'jobs'])
      expect((await ben.inject(`/api/v1/repos/ada/loom/actions/${path}`)).statusCode, path).to.equal(404);
    expect((await ben.inject(`/ada/loom/actions/${at}`)).statusCode).to.equal(404);
    expect((await look()).one.repository.private).to.be.true();
    await send(ada, 'PATCH', '/repos/ada/loom', { has_actions: false });
    expect((await ada.inject('/api/v1/user/actions/runs')).json.total_count).to.equal(before - 2);
    expect(Number((await root.inject('/api/v1/admin/actions/runs')).json.total_count)).to.be.above(before - 1);
    await send(ada, 'PATCH', '/repos/ada/loom', { has_actions: true });

    expect((await look()).total).to.equal(2);
    expect((await send(ada, 'DELETE', `/repos/ada/loom/actions/${at}`)).statusCode).to.equal(204);
    for (const path of [at, `${at}/jobs`, `jobs/${task.job.id}`])
      expect((await ada.inject(`/api/v1/repos/ada/loom/actions/${path}`)).statusCode, path).to.equal(404);
    expect([(await api('runs?limit=1')).total_count, (await api('jobs?limit=1')).total_count]).to.equal([1, 1]);
    expect(await page(ada, '/ada/loom/actions')).not.to.include(at);
    at = `runs/${tasks[1].run.id}`;
    expect((await api(at)).id).to.equal(tasks[1].run.id);
    await endTask(host, tasks[1]);
  });

  it('lists ask the database no more often for many runs, branches and people than for one (ACT-41)', async () => {
    const { ada, host } = scene;
    const database = host.services.get(databaseRef);
    const many = await createRepository(host, ada.account, { name: 'many', autoInit: true });
    const query = database.query.bind(database);
    const asked = async (path: string) => {
      // nothing of it is known any more
      await database.write(() => query(RunRow).where('repository_id', many.id).patch({ updated_at: Date.now() }));
      await database.write(() => database.knex().raw('update `user` set lower_name = lower_name'));
      let count = 0;
      database.query = (model) => (count++, query(model));
      try {
        const { statusCode, json } = await ada.inject(`/api/v1/repos/ada/many/actions/${path}`);
        expect(statusCode).to.equal(200);
        return { count, shown: (json.workflow_runs ?? json.jobs).length };
      } finally {
        database.query = query;
      }
    };
    const add = async (number: number) => {
      const { run } = await makeTask(host, many);
      const { id } = await createAccount(host, `fan-${number}`);
      const fields = { head_branch: `topic-${number}`, trigger_user_id: id, pull_index: number % 2 ? number : 0 };
      await database.write(() => query(RunRow).findById(run.id).patch(fields));
    };
    for (const number of [1, 2]) await add(number);
    const paths = ['runs?limit=50', 'runs?limit=50&status=in_progress', 'jobs?limit=50'];
    const few = [];
    for (const path of paths) {
      await asked(path);
      few.push((await asked(path)).count);
    }
    for (let number = 3; number < 9; number++) await add(number);
    for (const [at, path] of paths.entries()) expect(await asked(path), path).to.equal({ count: few[at], shown: 8 });
    expect(Math.max(...(few as number[]))).to.be.max(12);
  });

  it('pages and counts of lists are read from an index alone, in its order', async () => {
    const { database } = scene.host;
    // of so few rows MySQL takes any index
    if (database.engine === 'mysql') return;
    const hidden = '(select id from repository where owner_id = 1 and is_private = 1)';
    for (const [table, where] of [
      ['action_run', 'repository_id = 1'],
      ['action_run', 'repository_id = 1 and status = 2'],
      ['action_run', "repository_id = 1 and workflow_id = 'build.yml' and is_scoped_run = 0"],
      ['action_run', "repository_id = 1 and head_branch = 'main'"],
      ['action_run', `owner_id = 1 and repository_id not in ${hidden}`],
      ['action_job', 'repository_id = 1'],
      ['action_job', `owner_id = 1 and repository_id not in ${hidden}`],
    ])
      for (const [what, order] of [
        ['id', 'order by id desc limit 20'],
        ['count(*)', ''],
      ]) {
        const sql = `select ${what} from ${table} where ${where} ${order}`;
        const plan = JSON.stringify(await database.knex().raw(`explain query plan ${sql}`));
        expect(plan, sql).to.include(`SEARCH ${table} USING COVERING INDEX`).and.not.to.include('TEMP B-TREE');
      }
  });

  it('those who may only read change nothing; a run is cancelled and deleted by those who may write', async () => {
    const { ada, ben, host } = scene;
    const other = await makeTask(host, repository, { status: statusNumbers.waiting });
    const own = `${home}/runs/${other.run.id}`;
    expect(await page(ben, own)).not.to.include('Cancel run');
    for (const name of ['cancel', 'rerun', 'rerun-failed', 'approve', 'delete', `jobs/${other.job.id}/rerun`])
      expect((await submitForm(ben, `${own}/${name}`)).statusCode, name).to.equal(403);
    expect((await submitForm(ada, `${own}/delete`)).statusCode).to.equal(400);
    expect((await submitForm(ada, `${home}/runs/999/cancel`)).statusCode).to.equal(404);
    await endTask(host, other);
    expect(await page(ada, own)).to.include(['Re-run all jobs', 'Delete run']);
    expect((await submitForm(ada, `${own}/delete`)).statusCode).to.equal(303);
    await page(ada, `${own}?by_id=1`, 404);
    const database = host.services.get(databaseRef);
    expect(await database.query(RunRow).findById(other.run.id)).to.be.undefined();
    expect(await database.query(JobRow).where('run_id', other.run.id)).to.equal([]);
  });

  it('workflows are switched off and on by administrators alone', async () => {
    const { ada, ben } = scene;
    const form = { workflow: 'build.yml' };
    expect((await submitForm(ben, `${home}/disable`, form)).statusCode).to.equal(403);
    expect((await submitForm(ada, `${home}/disable`, form)).statusCode).to.equal(303);
    expect((await submitForm(ada, `${home}/enable`, form)).statusCode).to.equal(303);
    expect((await submitForm(ada, `${home}/disable`, { workflow: 'never.yml' })).statusCode).to.equal(404);
    const missing = await submitForm(ada, `${home}/run`, { ...form, ref: 'main' });
    expect([400, 404]).to.include(missing.statusCode);
  });

  it('jobs stand behind what they need, and needs in circles end', () => {
    const job = (id: number, needs: readonly string[], parent = 0) =>
      ({ id, job_id: `j${id}`, needs, parent_job_id: parent }) as const;
    const columns = columnsOf([job(1, []), job(2, ['j1']), job(3, ['j1', 'j2']), job(4, [], 3), job(5, ['j5'])]);
    expect([...columns.entries()].sort()).to.equal([
      [1, 0],
      [2, 1],
      [3, 2],
      [4, 3],
      [5, 1],
    ]);
    const line = (message: string, index: number) => ({ index, timestamp: 0, message });
    const entries = groupLines(['a', '::group::g', 'b', '::endgroup::', 'c'].map(line));
    expect(entries.map((one) => ('lines' in one ? one.lines.length : one.message))).to.equal(['a', 1, 'c']);
  });
});
