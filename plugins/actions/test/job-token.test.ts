import * as Code from '@hapi/code';
import * as Lab from '@hapi/lab';
import { registrationTokens, runnerDesk, siteScope } from '../api.js';
import { Mill, workflowText } from './run-kit.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const { expect } = Code;

describe('The token of a job', () => {
  let mill: Mill;
  let authorization: string;

  before(async () => {
    mill = await Mill.start();
    const { services } = mill.host;
    await mill.send('POST', '/api/v1/orgs', { username: 'guild' });
    await mill.send('PATCH', mill.api, { template: true });
    await mill.workflow('all.yml', `permissions: write-all\n${workflowText('workflow_dispatch', { one: '' })}`);
    await mill.send('POST', `${mill.api}/actions/workflows/all.yml/dispatches`, { ref: 'main' });
    await mill.host.settle();
    const token = await services.get(registrationTokens).current(siteScope);
    const wish = { token, name: 'one', version: 'v1', labels: ['linux'], isEphemeral: false, capabilities: [] };
    const { runner } = await services.get(runnerDesk).register(wish);
    const { task } = await services.get(runnerDesk).fetch(runner, 0n, new AbortController().signal);
    authorization = `token ${String(task!.secrets.GITHUB_TOKEN)}`;
  });
  after(() => mill.host.close());

  const ask = async (method: 'GET' | 'POST', url: string, payload?: object) => {
    const answer = await mill.host.inject({ method, url, headers: { authorization }, ...(payload && { payload }) });
    return answer.statusCode;
  };

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
