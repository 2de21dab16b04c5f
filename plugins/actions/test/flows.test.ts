import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { QueryBuilder } from 'objection';
import { submitForm } from '@mortise/plugin-sdk/testing';
import { jobStates } from '../contract/runs.js';
import { JobPayloadRow } from '../models/job-payload.js';
import { JobRow } from '../models/job.js';
import { loadJobState } from '../services/runs/run-state.js';
import { workflowWorkers } from '../services/runs/workflow-workers.js';
import { stepNamesOf } from '../services/tasks/step-names.js';
import { RunPayloadRow } from '../models/run-payload.js';
import { Mill, workflowText } from './run-kit.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('jobs of a run', () => {
  let mill: Mill;
  before(async () => {
    mill = await Mill.start();
  });
  after(() => mill.host.close());
  const begin = async (name: string, text: string, inputs: object = {}) => {
    await mill.workflow(name, text);
    const url = `${mill.api}/actions/workflows/${name}/dispatches?return_run_details=true`;
    const made = await mill.send('POST', url, { ref: 'main', inputs });
    expect(made.status, JSON.stringify(made.body)).to.equal(200);
    await mill.host.settle();
    return Number(made.body.workflow_run_id);
  };

  it('hear of a skipped need in the pass in which it is skipped, and of a failure behind it', async () => {
    const run = await begin(
      'skips.yml',
      workflowText('workflow_dispatch', {
        a: '',
        b: 'needs: a\nif: false',
        c: "needs: b\nif: always() && needs.b.result == 'skipped'",
        d: 'needs: b\nif: failure()',
        e: 'needs: b',
      }),
    );
    await mill.finish(run, 'a', 'failure');
    expect(await mill.jobs(run)).to.equal({ a: 'failure', b: 'skipped', c: 'waiting', d: 'waiting', e: 'skipped' });
    await mill.finish(run, 'c');
    await mill.finish(run, 'd');
    expect(await mill.run(run)).to.equal('completed/failure');
  });

  it('come of a matrix, as many at once as it says, also of one made by a need', async () => {
    const run = await begin(
      'matrix.yml',
      workflowText('workflow_dispatch', {
        list: '',
        each: 'needs: list\nstrategy:\n  max-parallel: 1\n  matrix:\n    n: ${{ fromJSON(needs.list.outputs.numbers) }}',
        fixed: 'strategy:\n  max-parallel: 1\n  matrix:\n    x: [1, 2]',
      }),
    );
    expect(await mill.jobs(run)).to.equal({
      list: 'waiting',
      each: 'blocked',
      'fixed (1)': 'waiting',
      'fixed (2)': 'blocked',
    });
    await mill.finish(run, 'fixed (1)');
    await mill.finish(run, 'list', 'success', { numbers: '[7, 8]' });
    const jobs = await mill.jobs(run);
    expect(jobs).to.include({ 'each (7)': 'waiting', 'each (8)': 'blocked', 'fixed (2)': 'waiting' });
    expect(Object.keys(jobs)).not.to.include('each');
  });

  it('are told to their runners without a look at their neighbours, which may be hundreds', async () => {
    const run = await begin('told.yml', workflowText('workflow_dispatch', { one: '', two: '', three: 'needs: one' }));
    const { database, services } = mill.host;
    const idOf = async (job: string) => (await mill.rows(run)).find(({ name }) => name === job)!.id;
    const [alone, behind] = [await idOf('two'), await idOf('three')];
    await mill.finish(run, 'one', 'success', { word: 'hello' });
    const states = services.get(jobStates);
    let whole = 0;
    const query = database.query.bind(database) as (model: typeof JobRow) => QueryBuilder<JobRow>;
    const watching = (model: typeof JobRow) =>
      query(model).runAfter((rows: unknown) => {
        whole += Number(model.tableName === 'action_job' && Array.isArray(rows) && rows.length > 1);
        return rows;
      });
    Reflect.set(database, 'query', watching);
    expect((await states.githubContext(alone))?.job).to.equal('two');
    expect(await states.needsOf(alone)).to.equal({});
    expect(await states.secretsFor(alone)).to.equal('all');
    expect(whole).to.equal(0);
    expect((await states.needsOf(behind)).one?.outputs).to.equal({ word: 'hello' });
    expect(whole).to.equal(1);
    Reflect.deleteProperty(database, 'query');
  });

  it('of a group wait for one another, the newest alone', async () => {
    const text = workflowText('workflow_dispatch', { one: '' }, 'concurrency: line\n');
    const first = await begin('line.yml', text);
    await mill.take(first, 'one');
    const next = async () => {
      const url = `${mill.api}/actions/workflows/line.yml/dispatches?return_run_details=true`;
      return Number((await mill.send('POST', url, { ref: 'main' })).body.workflow_run_id);
    };
    const second = await next();
    expect(await mill.jobs(second)).to.equal({ one: 'blocked' });
    const third = await next();
    expect([await mill.run(second), await mill.run(third)]).to.equal(['completed/cancelled', 'waiting']);
    await mill.finish(first, 'one');
    expect([await mill.run(first), await mill.run(third)]).to.equal(['completed/success', 'queued']);
  });

  it('of a called workflow stand for the job that calls it', async () => {
    await mill.workflow(
      'called.yml',
      `on:\n  workflow_call:\n    inputs: { who: { type: string, required: true } }\n    outputs: { word: { value: "\${{ jobs.say.outputs.word }}" } }\njobs:\n  say:\n    name: say \${{ inputs.who }}\n    runs-on: linux\n    outputs: { word: x }\n    steps: [{ run: echo }]\n`,
    );
    const run = await begin(
      'caller.yml',
      workflowText('workflow_dispatch', {
        call: 'uses: ./.gitea/workflows/called.yml\nwith:\n  who: ada',
        use: "needs: call\nif: needs.call.outputs.word == 'hello'",
        never: 'uses: ./.gitea/workflows/called.yml\nif: false\nwith:\n  who: ben',
        broken: 'uses: ./.gitea/workflows/missing.yml',
      }),
    );
    expect(await mill.jobs(run)).to.equal({
      call: 'waiting',
      use: 'blocked',
      never: 'skipped',
      broken: 'failure',
      'say ada': 'waiting',
    });
    await mill.finish(run, 'say ada', 'success', { word: 'hello' });
    expect(await mill.jobs(run)).to.include({ call: 'success', use: 'waiting' });
    // of many calls together, without their files
    const { id } = (await mill.rows(run)).find(({ name }) => name === 'call')!;
    const { state } = (await loadJobState(mill.host.database, id))!;
    const known = await state.callOutputs([{ id }, ...Array.from({ length: 150 }, (_, at) => ({ id: 1e6 + at }))]);
    expect([...known]).to.equal([[id, { word: 'hello' }]]);
    expect(await state.callOutputs([{ id }])).to.equal(known);
    await mill.finish(run, 'use');
    expect(await mill.run(run)).to.equal('completed/failure');
    const again = await mill.send('POST', `${mill.api}/actions/runs/${run}/rerun`);
    expect(again.status).to.equal(201);
    await mill.host.settle();
    expect(await mill.jobs(run)).to.include({ call: 'waiting', 'say ada': 'waiting', use: 'blocked' });
  });

  it('of calls within calls give what they give to those above, anew when one runs again', async () => {
    const called = (id: string, job: string) =>
      `on:\n  workflow_call:\n    outputs: { word: { value: "\${{ jobs.${id}.outputs.word }}" } }\njobs: { ${id}: ${job} }\n`;
    const steps = '[{ run: echo, name: first }, { run: echo two }]';
    await mill.workflow('inner.yml', called('tell', `{ runs-on: linux, outputs: { word: x }, steps: ${steps} }`));
    await mill.workflow('outer.yml', called('pass', '{ uses: ./.gitea/workflows/inner.yml }'));
    // nothing of theirs is made while others wait for the database
    const { database, services } = mill.host;
    const threads = services.get(workflowWorkers);
    const made: string[] = [];
    const watched = ['planCall', 'expandMatrix', 'callOutputs'] as const;
    for (const kind of watched) {
      const own = threads[kind].bind(threads) as (...task: unknown[]) => Promise<never>;
      threads[kind] = (...task: unknown[]) => {
        made.push(`${kind}${database.inTransaction() ? ' inside' : ''}`);
        return own(...task);
      };
    }
    const run = await begin(
      'nested.yml',
      workflowText('workflow_dispatch', {
        call: 'uses: ./.gitea/workflows/outer.yml',
        each: 'needs: call\nstrategy:\n  matrix:\n    w: ["${{ needs.call.outputs.word }}"]',
        last: 'needs: each',
      }),
    );
    const names = async () => Object.entries(await mill.jobs(run)).map((pair) => pair.join(' '));
    await mill.take(run, 'tell');
    const told = (await mill.rows(run)).find(({ name }) => name === 'tell')!;
    expect(stepNamesOf(await database.query(JobPayloadRow).findById(told.id))).to.equal(['first', 'Run echo two']);
    await mill.finish(run, 'tell', 'success', { word: 'hello' });
    expect(await names()).to.include(['call success', 'each (hello) waiting', 'last blocked']);
    expect(made).to.equal(['planCall', 'planCall', 'callOutputs', 'callOutputs', 'expandMatrix']);
    await mill.finish(run, 'each (hello)');
    await mill.finish(run, 'last');
    const again = await mill.send('POST', `${mill.api}/actions/runs/${run}/jobs/${told.id}/rerun`);
    expect(again.status, JSON.stringify(again.body)).to.equal(201);
    await mill.host.settle();
    await mill.finish(run, 'tell', 'success', { word: 'bye' });
    expect(made.slice(5).filter((one) => one === 'callOutputs')).to.have.length(2);
    await mill.finish(run, 'each (hello)');
    await mill.finish(run, 'last');
    expect(await mill.run(run)).to.equal('completed/success');
    for (const kind of watched) Reflect.deleteProperty(threads, kind);
  });

  it('fail where others make them too many, and nothing waits for them', async () => {
    const run = await begin(
      'many.yml',
      workflowText('workflow_dispatch', {
        list: '',
        each: 'needs: list\nstrategy:\n  matrix:\n    n: ${{ fromJSON(needs.list.outputs.numbers) }}',
        costly: `needs: list\nif: ${'contains(needs.list.outputs.*, github.sha) || '.repeat(300)}false`,
        none: 'needs: list\nstrategy:\n  matrix:\n    n: ${{ fromJSON(needs.list.outputs.none) }}',
      }),
    );
    const numbers = `[${'1,'.repeat(499_999)}1]`;
    const long = Object.fromEntries(['a', 'b', 'c', 'd'].map((name) => [name, name.repeat(1_000_000)]));
    await mill.finish(run, 'list', 'success', { numbers, other: 'e'.repeat(1_000_000), none: '[]', ...long });
    expect(await mill.jobs(run)).to.equal({ list: 'success', each: 'failure', costly: 'failure', none: 'failure' });
    const problems = (await mill.rows(run)).map(({ problem }) => problem);
    expect(problems[1]).to.match(/^jobs\.each\.strategy\.matrix: .*(?:too many steps|too long)/);
    expect(problems[2]).to.match(/^jobs\.costly\.if: .*too many steps/);
    expect(problems[3]).to.equal('its matrix has no combination');
    expect(await mill.run(run)).to.equal('completed/failure');
  });

  it('call one another ten levels deep at most, and not in circles (LIM-09)', async () => {
    const calls = (next: string) =>
      `on: [workflow_call, workflow_dispatch]\njobs:\n  go:\n    uses: ./.gitea/workflows/${next}\n`;
    const files = Object.fromEntries(
      Array.from({ length: 11 }, (_, level) => [`.gitea/workflows/deep${level}.yml`, calls(`deep${level + 1}.yml`)]),
    );
    const ring = { '.gitea/workflows/ring1.yml': calls('ring2.yml'), '.gitea/workflows/ring2.yml': calls('ring1.yml') };
    await mill.push({ ...files, ...ring });
    const problems = async (file: string) => {
      const url = `${mill.api}/actions/workflows/${file}/dispatches?return_run_details=true`;
      const run = Number((await mill.send('POST', url, { ref: 'main' })).body.workflow_run_id);
      await mill.host.settle();
      expect(await mill.run(run)).to.equal('completed/failure');
      return (await mill.rows(run)).map(({ problem }) => problem);
    };
    const deep = await problems('deep0.yml');
    expect([deep.length, deep.filter(Boolean)]).to.equal([11, ['workflows call one another more than 9 levels deep']]);
    expect((await problems('ring1.yml')).filter(Boolean)).to.equal(['./.gitea/workflows/ring2.yml calls itself']);
  });

  it('U11: of a called workflow are told with the job that calls it, so that two calls have two statuses', async () => {
    const called = (name: string) =>
      `${name}on: workflow_call\n${workflowText('push', { say: '' }).replace(/^on.*\n/, '')}`;
    const sha = await mill.push({
      '.gitea/workflows/named.yml': called('name: Called\n'),
      '.gitea/workflows/plain.yml': called(''),
      '.gitea/workflows/on-push.yml': `name: Main\n${workflowText('push', {
        one: 'uses: ./.gitea/workflows/named.yml',
        two: 'uses: ./.gitea/workflows/plain.yml',
        cells: 'uses: ./.gitea/workflows/plain.yml\nstrategy: { matrix: { a: [x, y] } }',
        nested: 'uses: ./.gitea/workflows/nesting.yml',
      })}`,
      '.gitea/workflows/nesting.yml': workflowText('workflow_call', { in: 'uses: ./.gitea/workflows/plain.yml' }),
    });
    expect(Object.keys(await mill.statuses(sha)).sort()).to.equal([
      'Main / cells (x) (push)',
      'Main / cells (x) / say (push)',
      'Main / cells (y) (push)',
      'Main / cells (y) / say (push)',
      'Main / nested (push)',
      'Main / nested / in (push)',
      'Main / nested / in / say (push)',
      'Main / one (push)',
      'Main / one / say (push)',
      'Main / two (push)',
      'Main / two / say (push)',
    ]);
    await mill.send('PUT', `${mill.api}/actions/workflows/on-push.yml/disable`);
  });

  it('that run always are spared by a plain cancel, and by no other', async () => {
    const run = await begin(
      'always.yml',
      workflowText('workflow_dispatch', { one: '', last: 'needs: one\nif: always()' }),
    );
    await mill.take(run, 'one');
    await mill.send('POST', `${mill.api}/actions/runs/${run}/cancel`);
    expect(await mill.jobs(run)).to.equal({ one: 'cancelled', last: 'waiting' });
    await mill.send('POST', `${mill.api}/actions/runs/${run}/force-cancel`);
    expect(await mill.jobs(run)).to.equal({ one: 'cancelled', last: 'cancelled' });
    expect(await mill.run(run)).to.equal('completed/cancelled');
  });

  it('say why they failed where an expression is wrong, and do not wait for ever', async () => {
    const run = await begin(
      'wrong.yml',
      workflowText('workflow_dispatch', { a: '', b: 'needs: a\nif: fromJSON(github.sha).x' }),
    );
    await mill.finish(run, 'a');
    expect(await mill.jobs(run)).to.equal({ a: 'success', b: 'failure' });
    expect((await mill.rows(run))[1]!.problem).not.to.equal('');
  });

  it('the form that asks for a run has the fields of the branch that is chosen', async () => {
    const on = (name: string) => `{ workflow_dispatch: { inputs: { ${name}: { required: true } } } }`;
    await mill.workflow('form.yml', workflowText(on('color'), { one: '' }));
    const path = '/ada/mill/actions/workflow-dispatch-inputs?workflow=form.yml&ref=';
    const shown = await mill.ada.inject(`${path}main`);
    expect(shown.statusCode).to.equal(200);
    expect(shown.payload).to.include(['id="workflow-inputs"', 'name="inputs.color"']).and.not.to.include('<html');
    expect((await mill.ada.inject(`${path}nowhere`)).statusCode).to.equal(404);
    expect((await mill.ada.inject(path.replace('form.yml', 'none.yml') + 'main')).statusCode).to.equal(404);
    expect((await mill.ben.inject(`${path}main`)).statusCode).to.equal(403);
    expect((await mill.ada.inject('/ada/mill/actions?workflow=form.yml')).payload).to.include('id="workflow-inputs"');
    // scripts name inputs as the workflow does
    const sent = { workflow: 'form.yml', ref: 'main', color: 'red', other: 'x' };
    expect((await submitForm(mill.ada, '/ada/mill/actions/run', sent)).statusCode).to.equal(303);
    const row = await mill.host.database.query(RunPayloadRow).orderBy('run_id', 'desc').first();
    expect((JSON.parse(row!.payload) as { readonly inputs: unknown }).inputs).to.equal({ color: 'red' });
  });
});
