import * as Code from '@hapi/code';
import * as Lab from '@hapi/lab';
import { DeploymentRow } from '../models/deployment.js';
import { EnvironmentRow } from '../models/environment.js';
import { addressOutput } from '../workflow/index.js';
import { Mill, workflowText } from './run-kit.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const { expect } = Code;

describe('deployments to environments', { timeout: 120_000 }, () => {
  let mill: Mill;

  before(async () => {
    mill = await Mill.start(['notifications', 'activity']);
    const jobs = {
      build: '',
      deploy: [
        'needs: build',
        "environment: { name: '${{ github.ref_name }}-${{ inputs.to }}', url: 'https://${{ steps.x.outputs.host }}/' }",
      ].join('\n'),
    };
    const on = '{ workflow_dispatch: { inputs: { to: { type: string, default: live } } } }';
    await mill.workflow('ship.yml', workflowText(on, jobs));
  });
  after(() => mill.host.close());

  const environment = (name: string, rules: object, as = mill.ada) =>
    mill.send('PUT', `${mill.api}/environments/${name}`, rules, as);
  const ship = async (to: string, ref = 'main') => {
    const url = `${mill.api}/actions/workflows/ship.yml/dispatches?return_run_details=true`;
    const run = (await mill.send('POST', url, { ref, inputs: { to } })).body.workflow_run_id;
    await mill.finish(run, 'build');
    return run as number;
  };
  const pending = async (run: number, as = mill.ada) =>
    (await mill.send('GET', `${mill.api}/actions/runs/${run}/pending_deployments`, undefined, as))
      .body as unknown as readonly Record<string, unknown>[];
  const review = (run: number, ids: readonly unknown[], state: string, as = mill.ben, comment = '') =>
    mill.send(
      'POST',
      `${mill.api}/actions/runs/${run}/pending_deployments`,
      { environment_ids: ids, state, comment },
      as,
    );
  const history = async (name: string) =>
    (await mill.send('GET', `${mill.api}/deployments?environment=${name}`)).body as unknown as readonly Record<
      string,
      unknown
    >[];

  it('issue 29: an environment that a workflow names is made, and knows what was deployed where', async () => {
    const run = await ship('free');
    expect(await mill.jobs(run)).to.equal({ build: 'success', deploy: 'waiting' });
    expect(await pending(run)).to.equal([]);
    await mill.finish(run, 'deploy', 'success', { [addressOutput]: 'https://mill.example/' });
    expect((await history('main-free')).map((one) => [one.state, one.environment_url, one.run_id, one.ref])).to.equal([
      ['success', 'https://mill.example/', run, 'main'],
    ]);
    const list = (await mill.send('GET', `${mill.api}/environments`)).body;
    expect(list.total_count).to.equal(1);
    const deploy = (await mill.rows(run)).find(({ name }) => name === 'deploy')!;
    const payload = await mill.host.database.knex()('action_job_payload').where('job_id', deploy.id).first();
    expect(payload.payload).to.include(`${addressOutput}: https://\${{ steps.x.outputs.host }}/`);
  });

  it('issue 29: an address that browsers should not open is not kept', async () => {
    const run = await ship('odd');
    await mill.finish(run, 'deploy', 'success', { [addressOutput]: 'javascript:alert(1)' });
    expect((await history('main-odd'))[0]).to.include({ state: 'success', environment_url: '' });
  });

  it('issue 29: a job waits for its reviewers, who hear of it and approve', async () => {
    const { ada, ben } = mill;
    await mill.send('PUT', `${mill.api}/collaborators/ben`, { permission: 'read' });
    const rules = { reviewers: [{ type: 'User', id: ben.actor.id }] };
    const made = await environment('Main-Live', rules);
    expect(made.status).to.equal(200);
    const run = await ship('live');
    expect(await mill.jobs(run)).to.equal({ build: 'success', deploy: 'blocked' });
    expect(await mill.run(run)).to.equal('waiting');
    const [one] = await pending(run, ben);
    expect(one).to.include({ current_user_can_approve: true });
    expect((await pending(run, ada))[0]).to.include({ current_user_can_approve: false });
    expect((await history('main-live'))[0]).to.include({ state: 'waiting' });
    await mill.host.settle();
    const inbox = (await mill.send('GET', '/api/v1/notifications', undefined, ben)).body as unknown as {
      subject: { type: string; html_url: string };
    }[];
    expect(inbox.map(({ subject }) => [subject.type, subject.html_url.endsWith(`/actions/runs/${run}`)])).to.equal([
      ['WorkflowRun', true],
    ]);
    expect((await review(run, [made.body.id], 'approved', ada)).status).to.equal(403);
    expect((await review(run, [999_999], 'approved')).status).to.equal(422);
    expect((await review(run, [], 'approved')).status).to.equal(422);
    const approved = await review(run, [made.body.id], 'approved', ben, 'go');
    expect(approved.status).to.equal(200);
    expect(await mill.jobs(run)).to.equal({ build: 'success', deploy: 'waiting' });
    expect((await review(run, [made.body.id], 'approved')).status).to.equal(422);
    const reviews = (await mill.send('GET', `${mill.api}/actions/runs/${run}/approvals`)).body as unknown as object[];
    expect(reviews[0]).to.include({ state: 'approved', comment: 'go' });
    await mill.finish(run, 'deploy');
    expect(await mill.run(run)).to.equal('completed/success');
  });

  it('issue 29: a job that is rejected fails with the reason', async () => {
    const run = await ship('live');
    const [one] = await pending(run);
    const { id } = one!.environment as { id: number };
    expect((await review(run, [id], 'rejected', mill.ben, 'not on Friday')).status).to.equal(200);
    const [, deploy] = await mill.rows(run);
    expect(deploy!.problem).to.equal('ben rejected the deployment to Main-Live: not on Friday');
    expect(await mill.run(run)).to.equal('completed/failure');
    expect((await history('main-live'))[0]).to.include({ state: 'failure' });
  });

  it('issue 29: who started a run does not approve it where the rules forbid that', async () => {
    const { ada, ben } = mill;
    const reviewers = [ada, ben].map(({ actor }) => ({ type: 'User', id: actor.id }));
    await environment('main-live', { reviewers, prevent_self_review: true });
    const run = await ship('live');
    const [one] = await pending(run);
    const { id } = one!.environment as { id: number };
    expect((await review(run, [id], 'approved', ada)).status).to.equal(403);
    await environment('main-live', { reviewers });
    expect((await review(run, [id], 'approved', ada)).status).to.equal(200);
  });

  it('issue 29: jobs go on when the rules do not hold them any more; until then the environment stays', async () => {
    await environment('main-live', { reviewers: [{ type: 'User', id: mill.ben.actor.id }] });
    const run = await ship('live');
    expect((await mill.send('DELETE', `${mill.api}/environments/main-live`)).status).to.equal(409);
    await environment('main-live', {});
    await mill.host.settle();
    expect(await mill.jobs(run)).to.include({ deploy: 'waiting' });
    expect((await mill.send('DELETE', `${mill.api}/environments/main-live`)).status).to.equal(204);
    expect((await mill.send('GET', `${mill.api}/environments/main-live`)).status).to.equal(404);
    await mill.finish(run, 'deploy');
  });

  it('issue 29: a job waits as long as the rules say', async () => {
    const { database } = mill.host;
    await environment('main-slow', { wait_timer: 5 });
    const run = await ship('slow');
    expect(await mill.jobs(run)).to.include({ deploy: 'blocked' });
    await mill.host.settle();
    expect(await mill.jobs(run)).to.include({ deploy: 'blocked' });
    const earlier = { created_at: Date.now() - 5 * 60_000 };
    await database.write(() => database.query(DeploymentRow).where('run_id', run).patch(earlier));
    await environment('main-slow', { wait_timer: 5 });
    await mill.host.settle();
    expect(await mill.jobs(run)).to.include({ deploy: 'waiting' });
  });

  it('issue 29: branches that the patterns leave out do not deploy', async () => {
    const rules = { branch_patterns: ['release/**'] };
    expect((await environment('main-strict', rules)).body).to.include({ branch_patterns: ['release/**'] });
    const run = await ship('strict');
    const [, deploy] = await mill.rows(run);
    expect(deploy!.problem).to.equal('main may not be deployed to main-strict: its rules name other branches and tags');
    await mill.push({ 'r.txt': 'r' }, 'r [skip ci]', 'main', 'release/1');
    await environment('release%2F1-strict', rules);
    expect(await mill.jobs(await ship('strict', 'release/1'))).to.include({ deploy: 'waiting' });
  });

  it('issue 29: rules that cannot hold are refused, and those who may not administer change none', async () => {
    const { ben, ada } = mill;
    expect((await environment('x', { wait_timer: 50_000 })).status).to.equal(422);
    expect((await environment('x', { reviewers: [{ type: 'User', id: 4711 }] })).status).to.equal(422);
    expect((await environment('x', { branch_patterns: ['[a'] })).status).to.equal(422);
    expect((await environment('a,b', {})).status).to.equal(422);
    expect((await environment('x', {}, ben)).status).to.equal(403);
    expect((await mill.send('DELETE', `${mill.api}/environments/main-slow`, undefined, ben)).status).to.equal(403);
    const rows = await mill.host.database.query(EnvironmentRow).whereIn('lower_name', ['x', 'a,b']);
    expect(rows).to.equal([]);
    await mill.send('PATCH', mill.api, { private: true }, ada);
    await mill.send('DELETE', `${mill.api}/collaborators/ben`);
    expect((await environment('x', { reviewers: [{ type: 'User', id: ben.actor.id }] })).status).to.equal(422);
  });
});
