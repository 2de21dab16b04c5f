import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { TestClient } from '@mortise/plugin-sdk/testing';
import { accounts as accountsRef } from '@mortise/accounts/api';
import { png, send, sshKey, startScene, type Scene } from '../testing.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('an account that is blocked', () => {
  let scene: Scene;
  before(async () => {
    scene = await startScene({ plugins: ['repositories', 'stars', 'forks', 'git-hooks', 'admin'] });
    await send(scene.ada, 'POST', '/user/repos', { name: 'mine', auto_init: true });
    await send(scene.ben, 'POST', '/user/repos', { name: 'his', auto_init: true });
    expect((await send(scene.ada, 'PUT', '/user/blocks/ben')).statusCode).to.equal(204);
  });
  after(() => scene.host.close());
  const status = async (client: TestClient, method: string, path: string, payload?: object) =>
    (await send(client, method, path, payload)).statusCode;

  it('neither stars, watches nor forks, nor gives away to who blocks it', async () => {
    const { ben } = scene;
    expect(await status(ben, 'PUT', '/user/starred/ada/mine')).to.equal(403);
    expect(await status(ben, 'PUT', '/repos/ada/mine/subscription')).to.equal(403);
    expect(await status(ben, 'POST', '/repos/ada/mine/forks', {})).to.equal(403);
    expect(await status(ben, 'POST', '/repos/ben/his/transfer', { new_owner: 'ada' })).to.equal(403);
    expect(await status(ben, 'GET', '/repos/ada/mine')).to.equal(200);
    expect(await status(ben, 'DELETE', '/user/starred/ada/mine')).to.equal(204);
  });

  it('works with the other on nothing, whoever invites', async () => {
    expect(await status(scene.ada, 'PUT', '/repos/ada/mine/collaborators/ben', {})).to.equal(403);
    expect(await status(scene.ben, 'PUT', '/repos/ben/his/collaborators/ada', {})).to.equal(403);
  });

  it('parts with the other: marks, work and offers of both ways are gone', async () => {
    const { ada, ben, cas } = { cas: scene.root, ...scene };
    expect(await status(ada, 'DELETE', '/user/blocks/ben')).to.equal(204);
    for (const [who, method, path, body] of [
      [ben, 'PUT', '/user/starred/ada/mine'],
      [cas, 'PUT', '/user/starred/ada/mine'],
      [ben, 'PUT', '/repos/ada/mine/subscription'],
      [ada, 'PUT', '/repos/ada/mine/collaborators/ben', {}],
      [ada, 'PUT', '/user/starred/ben/his'],
      [ben, 'POST', '/repos/ben/his/transfer', { new_owner: 'ada' }],
    ] as const)
      expect(await status(who, method, path, body), path).to.be.below(300);
    const record = async (path: string) => (await send(ben, 'GET', `/repos/${path}`)).json;
    expect((await record('ben/his')).repo_transfer).to.exist();
    const { stars_count: stars, watchers_count: watchers } = await record('ada/mine');
    expect(await status(ada, 'PUT', '/user/blocks/ben')).to.equal(204);
    const mine = await record('ada/mine');
    expect([mine.stars_count, mine.watchers_count, mine.permissions.push]).to.equal([stars - 1, watchers - 1, false]);
    expect(await status(cas, 'GET', '/user/starred/ada/mine')).to.equal(204);
    const his = await record('ben/his');
    expect([his.stars_count, his.repo_transfer ?? null]).to.equal([0, null]);
    expect((await send(ben, 'GET', '/users/ben')).json.starred_repos_count).to.equal(0);
  });

  it('is not met half-way: who blocks may look after what it likes, and administrators are not blocked', async () => {
    expect(await status(scene.ada, 'PUT', '/user/starred/ben/his')).to.equal(204);
    expect(await status(scene.ada, 'PUT', '/user/blocks/root')).to.equal(204);
    expect(await status(scene.root, 'PUT', '/user/starred/ada/mine')).to.equal(204);
    expect(await status(scene.ada, 'DELETE', '/user/blocks/ben')).to.equal(204);
    expect(await status(scene.ben, 'PUT', '/user/starred/ada/mine')).to.equal(204);
  });
});

describe('who is told what', () => {
  let scene: Scene;
  const nobody = () => scene.host as never as Scene['ada'];
  before(async () => {
    scene = await startScene({ plugins: ['repositories', 'stars', 'forks', 'git-hooks', 'admin'] });
    await send(scene.ada, 'POST', '/user/repos', { name: 'open', auto_init: true, template: true });
    await send(scene.ada, 'POST', '/user/repos', { name: 'shut', auto_init: true, template: true, private: true });
  });
  after(() => scene.host.close());

  it('GEN-06: what is private is not there for nobody; what is open asks to sign in (GEN-11)', async () => {
    const calls: [string, string, object?][] = [
      ['PATCH', '', { description: 'x' }],
      ['DELETE', ''],
      ['POST', '/generate', { owner: 'ada', name: 'x', git_content: true }],
      ['POST', '/transfer', { new_owner: 'ben' }],
      ['POST', '/transfer/accept'],
      ['POST', '/transfer/reject'],
      ['GET', '/hooks/git'],
      ['PATCH', '/hooks/git/update', { content: '' }],
      ['GET', '/collaborators'],
      ['GET', '/collaborators/ben'],
      ['GET', '/collaborators/ben/permission'],
      ['PUT', '/collaborators/ben', {}],
      ['GET', '/assignees'],
      ['GET', '/assignees/ada'],
      ['GET', '/reviewers'],
      ['POST', '/forks', {}],
      ['POST', '/merge-upstream', { branch: 'main' }],
      ['GET', '/keys'],
      ['POST', '/keys', { title: 'k', key: sshKey(1) }],
      ['GET', '/subscription'],
      ['PUT', '/subscription'],
      ['DELETE', '/subscription'],
      ['PUT', '/topics', { topics: [] }],
    ];
    // clients know these as refused, signed in or not
    const refused: [string, string, object?][] = [
      ['PUT', '/topics/x'],
      ['DELETE', '/topics/x'],
      ['POST', '/avatar', { image: png.toString('base64') }],
      ['DELETE', '/avatar'],
    ];
    const statuses = async ([method, path, payload]: (typeof calls)[number]) => {
      const ask = async (name: string) =>
        (await send(nobody(), method, `/repos/ada/${name}${path}`, payload)).statusCode;
      return [await ask('open'), await ask('shut')];
    };
    for (const call of calls) expect(await statuses(call), call.slice(0, 2).join(' ')).to.equal([401, 404]);
    for (const call of refused) expect(await statuses(call), call.slice(0, 2).join(' ')).to.equal([403, 404]);
  });

  it('lists of accounts: hidden ones have none, stars need signing in', async () => {
    const status = async (client: TestClient, path: string) => (await send(client, 'GET', path)).statusCode;
    expect(await status(nobody(), '/users/ada/repos')).to.equal(200);
    expect(await status(nobody(), '/users/ada/starred')).to.equal(401);
    expect(await status(scene.ben, '/users/ada/starred')).to.equal(200);
    await send(scene.root, 'PATCH', '/admin/users/ada', { visibility: 'private' });
    expect(await status(nobody(), '/users/ada/repos')).to.equal(404);
    expect(await status(scene.ben, '/users/ada/repos')).to.equal(404);
    expect(await status(scene.ada, '/users/ada/repos')).to.equal(200);
  });

  it('TOK-15, TOK-26: scopes of these lists, and public-only tokens of hidden accounts', async () => {
    const accounts = scene.host.services.get(accountsRef);
    const ben = (await accounts.byName('ben'))!;
    const token = (account: typeof ben, more: object) => scene.host.as(accounts.actorOf(account, 'token', more));
    const reading = token(ben, { scopes: { user: 'read' } });
    const status = async (client: TestClient, method: string, path: string) =>
      (await send(client, method, path)).statusCode;
    expect(await status(reading, 'GET', '/user/subscriptions')).to.equal(200);
    expect(await status(reading, 'GET', '/users/ben/subscriptions')).to.equal(200);
    expect(await status(reading, 'GET', '/users/ben/starred')).to.equal(200);
    expect(await status(reading, 'GET', '/user/starred')).to.equal(403);
    expect(await status(reading, 'GET', '/user/repos')).to.equal(403);
    await send(scene.root, 'PATCH', '/admin/users/ada', { visibility: 'private' });
    const limited = token((await accounts.byName('ada'))!, { publicOnly: true });
    const calls = ['GET /user/repos', 'GET /user/starred', 'GET /user/subscriptions', 'PUT /user/starred/ada/open'];
    for (const call of calls) {
      const [method = '', path = ''] = call.split(' ');
      expect(await status(limited, method, path), call).to.equal(403);
    }
    expect((await send(limited, 'POST', '/user/repos', { name: 'more' })).statusCode).to.equal(403);
    expect(await status(token(ben, { publicOnly: true }), 'GET', '/user/repos')).to.equal(200);
    await send(scene.root, 'PATCH', '/admin/users/ada', { visibility: 'public' });
  });

  it('what becomes private loses its stars, and so do its forks', async () => {
    const { ada, ben, root } = scene;
    await send(ada, 'POST', '/user/repos', { name: 'bright', auto_init: true });
    await send(root, 'POST', '/repos/ada/bright/forks', {});
    for (const path of ['ada/bright', 'root/bright'])
      for (const client of [ada, ben]) await send(client, 'PUT', `/user/starred/${path}`);
    const stars = async () => [
      (await send(root, 'GET', '/repos/ada/bright')).json.stars_count,
      (await send(root, 'GET', '/repos/root/bright')).json.stars_count,
      (await send(ben, 'GET', '/users/ben')).json.starred_repos_count,
    ];
    expect(await stars()).to.equal([2, 2, 2]);
    await send(ada, 'PATCH', '/repos/ada/bright', { private: true });
    expect(await stars()).to.equal([0, 0, 0]);
    expect((await send(ada, 'GET', '/user/starred')).json).to.equal([]);
    // Who may read it may star it again.
    expect((await send(ada, 'PUT', '/user/starred/ada/bright')).statusCode).to.equal(204);
    await send(ada, 'PATCH', '/repos/ada/bright', { private: true });
    await send(ada, 'PATCH', '/repos/ada/bright', { private: false });
    expect((await stars())[0]).to.equal(1);
  });

  it('assignees come by name, the owner last', async () => {
    await send(scene.root, 'POST', '/admin/users', {
      username: 'Abe',
      email: 'abe@example.com',
      password: 'long enough',
    });
    for (const name of ['ben', 'Abe']) await send(scene.ada, 'PUT', `/repos/ada/open/collaborators/${name}`, {});
    const logins = async (path: string) =>
      ((await send(scene.ada, 'GET', `/repos/ada/open/${path}`)).json as { login: string }[]).map((one) => one.login);
    expect(await logins('assignees')).to.equal(['Abe', 'ben', 'ada']);
    expect(await logins('reviewers')).to.equal(['Abe', 'ben', 'ada']);
  });

  it('says no to what a repository cannot be made of', async () => {
    const made = await send(scene.ada, 'POST', '/user/repos', { name: 'long', default_branch: 'x'.repeat(101) });
    expect(made.statusCode).to.equal(422);
    const topics = Array.from({ length: 26 }, (_, at) => `t${at}`);
    const refused = await send(scene.ada, 'PUT', '/repos/ada/open/topics', { topics });
    expect([refused.statusCode, refused.json.invalidTopics]).to.equal([422, null]);
    await send(scene.ada, 'POST', '/user/repos', { name: 'talk' });
    await send(scene.ada, 'PATCH', '/repos/ada/talk', { has_code: false });
    expect((await send(scene.ben, 'POST', '/repos/ada/talk/forks', {})).statusCode).to.equal(403);
    expect((await send(scene.ben, 'GET', '/repos/ada/talk/forks')).json).to.equal([]);
    // A person is no organization.
    const fork = (organization: string) => send(scene.ben, 'POST', '/repos/ada/open/forks', { organization });
    expect((await fork('ben')).statusCode).to.equal(404);
    // C4: a wish for git hooks is passed over without the right to them; a copy of nothing at all is refused.
    const generate = (more: object) => send(scene.ben, 'POST', '/repos/ada/open/generate', { owner: 'ben', ...more });
    expect((await generate({ name: 'nothing' })).statusCode).to.equal(422);
    expect((await generate({ name: 'hooks', git_hooks: true })).statusCode).to.equal(201);
    expect((await generate({ name: 'made', git_hooks: true, git_content: true })).statusCode).to.equal(201);
  });

  it('shows git hooks to whom they are entrusted also where they are off, and changes none', async () => {
    const hooks = '/repos/ada/open/hooks/git';
    expect((await send(scene.ada, 'GET', hooks)).statusCode).to.equal(403);
    await send(scene.root, 'PATCH', '/admin/users/ada', { allow_git_hook: true });
    expect((await send(scene.ada, 'GET', hooks)).json.length).to.equal(3);
    expect((await send(scene.ada, 'GET', `${hooks}/update`)).statusCode).to.equal(200);
    expect((await send(scene.ada, 'PATCH', `${hooks}/update`, { content: 'exit 1' })).statusCode).to.equal(403);
    expect((await send(scene.ada, 'DELETE', `${hooks}/update`)).statusCode).to.equal(403);
  });
});
