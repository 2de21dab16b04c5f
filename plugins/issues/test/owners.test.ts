import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import { accounts as accountsRef } from '@mortise/accounts/api';
import { api, makeWorld, open, send, type Named, type World } from './support.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('issues when owners and people change', () => {
  let world: World;
  before(async () => {
    world = await makeWorld(['issues', 'organizations']);
  });
  after(() => world.host.close());

  it('labels of an organization stay with it when a repository goes to another owner', async () => {
    const { ada } = world;
    await send(ada, 'POST', '/api/v1/orgs', { username: 'guild' });
    const label = { name: 'prio/high', color: '#d73a4a' };
    const { body } = await send<Named>(ada, 'POST', '/api/v1/orgs/guild/labels', label);
    await send(ada, 'POST', '/api/v1/orgs/guild/repos', { name: 'hall' });
    const own = await send<Named>(ada, 'POST', '/api/v1/repos/guild/hall/labels', { name: 'local', color: '#00aabb' });
    const issue = { title: 'Roof', labels: [body.id, own.body.id] };
    const made = await send<{ labels: Named[] }>(ada, 'POST', '/api/v1/repos/guild/hall/issues', issue);
    expect(made.body.labels.map(({ name }) => name)).to.equal(['local', 'prio/high']);
    const moved = await send(ada, 'POST', '/api/v1/repos/guild/hall/transfer', { new_owner: 'ada' });
    expect(moved.status).to.be.within(201, 202);
    const left = await send<Named[]>(ada, 'GET', '/api/v1/repos/ada/hall/issues/1/labels');
    expect(left.body.map(({ name }) => name)).to.equal(['local']);
    const told = await send<{ type: string; label: Named | null }[]>(
      ada,
      'GET',
      '/api/v1/repos/ada/hall/issues/1/timeline',
    );
    expect(told.body.map(({ type, label: shown }) => `${type} ${shown?.name ?? ''}`)).to.equal([
      'label ',
      'label local',
    ]);
  });

  it('who has no account any more is assigned to nothing, and what they wrote stays', async () => {
    const { ada, ben } = world;
    const { number } = await open(ada, { assignees: ['ben'] });
    await send(ben, 'POST', `${api}/issues/${number}/comments`, { body: 'My last words' });
    await world.host.services.get(accountsRef).delete(ben.account.id);
    const { body } = await send<{ assignees: unknown }>(ada, 'GET', `${api}/issues/${number}`);
    expect(body.assignees).to.be.null();
    const said = await send<{ body: string; user: { login: string } }[]>(
      ada,
      'GET',
      `${api}/issues/${number}/comments`,
    );
    expect(said.body.map((one) => [one.body, one.user.login])).to.equal([['My last words', 'Ghost']]);
  });
});
