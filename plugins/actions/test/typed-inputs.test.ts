import * as Code from '@hapi/code';
import * as Lab from '@hapi/lab';
import { jobStates } from '../contract/runs.js';
import { JobPayloadRow } from '../models/job-payload.js';
import { Mill, workflowText } from './run-kit.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const { expect } = Code;

const inputs = `
      deploy: { type: boolean, default: false }
      count: { type: number, default: 3 }
      word: { default: "1.10" }
`;
const called = `on:
  workflow_call:
    inputs:
      deploy: { type: boolean }
      count: { type: number, required: true }
      word: { type: string, default: none }
      size: { type: number, default: 7 }
      place: { type: number, default: -1 }
jobs:
  inner: { if: "inputs.deploy", uses: ./.gitea/workflows/inmost.yml }
  shown:
    name: '\${{ toJSON(inputs) }}'
    runs-on: linux
    steps: [{ run: echo }]
`;

describe('Typed inputs', { timeout: 60_000 }, () => {
  let mill: Mill;

  before(async () => {
    mill = await Mill.start();
    await mill.workflow('inmost.yml', workflowText('workflow_call', { last: '' }));
    await mill.workflow('called.yml', called);
    await mill.workflow(
      'all.yml',
      workflowText(`\n  workflow_dispatch:\n    inputs:${inputs}`, {
        shown: "name: '${{ toJSON(inputs) }}'",
        texts: "name: '${{ toJSON(github.event.inputs) }}'",
        after: 'needs: shown\nif: inputs.deploy',
        sum: 'needs: shown\nif: inputs.count == 4',
        call: [
          'if: success()',
          'uses: ./.gitea/workflows/called.yml',
          "with: { deploy: '${{ inputs.deploy }}', count: '${{ inputs.count }}', word: '${{ inputs.word }}' }",
        ].join('\n'),
        cells: [
          'uses: ./.gitea/workflows/called.yml',
          'strategy: { matrix: { a: [x, y] } }',
          "with: { count: '${{ strategy.job-total }}', place: '${{ strategy.job-index }}', word: '${{ matrix.a }}' }",
        ].join('\n'),
      }),
    );
  });
  after(() => mill.host.close());

  const dispatch = async (given: object, file = 'all.yml') => {
    const url = `${mill.api}/actions/workflows/${file}/dispatches?return_run_details=true`;
    const answer = await mill.send('POST', url, { ref: 'main', inputs: given });
    await mill.host.settle();
    return answer;
  };
  const names = async (id: unknown) => {
    const rows = await mill.rows(id);
    const parent = (row: (typeof rows)[number]) => rows.find((one) => one.id === row.parent_job_id)?.name ?? '';
    return new Map(rows.map((row) => [`${parent(row)} > ${row.job_id}`, row.name]));
  };

  for (const [given, deploy, count] of [
    [{}, false, 3],
    [{ deploy: 'true', count: '4' }, true, 4],
    [{ deploy: false, count: 4.5 }, false, 4.5],
    [{ deploy: true }, true, 3],
  ] as const)
    it(`U13: ${JSON.stringify(given)} has its types in inputs and is text in github.event.inputs`, async () => {
      const { body } = await dispatch(given);
      const id = body.workflow_run_id;
      const text = { deploy: String(deploy), count: String(count), word: '1.10' };
      const own = JSON.parse((await names(id)).get(' > shown')!) as object;
      expect(own).to.equal({ deploy, count, word: '1.10' });
      expect(JSON.parse((await names(id)).get(' > texts')!)).to.equal(text);
      await mill.finish(id, (await names(id)).get(' > shown')!);
      const jobs = await mill.jobs(id);
      expect(jobs.after).to.equal(deploy ? 'waiting' : 'skipped');
      expect(jobs.sum).to.equal(count === 4 ? 'waiting' : 'skipped');
      const last = (await names(id)).get('inner > last');
      expect(last, 'a job of what the called workflow calls on that condition').to.equal(deploy ? 'last' : undefined);
      const inCall = { deploy, count, word: '1.10', size: 7, place: -1 };
      expect(JSON.parse((await names(id)).get('call > shown')!)).to.equal(inCall);
      for (const [place, word] of ['x', 'y'].entries()) {
        const inCell = JSON.parse((await names(id)).get(`cells (${word}) > shown`)!) as object;
        expect(inCell).to.equal({ deploy: false, count: 2, word, size: 7, place });
      }
    });

  it('U13: what a runner gets of a called job are the texts of its inputs, which it types itself', async () => {
    const { body } = await dispatch({ deploy: true, count: 4 });
    const rows = await mill.rows(body.workflow_run_id);
    const call = rows.find(({ job_id: id }) => id === 'call')!;
    const job = rows.find((row) => row.parent_job_id === call.id && row.job_id === 'shown')!;
    const github = await mill.host.services.get(jobStates).githubContext(job.id);
    expect(github).to.include({ event_name: 'workflow_call' });
    const { inputs: texts } = github!.event as { readonly inputs: object };
    expect(texts).to.equal({ deploy: 'true', count: '4', word: '1.10', size: '7', place: '-1' });
    const row = await mill.host.database.query(JobPayloadRow).findById(job.id);
    expect(row!.payload).to.include('workflow_call');
  });

  it('U13: a re-run has the types of the first attempt', async () => {
    const { body } = await dispatch({ deploy: false, count: 4 });
    const run = `${mill.api}/actions/runs/${String(body.workflow_run_id)}`;
    await mill.send('POST', `${run}/cancel`);
    await mill.host.settle();
    expect((await mill.send('POST', `${run}/rerun`)).status).to.equal(201);
    await mill.host.settle();
    await mill.finish(body.workflow_run_id, (await names(body.workflow_run_id)).get(' > shown')!);
    expect(await mill.jobs(body.workflow_run_id)).to.include({ after: 'skipped', sum: 'waiting', inner: 'skipped' });
  });

  for (const [given, why] of [
    [{ deploy: 'maybe' }, 'input "deploy" must be true or false'],
    [{ count: 'many' }, 'input "count" must be a number'],
    [{ count: 'Infinity' }, 'input "count" must be a number'],
  ] as const)
    it(`U13: ${JSON.stringify(given)} is refused in words`, async () => {
      const answer = await dispatch(given);
      expect(answer.status).to.equal(422);
      expect(String(answer.body.message)).to.include(why);
    });

  for (const [name, given, why] of [
    ['boolean', 'deploy: "yes", count: 1', 'the input "deploy" must be a boolean, and "yes" is a string'],
    ['number', 'count: "4"', 'the input "count" must be a number, and "4" is a string'],
    ['required', 'deploy: true', 'the required input "count" is missing'],
    ['text', 'count: 1, word: [x]', 'the input "word" must be a text, and it is given a list'],
  ])
    it(`U13: a call that hands over a wrong ${name} fails in words`, async () => {
      const text = workflowText('workflow_dispatch', {
        call: `uses: ./.gitea/workflows/called.yml\nwith: { ${given} }`,
      });
      await mill.workflow(`wrong-${name}.yml`, text);
      const { body } = await dispatch({}, `wrong-${name}.yml`);
      const [job] = await mill.rows(body.workflow_run_id);
      expect(await mill.run(body.workflow_run_id)).to.equal('completed/failure');
      expect(job!.problem).to.include(`jobs.call.with: ${why}`);
    });

  it('U13: a cron line that cannot be is told on the page of the workflow, in the list and on the page of the file', async () => {
    const crons: Readonly<Record<string, string>> = {
      minute: '{ cron: "61 * * * *" }',
      words: '{ cron: every day }',
      never: '{ cron: "0 0 30 2 *" }',
      six: '{ cron: "0 0 0 1 1 *" }',
      zone: '{ cron: "0 0 * * *", timezone: Mars/Base }',
      none: '{ every: day }',
      good: '{ cron: "0 0 * * *", timezone: Europe/Berlin }',
    };
    for (const [name, cron] of Object.entries(crons))
      await mill.workflow(`cron-${name}.yml`, workflowText(`\n  schedule: [${cron}]\n  workflow_dispatch:`, { a: '' }));
    for (const name of Object.keys(crons)) {
      for (const page of [`actions?workflow=cron-${name}.yml`, `src/branch/main/.gitea/workflows/cron-${name}.yml`]) {
        const { payload } = await mill.ada.inject(`/ada/mill/${page}`);
        if (name === 'good') expect(payload).to.not.match(/cron-good\.yml:\d/);
        else expect(payload, page).to.match(new RegExp(`cron-${name}\\.yml:2:\\d+: warning: [^<]*cron`));
      }
    }
    const all = (await mill.ada.inject('/ada/mill/actions')).payload;
    expect(all.match(/Parts of the workflow file never work/g)).to.have.length(6);
    // the other events of the file start it
    expect((await dispatch({}, 'cron-minute.yml')).status).to.equal(200);
  });
});
