import * as Code from '@hapi/code';
import * as Lab from '@hapi/lab';
import { actAudited, definePlugin, type AuditedAct } from '@mortise/plugin-sdk';
import { submitForm } from '@mortise/plugin-sdk/testing';
import { registrationTokens, runnerService, siteScope } from '../api.js';
import { SecretRow } from '../models/secret.js';
import { VariableRow } from '../models/variable.js';
import { Mill, workflowText } from './run-kit.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const { expect } = Code;

const acts: AuditedAct[] = [];
const witness = definePlugin({
  name: 'witness',
  version: '1.0.0',
  sdk: '^1.0.0',
  register(host) {
    host.on(actAudited, 'within', 'hear', {}, async (act) => void acts.push(act));
  },
});

describe('secrets and variables of environments', { timeout: 120_000 }, () => {
  let mill: Mill;
  let live: string;
  let fetchTask: () => Promise<{ readonly secrets: object; readonly vars: object } | undefined>;

  before(async () => {
    mill = await Mill.start([], [witness]);
    live = `${mill.api}/environments/live`;
    const { services } = mill.host;
    await mill.workflow('ship.yml', workflowText('workflow_dispatch', { build: '', ship: 'environment: live' }));
    const reviewers = [{ type: 'User', id: mill.ada.actor.id }];
    expect((await mill.send('PUT', live, { reviewers })).status).to.equal(200);
    const token = await services.get(registrationTokens).current(siteScope);
    const input = { token, name: 'one', version: 'v1', labels: ['linux'], isEphemeral: false, capabilities: [] };
    const { runner } = await services.get(runnerService).register(input);
    fetchTask = async () =>
      (await services.get(runnerService).fetch(runner, 0n, new AbortController().signal)).task ?? undefined;
  });
  after(() => mill.host.close());

  const status = async (method: string, url: string, payload?: object, as = mill.ada) =>
    (await mill.send(method, url, payload, as)).status;

  it('issue 29: are kept by the API beside those of the repository', async () => {
    expect(await status('PUT', `${mill.api}/actions/secrets/key`, { data: 'of the repository' })).to.equal(201);
    expect(await status('PUT', `${live}/secrets/key`, { data: 'of live' })).to.equal(201);
    expect(await status('PUT', `${live}/secrets/key`, { data: 'of live now' })).to.equal(204);
    expect(await status('POST', `${mill.api}/actions/variables/place`, { value: 'anywhere' })).to.equal(201);
    expect(await status('POST', `${live}/variables/place`, { value: 'live' })).to.equal(201);
    expect(await status('POST', `${live}/variables/place`, { value: 'live' })).to.equal(409);
    expect(await status('PUT', `${live}/variables/place`, { value: 'live at last' })).to.equal(204);
    const list = (await mill.send('GET', `${live}/secrets`)).body as unknown as readonly object[];
    expect(list).to.have.length(1);
    expect(list[0]).to.include({ name: 'KEY' });
    expect((await mill.send('GET', `${live}/variables/PLACE`)).body).to.include({ data: 'live at last' });
    expect((await mill.send('GET', `${mill.api}/actions/variables/place`)).body).to.include({ data: 'anywhere' });
    for (const path of ['secrets', 'variables/PLACE'])
      expect(await status('GET', `${mill.api}/environments/none/${path}`)).to.equal(404);
    expect(await status('PUT', `${live}/secrets/key`, { data: 'x' }, mill.ben)).to.equal(403);
    expect(acts.map(({ action, details }) => [action, details?.environment])).to.include([
      ['secret.set', 'live'],
      ['variable.create', 'live'],
      ['variable.edit', 'live'],
    ]);
  });

  it('issue 29: come to jobs that deploy there, and only once somebody has approved', async () => {
    const url = `${mill.api}/actions/workflows/ship.yml/dispatches?return_run_details=true`;
    const run = (await mill.send('POST', url, { ref: 'main' })).body.workflow_run_id;
    await mill.host.settle();
    const build = (await fetchTask())!;
    expect(build.secrets).to.include({ KEY: 'of the repository' });
    expect(build.vars).to.equal({ PLACE: 'anywhere' });
    expect(await fetchTask()).to.be.undefined();
    const pending = `${mill.api}/actions/runs/${String(run)}/pending_deployments`;
    const [one] = (await mill.send('GET', pending)).body as unknown as { environment: { id: number } }[];
    const approval = { environment_ids: [one!.environment.id], state: 'approved', comment: '' };
    expect(await status('POST', pending, approval)).to.equal(200);
    const ship = (await fetchTask())!;
    expect(ship.secrets).to.include({ KEY: 'of live now' });
    expect(ship.vars).to.equal({ PLACE: 'live at last' });
  });

  it('issue 29: have pages of their own, and go with the environment', async () => {
    const { id } = (await mill.send('PUT', `${mill.api}/environments/old`, {})).body;
    const page = `/ada/mill/settings/actions/environments/${String(id)}`;
    const fields = { name: 'door', data: 'open', description: '' };
    expect((await submitForm(mill.ada, `${page}/secrets`, fields)).statusCode).to.equal(303);
    const variable = { name: 'floor', value: '3', description: '' };
    expect((await submitForm(mill.ada, `${page}/variables`, variable)).statusCode).to.equal(303);
    expect((await mill.ada.inject(`${page}/secrets`)).payload).to.include(['DOOR', 'Environment old']);
    expect((await mill.ada.inject(`${page}/variables`)).payload).to.include(['FLOOR', 'Environment old']);
    expect((await mill.ada.inject('/ada/mill/settings/actions/secrets')).payload).to.not.include('DOOR');
    expect((await mill.ada.inject('/ada/mill/settings/actions/environments/4711/secrets')).statusCode).to.equal(404);
    expect((await mill.ben.inject(`${page}/secrets`)).statusCode).to.be.above(399);
    expect((await submitForm(mill.ada, `${page}/secrets/delete`, { name: 'DOOR' })).statusCode).to.equal(303);
    await submitForm(mill.ada, `${page}/secrets`, fields);
    expect((await submitForm(mill.ada, `${page}/delete`, { typed_name: 'new' })).statusCode).to.equal(422);
    expect((await submitForm(mill.ada, `${page}/delete`, { typed_name: 'old' })).statusCode).to.equal(303);
    const { database } = mill.host;
    for (const rows of [database.query(SecretRow), database.query(VariableRow)])
      expect(await rows.where('environment_id', Number(id)).resultSize()).to.equal(0);
    expect(await database.query(SecretRow).resultSize()).to.equal(2);
  });
});
