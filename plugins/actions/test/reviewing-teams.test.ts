import * as Code from '@hapi/code';
import * as Lab from '@hapi/lab';
import { signUp } from '@mortise/accounts/testing';
import { submitForm } from '@mortise/plugin-sdk/testing';
import { Mill, workflowText, type Person } from './run-kit.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const { expect } = Code;

describe('teams that review deployments', { timeout: 120_000 }, () => {
  let mill: Mill;
  let cas: Person;
  let team: number;
  const api = '/api/v1/repos/guild/forge';

  before(async () => {
    mill = await Mill.start(['notifications']);
    cas = await signUp(mill.host, 'cas');
    await mill.send('POST', '/api/v1/orgs', { username: 'guild' });
    await mill.send('POST', '/api/v1/orgs/guild/repos', { name: 'forge', auto_init: true, default_branch: 'main' });
    const content = Buffer.from(workflowText('workflow_dispatch', { ship: 'environment: live' })).toString('base64');
    await mill.send('POST', `${api}/contents/.gitea/workflows/ship.yml`, { content, message: 'ship [skip ci]' });
    const made = await mill.send('POST', '/api/v1/orgs/guild/teams', {
      name: 'smiths',
      permission: 'read',
      units: ['repo.code', 'repo.actions'],
    });
    team = Number(made.body.id);
    await mill.send('PUT', `/api/v1/teams/${team}/members/ben`);
  });
  after(() => mill.host.close());

  const put = (reviewers: readonly object[]) => mill.send('PUT', `${api}/environments/live`, { reviewers });
  const pendingOf = async (run: unknown, as: Person) => {
    const { body } = await mill.send('GET', `${api}/actions/runs/${String(run)}/pending_deployments`, undefined, as);
    const [one] = body as unknown as readonly {
      readonly environment: { readonly id: number };
      readonly current_user_can_approve: boolean;
      readonly reviewers: readonly { readonly type: string; readonly reviewer: { readonly name: string } }[];
    }[];
    return one!;
  };

  it('issue 29: each member may, and hears of it', async () => {
    expect((await put([{ type: 'Team', id: team }])).status).to.equal(422);
    await mill.send('PUT', `/api/v1/teams/${team}/repos/guild/forge`);
    expect((await put([{ type: 'Team', id: 4711 }])).status).to.equal(422);
    const seven = Array.from({ length: 6 }, (_, at) => ({ type: 'User', id: at + 1 }));
    expect((await put([...seven, { type: 'Team', id: team }])).status).to.equal(422);
    expect((await put([{ type: 'Team', id: team }])).status).to.equal(200);

    const url = `${api}/actions/workflows/ship.yml/dispatches?return_run_details=true`;
    const run = (await mill.send('POST', url, { ref: 'main' })).body.workflow_run_id;
    await mill.host.settle();
    const seen = await pendingOf(run, mill.ben);
    expect(seen.current_user_can_approve).to.be.true();
    expect(seen.reviewers.map(({ type, reviewer }) => [type, reviewer.name])).to.equal([['Team', 'smiths']]);
    expect((await pendingOf(run, mill.ada)).current_user_can_approve).to.be.false();
    const page = `/guild/forge/actions/runs/${String(run)}`;
    expect((await mill.ben.inject(page)).payload).to.include([
      'waits for a review by one of: smiths',
      'value="approved"',
    ]);
    const told = (await mill.send('GET', '/api/v1/notifications', undefined, mill.ben)).body as unknown as object[];
    expect(told).to.have.length(1);

    const approve = (as: Person) =>
      submitForm(as, `${page}/review-deployments`, {
        environment: String(seen.environment.id),
        state: 'approved',
        comment: '',
      });
    expect((await approve(cas)).statusCode).to.be.above(399);
    expect((await approve(mill.ben)).statusCode).to.equal(303);
    expect(await mill.jobs(run)).to.equal({ ship: 'waiting' });
  });

  it('issue 29: they are named on the page of the environment; of others, none can be', async () => {
    const list = (await mill.send('GET', `${api}/environments`)).body.environments as { readonly id: number }[];
    const page = `/guild/forge/settings/actions/environments/${list[0]!.id}`;
    expect((await mill.ada.inject(page)).payload).to.include('value="guild/smiths"');
    const save = (reviewers: string) =>
      submitForm(mill.ada, page, { reviewers, wait_minutes: '0', branch_patterns: '' });
    expect((await save('cas, @guild/SMITHS')).statusCode).to.equal(303);
    expect((await mill.ada.inject(page)).payload).to.include('value="cas, guild/smiths"');
    for (const stranger of ['guild/nobody', 'other/smiths', 'smiths'])
      expect((await save(stranger)).payload).to.include('was not found');
  });
});
