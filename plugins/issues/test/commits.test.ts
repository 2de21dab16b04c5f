import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { submitForm } from '@mortise/plugin-sdk/testing';
import { repositories } from '@mortise/repositories/api';
import { api, makeWorld, open, send, type World } from './support.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('commits that name issues', () => {
  let world: World;
  let written = 0;
  before(async () => {
    world = await makeWorld(['issues', 'files']);
  });
  after(() => world.host.close());

  const commit = async (by: World['ada'], message: string, branch?: string) => {
    const { status } = await send(by, 'POST', `${api}/contents/file-${++written}`, {
      content: Buffer.from(message).toString('base64'),
      message,
      ...(branch && { new_branch: branch }),
    });
    expect(status).to.equal(201);
    await world.host.settle();
  };
  const stateOf = async (index: number, at = api) =>
    (await send<{ state: string }>(world.ada, 'GET', `${at}/issues/${index}`)).body.state;
  const kinds = async (index: number) =>
    (await send<{ type: string }[]>(world.ada, 'GET', `${api}/issues/${index}/timeline`)).body.map(({ type }) => type);

  it('close and reopen them on the default branch, and are told of once', async () => {
    const [one, two] = [await open(world.ada), await open(world.cas)];
    await commit(world.ben, `Several at once\n\ncloses #${one.number} and mentions #${two.number}`);
    expect([await stateOf(one.number), await stateOf(two.number)]).to.equal(['closed', 'open']);
    expect(await kinds(one.number)).to.equal(['commit_ref', 'close']);
    expect(await kinds(two.number)).to.equal(['commit_ref']);
    await commit(world.ada, `reopen #${one.number}`);
    expect(await stateOf(one.number)).to.equal('open');
  });

  it('close nothing on another branch, nor where whoever pushes may not write', async () => {
    const { number } = await open(world.ada);
    await commit(world.ada, `fixes #${number}`, 'side');
    expect([await stateOf(number), await kinds(number)]).to.equal(['open', ['commit_ref']]);
    await send(world.ada, 'POST', '/api/v1/user/repos', { name: 'depot' });
    await send(world.ada, 'POST', '/api/v1/repos/ada/depot/issues', { title: 'Depot' });
    await commit(world.ben, 'fix ada/depot#1');
    expect(await stateOf(1, '/api/v1/repos/ada/depot')).to.equal('open');
    await commit(world.ada, 'fix ada/depot#1 really');
    expect(await stateOf(1, '/api/v1/repos/ada/depot')).to.equal('closed');
  });

  it('issue 30: close issues from any branch where the repository says so, or the site for new ones', async () => {
    const { ada, host } = world;
    const page = '/ada/desk/settings';
    const choose = async (more: object) => {
      const form = { action: 'units', has_code: 'on', has_issues: 'on', issue_options: '1', ...more };
      expect((await submitForm(ada, page, form)).statusCode).to.equal(303);
    };
    const { number } = await open(ada);
    await choose({ close_issues_via_commit_in_any_branch: 'on', enable_issue_dependencies: 'on' });
    const { body } = await send<{ internal_tracker: object }>(ada, 'GET', api);
    expect(body.internal_tracker).to.not.include('close_issues_via_commit_in_any_branch');
    await commit(ada, `fixes #${number}`, 'other-side');
    expect(await stateOf(number)).to.equal('closed');
    await choose({ enable_issue_dependencies: 'on' });
    await commit(ada, `reopens #${number}`, 'third-side');
    expect(await stateOf(number)).to.equal('closed');
    const optionsOf = async (name: string) =>
      (await host.services.get(repositories).byPath('ada', name))!.units.find(({ key }) => key === 'issues')!.config;
    expect(await optionsOf('depot')).to.include({ close_issues_via_commit_in_any_branch: false });
  });

  it('are told of to those alone who may read them', async () => {
    const { number } = await open(world.ada);
    await send(world.ada, 'POST', '/api/v1/user/repos', { name: 'vault', private: true });
    const message = `secret plan, see ada/desk#${number}`;
    const content = Buffer.from(message).toString('base64');
    await send(world.ada, 'POST', '/api/v1/repos/ada/vault/contents/plan', { content, message });
    await world.host.settle();
    const told = async (by: World['ada']) => {
      const { body, headers } = await send<object[]>(by, 'GET', `${api}/issues/${number}/timeline`);
      return [body.length, headers['x-total-count']];
    };
    expect(await told(world.ada)).to.equal([1, '1']);
    expect(await told(world.ben)).to.equal([0, '0']);
  });

  it('do not close what waits for something open', async () => {
    const [roof, walls] = [await open(world.ada), await open(world.ada)];
    await send(world.ada, 'POST', `${api}/issues/${roof.number}/dependencies`, {
      owner: 'ada',
      repo: 'desk',
      index: walls.number,
    });
    await commit(world.ada, `fixes #${roof.number}`);
    expect(await stateOf(roof.number)).to.equal('open');
  });
});
