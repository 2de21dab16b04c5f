import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { submitForm } from '@mortise/plugin-sdk/testing';
import { basicAuth } from '@mortise/accounts/testing';
import { GitClient } from '@mortise/git/testing';
import { createRepository, remoteUrl, send, sshKey, startScene, type Scene } from '@mortise/repositories/testing';
import type { ApiEntry } from '../services/presenter.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('the audit log of acts', () => {
  let scene: Scene;

  before(async () => {
    scene = await startScene({
      plugins: ['audit', 'organizations', 'auth-basic', 'auth-token', 'sessions', 'git-http'],
      settings: { repository: { ENABLE_PUSH_CREATE_USER: true } },
    });
  });
  after(() => scene.host.close());

  const entries = async (query: string): Promise<ApiEntry[]> =>
    (await send(scene.root, 'GET', `/admin/audit?${query}`)).json as ApiEntry[];

  it('has an act by API once, with who, what, whose and from where', async () => {
    const { ada } = scene;
    const made = await send(ada, 'POST', '/user/keys', { title: 'laptop', key: sshKey(1) });
    expect(made.statusCode).to.equal(201);
    const list = await entries('action=public_key.create');
    expect(list).to.have.length(1);
    expect(list[0]).to.include({ action: 'public_key.create', way: 'api', address: '127.0.0.1' });
    expect([list[0]!.actor?.name, list[0]!.user?.name]).to.equal(['ada', 'ada']);
    expect(list[0]!.target).to.include({ kind: 'public_key', name: 'laptop' });
    await send(ada, 'DELETE', `/user/keys/${made.json.id}`);
    expect(await entries('action=public_key.delete&target=lap')).to.have.length(1);
  });

  it('has an act on a page once', async () => {
    const { ada } = scene;
    const answer = await submitForm(ada, '/user/settings/keys', { title: 'desk', key: sshKey(2) });
    expect(answer.statusCode).to.equal(303);
    const list = await entries('action=public_key.create&target=desk');
    expect(list.map(({ way }) => way)).to.equal(['page']);
  });

  it('has an act by git once: a repository that a push makes', async () => {
    const { host } = scene;
    const git = new GitClient(host);
    const folder = await git.workTree({ 'a.txt': 'a' });
    await git.run(folder, 'push', '-q', await remoteUrl(host, 'ada/pushed.git', 'ada'), 'main');
    const list = await entries('target=ada/pushed');
    expect(list.map(({ action, way, actor }) => [action, way, actor?.name])).to.equal([
      ['repository.create', 'git', 'ada'],
    ]);
    expect(list[0]!.address).not.to.be.empty();
  });

  it('has an act by command, with the name that the operating system knows', async () => {
    const { host } = scene;
    await host.command('admin user create', {
      username: 'cleo',
      email: 'cleo@example.com',
      password: 'a long password',
    });
    const list = await entries('action=user.create&target=cleo');
    expect(list.map(({ way, address, user }) => [way, address, user?.name])).to.equal([['command', '', 'cleo']]);
    expect(list[0]!.actor?.name).not.to.be.empty();
  });

  it('has what is done to repositories, each act for itself, and the names stay when they are deleted', async () => {
    const { host, ada, ben } = scene;
    await createRepository(host, ada.account, 'tool');
    const path = '/repos/ada/tool';
    await send(ada, 'PUT', `${path}/collaborators/ben`, { permission: 'read' });
    await send(ada, 'PATCH', path, { private: true, archived: true, description: 'new' });
    await send(ada, 'PATCH', path, { name: 'gear' });
    await send(ada, 'DELETE', '/repos/ada/gear/collaborators/ben');
    const own = (await send(ada, 'GET', '/repos/ada/gear/audit-log')).json as ApiEntry[];
    expect(own.map(({ action }) => action).reverse()).to.equal([
      'repository.create',
      'collaborator.set',
      'repository.change_visibility',
      'repository.archive',
      'repository.edit',
      'repository.rename',
      'collaborator.remove',
    ]);
    expect(own[5]!.user?.name).to.equal('ben');
    expect((await send(ben, 'GET', '/user/security-log')).json.map(({ action }: ApiEntry) => action)).to.include(
      'collaborator.remove',
    );
    await send(ada, 'POST', '/repos/ada/gear/transfer', { new_owner: 'ben' });
    await send(ben, 'POST', '/repos/ada/gear/transfer/reject');
    const offers = (await send(ada, 'GET', '/repos/ada/gear/audit-log?action=repository&limit=2')).json as ApiEntry[];
    expect(offers.map(({ action, actor }) => [action, actor?.name])).to.equal([
      ['repository.reject_transfer', 'ben'],
      ['repository.offer_transfer', 'ada'],
    ]);
    await send(ada, 'POST', '/user/repos', { name: 'cog' });
    await send(ada, 'POST', '/repos/ada/cog/transfer', { new_owner: 'ben' });
    await send(ben, 'POST', '/repos/ada/cog/transfer/accept');
    const [away] = await entries('action=repository.transfer_away');
    expect([away!.target.name, away!.owner?.name, away!.details]).to.equal(['ada/cog', 'ada', { to: 'ben' }]);
    await send(ada, 'DELETE', '/repos/ada/gear');
    const [gone] = await entries('action=repository.delete');
    expect(gone).to.include({ action: 'repository.delete' });
    expect([gone!.repository?.name, gone!.owner?.name]).to.equal(['ada/gear', 'ada']);
  });

  it('has what is done to organizations, teams and their members, for owners', async () => {
    const { ada, ben } = scene;
    await send(ada, 'POST', '/orgs', { username: 'acme' });
    const team = await send(ada, 'POST', '/orgs/acme/teams', { name: 'devs', permission: 'admin' });
    await send(ada, 'PUT', `/teams/${team.json.id}/members/ben`);
    await send(ada, 'DELETE', `/teams/${team.json.id}/members/ben`);
    await send(ada, 'DELETE', `/teams/${team.json.id}`);
    const answer = await send(ada, 'GET', '/orgs/acme/audit-log?action=team&target=devs');
    expect((answer.json as ApiEntry[]).map(({ action }) => action).reverse()).to.equal([
      'team.create',
      'team.add_member',
      'team.remove_member',
      'team.delete',
    ]);
    await send(ada, 'PATCH', '/orgs/acme', { repo_admin_change_team_access: true, visibility: 'limited' });
    const edits = (await send(ada, 'GET', '/orgs/acme/audit-log?action=organization.edit')).json as ApiEntry[];
    expect(edits.flatMap(({ details }) => details.changed).sort()).to.equal([
      'repositoryAdminsChangeTeams=true',
      'visibility=limited',
    ]);
    expect((await send(ben, 'GET', '/orgs/acme/audit-log')).statusCode).to.equal(403);
    await send(ada, 'DELETE', '/orgs/acme');
    const [gone] = await entries('action=organization.delete');
    expect(gone!.owner?.name).to.equal('acme');
  });

  it('has sign-ins that failed, without what was typed as a name that nobody has', async () => {
    const { host } = scene;
    const wrong = (name: string) => ({
      authorization: `Basic ${Buffer.from(`${name}:not the password`).toString('base64')}`,
    });
    const inject = (name: string) => host.inject({ url: '/api/v1/user', headers: wrong(name) });
    expect((await inject('ada')).statusCode).to.equal(401);
    expect((await inject('my-secret-typed-too-early')).statusCode).to.equal(401);
    const list = await entries('action=user.sign_in_failed');
    expect(list.map(({ target, address, actor }) => [target.name, address, actor])).to.equal([
      ['', '127.0.0.1', null],
      ['ada', '127.0.0.1', null],
    ]);
  });

  it('shows a token by its name and its scopes, and never its text', async () => {
    const made = await scene.host.inject({
      method: 'POST',
      url: '/api/v1/users/ada/tokens',
      headers: { authorization: basicAuth('ada') },
      payload: { name: 'ci', scopes: ['read:user'] },
    });
    expect(made.statusCode).to.equal(201);
    const log = (await send(scene.root, 'GET', '/admin/audit?action=access_token')).payload;
    expect(log).to.include('read:user').and.to.include('"name":"ci"');
    expect(log).not.to.include((made.json as { sha1: string }).sha1);
  });
});
