// Attacks on accounts that public advisories tell of services like this one. Which class is tested where:
// docs/security-tests.md.
// Time: about 20 s
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { Browser } from '@mortise/sessions/testing';
import { password, startSite } from '../authorization/site.mjs';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('attacks on accounts', { timeout: 600_000 }, () => {
  let site;
  before(async () => {
    site = await startSite({ settings: { service: { DISABLE_REGISTRATION: false } } });
  });
  after(() => site?.close());

  const cookieOf = (browser) => [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  async function signIn(name, given = password, browser = new Browser(site.host)) {
    await browser.go('/user/login');
    return { browser, answer: await browser.submit('/user/login', { user_name: name, password: given }) };
  }
  const add = (username, more = {}) =>
    site.make(site.users.root, 'POST', '/admin/users', {
      username,
      email: `${username}@example.com`,
      password,
      must_change_password: false,
      ...more,
    });
  const actorOf = (name, { id }) => ({ ...site.users.outsider, id, name });
  async function tokenOf(name, account) {
    const basic = { ...actorOf(name, account), method: 'basic' };
    return (await site.make(basic, 'POST', `/users/${name}/tokens`, { name: 'one', scopes: ['all'] })).sha1;
  }
  const withToken = (token, path) =>
    site.as(undefined, 'GET', `/api/v1${path}`, undefined, { authorization: `token ${token}` });

  it('session fixation: a session that was there before signing in is not the one afterwards', async () => {
    const browser = new Browser(site.host);
    browser.cookies.set('mortise_session', 'a'.repeat(64));
    browser.cookies.set('mortise_visitor', 'chosen-by-somebody-else');
    const { answer } = await signIn('outsider', password, browser);
    expect(answer.statusCode).to.equal(303);
    const session = browser.cookies.get('mortise_session');
    expect(session).not.to.equal('a'.repeat(64));
    const [line] = [answer.headers['set-cookie']].flat().filter((one) => one.startsWith('mortise_session='));
    expect(line).to.match(/HttpOnly/i);
    expect(line).to.match(/SameSite=(Lax|Strict)/i);
    const own = cookieOf(browser);
    // signing in again makes another one, and the token of a form is worth nothing for it
    const stale = browser.csrf;
    const second = await signIn('outsider');
    expect(second.browser.cookies.get('mortise_session')).not.to.equal(session);
    const forged = await site.as(
      undefined,
      'PATCH',
      '/api/v1/user/settings',
      { full_name: 'x' },
      {
        cookie: cookieOf(second.browser),
        'x-csrf-token': stale,
      },
    );
    expect(forged.status).to.equal(403);
    expect((await site.as(undefined, 'GET', '/user/settings', undefined, { cookie: own })).status).to.equal(200);
  });

  it('sessions after sign-out: the cookie is worth nothing, and neither is a copy of it', async () => {
    const { browser } = await signIn('outsider');
    const cookie = cookieOf(browser);
    await browser.go('/user/settings');
    await browser.submit('/user/logout');
    expect((await site.as(undefined, 'GET', '/user/settings', undefined, { cookie })).status).to.equal(303);
  });

  it('account takeover by a freed name: who registers it gets nothing that the former owner had', async () => {
    const { users, make, as } = site;
    const former = await add('former');
    await make(users.owner, 'POST', '/user/repos', { name: 'shared', private: true, auto_init: true });
    await make(users.owner, 'PUT', '/repos/owner/shared/collaborators/former', { permission: 'admin' });
    const token = await tokenOf('former', former);
    const { browser } = await signIn('former');
    const cookie = cookieOf(browser);
    expect((await withToken(token, '/repos/owner/shared')).status).to.equal(200);
    expect((await as(users.root, 'DELETE', '/api/v1/admin/users/former?purge=true')).status).to.equal(204);
    const latter = await add('former');
    expect(latter.id).not.to.equal(former.id);
    expect((await withToken(token, '/user')).status).to.equal(401);
    expect((await as(undefined, 'GET', '/user/settings', undefined, { cookie })).status).to.equal(303);
    expect((await as(actorOf('former', latter), 'GET', '/api/v1/repos/owner/shared')).status).to.equal(404);
    const names = (await as(users.owner, 'GET', '/api/v1/repos/owner/shared/collaborators')).json;
    expect(names).to.equal([]);
  });

  it('account takeover by rename: the old name keeps nothing once somebody else has it', async () => {
    const { users, make, as } = site;
    const ann = await add('ann');
    await make(actorOf('ann', ann), 'POST', '/user/repos', { name: 'code', private: false, auto_init: true });
    const token = await tokenOf('ann', ann);
    expect((await as(users.root, 'POST', '/api/v1/admin/users/ann/rename', { new_username: 'anna' })).status).to.equal(
      204,
    );
    expect((await as(users.outsider, 'GET', '/api/v1/repos/ann/code')).status).to.equal(307);
    const other = await add('ann', { email: 'other@example.com' });
    expect(other.id).not.to.equal(ann.id);
    expect((await as(users.outsider, 'GET', '/api/v1/repos/ann/code')).status).to.equal(404);
    expect((await withToken(token, '/user')).json.login).to.equal('anna');
    const basic = (name) => ({ authorization: `Basic ${Buffer.from(`${name}:${token}`).toString('base64')}` });
    const who = await as(undefined, 'GET', '/api/v1/user', undefined, basic('ann'));
    expect([200, 401]).to.include(who.status);
    if (who.status === 200) expect(who.json.login).to.equal('anna');
  });

  it('account takeover by email: an address that nobody confirmed signs nobody in as somebody else', async () => {
    const { users, as } = site;
    const mel = await add('mel');
    const taken = await as(actorOf('mel', mel), 'POST', '/api/v1/user/emails', { emails: ['owner@example.com'] });
    expect(taken.status).to.equal(422);
    const ownAgain = await as(actorOf('mel', mel), 'POST', '/api/v1/user/emails', { emails: ['OWNER@EXAMPLE.com'] });
    expect(ownAgain.status).to.equal(422);
    for (const email of ['owner@example.com', 'OWNER@example.com']) {
      const { answer, browser } = await signIn(email);
      expect(answer.statusCode).to.equal(303);
      expect((await browser.go('/api/v1/user')).payload).to.include('"login":"owner"');
    }
    expect((await as(users.root, 'GET', '/api/v1/users/mel')).json.email).to.equal('mel@example.com');
  });

  it('user enumeration by text: signing in says the same of people who are there and who are not', async () => {
    const plain = (answer, name) =>
      `${answer.statusCode} ${answer.payload}`
        .replaceAll(name, 'X')
        .replace(/value="[^"]*"|nonce-[^'"]*|nonce="[^"]*"|[0-9a-f-]{36}/g, '');
    await add('barred');
    await site.make(site.users.root, 'PATCH', '/admin/users/barred', {
      source_id: 0,
      login_name: 'barred',
      prohibit_login: true,
    });
    const known = plain((await signIn('owner', 'wrong password')).answer, 'owner');
    for (const name of ['nobody-here', 'nobody@example.com', 'openorg', 'barred'])
      expect(plain((await signIn(name, 'wrong password')).answer, name), name).to.equal(known);
    const basic = async (name) => {
      const authorization = `Basic ${Buffer.from(`${name}:wrong password`).toString('base64')}`;
      const { status, text, headers } = await site.as(undefined, 'GET', '/api/v1/user', undefined, { authorization });
      return [status, text, headers['www-authenticate']];
    };
    const refused = await basic('owner');
    for (const name of ['nobody-else', 'openorg', 'barred']) expect(await basic(name), name).to.equal(refused);
  });

  it('secrets in the database in clear: none that signs somebody in, or is sent to others', async () => {
    const { users, make } = site;
    const token = await tokenOf('reader', users.reader);
    const { browser } = await signIn('reader');
    const hook = { url: 'https://example.com/hook', content_type: 'json', secret: 'hook-secret-zqxv' };
    await make(users.owner, 'POST', '/repos/owner/open/hooks', {
      type: 'gitea',
      config: hook,
      events: ['push'],
      authorization_header: 'Bearer hook-header-zqxv',
    });
    const secrets = [token, password, browser.cookies.get('mortise_session'), 'hook-secret-zqxv', 'hook-header-zqxv'];
    const knex = site.host.database.knex();
    const isMysql = process.env.MORTISE_TEST_ENGINE === 'mysql';
    const names = isMysql
      ? (await knex.raw('show tables'))[0].map((row) => Object.values(row)[0])
      : (await knex('sqlite_master').select('name').where('type', 'table')).map(({ name }) => name);
    const found = [];
    for (const name of names) {
      const rows = (await knex(name)).map((row) =>
        Object.values(row)
          .map((value) => (Buffer.isBuffer(value) ? value.toString('latin1') : String(value)))
          .join('\n'),
      );
      for (const secret of secrets)
        if (rows.some((row) => row.includes(secret) || row.includes(Buffer.from(secret).toString('base64'))))
          found.push(`${name} has ${secret.slice(0, 6)}…`);
    }
    expect(names.length).to.be.above(20);
    expect(found).to.equal([]);
    // and nobody reads them back
    const shownHook = (await site.as(users.owner, 'GET', '/api/v1/repos/owner/open/hooks')).text;
    expect(shownHook).not.to.include('hook-secret-zqxv');
  });
});
