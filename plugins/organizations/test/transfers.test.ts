import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { TestClient } from '@mortise/plugin-sdk/testing';
import { send, startScene, type Scene } from '@mortise/repositories/testing';
import { signUp } from '@mortise/accounts/testing';
import { accounts as accountsRef } from '@mortise/accounts/api';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('transfers to organizations', () => {
  let scene: Scene;
  let cat: TestClient;
  const accounts = () => scene.host.services.get(accountsRef);
  const status = async (by: TestClient | Scene['host'], method: string, path: string, payload?: object) =>
    (await send(by as TestClient, method, path, payload)).statusCode;
  const made = async (name: string, more = {}) =>
    (await send(scene.ada, 'POST', '/orgs', { username: name, ...more })).json;
  const team = async (org: string, name: string, more: object) =>
    (await send(scene.ada, 'POST', `/orgs/${org}/teams`, { name, units: ['repo.code'], permission: 'read', ...more }))
      .json.id as number;
  const join = (id: number, name: string) => send(scene.ada, 'PUT', `/teams/${id}/members/${name}`);

  before(async () => {
    scene = await startScene({ plugins: ['organizations', 'repositories'] });
    const account = await accounts().create({ name: 'cat', email: 'cat@example.com', password: 'long enough' });
    cat = scene.host.as(accounts().actorOf(account, 'test'));
  });
  after(() => scene.host.close());

  it('an offer to an organization is answered by those who may create repositories there', async () => {
    await made('guild');
    await send(cat, 'POST', '/user/repos', { name: 'gift', private: true });
    expect(await status(cat, 'POST', '/repos/cat/gift/transfer', { new_owner: 'guild' })).to.equal(201);
    expect(await status(scene.ben, 'POST', '/repos/cat/gift/transfer/accept')).to.equal(404);
    expect(await status(scene.ada, 'POST', '/repos/cat/gift/transfer/accept')).to.equal(202);
    expect(await status(scene.ada, 'GET', '/repos/guild/gift')).to.equal(200);
  });

  it('C3: an offer to an organization waits with its teams, which have the repository once a creator accepted it', async () => {
    await made('forge');
    const smiths = await team('forge', 'smiths', { visibility: 'public' });
    const makers = await team('forge', 'makers', { can_create_org_repo: true });
    await join(makers, 'ben');
    const member = await signUp(scene.host, 'plain-member');
    await join(smiths, 'plain-member');
    await send(cat, 'POST', '/user/repos', { name: 'anvil', private: true });
    const at = '/repos/cat/anvil';
    const offer = () => send(cat, 'POST', `${at}/transfer`, { new_owner: 'forge', team_ids: [smiths] });
    const offered = await offer();
    expect(offered.statusCode).to.equal(201);
    expect(offered.json.repo_transfer.teams.map(({ name }: { name: string }) => name)).to.equal(['smiths']);
    // who may answer may look; a member who may not create anything there sees nothing of it
    expect(await status(scene.ben, 'GET', at)).to.equal(200);
    expect(await status(member, 'POST', `${at}/transfer/accept`)).to.equal(404);
    expect(await status(scene.ada, 'POST', `${at}/transfer/reject`)).to.equal(200);
    expect((await offer()).statusCode).to.equal(201);
    await send(cat, 'PATCH', at, { private: false });
    for (const answer of ['accept', 'reject'])
      for (const by of [member, cat]) expect(await status(by, 'POST', `${at}/transfer/${answer}`)).to.equal(403);
    await send(cat, 'PATCH', at, { private: true });
    expect(await status(scene.ben, 'POST', `${at}/transfer/accept`)).to.equal(202);
    const teams = (await send(scene.ada, 'GET', '/repos/forge/anvil/teams')).json as { name: string }[];
    expect(teams.map(({ name }) => name)).to.include('smiths');
    expect(await status(member, 'GET', '/repos/forge/anvil')).to.equal(200);
    // who handed it over is no guest there
    expect(await status(cat, 'GET', '/repos/forge/anvil')).to.equal(404);
  });

  it('C3: who hands a repository of an organization over is no guest of it afterwards', async () => {
    await made('sellers');
    await made('buyers');
    const other = await signUp(scene.host, 'seller');
    const owners = (await send(scene.ada, 'GET', '/orgs/sellers/teams')).json as { id: number; name: string }[];
    await join(owners.find(({ name }) => name === 'Owners')!.id, 'seller');
    await send(other, 'POST', '/orgs/sellers/repos', { name: 'goods', private: true });
    await send(other, 'PUT', '/repos/sellers/goods/collaborators/seller', { permission: 'admin' });
    expect(await status(other, 'POST', '/repos/sellers/goods/transfer', { new_owner: 'buyers' })).to.equal(201);
    expect(await status(scene.ada, 'POST', '/repos/sellers/goods/transfer/accept')).to.equal(202);
    expect(await status(other, 'GET', '/repos/buyers/goods')).to.equal(404);
    const guests = (await send(scene.ada, 'GET', '/repos/buyers/goods/collaborators')).json as object[];
    expect(guests).to.equal([]);
  });

  it('C3: a transfer that names nobody is 404', async () => {
    await send(cat, 'POST', '/user/repos', { name: 'nowhere' });
    for (const payload of [{}, { new_owner: '' }, { new_owner: null }, { new_owner: 'no-such-account' }])
      expect(await status(cat, 'POST', '/repos/cat/nowhere/transfer', payload)).to.equal(404);
  });
});
