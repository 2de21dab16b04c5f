import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { anonymous } from '@mortise/plugin-sdk';
import { describeAuthMethod, startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { accounts as accountsRef, type Account, type Accounts } from '@mortise/accounts/api';
import { createAccount } from '@mortise/accounts/testing';
import { accessTokens as tokensRef } from '../contract/auth-token.js';
import { ScopeSyntax } from '../services/scopes.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const basic = (name: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`,
});
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

const tokenOf = async (host: TestHost, userId: number, scopes = ['all'], name = `t${Math.random()}`) =>
  (await host.services.get(tokensRef).create({ userId, name, scopes, creator: anonymous })).secret;

describeAuthMethod(lab, {
  plugin: 'auth-token',
  key: 'token',
  valid: async (user, host) => ({ authorization: `token ${await tokenOf(host, user.id)}` }),
  wrong: () => [bearer('f'.repeat(40)), bearer('a.b.c'), { authorization: 'token nonsense' }],
  secrets: (headers) => [headers.authorization!.split(' ')[1]!],
});

describe('scopes', () => {
  const words = new ScopeSyntax({ list: () => [] });
  const normal = (...given: string[]) => words.write(words.read(given));

  it('TOK-03: have a normal form', () => {
    expect(normal('write:issue', 'read:issue', 'read:issue')).to.equal(['write:issue']);
    expect(normal('write:user', 'read:repository')).to.equal(['read:repository', 'write:user']);
    expect(normal('all', 'read:user')).to.equal(['all']);
    expect(
      normal(
        ...[
          'activitypub',
          'admin',
          'misc',
          'notification',
          'organization',
          'package',
          'issue',
          'repository',
          'user',
        ].map((one) => `write:${one}`),
      ),
    ).to.equal(['all']);
    expect(normal('read:user', 'public-only')).to.equal(['public-only', 'read:user']);
    expect(normal('delete:organization', 'write:organization')).to.equal(['delete:organization']);
  });

  it('TOK-11, TOK-13: unknown words are refused', () => {
    for (const word of [
      '',
      'user',
      'read:',
      'read:everything',
      'execute:user',
      'READ:USER',
      'sudo',
      'read:user:x',
      'read:__proto__',
      'constructor:user',
    ]) {
      expect(() => words.read([word]), word).to.throw();
    }
  });

  it('take in the categories of plugins, and forget those of plugins that are gone', () => {
    const more = new ScopeSyntax({ list: () => [{ key: 'board', label: 'Boards', note: 'Boards.' }] });
    expect(more.write(more.read(['write:board', 'read:user']))).to.equal(['read:user', 'write:board']);
    expect(words.write(words.readStored(['write:board', 'read:user']))).to.equal(['read:user']);
    expect(() => words.read(['write:board'])).to.throw(/Unknown scope: write:board/);
  });

  it('TOK-28: a scope exceeds another by its level or its category', () => {
    const own = words.read(['write:user', 'read:repository']).categories;
    expect(words.exceeds(words.read(['read:user', 'read:repository']), own)).to.be.false();
    for (const more of ['all', 'write:repository', 'read:issue', 'delete:user'])
      expect(words.exceeds(words.read([more]), own), more).to.be.true();
    expect(words.exceeds(words.read(['all']), undefined)).to.be.false();
  });
});

describe('access tokens', () => {
  let host: TestHost;
  let accounts: Accounts;
  let ada: Account;
  let root: Account;
  const me = basic('ada', 'long enough');

  before(async () => {
    host = await startHost({ plugins: ['auth-token', 'auth-basic', 'admin'] });
    accounts = host.services.get(accountsRef);
    ada = await createAccount(host, 'ada');
    root = await createAccount(host, 'root', { isAdmin: true });
    await createAccount(host, 'ben');
  });
  after(() => host.close());

  const create = (payload: object, headers: Record<string, string> = me, name = 'ada') =>
    host.inject({ method: 'POST', url: `/api/v1/users/${name}/tokens`, payload, headers });

  it('TOK-01 to TOK-05: are made with a secret that is shown once', async () => {
    const made = await create({ name: 'one', scopes: ['read:user'] });
    expect(made.statusCode).to.equal(201);
    expect(made.json.sha1).to.match(/^[0-9a-f]{40}$/);
    expect(made.json.token_last_eight).to.equal(made.json.sha1.slice(-8));
    const list = await host.inject({ url: '/api/v1/users/ada/tokens', headers: me });
    expect(list.json[0]).to.include({ name: 'one', sha1: '' });
    expect(list.headers['x-total-count']).to.equal('1');
    expect((await create({ name: 'one', scopes: ['read:user'] })).statusCode).to.equal(400);
    expect((await create({ name: 'ONE', scopes: ['read:user'] })).statusCode).to.equal(201);
    for (const scopes of [[], undefined, ['fly'], ['']])
      expect((await create({ name: 'x', scopes })).statusCode).to.equal(400);
    expect((await create({ name: '', scopes: ['all'] })).statusCode).to.equal(422);
    expect(
      (await host.inject({ url: '/api/v1/users/ada/tokens', headers: bearer(made.json.sha1) })).statusCode,
    ).to.equal(401);
    expect(
      (await host.inject({ url: '/api/v1/users/ada/tokens', headers: basic('ben', 'long enough') })).statusCode,
    ).to.equal(403);
    expect((await create({ name: 'for ada', scopes: ['all'] }, basic('root', 'long enough'))).statusCode).to.equal(201);
  });

  it('TOK-02: note their use at once in lists, and in the database a minute later', async () => {
    const secret = await tokenOf(host, ada.id, ['all'], 'used');
    const used = async () =>
      (await host.inject({ url: '/api/v1/users/ada/tokens', headers: me })).json.find(
        (one: { name: string }) => one.name === 'used',
      );
    expect((await used()).last_used_at).to.equal((await used()).created_at);
    await new Promise((done) => setTimeout(done, 1100));
    await host.inject({ url: '/api/v1/user', headers: bearer(secret) });
    expect(Date.parse((await used()).last_used_at)).to.be.above(Date.parse((await used()).created_at));
  });

  it('TOK-07: are deleted by number or name', async () => {
    const gone = async (what: string | number) =>
      (
        await host.inject({
          method: 'DELETE',
          url: `/api/v1/users/ada/tokens/${encodeURIComponent(what)}`,
          headers: me,
        })
      ).statusCode;
    const { json } = await create({ name: 'to go, ü', scopes: ['read:user'] });
    expect(await gone('to go, ü')).to.equal(204);
    expect(await gone(json.id)).to.equal(404);
    expect((await host.inject({ url: '/api/v1/user', headers: bearer(json.sha1) })).statusCode).to.equal(401);
  });

  it('TOK-08, TOK-10: come in several forms; in the address with a warning', async () => {
    const secret = await tokenOf(host, ada.id);
    for (const headers of [
      bearer(secret),
      { authorization: `token ${secret}` },
      basic('ada', secret),
      basic('anybody', secret),
      basic(secret, ''),
      basic(secret, 'x-oauth-basic'),
    ]) {
      const answer = await host.inject({ url: '/api/v1/user', headers });
      expect([headers.authorization, answer.json.login, answer.headers.warning]).to.equal([
        headers.authorization,
        'ada',
        undefined,
      ]);
    }
    for (const name of ['token', 'access_token']) {
      const answer = await host.inject(`/api/v1/user?${name}=${secret}`);
      expect(answer.json.login).to.equal('ada');
      expect(answer.headers.warning).to.equal('token and access_token API authentication is deprecated');
    }
    expect((await host.inject({ url: '/api/v1/user?token=nonsense', headers: bearer(secret) })).statusCode).to.equal(
      401,
    );
  });

  it('TOK-09: not in the address when that is disabled', async () => {
    const strict = await startHost({
      plugins: ['auth-token'],
      settings: { security: { DISABLE_QUERY_AUTH_TOKEN: true } },
    });
    const user = await createAccount(strict, 'ada');
    const secret = await tokenOf(strict, user.id);
    expect((await strict.inject(`/api/v1/user?token=${secret}`)).statusCode).to.equal(401);
    expect((await strict.inject(`/api/v1/users/ada?token=${secret}`)).statusCode).to.equal(200);
    await strict.close();
  });

  it('TOK-14: open what their scopes say', async () => {
    const reader = bearer(await tokenOf(host, ada.id, ['read:user']));
    expect((await host.inject({ url: '/api/v1/user', headers: reader })).statusCode).to.equal(200);
    expect(
      (
        await host.inject({
          method: 'PATCH',
          url: '/api/v1/user/settings',
          payload: { location: 'x' },
          headers: reader,
        })
      ).statusCode,
    ).to.equal(403);
    const other = bearer(await tokenOf(host, ada.id, ['write:issue']));
    const refused = await host.inject({ url: '/api/v1/user', headers: other });
    expect(refused.statusCode).to.equal(403);
    expect(refused.json.message).to.contain('read:user');
    expect(
      (
        await host.inject({
          method: 'PATCH',
          url: '/api/v1/user/settings',
          payload: {},
          headers: bearer(await tokenOf(host, ada.id, ['delete:user'])),
        })
      ).statusCode,
    ).to.equal(200);
  });

  it('TOK-16, TOK-28: children have no more scope, and stay public-only', async () => {
    const parent = basic('ada', await tokenOf(host, ada.id, ['public-only', 'write:user']));
    expect((await create({ name: 'child', scopes: ['read:user'] }, parent)).json.scopes).to.equal([
      'public-only',
      'read:user',
    ]);
    for (const scope of ['all', 'read:issue', 'delete:user'])
      expect((await create({ name: scope, scopes: [scope] }, parent)).statusCode).to.equal(403);
  });

  it('show and delete themselves', async () => {
    const headers = bearer(await tokenOf(host, ada.id, ['read:issue'], 'self'));
    expect((await host.inject({ url: '/api/v1/token', headers })).json).to.include({
      name: 'self',
      scopes: ['read:issue'],
    });
    expect((await host.inject({ method: 'DELETE', url: '/api/v1/token', headers })).statusCode).to.equal(204);
    expect((await host.inject({ url: '/api/v1/token', headers })).statusCode).to.equal(401);
    expect((await host.inject({ url: '/api/v1/token', headers: me })).statusCode).to.equal(404);
  });

  it('sudo: administrators act for others, with the rights of these and the scopes of their own token', async () => {
    const admin = basic('root', 'long enough');
    const ask = (url: string, headers: Record<string, string>) => host.inject({ url: `/api/v1${url}`, headers });
    expect((await ask('/user', { ...admin, sudo: 'ADA' })).json.login).to.equal('ada');
    expect((await ask('/user?sudo=ben', { ...admin, sudo: 'ada' })).json.login).to.equal('ben');
    expect((await ask('/user?sudo=', admin)).json.login).to.equal('root');
    expect((await ask('/admin/users', { ...admin, sudo: 'ada' })).statusCode).to.equal(403);
    expect((await ask('/user?sudo=nobody', admin)).statusCode).to.equal(404);
    expect((await ask('/user?sudo=ada', me)).statusCode).to.equal(403);
    expect((await ask('/users/ada?sudo=ada', {})).statusCode).to.equal(403);
    const narrow = bearer(await tokenOf(host, root.id, ['read:issue']));
    expect((await ask('/user?sudo=ada', narrow)).statusCode).to.equal(403);
    expect((await ask('/user?sudo=ada', basic('root', 'wrong'))).statusCode).to.equal(401);
    // S5: a token with scopes needs `admin` at the level of the operation
    const change = async (scopes: string[]) => {
      const headers = { ...bearer(await tokenOf(host, root.id, scopes, scopes.join())), sudo: 'ada' };
      const payload = { full_name: 'Ada' };
      const request = { method: 'PATCH', url: '/api/v1/user/settings', headers, payload } as const;
      return [(await ask('/user', headers)).statusCode, (await host.inject(request)).statusCode];
    };
    expect(await change(['write:user'])).to.equal([403, 403]);
    expect(await change(['write:user', 'read:admin'])).to.equal([200, 403]);
    expect(await change(['write:user', 'write:admin'])).to.equal([200, 200]);
    expect(await change(['all'])).to.equal([200, 200]);
  });

  it('do not work for accounts that may not act, and go with their account', async () => {
    const eve = await createAccount(host, 'eve');
    const headers = bearer(await tokenOf(host, eve.id));
    const ask = (url: string) => host.inject({ url, headers });
    const status = async () => (await ask('/api/v1/user')).statusCode;
    // who acts with a token is kept
    expect([await status(), await status()]).to.equal([200, 200]);
    await accounts.update(eve.id, { prohibitLogin: true });
    expect([await status(), await status()]).to.equal([403, 403]);
    await accounts.update(eve.id, { prohibitLogin: false });
    expect([await status(), (await ask('/api/v1/admin/users')).statusCode]).to.equal([200, 403]);
    await accounts.update(eve.id, { isAdmin: true });
    expect((await ask('/api/v1/admin/users')).statusCode).to.equal(200);
    await accounts.update(eve.id, { isAdmin: false });
    expect((await ask('/api/v1/admin/users')).statusCode).to.equal(403);
    await accounts.delete(eve.id);
    expect([await status(), await status()]).to.equal([401, 401]);
  });

  it('TOK-06: are made by command, with the scopes that were asked for', async () => {
    const raw = await host.command('admin user generate-access-token', {
      username: 'ben',
      tokenName: 'robot',
      scopes: 'read:user, public-only',
      raw: true,
    });
    expect(raw[0]).to.match(/^[0-9a-f]{40}$/);
    const own = await host.inject({ url: '/api/v1/users/ben', headers: bearer(raw[0]!) });
    expect([own.statusCode, own.json.login]).to.equal([200, 'ben']);
    const token = (await host.services.get(tokensRef).find(raw[0]!))!;
    expect(token.scopes).to.equal({ categories: { user: 'read' }, publicOnly: true });
    for (const wrong of [
      { username: 'ben', tokenName: 'robot' },
      { username: 'ben', scopes: 'fly' },
      { username: 'no' },
    ])
      await expect(host.command('admin user generate-access-token', wrong)).to.reject();
  });

  it('are made and deleted on the settings page', async () => {
    const browser = host.as(accounts.actorOf(ada, 'session'));
    const form = (url: string, payload: string) =>
      browser.inject({
        method: 'POST',
        url,
        payload,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      });
    const made = await form(
      '/user/settings/applications',
      'name=from+page&scope_user=read&scope_admin=write&public_only=true',
    );
    expect(made.statusCode).to.equal(200);
    const secret = /value="([0-9a-f]{40})"/.exec(made.payload)![1]!;
    const token = (await host.inject({ url: '/api/v1/token', headers: bearer(secret) })).json;
    expect(token.scopes).to.equal(['public-only', 'read:user']);
    // nothing here sends notifications, so no token is offered for them
    expect(made.payload).to.include(['name="scope_user"', 'scope-user-note']);
    expect(made.payload).not.to.include('scope_notification');
    expect(made.payload).to.include(`data-copy-text="${secret}"`);
    const none = await form('/user/settings/applications', 'name=none');
    expect([none.statusCode, none.payload.includes('id="field-scopes-error"')]).to.equal([400, true]);
    const both = await form('/user/settings/applications', 'name=');
    expect(both.payload).to.include(['id="field-scopes-error"', 'id="field-name-error"']);
    const german = await browser.inject({
      url: '/user/settings/applications',
      headers: { 'accept-language': 'de' },
    });
    expect(german.payload).to.contain(['Zugriffstokens', 'Nie verwendet', 'Lesen und Schreiben', 'Token erstellen']);
    expect((await form('/user/settings/applications/delete', `id=${token.id}`)).statusCode).to.equal(303);
    expect((await host.inject({ url: '/api/v1/token', headers: bearer(secret) })).statusCode).to.equal(401);
  });
});
