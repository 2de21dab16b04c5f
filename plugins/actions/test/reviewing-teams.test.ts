import * as Code from '@hapi/code';
import * as Lab from '@hapi/lab';
import { signUp } from '@mortise/accounts/testing';
import { submitForm } from '@mortise/plugin-sdk/testing';
import { Mill, workflowText, type Person } from './run-kit.js';

interface Reviewer {
  readonly type: string;
  readonly id: number;
  readonly reviewer: { readonly name: string } | null;
  readonly is_gone: boolean;
}

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
      readonly reviewers: readonly Reviewer[];
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
    expect(seen.reviewers.map(({ type, reviewer }) => [type, reviewer?.name])).to.equal([['Team', 'smiths']]);
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

  /** A team of the repository whose environment it reviews, and a run that waits for it. */
  const reviewedBy = async (name: string, more: object = {}) => {
    const fields = { name, permission: 'read', units: ['repo.code', 'repo.actions'], ...more };
    const { id } = (await mill.send('POST', '/api/v1/orgs/guild/teams', fields)).body as { readonly id: number };
    await mill.send('PUT', `/api/v1/teams/${id}/repos/guild/forge`);
    expect((await put([{ type: 'Team', id }])).status).to.equal(200);
    const url = `${api}/actions/workflows/ship.yml/dispatches?return_run_details=true`;
    const run = (await mill.send('POST', url, { ref: 'main' })).body.workflow_run_id;
    await mill.host.settle();
    return { id, run };
  };
  const rulesOf = async (as: Person) => {
    const { body } = await mill.send('GET', `${api}/environments/live`, undefined, as);
    const { id, protection_rules: rules } = body as {
      readonly id: number;
      readonly protection_rules: readonly { readonly type: string; readonly reviewers: readonly Reviewer[] }[];
    };
    return { id, reviewers: rules.find(({ type }) => type === 'required_reviewers')?.reviewers };
  };

  it('a team that is gone stays in the rules until it is removed, and jobs wait', async () => {
    const { id, run } = await reviewedBy('gone');
    expect((await mill.send('DELETE', `/api/v1/teams/${id}`)).status).to.equal(204);
    const gone = { type: 'Team', id, reviewer: null, is_gone: true };
    const rules = await rulesOf(mill.ada);
    expect(rules.reviewers).to.equal([gone]);
    expect((await pendingOf(run, mill.ada)).reviewers).to.equal([gone]);
    const runPage = await mill.ada.inject(`/guild/forge/actions/runs/${String(run)}`);
    expect(runPage.payload).to.include('its reviewing team no longer exists');

    const page = `/guild/forge/settings/actions/environments/${rules.id}`;
    expect((await mill.ada.inject(page)).payload).to.include(`(id ${id})`);
    const save = (more: object) =>
      submitForm(mill.ada, page, { reviewers: '', wait_minutes: '0', branch_patterns: '', ...more });
    expect((await save({})).statusCode).to.equal(303);
    await mill.host.settle();
    expect((await rulesOf(mill.ada)).reviewers).to.equal([gone]);
    expect(await mill.jobs(run)).to.equal({ ship: 'blocked' });
    expect((await put([gone].map(({ type }) => ({ type, id })))).status).to.equal(200);
    expect((await save({ reviewers: 'ben', remove_gone: 'on' })).statusCode).to.equal(303);
    await mill.host.settle();
    expect((await rulesOf(mill.ada)).reviewers).to.have.length(1);
    expect((await pendingOf(run, mill.ben)).current_user_can_approve).to.be.true();
    expect(await mill.jobs(run)).to.equal({ ship: 'blocked' });
    expect((await put([{ type: 'Team', id }])).status).to.equal(422);
  });

  it('a private team is shown to who may see it, and to nobody else', async () => {
    const { id, run } = await reviewedBy('hidden', { description: 'where the gold lies', visibility: 'private' });
    await mill.send('PUT', `/api/v1/teams/${id}/members/ben`);
    const page = `/guild/forge/actions/runs/${String(run)}`;
    for (const path of [
      `${api}/environments`,
      `${api}/environments/live`,
      `${api}/actions/runs/${String(run)}/pending_deployments`,
    ]) {
      const shown = JSON.stringify((await mill.send('GET', path, undefined, cas)).body);
      expect(shown, path).to.include(`"type":"Team","id":${id},"reviewer":null,"is_gone":false`);
      expect(shown, path).not.to.include('gold');
      for (const knows of [mill.ben, mill.ada])
        expect(JSON.stringify((await mill.send('GET', path, undefined, knows)).body), path).to.include('gold');
    }
    const seen = (await cas.inject(page)).payload;
    expect(seen).to.include('waits for a review by one of: a team that you cannot see').and.not.to.include('hidden.');
    expect((await mill.ben.inject(page)).payload).to.include('waits for a review by one of: hidden.');
  });

  it('a team that cannot read runs is no reviewer; it is named as it was typed', async () => {
    const fields = { name: 'writers', permission: 'read', units: ['repo.code'] };
    const { id } = (await mill.send('POST', '/api/v1/orgs/guild/teams', fields)).body as { readonly id: number };
    await mill.send('PUT', `/api/v1/teams/${id}/repos/guild/forge`);
    expect((await put([{ type: 'Team', id }])).status).to.equal(422);
    const page = `/guild/forge/settings/actions/environments/${(await rulesOf(mill.ada)).id}`;
    const saved = await submitForm(mill.ada, page, {
      reviewers: '@guild/Writers',
      wait_minutes: '0',
      branch_patterns: '',
    });
    expect(saved.statusCode).to.equal(422);
    expect(saved.payload).to.include('Team @guild/Writers cannot read the workflow runs');
  });

  it('a team of a former owner is gone too, and stays in the rules', async () => {
    const { id } = await reviewedBy('left');
    const moved = await mill.send('POST', `${api}/transfer`, { new_owner: 'ada' });
    expect(moved.status).to.be.below(300);
    await mill.host.settle();
    const at = '/api/v1/repos/ada/forge/environments/live';
    const shown = async () => JSON.stringify((await mill.send('GET', at)).body);
    const gone = `"reviewers":[{"type":"Team","id":${id},"reviewer":null,"is_gone":true}]`;
    expect(await shown()).to.include(gone);
    const environment = Number((await mill.send('GET', at)).body.id);
    const page = `/ada/forge/settings/actions/environments/${environment}`;
    const sent = { reviewers: '', wait_minutes: '0', branch_patterns: '' };
    expect((await submitForm(mill.ada, page, sent)).statusCode).to.equal(303);
    expect(await shown()).to.include(gone);
  });
});
