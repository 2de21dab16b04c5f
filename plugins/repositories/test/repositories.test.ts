import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startHost, type TestClient, type TestHost } from '@mortise/plugin-sdk/testing';
import { signUp } from '@mortise/accounts/testing';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('repositories', () => {
  let host: TestHost;
  let ada: TestClient;
  let ben: TestClient;

  const send = (client: TestClient, method: string, path: string, payload?: object) =>
    client.inject({ method, url: `/api/v1${path}`, ...(payload && { payload }) });
  const make = (name: string, more = {}) => send(ada, 'POST', '/user/repos', { name, ...more });

  before(async () => {
    host = await startHost({
      plugins: ['repositories', 'stars', 'forks', 'issues', 'pulls'],
      settings: { other: { ENABLE_SITEMAP: false } },
    });
    ada = await signUp(host, 'ada');
    ben = await signUp(host, 'ben');
  });
  after(() => host.close());

  it('REP-01: creates, refuses the same name and bad names', async () => {
    const made = await make('first', { description: 'words' });
    expect(made.statusCode).to.equal(201);
    expect(made.json.full_name).to.equal('ada/first');
    expect(made.json.permissions).to.equal({ admin: true, push: true, pull: true });
    expect((await make('FIRST')).statusCode).to.equal(409);
    for (const name of ['a b', '..', 'x.git', 'n'.repeat(101)]) expect((await make(name)).statusCode).to.equal(422);
  });

  it('issue 30: there is no map of the site with [other] ENABLE_SITEMAP = false', async () => {
    for (const url of ['/sitemap.xml', '/explore/repos/sitemap-1.xml'])
      expect((await host.inject(url)).statusCode, url).to.equal(404);
  });

  it('edits, renames, and leads from the older path (GEN-06)', async () => {
    await make('older');
    expect(
      (await send(ada, 'PATCH', '/repos/ada/older', { name: 'newer', website: 'https://example.com' })).json.name,
    ).to.equal('newer');
    const moved = await send(ada, 'GET', '/repos/ada/older');
    expect(moved.statusCode).to.equal(301);
    expect(String(moved.headers.location)).to.match(/\/repos\/ada\/newer$/);
    expect((await send(ben, 'PATCH', '/repos/ada/newer', { website: '' })).statusCode).to.equal(403);
    for (const website of ['javascript:alert(1)', 'java\tscript:alert(1)', 'data:text/html,x'])
      expect((await send(ada, 'PATCH', '/repos/ada/newer', { website })).statusCode, website).to.equal(422);
    expect((await send(ada, 'GET', '/repos/ada/newer')).json.website).to.equal('https://example.com');
  });

  it('U16, GEN-06: a change sent to the old name of a repository keeps its method (RFC 9110 15.4.2)', async () => {
    await make('before');
    await send(ada, 'PATCH', '/repos/ada/before', { name: 'after' });
    for (const [method, path, status] of [
      ['GET', '', 301],
      ['HEAD', '', 301],
      ['POST', '/transfer', 308],
      ['PATCH', '', 308],
      ['PUT', '/topics/x', 308],
      ['DELETE', '/topics/x', 308],
    ] as const) {
      const { statusCode, headers } = await send(ada, method, `/repos/ada/before${path}?a=1?b`);
      expect([method, statusCode, headers.location]).to.equal([method, status, `/api/v1/repos/ada/after${path}?a=1?b`]);
    }
  });

  it('U16: the new name stands where the route has the name, not where else the address has the same words', async () => {
    await make('repos');
    await send(ada, 'PATCH', '/repos/ada/repos', { name: 'things' });
    await make('topics');
    await send(ada, 'PATCH', '/repos/ada/topics', { name: 'twigs' });
    expect((await send(ada, 'GET', '/repos/ada/repos')).headers.location).to.equal('/api/v1/repos/ada/things');
    expect((await send(ada, 'GET', '/repos/ada/topics/topics')).headers.location).to.equal(
      '/api/v1/repos/ada/twigs/topics',
    );
  });

  it('a repository is archived, and made private, where others get 404', async () => {
    await make('shelf');
    expect((await send(ada, 'PATCH', '/repos/ada/shelf', { archived: true })).json.archived).to.be.true();
    expect(
      (await send(ada, 'PATCH', '/repos/ada/shelf', { archived: false, private: true })).json.private,
    ).to.be.true();
    expect((await send(ben, 'GET', '/repos/ada/shelf')).statusCode).to.equal(404);
  });

  it('O5: the documents name the switches of units whose plugins are loaded; clients may send all of them', async () => {
    const { definitions, securityDefinitions } = (await host.inject('/swagger.v1.json')).json as {
      definitions: { EditRepoOption: { properties: object } };
      securityDefinitions: object;
    };
    const fields = Object.keys(definitions.EditRepoOption.properties);
    expect(fields).to.include(['has_issues', 'has_pull_requests']).and.not.include(['has_actions']);
    expect(fields).to.not.include(['has_projects']).and.not.include(['projects_mode']);
    expect(Object.keys(securityDefinitions)).to.include('SudoHeader').and.not.include('BasicAuth');
    await make('switches');
    expect((await send(ada, 'PATCH', '/repos/ada/switches', { has_actions: false })).json.has_actions).to.be.false();
  });

  it('REP-06: keeps one unit at least; units start anew', async () => {
    await make('parts');
    const off = {
      has_code: false,
      has_issues: false,
      has_pull_requests: false,
      has_releases: false,
      has_wiki: false,
      has_projects: false,
      has_packages: false,
      has_actions: false,
    };
    expect((await send(ada, 'PATCH', '/repos/ada/parts', off)).statusCode).to.equal(422);
    await send(ada, 'PATCH', '/repos/ada/parts', { allow_rebase: false });
    await send(ada, 'PATCH', '/repos/ada/parts', { has_pull_requests: false });
    expect((await send(ada, 'PATCH', '/repos/ada/parts', { has_pull_requests: true })).json.allow_rebase).to.be.true();
    expect((await send(ada, 'PATCH', '/repos/ada/parts', { default_update_style: 'magic' })).statusCode).to.equal(422);
  });

  it('shares with collaborators', async () => {
    await make('shared', { private: true });
    expect((await send(ada, 'PUT', '/repos/ada/shared/collaborators/nobody', {})).statusCode).to.equal(422);
    expect(
      (await send(ada, 'PUT', '/repos/ada/shared/collaborators/ben', { permission: 'write' })).statusCode,
    ).to.equal(204);
    expect((await send(ben, 'GET', '/repos/ada/shared')).json.permissions).to.equal({
      admin: false,
      push: true,
      pull: true,
    });
    // S15: what is no permission gives none, and takes none
    for (const permission of ['owner', 'Read', 'none', 'toString']) {
      const answer = await send(ada, 'PUT', '/repos/ada/shared/collaborators/ben', { permission });
      expect([permission, answer.statusCode]).to.equal([permission, 422]);
    }
    expect((await send(ben, 'GET', '/repos/ada/shared')).json.permissions.push).to.be.true();
    expect((await send(ada, 'PUT', '/repos/ada/shared/collaborators/ben', { permission: '' })).statusCode).to.equal(
      204,
    );
    expect((await send(ada, 'DELETE', '/repos/ada/shared/collaborators/ben')).statusCode).to.equal(204);
    expect((await send(ben, 'GET', '/repos/ada/shared')).statusCode).to.equal(404);
  });

  it('REP-16: stars and topics', async () => {
    await make('liked');
    expect((await send(ben, 'PUT', '/user/starred/ada/liked')).statusCode).to.equal(204);
    expect((await send(ada, 'GET', '/repos/ada/liked')).json.stars_count).to.equal(1);
    expect((await send(ada, 'PUT', '/repos/ada/liked/topics', { topics: ['one', 'two'] })).statusCode).to.equal(204);
    expect((await send(ben, 'GET', '/topics/search?q=tw')).json.topics[0].topic_name).to.equal('two');
  });

  it('REP-23: a repository is forked, and a second fork of the same owner is refused', async () => {
    await make('root', { auto_init: true });
    expect((await send(ben, 'POST', '/repos/ada/root/forks', {})).json.full_name).to.equal('ben/root');
    expect((await send(ben, 'POST', '/repos/ada/root/forks', { name: 'again' })).statusCode).to.equal(409);
    expect((await send(ada, 'GET', '/repos/ada/root')).json.forks_count).to.equal(1);
  });

  it('hands over after the recipient accepts', async () => {
    await make('gift', { private: true });
    const offered = await send(ada, 'POST', '/repos/ada/gift/transfer', { new_owner: 'ben' });
    expect(offered.statusCode).to.equal(201);
    expect(offered.json.repo_transfer.recipient.login).to.equal('ben');
    expect((await send(ada, 'POST', '/repos/ada/gift/transfer', { new_owner: 'ben' })).statusCode).to.equal(409);
    expect((await send(ada, 'POST', '/repos/ada/gift/transfer/accept')).statusCode).to.equal(403);
    expect((await send(ben, 'POST', '/repos/ada/gift/transfer/accept')).json.full_name).to.equal('ben/gift');
    expect((await send(ben, 'GET', '/repos/ada/gift')).statusCode).to.equal(301);
    expect((await send(ada, 'GET', '/repos/ben/gift')).statusCode).to.equal(404);
  });

  it('keeps deploy keys of its own', async () => {
    await make('gate');
    const key = `ssh-ed25519 ${Buffer.concat([Buffer.from([0, 0, 0, 11]), Buffer.from('ssh-ed25519'), Buffer.from([0, 0, 0, 32]), Buffer.alloc(32, 7)]).toString('base64')}`;
    const made = await send(ada, 'POST', '/repos/ada/gate/keys', { title: 'one', key, read_only: true });
    expect(made.statusCode).to.equal(201);
    expect((await send(ada, 'POST', '/repos/ada/gate/keys', { title: 'two', key })).statusCode).to.equal(422);
    expect((await send(ben, 'GET', '/repos/ada/gate/keys')).statusCode).to.equal(403);
    expect((await send(ada, 'DELETE', `/repos/ada/gate/keys/${made.json.id}`)).statusCode).to.equal(204);
    expect((await send(ada, 'GET', '/repos/ada/gate/keys')).json).to.equal([]);
  });
});
