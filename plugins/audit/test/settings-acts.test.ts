import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { submitForm } from '@mortise/plugin-sdk/testing';
import { password } from '@mortise/accounts/testing';
import { Browser } from '@mortise/sessions/testing';
import { createRepository, send, sshKey, startScene, type Scene } from '@mortise/repositories/testing';
import type { ApiEntry } from '../services/presenter.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('the audit log of settings and sign-ins', () => {
  let scene: Scene;
  const at = '/repos/ada/tool';

  before(async () => {
    scene = await startScene({
      plugins: [
        ...['audit', 'organizations', 'actions', 'webhooks', 'webhook-mortise', 'branch-protection', 'oauth2-provider'],
        ...['sessions', 'auth-basic', 'git-hooks', 'releases', 'package-generic', 'issues', 'mirrors'],
      ],
      settings: { security: { DISABLE_GIT_HOOKS: false }, migrations: { ALLOW_LOCALNETWORKS: true } },
    });
    await createRepository(scene.host, scene.ada.account, { name: 'tool', autoInit: true });
  });
  after(() => scene?.host.close());

  /** Entries of a subject, oldest first. */
  const entries = async (subject: string): Promise<ApiEntry[]> =>
    ((await send(scene.root, 'GET', `/admin/audit?action=${subject}`)).json as ApiEntry[]).reverse();
  const verbs = async (subject: string) =>
    (await entries(subject)).map(({ action, repository, way }) => [action.split('.')[1], repository?.name, way]);
  const ada = async (method: string, path: string, payload?: object, status = 200) => {
    const answer = await send(scene.ada, method, path, payload);
    expect(Math.floor(answer.statusCode / 100), `${method} ${path}: ${answer.payload}`).to.equal(
      Math.floor(status / 100),
    );
    return answer.json as { id: number; number: number; remote_name: string };
  };
  const tool = (...names: string[]) => names.map((verb) => [verb, 'ada/tool', 'api']);

  it('has secrets and variables by their names alone', async () => {
    await ada('PUT', `${at}/actions/secrets/KEY`, { data: 'hush-hush' });
    await ada('DELETE', `${at}/actions/secrets/KEY`);
    await ada('POST', `${at}/actions/variables/COLOR`, { value: 'hush-green' });
    await ada('PUT', `${at}/actions/variables/COLOR`, { value: 'hush-red' });
    await ada('DELETE', `${at}/actions/variables/COLOR`);
    await ada('PUT', `${at}/environments/live`, {});
    await ada('PUT', `${at}/environments/live`, { wait_timer: 3 });
    await ada('DELETE', `${at}/environments/live`);
    expect(await verbs('environment')).to.equal(tool('create', 'edit', 'delete'));
    expect(await verbs('secret')).to.equal(tool('set', 'delete'));
    expect(await verbs('variable')).to.equal(tool('create', 'edit', 'delete'));
    expect((await scene.root.inject('/api/v1/admin/audit/export')).payload).not.to.include('hush');
  });

  it('has webhooks by host, since the rest of an address can be a secret', async () => {
    const config = { url: 'http://127.0.0.1:9/hush-path', content_type: 'json', secret: 'hush' };
    const { id } = await ada('POST', `${at}/hooks`, { type: 'mortise', active: true, events: ['push'], config });
    await ada('PATCH', `${at}/hooks/${id}`, { active: false });
    await ada('DELETE', `${at}/hooks/${id}`);
    expect(await verbs('webhook')).to.equal(tool('create', 'edit', 'delete'));
    const [made] = await entries('webhook');
    expect(made!.details).to.equal({ host: '127.0.0.1:9', active: true, level: 'repository' });
    expect(JSON.stringify(made)).not.to.include('hush');
  });

  it('has mirrors by host, since the rest of an address can be a secret', async () => {
    const mirror = { remote_address: 'https://127.0.0.1/hush.git', remote_username: 'hush', remote_password: 'hush' };
    const { remote_name: name } = await ada('POST', `${at}/push_mirrors`, { ...mirror, interval: '0' });
    await ada('DELETE', `${at}/push_mirrors/${name}`);
    expect(await verbs('push_mirror')).to.equal(tool('create', 'delete'));
    const [made] = await entries('push_mirror');
    expect(made!.target).to.include({ kind: 'push_mirror', name: '127.0.0.1' });
    expect(JSON.stringify(made)).not.to.include('hush');
  });

  it('has issues that are deleted', async () => {
    const { number } = await ada('POST', `${at}/issues`, { title: 'hush' });
    await ada('DELETE', `${at}/issues/${number}`);
    expect(await verbs('issue')).to.equal(tool('delete'));
    expect((await entries('issue'))[0]!.target).to.include({ kind: 'issue', name: `#${number}` });
  });

  it('has protections of branches and tags', async () => {
    await ada('POST', `${at}/branch_protections`, { rule_name: 'main' });
    await ada('PATCH', `${at}/branch_protections/main`, { enable_push: true });
    await ada('DELETE', `${at}/branch_protections/main`);
    expect(await verbs('branch_protection')).to.equal(tool('create', 'edit', 'delete'));
    const { id } = await ada('POST', `${at}/tag_protections`, { name_pattern: 'v*', whitelist_usernames: ['ada'] });
    await ada('PATCH', `${at}/tag_protections/${id}`, { name_pattern: 'w*', whitelist_usernames: ['ada'] });
    await ada('DELETE', `${at}/tag_protections/${id}`);
    expect(await verbs('tag_protection')).to.equal(tool('create', 'edit', 'delete'));
  });

  it('has deploy keys, Git hooks, releases and packages that are deleted', async () => {
    const key = await ada('POST', `${at}/keys`, { title: 'robot', key: sshKey(7), read_only: true });
    await ada('DELETE', `${at}/keys/${key.id}`);
    expect(await verbs('deploy_key')).to.equal(tool('create', 'delete'));
    expect((await send(scene.root, 'PATCH', `${at}/hooks/git/update`, { content: 'exit 0' })).statusCode).to.equal(200);
    expect(await verbs('git_hook')).to.equal(tool('edit'));
    const release = await ada('POST', `${at}/releases`, { tag_name: 'v1' });
    await ada('DELETE', `${at}/releases/${release.id}`);
    expect(await verbs('release')).to.equal(tool('delete'));
    const file = '/api/packages/ada/generic/thing/1.0/a.txt';
    const put = await scene.ada.inject({ method: 'PUT', url: file, payload: 'a' });
    expect(put.statusCode).to.equal(201);
    await ada('DELETE', '/packages/ada/generic/thing/1.0');
    const [gone] = await entries('package.delete');
    expect([gone!.target.name, gone!.owner?.name, gone!.actor?.name]).to.equal(['thing 1.0', 'ada', 'ada']);
  });

  it('has tokens that register runners', async () => {
    await ada('POST', `${at}/actions/runners/registration-token`);
    expect(await verbs('runner_token')).to.equal(tool('create'));
  });

  it('has OAuth2 applications', async () => {
    const body = { name: 'one', redirect_uris: ['https://example.com/back'], confidential_client: true };
    const { id } = await ada('POST', '/user/applications/oauth2', body);
    await ada('PATCH', `/user/applications/oauth2/${id}`, { ...body, name: 'two' });
    await ada('DELETE', `/user/applications/oauth2/${id}`);
    const list = await entries('oauth2_application');
    expect(list.map(({ action, target, owner }) => [action, target.name, owner?.name])).to.equal([
      ['oauth2_application.create', 'one', 'ada'],
      ['oauth2_application.edit', 'two', 'ada'],
      ['oauth2_application.delete', 'two', 'ada'],
    ]);
  });

  it('has what an administrator does with accounts, on a page and by API, in the name of the administrator', async () => {
    const { root, ben } = scene;
    const fields = { username: 'dora', email: 'dora@example.com', password };
    expect((await submitForm(root, '/-/admin/users/new', fields)).statusCode).to.equal(303);
    const made = (await entries('user.create')).filter(({ target }) => target.name === 'dora');
    expect(made.map(({ actor, way, user }) => [actor?.name, way, user?.name])).to.equal([['root', 'page', 'dora']]);
    await send(root, 'PATCH', '/admin/users/ben', { source_id: 0, login_name: 'ben', prohibit_login: true });
    const last = (await entries('user.edit')).at(-1)!;
    expect([last.actor?.name, last.user?.id, last.way]).to.equal(['root', ben.account.id, 'api']);
    expect(last.details).to.equal({ changed: ['prohibitLogin=true', 'loginName'] });
  });

  it('has signing in and out, by the one who signs in, and a wrong password', async () => {
    const { host } = scene;
    const browser = await Browser.signedIn(host, 'ada');
    await browser.go('/');
    await browser.submit('/user/logout');
    await browser.go('/user/login');
    await browser.submit('/user/login', { user_name: 'ada', password: `${password}er` });
    const list = (await entries('user')).filter(({ action }) => action.startsWith('user.sign_'));
    expect(
      list.map(({ action, actor, user, way, address }) => [action, actor?.name, user?.name, way, address]),
    ).to.equal([
      ['user.sign_in', 'ada', 'ada', 'page', '127.0.0.1'],
      ['user.sign_out', 'ada', 'ada', 'page', '127.0.0.1'],
      ['user.sign_in_failed', undefined, 'ada', 'page', '127.0.0.1'],
    ]);
  });
});
