import * as Code from '@hapi/code';
import * as Lab from '@hapi/lab';
import { registrationTokens, runnerService, siteScope } from '../api.js';
import { Mill, workflowText } from './run-kit.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const { expect } = Code;

describe('The token of a job', () => {
  let mill: Mill;
  let authorization: string;

  before(async () => {
    mill = await Mill.start(['issues']);
    const { services } = mill.host;
    await mill.send('POST', '/api/v1/orgs', { username: 'guild' });
    await mill.send('PATCH', mill.api, { template: true });
    await mill.workflow('all.yml', `permissions: write-all\n${workflowText('workflow_dispatch', { one: '' })}`);
    await mill.send('POST', `${mill.api}/actions/workflows/all.yml/dispatches`, { ref: 'main' });
    await mill.host.settle();
    const token = await services.get(registrationTokens).current(siteScope);
    const input = { token, name: 'one', version: 'v1', labels: ['linux'], isEphemeral: false, capabilities: [] };
    const { runner } = await services.get(runnerService).register(input);
    const { task } = await services.get(runnerService).fetch(runner, 0n, new AbortController().signal);
    authorization = `token ${String(task!.secrets.GITHUB_TOKEN)}`;
  });
  after(() => mill.host.close());

  const ask = async (method: 'GET' | 'POST' | 'DELETE', url: string, payload?: object) => {
    const answer = await mill.host.inject({ method, url, headers: { authorization }, ...(payload && { payload }) });
    return answer.statusCode;
  };

  it('ISS-31: removes a label of an issue, and all of them, where it may write issues', async () => {
    const named = async (name: string) =>
      Number((await mill.send('POST', `${mill.api}/labels`, { name, color: '#00aabb' })).body.id);
    const labels = [await named('one'), await named('two'), await named('three')];
    const { body } = await mill.send('POST', `${mill.api}/issues`, { title: 'labelled', labels });
    const url = `${mill.api}/issues/${String(body.number)}/labels`;
    const left = async () =>
      ((await mill.send('GET', url)).body as unknown as readonly { readonly id: number }[]).map(({ id }) => id).sort();
    expect(await left()).to.equal([...labels].sort());
    expect(await ask('DELETE', `${url}/${labels[0]}`)).to.equal(204);
    expect(await left()).to.equal(labels.slice(1).sort());
    expect(await ask('DELETE', url)).to.equal(204);
    expect(await left()).to.equal([]);
  });

  it('GEN-03: acts as the account with the id -2, which is neither a user nor in an organization or a team', async () => {
    const made = await mill.host.inject({
      method: 'POST',
      url: `${mill.api}/issues`,
      headers: { authorization },
      payload: { title: 'made by a job' },
    });
    expect(made.statusCode).to.equal(201);
    const { user } = made.json as { readonly user: object };
    expect(user).to.include({ id: -2, login: 'gitea-actions', full_name: 'Mortise Actions' });
    // it is no owner of the organization, and makes none
    expect(await ask('POST', '/api/v1/orgs/guild/teams', { name: 'crew', units: ['repo.code'] })).to.equal(403);
    expect(await ask('POST', '/api/v1/orgs', { username: 'robots' })).to.equal(403);
  });

  it('S5: makes no repositories: the account that jobs act as owns nothing, and is in no organization', async () => {
    expect(await ask('GET', mill.api)).to.equal(200);
    expect(await ask('POST', `${mill.api}/forks`, {})).to.equal(403);
    expect(await ask('POST', `${mill.api}/forks`, { name: 'other' })).to.equal(403);
    expect(await ask('POST', `${mill.api}/forks`, { organization: 'guild' })).to.equal(403);
    expect(await ask('POST', `${mill.api}/generate`, { owner: 'ada', name: 'made', git_content: true })).to.equal(403);
    expect(await ask('POST', `${mill.api}/generate`, { owner: 'guild', name: 'made', git_content: true })).to.equal(
      403,
    );
    expect(await ask('POST', '/api/v1/user/repos', { name: 'made' })).to.equal(403);
    expect(await ask('POST', '/api/v1/orgs/guild/repos', { name: 'made' })).to.equal(403);
  });
});
