import * as Code from '@hapi/code';
import * as Lab from '@hapi/lab';
import { registrationTokens, runnerService, siteScope } from '../api.js';
import { jobStates } from '../contract/runs.js';
import { TaskRow } from '../models/task.js';
import { TaskReports } from '../services/tasks/task-reports.js';
import { Sweeper, type SweepDeps } from '../services/tasks/sweeper.js';
import { Mill, workflowText } from './run-kit.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const { expect } = Code;

const seconds = 1000;
const minutes = 60_000;

describe('timeout-minutes of jobs', () => {
  let mill: Mill;
  let reports: TaskReports;
  let sweeper: Sweeper;
  const sealed: number[] = [];

  before(async () => {
    mill = await Mill.start();
    const { database, services } = mill.host;
    reports = new TaskReports({ database, jobStates: services.get(jobStates) });
    const seal = (taskId: number) => Promise.resolve(void sealed.push(taskId));
    const deps = { database, jobStates: services.get(jobStates), reports, seal };
    sweeper = new Sweeper(deps as unknown as SweepDeps);
    const jobs = {
      two: 'timeout-minutes: 2',
      half: "timeout-minutes: '${{ inputs.half }}'",
      cell: "timeout-minutes: '${{ matrix.m }}'\nstrategy: { matrix: { m: [4] } }",
      free: '',
    };
    const on = 'workflow_dispatch: { inputs: { half: { type: number, default: 0.5 } } }';
    await mill.workflow('late.yml', workflowText(`{ ${on} }`, jobs));
  });
  after(() => mill.host.close());

  const begin = async () => {
    const url = `${mill.api}/actions/workflows/late.yml/dispatches?return_run_details=true`;
    const run = (await mill.send('POST', url, { ref: 'main' })).body.workflow_run_id;
    for (const name of ['two', 'half', 'cell (4)', 'free']) await mill.take(run, name);
    return run;
  };
  const failed = async (run: unknown) =>
    Object.entries(await mill.jobs(run)).flatMap(([name, status]) => (status === 'failure' ? [name] : []));

  it('U11: are kept to by the server where the runner does not', async () => {
    const run = await begin();
    const now = Date.now();
    expect(await sweeper.timedOut(now + 25 * seconds)).to.equal(0);
    await sweeper.timedOut(now + 61 * seconds);
    expect(await failed(run)).to.equal(['half']);
    await sweeper.timedOut(now + 2 * minutes + 31 * seconds);
    expect(await failed(run)).to.equal(['two', 'half']);
    await sweeper.timedOut(now + 24 * 60 * minutes);
    expect(await failed(run)).to.equal(['two', 'half', 'cell (4)']);
    const rows = await mill.rows(run);
    expect(rows.map(({ problem }) => problem)).to.equal([
      'the job took longer than its timeout-minutes: 2',
      'the job took longer than its timeout-minutes: 0.5',
      'the job took longer than its timeout-minutes: 4',
      '',
    ]);
    expect(sealed).to.have.length(3);
  });

  it('U11: a runner that goes on with a job that the server has failed is told to stop', async () => {
    const run = await begin();
    await sweeper.timedOut(Date.now() + 61 * seconds);
    const half = (await mill.rows(run)).find(({ job_id: id }) => id === 'half')!;
    const report = { taskId: half.task_id, startedAt: 0, stoppedAt: 0, steps: [], outputs: {} };
    expect(await reports.report(1, { ...report, result: 0 })).to.include({ result: 3, isEnded: false });
    expect(await reports.report(1, { ...report, result: 1 })).to.include({ result: 2, isEnded: false });
    expect(await failed(run)).to.include('half');
  });

  it('U11: a runner that cleans up after its own limit is waited for', async () => {
    const { database, services } = mill.host;
    const token = await services.get(registrationTokens).current(siteScope);
    const input = { token, name: 'able', version: 'v1', labels: ['linux'], isEphemeral: false };
    const { runner } = await services.get(runnerService).register({ ...input, capabilities: ['cancelling'] });
    const run = await begin();
    const tasks = (await mill.rows(run)).map(({ task_id: id }) => id);
    await database.write(() => database.query(TaskRow).whereIn('id', tasks).patch({ runner_id: runner.id }));
    const now = Date.now();
    await sweeper.timedOut(now + 6 * minutes);
    expect(await failed(run)).to.equal([]);
    await sweeper.timedOut(now + 7 * minutes);
    expect(await failed(run)).to.equal(['half']);
  });
});
