import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { jobs } from '@mortise/plugin-sdk';
import { ScheduleSpecRow } from '../models/schedule-spec.js';
import { RunRow } from '../models/run.js';
import { startSchedules } from '../services/runs/job-definitions.js';
import { WorkflowWorkers, workflowWorkers } from '../services/runs/workflow-workers.js';
import { parseWorkflow } from '../workflow/index.js';
import { planCall } from '../worker/deferred.js';
import { planRun } from '../worker/plan.js';
import { Mill, workflowText } from './run-kit.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const entry = new URL('../worker/main.js', import.meta.url);
const text = `run-name: "\${{ github.actor }} \${{ github.run_number }}"\n${workflowText('push', { one: '' }, 'concurrency: x\n')}`;

describe('workflows that strangers write', { timeout: 120_000 }, () => {
  const warned: string[] = [];
  const log = { warn: (message: string, facts?: object) => void warned.push(`${message} ${JSON.stringify(facts)}`) };
  const made: WorkflowWorkers[] = [];
  const workers = (limits?: ConstructorParameters<typeof WorkflowWorkers>[2]) => {
    made.push(new WorkflowWorkers(entry, log, limits));
    return made.at(-1)!;
  };
  after(() => Promise.all(made.map((one) => one.close())));

  it('are read and planned elsewhere as they are here', async () => {
    const threads = workers();
    const parsed = await threads.parse(1, Buffer.from(text), 'a.yml');
    expect(parsed as object).to.equal(parseWorkflow(text, 'a.yml') as object);
    const contexts = { github: { actor: 'ada', run_id: '7', run_number: '3' } };
    const plan = await threads.plan(1, parsed.workflow!, contexts);
    expect(plan as object).to.equal(planRun(parsed.workflow!, contexts) as object);
    expect(plan as object).to.include({ title: 'ada 3', uses: { id: false, number: true } });
    expect(plan.concurrency).to.equal({ group: 'x', cancelInProgress: false });
    expect(plan.jobs.map(({ name }) => name)).to.equal(['one']);
    const broken = parseWorkflow(workflowText('push', { one: 'strategy: { matrix: 7 }' }), 'b.yml').workflow!;
    expect((await threads.plan(1, broken, {})) as object).to.include({
      jobs: [],
      problem: planRun(broken, {}).problem,
    });
    expect(planRun(broken, {}).problem).to.match(/matrix/);
  });

  it('fail alone when they take too long, or too much memory', async () => {
    const values = Array.from({ length: 60_000 }, (_none, at) => `- v${at}\n`).join('');
    const hostile = `on: push\nenv:\n  A:\n${values.replace(/^/gm, '    ')}`;
    for (const [limits, why] of [
      [{ time: 1, memory: 256 }, 'the file: it takes too long to read'],
      [{ time: 60_000, memory: 8 }, 'the file: it needs too much memory'],
    ] as const) {
      const threads = workers(limits);
      const { workflow, problems } = await threads.parse(1, hostile, 'a.yml');
      expect([workflow, problems.map(({ message }) => message)]).to.equal([undefined, [why]]);
    }
    expect(warned.join()).to.include(['takes too long', 'too much memory']);
  });

  it('are called, expanded and summed up elsewhere as they are here', async () => {
    const threads = workers();
    const callee = `on: { workflow_call: { inputs: { who: { type: string } }, outputs: { word: { value: "\${{ jobs.a.outputs.word }} \${{ inputs.who }}" } } } }
jobs: { a: { runs-on: linux, name: "for \${{ inputs.who }} \${{ github.event.inputs.who }}", steps: [{ run: echo }] } }`;
    const caller = {
      id: 'c',
      payload: 'on: push\njobs: { c: { uses: ./x/called.yml, with: { who: "${{ github.actor }}" } } }',
    };
    const contexts = { github: { actor: 'ada', event: { inputs: { who: 'nobody' } } } };
    const task = { caller, uses: './x/called.yml', callee, file: 'x/called.yml', contexts };
    const called = await threads.planCall(1, task);
    expect(called as object).to.equal(planCall({ kind: 'call', ...task }) as object);
    expect(called as object).to.include({ hasOutputs: true, inputs: { who: 'ada' } });
    expect('jobs' in called && called.jobs.map(({ name }) => name)).to.equal(['for ada ada']);
    for (const [change, why] of [
      [{ callee: 'on: push\njobs: { a: { runs-on: linux, steps: [{ run: echo }] } }' }, /no on: workflow_call/],
      [{ callee: 'on: [' }, /called\.yml/],
      [{ contexts: { github: { actor: [] } } }, /"who" must be a text/],
    ] as const)
      expect((await threads.planCall(1, { ...task, ...change })).problem).to.match(why);

    const matrix =
      '{ runs-on: linux, strategy: { matrix: { n: "${{ fromJSON(needs.list.outputs.n) }}" } }, steps: [{ run: echo }] }';
    const job = { id: 'j', payload: `on: push\njobs: { j: ${matrix} }` };
    const needs = (n: string) => ({ contexts: { github: {}, needs: { list: { result: 'success', outputs: { n } } } } });
    const expanded = await threads.expandMatrix(1, { job, ...needs('[1, 2]') });
    expect('jobs' in expanded && expanded.jobs.map(({ name }) => name)).to.equal(['j (1)', 'j (2)']);
    for (const [n, why] of [
      ['[]', /no combination/],
      [`[${'1,'.repeat(500_000)}1]`, /too many steps|too long/],
      [JSON.stringify(Array.from({ length: 5000 }, (_none, at) => at)), /more than 4096 combinations/],
    ] as const)
      expect((await threads.expandMatrix(1, { job, ...needs(n) })).problem).to.match(why);

    const ended = new Map([['a', { result: 'success' as const, outputs: { word: 'hello' } }]]);
    const sum = { callee, file: 'x/called.yml', jobs: ended, inputs: { who: 'ada' } };
    expect(await threads.callOutputs(1, sum)).to.equal({ word: 'hello ada' });
    expect(await threads.callOutputs(1, { ...sum, callee: 'on: [' })).to.equal({});
  });

  it('fail alone also when they are called, expanded or summed up', async () => {
    const steps = Array.from({ length: 20_000 }, (_none, at) => `      - run: echo ${at}\n`).join('');
    const hostile = `on: { workflow_call: { outputs: { a: { value: x } } } }\njobs:\n  a:\n    runs-on: x\n    steps:\n${steps}`;
    const threads = workers({ time: 1, memory: 256 });
    const caller = { id: 'a', payload: hostile };
    const call = { caller, uses: './x/y.yml', callee: hostile, file: 'x/y.yml', contexts: { github: {} } };
    expect((await threads.planCall(1, call)).problem).to.equal('./x/y.yml: it takes too long to read');
    const expanded = await threads.expandMatrix(1, { job: caller, contexts: {} });
    expect(expanded.problem).to.equal('jobs.a.strategy.matrix: it takes too long to read');
    const sum = { callee: hostile, file: 'x/y.yml', jobs: new Map(), inputs: {} };
    expect(await threads.callOutputs(1, sum)).to.equal({});
  });

  describe('and name their run', () => {
    let mill: Mill;
    before(async () => {
      mill = await Mill.start();
      const named = 'run-name: "Build ${{ github.run_id }} #${{ github.run_number }}"\n';
      await mill.workflow('named.yml', `${named}${workflowText('workflow_dispatch', { one: '' })}`);
    });
    after(() => mill?.host.close());

    it('get its own id and number, however many are made at once', async () => {
      const url = `${mill.api}/actions/workflows/named.yml/dispatches`;
      const sent = await Promise.all(Array.from({ length: 8 }, () => mill.send('POST', url, { ref: 'main' })));
      expect(sent.map(({ status }) => status)).to.equal(Array.from({ length: 8 }, () => 204));
      const runs = await mill.runs();
      expect(runs).to.have.length(8);
      for (const run of runs) expect(run.display_title).to.equal(`Build ${String(run.id)} #${String(run.run_number)}`);
    });

    it('are planned in threads by the clock too, also when others are made meanwhile', async () => {
      const { database, services } = mill.host;
      const on = "{ schedule: [{ cron: '*/5 * * * *' }] }";
      const named = 'run-name: "Clock ${{ github.run_id }} #${{ github.run_number }}"\n';
      await mill.workflow('clock.yml', `${named}${workflowText(on, { one: '' })}`);
      const [{ id: _id, ...known }] = (await database.query(RunRow).limit(1)) as [RunRow];
      const threads = services.get(workflowWorkers);
      const plan = threads.plan.bind(threads);
      let plans = 0;
      threads.plan = async (...task) => {
        plans++;
        const made = await plan(...task);
        const run = { ...known, number: 1000 + plans, event_key: null };
        await database.write(() => database.query(RunRow).insert(run));
        return made;
      };
      await database.write(() => database.query(ScheduleSpecRow).patch({ next_at: Date.now() - 1000 }));
      await services.get(jobs).enqueue(startSchedules, {});
      await mill.host.settle();
      threads.plan = plan;
      const [run, ...more] = (await mill.runs()).filter(({ path }) => String(path).startsWith('clock.yml'));
      expect(more).to.equal([]);
      expect(run!.display_title).to.equal(`Clock ${String(run!.id)} #${String(run!.run_number)}`);
      // once for the run that it was thought to be, once for the one that it is
      expect(plans).to.equal(2);
    });
  });
});
