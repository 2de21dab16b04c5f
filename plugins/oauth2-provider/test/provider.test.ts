import { createHash, randomBytes } from 'node:crypto';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import * as oidc from 'openid-client';
import { database } from '@mortise/plugin-sdk';
import { formPost, startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { accounts } from '@mortise/accounts/api';
import { createAccount, password, signIn, type SignedIn } from '@mortise/accounts/testing';
import { Browser } from '@mortise/sessions/testing';
import { oauth2Applications, type OAuth2Application } from '../contract/oauth2-provider.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const back = 'https://app.example/callback';
/** RFC 6749 5.1, OpenID Connect Core 3.1.3.3. */
const namedFields = ['access_token', 'token_type', 'expires_in', 'refresh_token', 'scope', 'id_token'];
const hiddenField = /<input type="hidden" name="(\w+)" value="([^"]*)"/g;
const s256 = (verifier: string) => createHash('sha256').update(verifier).digest('base64url');

describe('an OAuth2 and OpenID Connect provider', () => {
  let host: TestHost;
  let base: string;
  let ada: SignedIn;
  let application: OAuth2Application;
  let secret: string;

  before(async () => {
    host = await startHost({ plugins: ['oauth2-provider', 'auth-basic', 'sessions'] });
    base = (await host.url()).replace(/\/+$/, '');
    ada = signIn(host, await createAccount(host, 'ada', { fullName: 'Ada Lovelace' }));
    ({ application, secret } = await host.services.get(oauth2Applications).create(ada.account.id, {
      name: 'Reader',
      redirectUris: [back],
      isConfidential: true,
      skipsSecondConsent: false,
    }));
  });
  after(() => host.close());

  const linkOf = (page: string) => /<a class="btn btn-block" href="([^"]+)"/.exec(page)![1]!.replaceAll('&amp;', '&');

  const client = (): Promise<oidc.Configuration> =>
    oidc.discovery(new URL(base), application.clientId, undefined, oidc.ClientSecretBasic(secret), {
      execute: [oidc.allowInsecureRequests],
    });

  /** The person agrees on the page; gives where their browser is sent. */
  const agree = async (address: string, granted = 'true', name = 'ada'): Promise<URL> => {
    const browser = await Browser.signedIn(host, name);
    const path = address.slice(base.length);
    const page = await browser.go(path);
    if (page.statusCode === 303) return new URL(String(page.headers.location));
    if (page.statusCode === 400) return new URL(linkOf(page.payload)); // the person clicks
    expect(page.statusCode, page.payload).to.equal(200);
    const onward = String(page.headers.refresh ?? '').replace(/^0; url=/, '');
    if (onward) return new URL(onward);
    const fields = Object.fromEntries(
      [...page.payload.matchAll(hiddenField)].map(([, field, value]) => [field!, value!.replaceAll('&amp;', '&')]),
    );
    const sent = await browser.submit('/login/oauth/grant', { ...fields, granted });
    expect(sent.statusCode, sent.payload).to.equal(303);
    return new URL(String(sent.headers.location));
  };

  const flow = async (scope: string, config?: oidc.Configuration) => {
    const known = config ?? (await client());
    const verifier = oidc.randomPKCECodeVerifier();
    const [state, nonce] = [oidc.randomState(), oidc.randomNonce()];
    const address = oidc.buildAuthorizationUrl(known, {
      redirect_uri: back,
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
      scope,
      ...(scope.includes('openid') && { nonce }),
    });
    const answer = await agree(address.href);
    const tokens = await oidc.authorizationCodeGrant(known, answer, {
      pkceCodeVerifier: verifier,
      expectedState: state,
      ...(scope.includes('openid') && { expectedNonce: nonce, idTokenExpected: true }),
    });
    return { known, answer, tokens, verifier };
  };
  const exchange = (fields: Record<string, string>, headers = {}) =>
    host.inject({
      ...formPost('/login/oauth/access_token', fields),
      headers: { ...formPost('/', {}).headers, ...headers },
    });
  const me = (token: string) => host.inject({ url: '/api/v1/user', headers: { authorization: `Bearer ${token}` } });

  it('signs people in to a certified client: code with PKCE, ID token, userinfo, refresh, introspection, revocation', async () => {
    const { known, tokens } = await flow('openid profile email');
    const claims = tokens.claims()!;
    const said: readonly unknown[] = [claims.iss, claims.aud, claims.sub, claims.preferred_username, claims.email];
    expect(said).to.equal([base, application.clientId, String(ada.account.id), 'ada', 'ada@example.com']);
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
    expect((await me(tokens.access_token)).statusCode).to.equal(401);
  });

  it('asks once for what was granted, and again for more', async () => {
    await flow('read:repository');
    const browser = await Browser.signedIn(host, 'ada');
    const authorize = (scope: string, more = '') =>
      browser.go(
        `/login/oauth/authorize?client_id=${application.clientId}&redirect_uri=${encodeURIComponent(back)}` +
          `&response_type=code&state=s&scope=${encodeURIComponent(scope)}${more}`,
      );
    expect((await authorize('read:repository')).headers.refresh).to.match(
      /^0; url=https:\/\/app\.example\/callback\?code=/,
    );
    for (const more of ['write:repository', 'read:user write:issue', 'all', '']) {
      const asked = await authorize(more);
      expect([asked.statusCode, asked.headers.refresh], more).to.equal([200, undefined]);
    }
    const again = await authorize('read:repository', '&prompt=consent');
    expect([again.statusCode, again.headers.refresh]).to.equal([200, undefined]);
    const silent = new URL(String((await authorize('write:repository', '&prompt=none')).headers.location));
    expect([silent.searchParams.get('error'), silent.searchParams.get('state')]).to.equal(['consent_required', 's']);
  });

  it('token scope bypass: a token does what was granted and no more', async () => {
    const { tokens } = await flow('openid');
    expect((await me(tokens.access_token)).json.login).to.equal('ada');
    const rename = await host.inject({
      method: 'PATCH',
      url: '/api/v1/user/settings',
      headers: { authorization: `token ${tokens.access_token}` },
      payload: { full_name: 'Eve' },
    });
    expect(rename.statusCode).to.equal(403);
    const { tokens: all } = await flow('');
    expect(all.scope).to.equal('all');
    const basic = `Basic ${Buffer.from(`oauth2:${all.access_token}`).toString('base64')}`;
    expect((await host.inject({ url: '/api/v1/user', headers: { authorization: basic } })).json.login).to.equal('ada');
    // a token of an application makes no tokens that outlive it
    const made = await host.inject({
      method: 'POST',
      url: '/api/v1/users/ada/tokens',
      headers: { authorization: basic },
      payload: { name: 'kept', scopes: ['all'] },
    });
    expect(made.statusCode).to.equal(401);
  });

  it('token scope bypass: public-only stays, whatever a refresh or a second consent asks for', async () => {
    const grants = (await Browser.signedIn(host, 'ada')).go('/user/settings/oauth2');
    const browser = await Browser.signedIn(host, 'ada');
    for (const [, id] of (await grants).payload.matchAll(/name="id" value="(\d+)"/g)) {
      await browser.go('/user/settings/oauth2');
      await browser.submit('/user/settings/oauth2/revoke', { id: id! });
    }
    const { known, tokens } = await flow('public-only write:repository');
    expect(tokens.scope).to.contain('public-only');
    const wider = await exchange({
      grant_type: 'refresh_token',
      refresh_token: tokens.refresh_token!,
      scope: 'write:repository',
      client_id: application.clientId,
      client_secret: secret,
    });
    expect(wider.json.scope).to.contain('public-only');
    await flow('read:issue', known);
    const asked = await browser.go(
      `/login/oauth/authorize?client_id=${application.clientId}&redirect_uri=${encodeURIComponent(back)}` +
        '&response_type=code&scope=write%3Arepository',
    );
    expect([asked.statusCode, asked.headers.refresh]).to.equal([200, undefined]);
    const { tokens: who } = await flow('openid');
    for (const closed of ['emails', 'settings', 'keys', 'applications/oauth2']) {
      const headers = { authorization: `Bearer ${who.access_token}` };
      expect((await host.inject({ url: `/api/v1/user/${closed}`, headers })).statusCode, closed).to.equal(403);
    }
  });

  it('account takeover by email: says of an address only then that it is verified when somebody vouches for it', async () => {
    const { known, tokens } = await flow('openid email');
    const verified = async () =>
      (await oidc.fetchUserInfo(known, tokens.access_token, tokens.claims()!.sub)).email_verified;
    const vouch = (is_confirmed: boolean) =>
      host.database.write(async () => {
        await host.database.knex()('email_address').where({ user_id: ada.account.id }).update({ is_confirmed });
      });
    expect(await verified()).to.be.true();
    await vouch(false);
    expect(await verified()).to.be.false();
    await vouch(true);
  });

  it('without an address in the request, takes the one that is registered', async () => {
    const verifier = randomBytes(32).toString('base64url');
    const answer = await agree(
      `${base}/login/oauth/authorize?response_type=code&client_id=${application.clientId}&scope=read:user` +
        `&code_challenge=${s256(verifier)}&code_challenge_method=S256`,
    );
    expect(answer.href).to.startWith(back);
    const tokens = await exchange({
      grant_type: 'authorization_code',
      code: answer.searchParams.get('code')!,
      code_verifier: verifier,
      client_id: application.clientId,
      client_secret: secret,
    });
    expect(tokens.statusCode, tokens.payload).to.equal(200);
  });

  it('a code is good once; a second use ends what came of it', async () => {
    const { known, tokens, answer, verifier } = await flow('read:user');
    const again = await exchange({
      grant_type: 'authorization_code',
      code: answer.searchParams.get('code')!,
      redirect_uri: back,
      code_verifier: verifier,
      client_id: application.clientId,
      client_secret: secret,
    });
    expect([again.statusCode, again.json.error]).to.equal([400, 'invalid_grant']);
    expect((await me(tokens.access_token)).statusCode).to.equal(401);
    await expect(oidc.refreshTokenGrant(known, tokens.refresh_token!)).to.reject();
  });

  it('a stolen code is worth nothing without the secret and the verifier, and is used up by trying', async () => {
    const verifier = randomBytes(32).toString('base64url');
    const known = await client();
    const codeOf = async () => {
      const address = oidc.buildAuthorizationUrl(known, {
        redirect_uri: back,
        code_challenge: s256(verifier),
        code_challenge_method: 'S256',
        scope: 'read:user',
      });
      return (await agree(address.href)).searchParams.get('code')!;
    };
    const right = {
      grant_type: 'authorization_code',
      redirect_uri: back,
      code_verifier: verifier,
      client_id: application.clientId,
      client_secret: secret,
    };
    for (const [wrong, status] of [
      [{ client_secret: 'mocs_wrong' }, 400],
      [{ client_secret: '' }, 400],
      [{ client_id: 'd57cb8c4-630c-4168-8324-ec79935e18d4', client_secret: '' }, 400],
    ] as const) {
      const code = await codeOf();
      expect((await exchange({ ...right, code, ...wrong })).statusCode, JSON.stringify(wrong)).to.equal(status);
      expect((await exchange({ ...right, code })).statusCode).to.equal(200);
    }
    for (const wrong of [{ code_verifier: 'x'.repeat(43) }, { code_verifier: '' }, { redirect_uri: `${back}/x` }]) {
      const code = await codeOf();
      expect((await exchange({ ...right, code, ...wrong })).statusCode, JSON.stringify(wrong)).to.equal(400);
      expect((await exchange({ ...right, code })).json.error).to.equal('invalid_grant');
    }
  });

  it('open redirects: nobody is sent to an address that the application has not registered', async () => {
    const browser = await Browser.signedIn(host, 'ada');
    const at = (redirect: string, id = application.clientId) =>
      browser.go(
        `/login/oauth/authorize?response_type=code&client_id=${id}&redirect_uri=${encodeURIComponent(redirect)}`,
      );
    for (const bad of [
      'https://app.example/',
      'https://app.example/callback/../x',
      'https://app.example.evil.example/callback',
      'https://app.example/callback?x=1',
      'https://app.example@evil.example/callback',
      'http://app.example/callback',
      'javascript:alert(1)',
      '//evil.example',
      'nonsense',
    ]) {
      const answer = await at(bad);
      expect([answer.statusCode, answer.headers.location], bad).to.equal([400, undefined]);
    }
    expect((await at(back, 'unknown')).statusCode).to.equal(400);
  });

  it('open redirects: an error sends nobody to an application before they click (RFC 9700 4.11.2)', async () => {
    const address = (more: string) =>
      `/login/oauth/authorize?client_id=${application.clientId}&redirect_uri=${encodeURIComponent(back)}&state=s${more}`;
    const signedIn = await Browser.signedIn(host, 'ada');
    for (const browser of [signedIn, new Browser(host)])
      for (const [more, error] of [
        ['&response_type=token', 'unsupported_response_type'],
        ['&response_type=code&scope=nonsense', 'invalid_scope'],
        ['&response_type=code&prompt=none&response_mode=fragment', 'invalid_request'],
      ] as const) {
        const answer = await browser.go(address(more));
        expect([answer.statusCode, answer.headers.location, answer.headers.refresh], more).to.equal([
          400,
          undefined,
          undefined,
        ]);
        const link = new URL(linkOf(answer.payload));
        expect([link.origin, link.searchParams.get('error'), link.searchParams.get('state')]).to.equal([
          'https://app.example',
          error,
          's',
        ]);
      }
    // without a sign-in nobody leaves, but for applications that ask silently
    const visitor = await new Browser(host).go(address('&response_type=code'));
    expect(visitor.headers.location).to.match(/^\/user\/login\?redirect_to=/);
    const silent = await new Browser(host).go(address('&response_type=code&prompt=none'));
    expect(silent.headers.location).to.include('error=login_required');
  });

  it('asks for a new sign-in where the application wants one, and then goes on', async () => {
    await flow('read:repository');
    const address = (more: string) =>
      `/login/oauth/authorize?client_id=${application.clientId}&redirect_uri=${encodeURIComponent(back)}` +
      `&response_type=code&scope=read%3Arepository&state=s${more}`;
    for (const more of ['&prompt=login', '&max_age=0']) {
      const browser = await Browser.signedIn(host, 'ada');
      const asked = await browser.go(address(more));
      const login = String(asked.headers.location);
      expect([asked.statusCode, login.startsWith('/user/login?redirect_to='), login.endsWith('&again=true')]).to.equal([
        303,
        true,
        true,
      ]);
      expect((await browser.go(login)).payload).to.include('name="password"');
      const target = new URL(login, base).searchParams.get('redirect_to')!;
      // without signing in it is asked for again, also with what another made of it
      expect((await browser.go(target)).headers.location).to.include('/user/login');
      const forged = target.replace(/asked=\d+/, 'asked=1');
      expect((await browser.go(forged)).headers.location).to.include('/user/login');
      const sent = await browser.submit('/user/login', { user_name: 'ada', password, redirect_to: target });
      expect([sent.statusCode, sent.headers.location]).to.equal([303, target]);
      expect((await browser.go(target)).headers.refresh, more).to.match(/callback\?code=/);
    }
    const recent = await Browser.signedIn(host, 'ada');
    expect((await recent.go(address('&max_age=600'))).headers.refresh).to.match(/callback\?code=/);
    const silent = await recent.go(address('&max_age=0&prompt=none'));
    expect(silent.headers.location).to.include('error=login_required');
  });

  it('an account has a bounded number of applications', async () => {
    const many = signIn(host, await createAccount(host, 'many'));
    const add = () =>
      many.inject({
        method: 'POST',
        url: '/api/v1/user/applications/oauth2',
        payload: { name: 'one', redirect_uris: [back], confidential_client: true },
      });
    const codes = [];
    for (let at = 0; at < 102; at++) codes.push((await add()).statusCode);
    expect(codes).to.equal([...Array(100).fill(201), 422, 422]);
  });

  it('programs without a secret need PKCE, take any loopback port, and refresh tokens once', async () => {
    const { application: tool } = await host.services.get(oauth2Applications).create(0, {
      name: 'tool',
      redirectUris: ['http://127.0.0.1/'],
      isConfidential: false,
      skipsSecondConsent: false,
    });
    const verifier = randomBytes(32).toString('base64url');
    const redirect = 'http://127.0.0.1:40123/';
    const address = (challenge: string) =>
      `${base}/login/oauth/authorize?response_type=code&client_id=${tool.clientId}` +
      `&redirect_uri=${encodeURIComponent(redirect)}${challenge}&state=1`;
    const without = await agree(address(''));
    expect(without.searchParams.get('error')).to.equal('invalid_request');
    const plain = await agree(address(`&code_challenge=${verifier}&code_challenge_method=plain`));
    expect(plain.searchParams.get('error')).to.equal('invalid_request');
    const answer = await agree(address(`&code_challenge=${s256(verifier)}&code_challenge_method=S256`));
    expect(answer.origin).to.equal('http://127.0.0.1:40123');
    const tokens = (
      await exchange({
        grant_type: 'authorization_code',
        code: answer.searchParams.get('code')!,
        redirect_uri: redirect,
        client_id: tool.clientId,
        code_verifier: verifier,
      })
    ).json;
    const refresh = { grant_type: 'refresh_token', client_id: tool.clientId, refresh_token: tokens.refresh_token };
    const next = await exchange(refresh);
    expect(next.statusCode).to.equal(200);
    expect((await exchange(refresh)).json.error).to.equal('invalid_grant');
    // whoever used it twice: the tokens of both end
    expect((await me(next.json.access_token)).statusCode).to.equal(401);
  });

  it('ends with the grant, the application and the account', async () => {
    const browser = await Browser.signedIn(host, 'ada');
    const { tokens } = await flow('read:user');
    const page = await browser.go('/user/settings/oauth2');
    for (const [, id] of page.payload.matchAll(/name="id" value="(\d+)"/g))
      await browser.submit('/user/settings/oauth2/revoke', { id: id! });
    expect((await me(tokens.access_token)).statusCode).to.equal(401);
    const { tokens: later } = await flow('read:user');
    await host.services.get(accounts).update(ada.account.id, { prohibitLogin: true });
    expect((await me(later.access_token)).statusCode).to.equal(403);
    await host.services.get(accounts).update(ada.account.id, { prohibitLogin: false });
    expect((await me(later.access_token)).statusCode).to.equal(200);
  });

  it('keeps nothing readable in the database', async () => {
    const { tokens, answer } = await flow('openid read:user');
    const knex = host.services.get(database).knex();
    const tables = ['oauth2_application', 'oauth2_grant', 'oauth2_code', 'oauth2_token', 'oauth2_key'];
    const all = JSON.stringify(await Promise.all(tables.map((table) => knex(table).select())));
    for (const text of [tokens.access_token, tokens.refresh_token!, secret, answer.searchParams.get('code')!])
      expect(all).to.not.contain(text);
    expect(all).to.not.contain('PRIVATE KEY');
  });

  it('refuses what makes no sense with an error that programs know', async () => {
    const basic = { authorization: `Basic ${Buffer.from(`${application.clientId}:wrong`).toString('base64')}` };
    for (const [fields, headers, status, error] of [
      [{}, {}, 400, 'invalid_client'],
      [{ grant_type: 'authorization_code' }, basic, 401, 'invalid_client'],
      [
        { grant_type: 'password', client_id: application.clientId, client_secret: secret },
        {},
        400,
        'unauthorized_client',
      ],
      [
        { grant_type: 'refresh_token', client_id: application.clientId, client_secret: secret },
        {},
        400,
        'invalid_request',
      ],
      [
        { grant_type: 'refresh_token', refresh_token: 'x', client_id: application.clientId, client_secret: secret },
        {},
        400,
        'invalid_grant',
      ],
    ] as const) {
      const answer = await exchange(fields, headers);
      expect([answer.statusCode, answer.json.error], JSON.stringify(fields)).to.equal([status, error]);
    }
    const token = { authorization: 'Bearer moat_nonsense' };
    for (const url of ['/login/oauth/userinfo', '/api/v1/user'])
      expect((await host.inject({ url, headers: token })).statusCode).to.equal(401);
    expect((await ada.inject({ url: '/login/oauth/userinfo' })).statusCode).to.equal(401);
  });
});
