/** Signing in with a real provider of SAML 2.0: SimpleSAMLphp, which is skipped where it is not installed. */
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { accounts, loginSources, type LoginSource } from '@mortise/accounts/api';
import { createAccount } from '@mortise/accounts/testing';
import { organizations, teams } from '@mortise/organizations/api';
import { formPost, startHost, type TestHost, type TestResponse } from '@mortise/plugin-sdk/testing';
import { Browser } from '@mortise/sessions/testing';
import { makeKeyPair } from './idp.js';
import { isSignedIn } from './kit.js';
import { BrowserAtProvider, hasSimpleSamlPhp, SimpleSamlPhp } from './simplesamlphp.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('issue 30: SAML with SimpleSAMLphp', { skip: !hasSimpleSamlPhp, timeout: 60_000 }, () => {
  let host: TestHost;
  let provider: SimpleSamlPhp;
  let source: LoginSource;
  let settings: Readonly<Record<string, unknown>>;
  const own = makeKeyPair();
  const ada = { mail: ['ada@example.com'], cn: ['Ada Lovelace'], groups: ['staff', 'developers'] };

  const set = async (more: Readonly<Record<string, unknown>> = {}) => {
    source = await host.services.get(loginSources).update(source.id, { settings: { ...settings, ...more } });
  };
  const metadata = async () => (await host.inject('/user/saml/Corp/metadata')).payload;

  before(async () => {
    host = await startHost({ plugins: ['auth-saml', 'organizations'] });
    const root = await createAccount(host, 'root', { isAdmin: true });
    const works = await host.services.get(organizations).create({ name: 'works' }, root);
    await host.services.get(teams).create(works, { name: 'Builders', units: { code: 'read' } });
    provider = await SimpleSamlPhp.start();
    provider.people({ ada });
    const told = await provider.metadata();
    const locationOf = (service: string) =>
      new RegExp(`<md:${service}[^>]*HTTP-Redirect"[^>]* Location="([^"]+)"`).exec(told)![1]!;
    settings = {
      entryPoint: locationOf('SingleSignOnService'),
      logoutUrl: locationOf('SingleLogoutService'),
      idpIssuer: /entityID="([^"]+)"/.exec(told)![1]!,
      idpCertificates: `-----BEGIN CERTIFICATE-----\n${/X509Certificate>([^<]+)</.exec(told)![1]!}\n-----END CERTIFICATE-----`,
      privateKey: own.key,
      certificate: own.certificate,
      emailAttribute: 'mail',
      fullNameAttribute: 'cn',
      groupsAttribute: 'groups',
      groupTeamMap: JSON.stringify({ developers: { works: ['Builders'] } }),
      groupTeamMapRemoval: true,
    };
    source = await host.services.get(loginSources).create({ kind: 'saml', name: 'Corp', settings });
    provider.addSite(await metadata());
  });
  after(async () => {
    provider?.stop();
    await host?.close();
  });

  interface Way {
    readonly answer: TestResponse;
    readonly browser: Browser;
    readonly elsewhere: BrowserAtProvider;
  }
  /** All the way, by the redirects and forms of both sides. */
  async function signIn(name = 'ada', elsewhere = new BrowserAtProvider(provider)): Promise<Way> {
    const browser = new Browser(host);
    const start = await browser.go('/user/saml/Corp');
    const form = await elsewhere.signIn(String(start.headers.location), name);
    const { pathname } = new URL(form.action);
    const posted = await host.inject(formPost(pathname, form.fields));
    const answer = posted.statusCode === 303 ? await browser.go(String(posted.headers.location)) : posted;
    return { answer, browser, elsewhere };
  }

  async function isBuilder(): Promise<boolean> {
    const works = (await host.services.get(organizations).byName('works'))!;
    const team = (await host.services.get(teams).byName(works.account.id, 'Builders'))!;
    const account = (await host.services.get(accounts).byName('ada'))!;
    return host.services.get(teams).isMember(team.id, account.id);
  }

  it('makes an account with names, address and teams, from what both sides tell of themselves', async () => {
    const { answer, browser } = await signIn();
    expect([answer.statusCode, answer.headers.location]).to.equal([303, '/']);
    expect(await isSignedIn(browser)).to.be.true();
    const account = (await host.services.get(accounts).byName('ada'))!;
    expect([account.email, account.fullName, account.sourceId, account.loginName]).to.equal([
      'ada@example.com',
      'Ada Lovelace',
      source.id,
      'ada',
    ]);
    expect(await isBuilder()).to.be.true();
  });

  it('knows the same person again, without a password where they are signed in there, and takes a group away', async () => {
    const { elsewhere } = await signIn();
    const count = await host.services.get(accounts).count();
    provider.people({ ada: { ...ada, groups: ['staff'] } });
    // their attributes are of the session there
    expect((await signIn('ada', elsewhere)).answer.statusCode).to.equal(303);
    expect(await isBuilder()).to.be.true();
    const { answer, browser } = await signIn();
    expect([answer.statusCode, await isSignedIn(browser)]).to.equal([303, true]);
    expect([await isBuilder(), await host.services.get(accounts).count()]).to.equal([false, count]);
    provider.people({ ada });
  });

  it('takes signed responses, signed assertions and encrypted ones, and nothing unsigned', async () => {
    for (const [protection, status] of [
      [{ signsAssertion: false }, 303],
      [{ signsResponse: false }, 303],
      [{ encrypts: true }, 303],
      [{ encrypts: true, signsResponse: false }, 403],
      [{ signsResponse: false, signsAssertion: false }, 403],
    ] as const) {
      provider.protect(protection);
      const { answer, browser } = await signIn();
      const said = JSON.stringify(protection);
      expect([answer.statusCode, await isSignedIn(browser)], said).to.equal([status, status === 303]);
    }
    provider.protect({});
  });

  it('refuses what is for another site, and a response that comes twice', async () => {
    const browser = new Browser(host);
    const start = await browser.go('/user/saml/Corp');
    const form = await new BrowserAtProvider(provider).signIn(String(start.headers.location), 'ada');
    const post = () => host.inject(formPost(new URL(form.action).pathname, form.fields));
    await set({ entityId: 'urn:another' });
    expect((await post()).statusCode).to.equal(403);
    await set();
    expect([(await post()).statusCode, (await post()).statusCode]).to.equal([303, 403]);
  });

  it('ends the session at the provider where somebody signs out here, by a page that leads there', async () => {
    const { browser, elsewhere } = await signIn();
    await browser.go('/');
    const out = await browser.submit('/user/logout');
    expect([out.statusCode, out.headers.location]).to.equal([303, '/user/saml/Corp/sign-out']);
    const page = await browser.go('/user/saml/Corp/sign-out');
    const [, url = ''] = /^0;url=(.+)$/.exec(String(page.headers.refresh))!;
    expect(page.payload).to.contain([url.replaceAll('&', '&amp;'), 'Sign out of Corp, too']);
    const back = new URL((await elsewhere.go(url)).url);
    expect([back.pathname, back.searchParams.has('SAMLResponse')]).to.equal(['/user/saml/Corp/logout', true]);
    const home = await browser.go(`${back.pathname}${back.search}`);
    expect([home.statusCode, home.headers.location, browser.cookies.has('mortise_saml_out')]).to.equal([
      303,
      '/',
      false,
    ]);
    // they would come back without a password otherwise
    const again = await new Browser(host).go('/user/saml/Corp');
    expect((await elsewhere.go(String(again.headers.location))).form!.fields).to.include('password');
  });

  it('ends the session here where the provider asks for it, and that of no other browser', async () => {
    const [one, other] = [await signIn(), await signIn()];
    const bye = `${provider.url}resources/default.css`;
    const { url } = await one.elsewhere.go(`${provider.url}saml2/idp/SingleLogoutService.php?ReturnTo=${bye}`);
    const request = new URL(url);
    expect([request.pathname, request.searchParams.has('SAMLRequest')]).to.equal(['/user/saml/Corp/logout', true]);
    // without a cookie, as in a frame of the provider
    const answer = await host.inject(`${request.pathname}${request.search}`);
    expect(answer.statusCode).to.equal(303);
    expect(String(answer.headers.location)).to.contain([provider.url, 'SAMLResponse=', 'Signature=']);
    expect([await isSignedIn(one.browser), await isSignedIn(other.browser)]).to.equal([false, true]);
    // the provider takes the answer and ends its own session
    const end = await one.elsewhere.go(String(answer.headers.location));
    expect(end.url).to.equal(bye);
  });
});
