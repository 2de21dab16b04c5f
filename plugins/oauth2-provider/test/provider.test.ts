import { randomBytes } from 'node:crypto';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import * as oidc from 'openid-client';
import { database } from '@mortise/plugin-sdk';
import { accounts } from '@mortise/accounts/api';
import { createAccount, signIn } from '@mortise/accounts/testing';
import { Browser } from '@mortise/sessions/testing';
import { oauth2Applications } from '../contract/oauth2-provider.js';
import { callback, ProviderKit, s256 } from './provider-kit.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

/** RFC 6749 5.1, OpenID Connect Core 3.1.3.3. */
const namedFields = ['access_token', 'token_type', 'expires_in', 'refresh_token', 'scope', 'id_token'];

describe('an OAuth2 and OpenID Connect provider', () => {
  let kit: ProviderKit;
  before(async () => {
    kit = await ProviderKit.start();
  });
  after(() => kit.close());

  it('signs people in to a certified client: code with PKCE, ID token, userinfo, refresh, introspection, revocation', async () => {
    const { known, tokens } = await kit.flow('openid profile email');
    const claims = tokens.claims()!;
    const said: readonly unknown[] = [claims.iss, claims.aud, claims.sub, claims.preferred_username, claims.email];
    expect(said).to.equal([kit.base, kit.application.clientId, String(kit.ada.account.id), 'ada', 'ada@example.com']);
    const info = await oidc.fetchUserInfo(known, tokens.access_token, claims.sub);
    const shown: readonly unknown[] = [info.name, info.preferred_username, info.email_verified];
    expect(shown).to.equal(['Ada Lovelace', 'ada', true]);
    const fresh = await oidc.refreshTokenGrant(known, tokens.refresh_token!);
    expect(fresh.access_token).to.not.equal(tokens.access_token);
    for (const answer of [tokens, fresh]) expect(namedFields, 'S15').to.include(Object.keys(answer));
    const seen = await oidc.tokenIntrospection(known, fresh.access_token);
    expect([seen.active, seen.username]).to.equal([true, 'ada']);
    await oidc.tokenRevocation(known, fresh.refresh_token!);
    expect((await oidc.tokenIntrospection(known, fresh.access_token)).active).to.be.false();
    expect((await kit.user(tokens.access_token)).statusCode).to.equal(401);
  });

  it('token scope bypass: a token does what was granted and no more', async () => {
    const { tokens } = await kit.flow('openid');
    expect((await kit.user(tokens.access_token)).json.login).to.equal('ada');
    const rename = await kit.host.inject({
      method: 'PATCH',
      url: '/api/v1/user/settings',
      headers: { authorization: `token ${tokens.access_token}` },
      payload: { full_name: 'Eve' },
    });
    expect(rename.statusCode).to.equal(403);
    const { tokens: all } = await kit.flow('');
    expect(all.scope).to.equal('all');
    const basic = `Basic ${Buffer.from(`oauth2:${all.access_token}`).toString('base64')}`;
    expect((await kit.host.inject({ url: '/api/v1/user', headers: { authorization: basic } })).json.login).to.equal(
      'ada',
    );
    // a token of an application makes no tokens that outlive it
    const made = await kit.host.inject({
      method: 'POST',
      url: '/api/v1/users/ada/tokens',
      headers: { authorization: basic },
      payload: { name: 'kept', scopes: ['all'] },
    });
    expect(made.statusCode).to.equal(401);
  });

  it('token scope bypass: public-only stays, whatever a refresh or a second consent asks for', async () => {
    const grants = (await Browser.signedIn(kit.host, 'ada')).go('/user/settings/oauth2');
    const browser = await Browser.signedIn(kit.host, 'ada');
    for (const [, id] of (await grants).payload.matchAll(/name="id" value="(\d+)"/g)) {
      await browser.go('/user/settings/oauth2');
      await browser.submit('/user/settings/oauth2/revoke', { id: id! });
    }
    const { known, tokens } = await kit.flow('public-only write:repository');
    expect(tokens.scope).to.contain('public-only');
    const wider = await kit.exchange({
      grant_type: 'refresh_token',
      refresh_token: tokens.refresh_token!,
      scope: 'write:repository',
      client_id: kit.application.clientId,
      client_secret: kit.secret,
    });
    expect(wider.json.scope).to.contain('public-only');
    await kit.flow('read:issue', known);
    const asked = await browser.go(
      `/login/oauth/authorize?client_id=${kit.application.clientId}&redirect_uri=${encodeURIComponent(callback)}` +
        '&response_type=code&scope=write%3Arepository',
    );
    expect([asked.statusCode, asked.headers.refresh]).to.equal([200, undefined]);
    const { tokens: who } = await kit.flow('openid');
    for (const closed of ['emails', 'settings', 'keys', 'applications/oauth2']) {
      const headers = { authorization: `Bearer ${who.access_token}` };
      expect((await kit.host.inject({ url: `/api/v1/user/${closed}`, headers })).statusCode, closed).to.equal(403);
    }
  });

  it('account takeover by email: says of an address only then that it is verified when somebody vouches for it', async () => {
    const { known, tokens } = await kit.flow('openid email');
    const verified = async () =>
      (await oidc.fetchUserInfo(known, tokens.access_token, tokens.claims()!.sub)).email_verified;
    const vouch = (is_confirmed: boolean) =>
      kit.host.database.write(async () => {
        await kit.host.database.knex()('email_address').where({ user_id: kit.ada.account.id }).update({ is_confirmed });
      });
    expect(await verified()).to.be.true();
    await vouch(false);
    expect(await verified()).to.be.false();
    await vouch(true);
  });

  it('a code is good once; a second use ends what came of it', async () => {
    const { known, tokens, answer, verifier } = await kit.flow('read:user');
    const again = await kit.exchange({
      grant_type: 'authorization_code',
      code: answer.searchParams.get('code')!,
      redirect_uri: callback,
      code_verifier: verifier,
      client_id: kit.application.clientId,
      client_secret: kit.secret,
    });
    expect([again.statusCode, again.json.error]).to.equal([400, 'invalid_grant']);
    expect((await kit.user(tokens.access_token)).statusCode).to.equal(401);
    await expect(oidc.refreshTokenGrant(known, tokens.refresh_token!)).to.reject();
  });

  it('a stolen code is worth nothing without the secret and the verifier, and is used up by trying', async () => {
    const verifier = randomBytes(32).toString('base64url');
    const known = await kit.client();
    const codeOf = async () => {
      const address = oidc.buildAuthorizationUrl(known, {
        redirect_uri: callback,
        code_challenge: s256(verifier),
        code_challenge_method: 'S256',
        scope: 'read:user',
      });
      return (await kit.agree(address.href)).searchParams.get('code')!;
    };
    const right = {
      grant_type: 'authorization_code',
      redirect_uri: callback,
      code_verifier: verifier,
      client_id: kit.application.clientId,
      client_secret: kit.secret,
    };
    for (const [wrong, status] of [
      [{ client_secret: 'mocs_wrong' }, 400],
      [{ client_secret: '' }, 400],
      [{ client_id: 'd57cb8c4-630c-4168-8324-ec79935e18d4', client_secret: '' }, 400],
    ] as const) {
      const code = await codeOf();
      expect((await kit.exchange({ ...right, code, ...wrong })).statusCode, JSON.stringify(wrong)).to.equal(status);
      expect((await kit.exchange({ ...right, code })).statusCode).to.equal(200);
    }
    for (const wrong of [{ code_verifier: 'x'.repeat(43) }, { code_verifier: '' }, { redirect_uri: `${callback}/x` }]) {
      const code = await codeOf();
      expect((await kit.exchange({ ...right, code, ...wrong })).statusCode, JSON.stringify(wrong)).to.equal(400);
      expect((await kit.exchange({ ...right, code })).json.error).to.equal('invalid_grant');
    }
  });

  it('an account has a bounded number of applications', async () => {
    const many = signIn(kit.host, await createAccount(kit.host, 'many'));
    const add = () =>
      many.inject({
        method: 'POST',
        url: '/api/v1/user/applications/oauth2',
        payload: { name: 'one', redirect_uris: [callback], confidential_client: true },
      });
    const codes = [];
    for (let at = 0; at < 102; at++) codes.push((await add()).statusCode);
    expect(codes).to.equal([...Array(100).fill(201), 422, 422]);
  });

  it('programs without a secret need PKCE, take any loopback port, and refresh tokens once', async () => {
    const { application: tool } = await kit.host.services.get(oauth2Applications).create(0, {
      name: 'tool',
      redirectUris: ['http://127.0.0.1/'],
      isConfidential: false,
      skipsSecondConsent: false,
    });
    const verifier = randomBytes(32).toString('base64url');
    const redirect = 'http://127.0.0.1:40123/';
    const address = (challenge: string) =>
      `${kit.base}/login/oauth/authorize?response_type=code&client_id=${tool.clientId}` +
      `&redirect_uri=${encodeURIComponent(redirect)}${challenge}&state=1`;
    const without = await kit.agree(address(''));
    expect(without.searchParams.get('error')).to.equal('invalid_request');
    const plain = await kit.agree(address(`&code_challenge=${verifier}&code_challenge_method=plain`));
    expect(plain.searchParams.get('error')).to.equal('invalid_request');
    const answer = await kit.agree(address(`&code_challenge=${s256(verifier)}&code_challenge_method=S256`));
    expect(answer.origin).to.equal('http://127.0.0.1:40123');
    const tokens = (
      await kit.exchange({
        grant_type: 'authorization_code',
        code: answer.searchParams.get('code')!,
        redirect_uri: redirect,
        client_id: tool.clientId,
        code_verifier: verifier,
      })
    ).json;
    const refresh = { grant_type: 'refresh_token', client_id: tool.clientId, refresh_token: tokens.refresh_token };
    const next = await kit.exchange(refresh);
    expect(next.statusCode).to.equal(200);
    expect((await kit.exchange(refresh)).json.error).to.equal('invalid_grant');
    // whoever used it twice: the tokens of both end
    expect((await kit.user(next.json.access_token)).statusCode).to.equal(401);
  });

  it('ends with the grant, the application and the account', async () => {
    const browser = await Browser.signedIn(kit.host, 'ada');
    const { tokens } = await kit.flow('read:user');
    const page = await browser.go('/user/settings/oauth2');
    for (const [, id] of page.payload.matchAll(/name="id" value="(\d+)"/g))
      await browser.submit('/user/settings/oauth2/revoke', { id: id! });
    expect((await kit.user(tokens.access_token)).statusCode).to.equal(401);
    const { tokens: later } = await kit.flow('read:user');
    await kit.host.services.get(accounts).update(kit.ada.account.id, { prohibitLogin: true });
    expect((await kit.user(later.access_token)).statusCode).to.equal(403);
    await kit.host.services.get(accounts).update(kit.ada.account.id, { prohibitLogin: false });
    expect((await kit.user(later.access_token)).statusCode).to.equal(200);
  });

  it('keeps nothing readable in the database', async () => {
    const { tokens, answer } = await kit.flow('openid read:user');
    const knex = kit.host.services.get(database).knex();
    const tables = ['oauth2_application', 'oauth2_grant', 'oauth2_code', 'oauth2_token', 'oauth2_key'];
    const all = JSON.stringify(await Promise.all(tables.map((table) => knex(table).select())));
    for (const text of [tokens.access_token, tokens.refresh_token!, kit.secret, answer.searchParams.get('code')!])
      expect(all).to.not.contain(text);
    expect(all).to.not.contain('PRIVATE KEY');
  });

  it('refuses what makes no sense with an error that programs know', async () => {
    const basic = { authorization: `Basic ${Buffer.from(`${kit.application.clientId}:wrong`).toString('base64')}` };
    for (const [fields, headers, status, error] of [
      [{}, {}, 400, 'invalid_client'],
      [{ grant_type: 'authorization_code' }, basic, 401, 'invalid_client'],
      [
        { grant_type: 'password', client_id: kit.application.clientId, client_secret: kit.secret },
        {},
        400,
        'unauthorized_client',
      ],
      [
        { grant_type: 'refresh_token', client_id: kit.application.clientId, client_secret: kit.secret },
        {},
        400,
        'invalid_request',
      ],
      [
        {
          grant_type: 'refresh_token',
          refresh_token: 'x',
          client_id: kit.application.clientId,
          client_secret: kit.secret,
        },
        {},
        400,
        'invalid_grant',
      ],
    ] as const) {
      const answer = await kit.exchange(fields, headers);
      expect([answer.statusCode, answer.json.error], JSON.stringify(fields)).to.equal([status, error]);
    }
    const token = { authorization: 'Bearer moat_nonsense' };
    for (const url of ['/login/oauth/userinfo', '/api/v1/user'])
      expect((await kit.host.inject({ url, headers: token })).statusCode).to.equal(401);
    expect((await kit.ada.inject({ url: '/login/oauth/userinfo' })).statusCode).to.equal(401);
  });
});
