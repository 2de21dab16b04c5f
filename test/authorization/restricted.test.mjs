// Walks every route of a repository and of packages as a restricted account, on a site that nobody sees without signing in:
// what was not shared with it is not there, public or not (S10).
// Time: about 15 s
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { fill, startSite } from './site.mjs';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const basic = (name, password) => `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`;

describe('S10: restricted accounts where REQUIRE_SIGNIN_VIEW = true', { timeout: 300_000 }, () => {
  let site;
  let restricted;
  before(async () => {
    site = await startSite({ isEmpty: true, settings: { service: { REQUIRE_SIGNIN_VIEW: 'true' } } });
    const { users, make, user } = site;
    await user('chief');
    restricted = await user('restricted', { restricted: true });
    await user('plain');
    for (const name of ['open', 'shared'])
      await make(users.chief, 'POST', '/user/repos', { name, auto_init: true, description: 'zqxv' });
    await make(users.chief, 'PUT', '/repos/chief/shared/collaborators/restricted', { permission: 'read' });
    await make(users.chief, 'POST', '/repos/chief/open/issues', { title: 'zqxv' });
    await site.as(users.chief, 'PUT', '/api/packages/chief/generic/zqxv/1.0/a.bin', 'content');
    await site.settle();
  });
  after(() => site?.close());

  it('every route of a public repository that was not shared is 404', async () => {
    const { places, users } = { users: site.users, places: { owner: 'chief', repo: 'open', id: 1 } };
    const routes = site.host.routes().flatMap(({ value }) => value.inner ?? [value]);
    const wrong = [];
    let asked = 0;
    for (const { method, path, access } of routes) {
      if (!access.resource || access.actor === 'admin' || !path.includes('{owner}/{repo}')) continue;
      asked++;
      const { status } = await site.as(restricted, method, fill(path, places));
      if (![404, 405].includes(status)) wrong.push(`${method} ${path}: ${status}`);
    }
    expect(asked).to.be.above(100);
    expect(wrong).to.equal([]);
    expect((await site.as(users.plain, 'GET', '/api/v1/repos/chief/open')).status).to.equal(200);
  });

  it('what was shared is there, and the own', async () => {
    for (const url of ['/api/v1/repos/chief/shared', '/chief/shared', '/api/v1/repos/chief/shared/branches'])
      expect((await site.as(restricted, 'GET', url)).status, url).to.equal(200);
    await site.make(restricted, 'POST', '/user/repos', { name: 'own', auto_init: true });
    expect((await site.as(restricted, 'GET', '/restricted/own')).status).to.equal(200);
  });

  it('lists, searches, feeds and packages leave it out, also for a public-only token', async () => {
    const token = { ...restricted, method: 'token', scopes: site.everything, publicOnly: true, credentialId: 1 };
    for (const actor of [restricted, { ...restricted, publicOnly: true, method: 'token', credentialId: 1 }, token]) {
      for (const url of [
        '/api/v1/repos/search',
        '/api/v1/users/chief/repos',
        '/api/v1/users/chief/activities/feeds',
        '/api/v1/repos/issues/search',
        '/explore/repos',
        '/chief',
        '/chief.rss',
        '/chief.atom',
        '/search?q=README&type=code',
        '/explore/repos/sitemap-1.xml',
      ]) {
        const { text } = await site.as(actor, 'GET', url);
        expect(text.includes('chief/open'), url).to.be.false();
      }
      const { json } = await site.as(actor, 'GET', '/api/v1/repos/search');
      expect(json.data.map((one) => one.full_name)).to.only.include(['chief/shared', 'restricted/own']);
    }
    for (const url of ['/api/v1/packages/chief', '/api/v1/packages/chief/generic/zqxv/1.0', '/chief/-/packages'])
      expect((await site.as(restricted, 'GET', url)).status, url).to.equal(404);
    expect((await site.as(restricted, 'GET', '/api/packages/chief/generic/zqxv/1.0/a.bin')).status).to.be.within(
      401,
      404,
    );
    expect((await site.as(site.users.plain, 'GET', '/api/v1/packages/chief')).status).to.equal(200);
  });

  it('git finds it missing over HTTP', async () => {
    const discovery = async (name) => {
      const url = `/chief/${name}.git/info/refs?service=git-upload-pack`;
      const headers = { authorization: basic('restricted', site.password) };
      return (await site.as(undefined, 'GET', url, undefined, headers)).status;
    };
    expect([await discovery('open'), await discovery('shared')]).to.equal([404, 200]);
  });
});
