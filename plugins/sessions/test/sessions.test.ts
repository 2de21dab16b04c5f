import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { describeAuthMethod, startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { accounts as accountsRef } from '@mortise/accounts/api';
import { createAccount } from '@mortise/accounts/testing';
import { sessions as sessionsRef } from '../contract/sessions.js';
import { safeTarget } from '../services/safe-target.js';
import { Browser, cookieOf } from '../testing.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describeAuthMethod(lab, {
  plugin: 'sessions',
  key: 'session',
  valid: async (user, host) => ({ cookie: await cookieOf(host, user.id) }),
  wrong: () => [{ cookie: 'mortise_session=nonsense' }, { cookie: `mortise_session=${'x'.repeat(43)}` }],
});

describe('signing in and out', () => {
  let host: TestHost;
  const accounts = () => host.services.get(accountsRef);

  before(async () => {
    host = await startHost({ plugins: ['sessions'] });
  });
  after(() => host.close());

  it('the first account that registers administers the site, further ones do not', async () => {
    for (const [name, isAdmin] of [
      ['ada', true],
      ['ben', false],
    ] as const) {
      const browser = new Browser(host);
      await browser.go('/user/sign_up');
      const made = await browser.submit('/user/sign_up', {
        user_name: name,
        email: `${name}@example.com`,
        password: 'long enough',
        retype: 'long enough',
      });
      expect(made.statusCode).to.equal(303);
      expect((await browser.go('/api/v1/user')).json).to.include({ login: name, is_admin: isAdmin });
    }
  });

  it('a refused registration shows the form again, with what was typed and why', async () => {
    const browser = new Browser(host);
    await browser.go('/user/sign_up');
    const wrong = await browser.submit('/user/sign_up', { user_name: 'a..b', email: 'x', password: 'y', retype: 'z' });
    expect(wrong.statusCode).to.equal(422);
    for (const field of ['user_name', 'email', 'password', 'retype'])
      expect(wrong.payload, field).to.match(
        new RegExp(
          `<input[^>]*name="${field}"[^>]*aria-invalid="true"|<input[^>]*aria-invalid="true"[^>]*name="${field}"`,
        ),
      );
    await browser.go('/user/sign_up');
    const different = await browser.submit('/user/sign_up', {
      user_name: 'cat',
      email: 'cat@example.com',
      password: 'long enough',
      retype: 'other',
    });
    expect([different.statusCode, different.payload.includes('value="cat"')]).to.equal([422, true]);
    expect(
      (
        await browser.submit('/user/sign_up', {
          user_name: 'ada',
          email: 'cat@example.com',
          password: 'long enough',
          retype: 'long enough',
        })
      ).statusCode,
    ).to.equal(422);
    expect(await accounts().byName('cat')).to.be.undefined();
  });

  it('signs in by name or address, leads back, and signs out', async () => {
    const browser = new Browser(host);
    const closed = await browser.go('/user/settings');
    expect([closed.statusCode, closed.headers.location]).to.equal([303, '/user/login?redirect_to=%2Fuser%2Fsettings']);
    await browser.go(closed.headers.location!);
    expect((await browser.submit('/user/login', { user_name: 'ada', password: 'wrong' })).statusCode).to.equal(401);
    const right = await browser.submit('/user/login', {
      user_name: 'ADA@example.com',
      password: 'long enough',
      redirect_to: '/user/settings',
      remember: 'true',
    });
    expect([right.statusCode, right.headers.location]).to.equal([303, '/user/settings']);
    expect(String(right.headers['set-cookie']))
      .to.match(/HttpOnly/)
      .and.match(/Max-Age=/)
      .and.match(/SameSite=Lax/);
    expect((await browser.go('/user/settings')).statusCode).to.equal(200);
    const before = browser.cookies.get('mortise_session')!;
    expect((await browser.submit('/user/logout', {})).statusCode).to.equal(303);
    expect(
      (await host.inject({ url: '/api/v1/user', headers: { cookie: `mortise_session=${before}` } })).statusCode,
    ).to.equal(401);
  });

  it('shows the signed-in browsers and signs others out, but not those of other people', async () => {
    const ada = (await accounts().byName('ada'))!;
    const ben = (await accounts().byName('ben'))!;
    const [first, other, foreign] = [
      await cookieOf(host, ada.id),
      await cookieOf(host, ada.id),
      await cookieOf(host, ben.id),
    ];
    const browser = new Browser(host);
    browser.cookies.set('mortise_session', first.split('=')[1]!);
    const page = await browser.go('/user/settings/sessions');
    expect(page.payload).to.contain('This session');
    for (const { id } of [
      ...(await host.services.get(sessionsRef).list(ada.id)).slice(0, 1),
      ...(await host.services.get(sessionsRef).list(ben.id)),
    ]) {
      const answer = await browser.submit('/user/settings/sessions/end', { id: String(id) });
      expect(answer.statusCode).to.equal(303);
      expect((await browser.go(String(answer.headers.location))).payload).to.contain('The session has been ended.');
    }
    const status = async (cookie: string) =>
      (await host.inject({ url: '/api/v1/user', headers: { cookie } })).statusCode;
    expect([await status(first), await status(other), await status(foreign)]).to.equal([200, 401, 200]);
  });

  it('forms without their token are refused', async () => {
    const browser = new Browser(host);
    await browser.go('/user/login');
    expect(
      (await browser.submit('/user/login', { user_name: 'ada', password: 'long enough', _csrf: 'forged' })).statusCode,
    ).to.equal(403);
  });

  it('S6: what a session writes over the API needs its token, whatever else the request carries', async () => {
    const tokens = await startHost({ plugins: ['sessions', 'auth-token', 'auth-basic'] });
    try {
      const made = await createAccount(tokens, 'eva', { isAdmin: true });
      const cookie = await cookieOf(tokens, made.id);
      const patch = async (query: string, headers: Record<string, string>) =>
        (
          await tokens.inject({
            method: 'PATCH',
            url: `/api/v1/user/settings${query}`,
            payload: '{"location":"there"}',
            headers: { cookie, 'content-type': 'application/json', ...headers },
          })
        ).statusCode;
      for (const [query, headers] of [
        ['', {}],
        ['?token=', {}],
        ['?access_token=', {}],
        ['?sudo=eva', {}],
        ['', { authorization: 'Odd abc' }],
        ['', { authorization: 'Basic Og==' }],
        ['', { authorization: 'Basic' }],
      ] as [string, Record<string, string>][]) {
        for (const from of [{}, { origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }])
          expect(await patch(query, { ...headers, ...from } as Record<string, string>), query).to.be.within(401, 403);
      }
      const page = await tokens.inject({ url: '/user/settings/sessions', headers: { cookie } });
      const csrf = /name="_csrf" value="([^"]+)"/.exec(page.payload)![1]!;
      expect(await patch('', { 'x-csrf-token': csrf, 'sec-fetch-site': 'same-origin' })).to.equal(200);
    } finally {
      await tokens.close();
    }
  });

  it('leads only to addresses of this site', () => {
    for (const good of ['/', '/a/b?c=1', '/user/settings']) expect(safeTarget(good)).to.equal(good);
    for (const bad of [
      '//evil.example',
      '/\\evil.example',
      'https://evil.example',
      'javascript:x',
      '',
      undefined,
      '/a\r\nb',
      '/user/logout',
    ])
      expect(safeTarget(bad)).to.equal('');
  });

  it('a password that must be changed is changed before the session begins', async () => {
    const dan = await accounts().create({
      name: 'dan',
      email: 'dan@example.com',
      password: 'first password',
      mustChangePassword: true,
    });
    const browser = new Browser(host);
    await browser.go('/user/login');
    const step = await browser.submit('/user/login', { user_name: 'dan', password: 'first password' });
    expect([step.statusCode, step.headers.location]).to.equal([303, '/user/settings/change_password']);
    expect((await browser.go('/api/v1/user')).statusCode).to.equal(401);
    await browser.go('/user/settings/change_password');
    expect(
      (await browser.submit('/user/settings/change_password', { password: 'first password', retype: 'first password' }))
        .statusCode,
    ).to.equal(422);
    expect(
      (
        await browser.submit('/user/settings/change_password', {
          password: 'second password',
          retype: 'second password',
        })
      ).statusCode,
    ).to.equal(303);
    expect((await browser.go('/api/v1/user')).json.login).to.equal('dan');
    expect((await accounts().byId(dan.id))?.mustChangePassword).to.be.false();
  });

  it('S7: the step to a new password ends when the password, or the account, is changed by somebody else', async () => {
    const changes = [
      { password: 'reset by the administrator', mustChangePassword: true },
      { password: 'first password', mustChangePassword: true },
      { prohibitLogin: true },
      { isActive: false },
      { mustChangePassword: false },
    ];
    for (const [at, change] of changes.entries()) {
      const name = `fay${at}`;
      const fay = await accounts().create({
        name,
        email: `${name}@example.com`,
        password: 'first password',
        mustChangePassword: true,
      });
      const browser = new Browser(host);
      await browser.go('/user/login');
      await browser.submit('/user/login', { user_name: name, password: 'first password' });
      await browser.go('/user/settings/change_password');
      await accounts().update(fay.id, change);
      const late = await browser.submit('/user/settings/change_password', {
        password: 'of the thief',
        retype: 'of the thief',
      });
      expect([late.statusCode, late.headers.location]).to.equal([303, '/user/login']);
      expect((await browser.go('/api/v1/user')).statusCode).to.equal(401);
      expect(await accounts().checkPassword(name, 'of the thief')).to.be.undefined();
    }
  });

  it('a new password ends all other sessions; a prohibited account has none', async () => {
    const eve = await accounts().create({ name: 'eve', email: 'eve@example.com', password: 'long enough' });
    const elsewhere = await cookieOf(host, eve.id);
    const browser = new Browser(host);
    await browser.go('/user/login');
    await browser.submit('/user/login', { user_name: 'eve', password: 'long enough' });
    await browser.go('/user/settings/account');
    expect(
      (
        await browser.submit('/user/settings/account/password', {
          old_password: 'wrong',
          password: 'other password',
          retype: 'other password',
        })
      ).statusCode,
    ).to.equal(422);
    expect(
      (
        await browser.submit('/user/settings/account/password', {
          old_password: 'long enough',
          password: 'other password',
          retype: 'other password',
        })
      ).statusCode,
    ).to.equal(303);
    expect((await browser.go('/user/settings')).statusCode).to.equal(200);
    expect((await host.inject({ url: '/api/v1/user', headers: { cookie: elsewhere } })).statusCode).to.equal(401);
    await accounts().update(eve.id, { prohibitLogin: true });
    expect((await browser.go('/api/v1/user')).statusCode).to.equal(401);
    expect((await browser.submit('/user/login', { user_name: 'eve', password: 'other password' })).statusCode).to.equal(
      403,
    );
  });

  it('ways in of plugins that are not there leave no trace', async () => {
    const password = 'long enough';
    const zoe = await createAccount(host, 'zoe');
    const as = async (headers: Record<string, string>, url = '/api/v1/user') => {
      const answer = await host.inject({ url, headers });
      expect(answer.headers['www-authenticate'], JSON.stringify(headers)).to.be.undefined();
      return answer.statusCode;
    };
    const encoded = Buffer.from(`zoe:${password}`).toString('base64');
    const credentials: readonly Record<string, string>[] = [
      { authorization: `Basic ${encoded}` },
      { authorization: `token ${'a'.repeat(40)}` },
      { authorization: `Bearer ${'a'.repeat(40)}` },
      { authorization: `Negotiate ${encoded}` },
      { 'x-webauth-user': 'zoe' },
      { sudo: 'zoe' },
    ];
    for (const headers of credentials) expect(await as(headers), JSON.stringify(headers)).to.equal(401);
    expect(await as({}, '/api/v1/user?token=x&sudo=zoe')).to.equal(401);
    for (const path of [
      '/user/two_factor',
      '/user/webauthn',
      '/user/login/passkey',
      '/user/oauth2/any',
      '/user/link_account',
      '/login/oauth/authorize',
      '/.well-known/openid-configuration',
      '/user/settings/security',
      '/user/settings/applications',
      '/api/v1/users/zoe/tokens',
      '/api/v1/user/applications/oauth2',
    ])
      expect((await host.as(accounts().actorOf(zoe, 'session')).inject(path)).statusCode, path).to.equal(404);
    const page = (await new Browser(host).go('/user/login')).payload.replace(/<style>[^]*?<\/style>/g, '');
    expect(page).to.not.match(/passkey|Kerberos|oauth2|LDAP/i);
    const settings = (await host.as(accounts().actorOf(zoe, 'session')).inject('/user/settings')).payload;
    expect(settings).to.not.include('/user/settings/security').and.to.not.include('/user/settings/applications');
  });

  it('registration can be closed', async () => {
    const closed = await startHost({ plugins: ['sessions'], settings: { service: { DISABLE_REGISTRATION: true } } });
    const browser = new Browser(closed);
    expect((await browser.go('/user/sign_up')).statusCode).to.equal(403);
    expect((await browser.go('/user/login')).payload).to.not.contain('/user/sign_up');
    expect(
      (
        await browser.submit('/user/sign_up', {
          user_name: 'x',
          email: 'x@example.com',
          password: 'long enough',
          retype: 'long enough',
        })
      ).statusCode,
    ).to.equal(403);
    await closed.close();
  });
});

describe('guessing passwords on the sign-in page', () => {
  it('ends with the form and a time to wait; sessions go on, and the settings page counts too', async () => {
    const host = await startHost({ plugins: ['sessions'], settings: { security: { FAILED_LOGIN_LIMIT: 3 } } });
    await createAccount(host, 'ada');
    const signedIn = new Browser(host);
    await signedIn.go('/user/login');
    expect((await signedIn.submit('/user/login', { user_name: 'ada', password: 'long enough' })).statusCode).to.equal(
      303,
    );
    const browser = new Browser(host);
    await browser.go('/user/login');
    const submit = (password: string) => browser.submit('/user/login', { user_name: 'ada', password });
    for (let index = 0; index < 3; index++) expect((await submit(`guess ${index}`)).statusCode).to.equal(401);
    const refused = await submit('long enough');
    expect(refused.statusCode).to.equal(429);
    expect(Number(refused.headers['retry-after'])).to.be.within(200, 300);
    expect(refused.payload).to.include('Try again in 5 minutes.').and.to.include('name="password"');
    expect((await signedIn.go('/user/settings/account')).statusCode).to.equal(200);
    const form = { old_password: 'long enough', password: 'even longer', retype: 'even longer' };
    expect((await signedIn.submit('/user/settings/account/password', form)).statusCode).to.equal(429);
    await host.close();
  });
});
