import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { registrationTokens, runnerService, siteScope } from '../api.js';
import { JobRow } from '../models/job.js';
import { TaskRow } from '../models/task.js';
import { Sweeper, type SweepDeps } from '../services/tasks/sweeper.js';
import { insertInBatches } from '../services/runs/run-rows.js';
import { Mill, workflowText } from './run-kit.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('what runners are given', () => {
  let mill: Mill;
  before(async () => {
    mill = await Mill.start();
    await mill.workflow('hand.yml', workflowText('workflow_dispatch', { one: '' }));
  });
  after(() => mill.host.close());

  it('a task is not taken back before its runner could report to a server that has just begun', async () => {
    const { database } = mill.host;
    const url = `${mill.api}/actions/workflows/hand.yml/dispatches?return_run_details=true`;
    const run = (await mill.send('POST', url, { ref: 'main' })).body.workflow_run_id;
    await mill.take(run, 'one');
    const [job] = await mill.rows(run);
    const given: number[] = [];
    const settings = { UNDELIVERED_TASK_TIMEOUT: 60_000, ZOMBIE_TASK_TIMEOUT: 600_000 };
    const claims = { release: (id: number) => Promise.resolve(void given.push(id)) };
    const ended: number[] = [];
    const reports = { end: (task: TaskRow) => Promise.resolve(void ended.push(task.id)) };
    const lockRun = { lockRun: () => Promise.resolve(true) };
    const deps = { database, claims, reports, settings, jobStates: lockRun, seal: () => Promise.resolve() };
    const sweeper = new Sweeper(deps as unknown as SweepDeps);
    const old = { created_at: 1, updated_at: 1 };
    await database.write(() => database.query(TaskRow).findById(job!.task_id).patch(old));
    await sweeper.undelivered(Date.now() + 60_000);
    expect(given).to.equal([]);
    await sweeper.undelivered(Date.now() + 180_000);
    expect(given).to.equal([job!.task_id]);
    // the server was away longer than a task may be silent
    const spoken = { created_at: 1, updated_at: 2 };
    await database.write(() => database.query(TaskRow).findById(job!.task_id).patch(spoken));
    expect(await sweeper.zombies(Date.now() + 60_000)).to.equal(0);
    expect(await sweeper.zombies(Date.now() + 180_000)).to.equal(1);
    expect(ended).to.equal([job!.task_id]);
    // nor does it end others' runs
    await database.write(() => database.query(TaskRow).deleteById(job!.task_id));
  });

  it('jobs that no runner can do hide none that one can do', async () => {
    const { database, services } = mill.host;
    const url = `${mill.api}/actions/workflows/hand.yml/dispatches?return_run_details=true`;
    const run = (await mill.send('POST', url, { ref: 'main' })).body.workflow_run_id;
    const [job] = await mill.rows(run);
    const { id: _id, ...row } = (await database.knex()('action_job').where('id', job!.id).first()) as { id: number };
    const others = Array.from({ length: 2001 }, (_none, at) => ({
      ...row,
      runs_on: JSON.stringify([`none-${at}`]),
      runs_on_key: at.toString(16).padStart(64, '0'),
      updated_at: 1,
    }));
    await database.write(() => insertInBatches(database, 'action_job', others));
    const gateway = services.get(runnerService);
    const token = await services.get(registrationTokens).current(siteScope);
    const input = { token, name: 'one', version: 'v1', labels: ['linux'], isEphemeral: false, capabilities: [] };
    const { runner } = await gateway.register(input);
    const { task } = await gateway.fetch(runner, 0n, new AbortController().signal);
    expect(task).not.to.be.undefined();
    expect((await database.query(JobRow).findById(job!.id))?.task_id).to.equal(task!.id);
  });

  it('a repository with very many sets of labels leaves others their turn', async () => {
    const { database, services } = mill.host;
    const made = await mill.send('POST', '/api/v1/user/repos', { name: 'crowd', auto_init: true });
    const url = `${mill.api}/actions/workflows/hand.yml/dispatches?return_run_details=true`;
    const run = (await mill.send('POST', url, { ref: 'main' })).body.workflow_run_id;
    const [job] = await mill.rows(run);
    const { id: _id, ...row } = (await database.knex()('action_job').where('id', job!.id).first()) as { id: number };
    const others = Array.from({ length: 1100 }, (_none, at) => ({
      ...row,
      repository_id: made.body.id,
      runs_on_key: at.toString(16).padStart(64, '0'),
      // taken a moment ago
      task_id: 1,
      updated_at: 1,
    }));
    await database.write(() => insertInBatches(database, 'action_job', others));
    const gateway = services.get(runnerService);
    const token = await services.get(registrationTokens).current(siteScope);
    const input = { token, name: 'three', version: 'v1', labels: ['linux'], isEphemeral: false, capabilities: [] };
    const { runner } = await gateway.register(input);
    const { task } = await gateway.fetch(runner, 0n, new AbortController().signal);
    expect(task).not.to.be.undefined();
    expect((await database.query(JobRow).findById(job!.id))?.task_id).to.equal(task!.id);
  });

  it('jobs of repositories that are archived or have the unit off wait, and hide none of others', async () => {
    const { database, services } = mill.host;
    const closed: number[] = [];
    for (const [name, change] of Object.entries({ attic: { archived: true }, idle: { has_actions: false } })) {
      const made = await mill.send('POST', '/api/v1/user/repos', { name, auto_init: true });
      closed.push(Number(made.body.id));
      expect((await mill.send('PATCH', `/api/v1/repos/ada/${name}`, change)).status).to.equal(200);
    }
    const url = `${mill.api}/actions/workflows/hand.yml/dispatches?return_run_details=true`;
    const run = (await mill.send('POST', url, { ref: 'main' })).body.workflow_run_id;
    const [job] = await mill.rows(run);
    const { id: _id, ...row } = (await database.knex()('action_job').where('id', job!.id).first()) as { id: number };
    const others = closed.flatMap((repository) =>
      Array.from({ length: 400 }, (_none, at) => ({
        ...row,
        repository_id: repository,
        runs_on_key: at.toString(16).padStart(64, '1'),
        updated_at: 1,
      })),
    );
    await database.write(() => insertInBatches(database, 'action_job', others));
    const gateway = services.get(runnerService);
    const token = await services.get(registrationTokens).current(siteScope);
    const input = { token, name: 'two', version: 'v1', labels: ['linux'], isEphemeral: false, capabilities: [] };
    const { runner } = await gateway.register(input);
    const next = async () => (await gateway.fetch(runner, 0n, new AbortController().signal)).task?.id;
    const task = await next();
    expect((await database.query(JobRow).findById(job!.id))?.task_id).to.equal(task);
    expect(await next()).to.be.undefined();
  });
});
