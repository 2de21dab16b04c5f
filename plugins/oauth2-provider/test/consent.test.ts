import { randomBytes } from 'node:crypto';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { password } from '@mortise/accounts/testing';
import { Browser } from '@mortise/sessions/testing';
import { callback, linkOf, ProviderKit, s256 } from './provider-kit.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('the page on which an application asks for consent', () => {
  let kit: ProviderKit;
  before(async () => {
    kit = await ProviderKit.start();
  });
  after(() => kit.close());

  it('asks once for what was granted, and again for more', async () => {
    await kit.flow('read:repository');
    const browser = await Browser.signedIn(kit.host, 'ada');
    const authorize = (scope: string, more = '') =>
      browser.go(
        `/login/oauth/authorize?client_id=${kit.application.clientId}&redirect_uri=${encodeURIComponent(callback)}` +
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

  it('without an address in the request, takes the one that is registered', async () => {
    const verifier = randomBytes(32).toString('base64url');
    const answer = await kit.agree(
      `${kit.base}/login/oauth/authorize?response_type=code&client_id=${kit.application.clientId}&scope=read:user` +
        `&code_challenge=${s256(verifier)}&code_challenge_method=S256`,
    );
    expect(answer.href).to.startWith(callback);
    const tokens = await kit.exchange({
      grant_type: 'authorization_code',
      code: answer.searchParams.get('code')!,
      code_verifier: verifier,
      client_id: kit.application.clientId,
      client_secret: kit.secret,
    });
    expect(tokens.statusCode, tokens.payload).to.equal(200);
  });

  it('open redirects: nobody is sent to an address that the application has not registered', async () => {
    const browser = await Browser.signedIn(kit.host, 'ada');
    const at = (redirect: string, id = kit.application.clientId) =>
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
    expect((await at(callback, 'unknown')).statusCode).to.equal(400);
  });

  it('open redirects: an error sends nobody to an application before they click (RFC 9700 4.11.2)', async () => {
    const address = (more: string) =>
      `/login/oauth/authorize?client_id=${kit.application.clientId}&redirect_uri=${encodeURIComponent(callback)}&state=s${more}`;
    const signedIn = await Browser.signedIn(kit.host, 'ada');
    for (const browser of [signedIn, new Browser(kit.host)])
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
    const visitor = await new Browser(kit.host).go(address('&response_type=code'));
    expect(visitor.headers.location).to.match(/^\/user\/login\?redirect_to=/);
    const silent = await new Browser(kit.host).go(address('&response_type=code&prompt=none'));
    expect(silent.headers.location).to.include('error=login_required');
  });

  it('asks for a new sign-in where the application wants one, and then goes on', async () => {
    await kit.flow('read:repository');
    const address = (more: string) =>
      `/login/oauth/authorize?client_id=${kit.application.clientId}&redirect_uri=${encodeURIComponent(callback)}` +
      `&response_type=code&scope=read%3Arepository&state=s${more}`;
    for (const more of ['&prompt=login', '&max_age=0']) {
      const browser = await Browser.signedIn(kit.host, 'ada');
      const asked = await browser.go(address(more));
      const login = String(asked.headers.location);
      expect([asked.statusCode, login.startsWith('/user/login?redirect_to='), login.endsWith('&again=true')]).to.equal([
        303,
        true,
        true,
      ]);
      expect((await browser.go(login)).payload).to.include('name="password"');
      const target = new URL(login, kit.base).searchParams.get('redirect_to')!;
      // without signing in it is asked for again, also with what another made of it
      expect((await browser.go(target)).headers.location).to.include('/user/login');
      const forged = target.replace(/asked=\d+/, 'asked=1');
      expect((await browser.go(forged)).headers.location).to.include('/user/login');
      const sent = await browser.submit('/user/login', { user_name: 'ada', password, redirect_to: target });
      expect([sent.statusCode, sent.headers.location]).to.equal([303, target]);
      expect((await browser.go(target)).headers.refresh, more).to.match(/callback\?code=/);
    }
    const recent = await Browser.signedIn(kit.host, 'ada');
    expect((await recent.go(address('&max_age=600'))).headers.refresh).to.match(/callback\?code=/);
    const silent = await recent.go(address('&max_age=0&prompt=none'));
    expect(silent.headers.location).to.include('error=login_required');
  });
});
