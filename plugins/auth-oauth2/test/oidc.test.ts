import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startHost, type TestHost, type TestResponse } from '@mortise/plugin-sdk/testing';
import {
  accounts as accountsRef,
  emails,
  loginSources as loginSourcesRef,
  memberships,
  publicKeys,
  type LoginSource,
} from '@mortise/accounts/api';
import { createAccount, password } from '@mortise/accounts/testing';
import { secondFactors } from '@mortise/auth-two-factor/api';
import { organizations, teams } from '@mortise/organizations/api';
import { registrations } from '@mortise/sessions/api';
import { Browser } from '@mortise/sessions/testing';
import { keys, mainOf, oneTimeCode } from './oidc-support.js';
import { clientId, clientSecret, OidcServer } from './provider.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

type ClientSettings = Readonly<Record<string, unknown>>;
// what is encrypted is decrypted after a restart
const base = { security: { SECRET_KEY: 'a secret of this test that is long enough' } };
const plugins = ['auth-oauth2', 'organizations', 'admin', 'auth-two-factor'];

describe('signing in with OpenID Connect', { timeout: 120_000 }, () => {
  let host: TestHost;
  let provider: OidcServer;
  let other: OidcServer;
  let source: LoginSource;
  let second: LoginSource;

  const accounts = () => host.services.get(accountsRef);
  const sources = () => host.services.get(loginSourcesRef);
  const settings = (more: Record<string, unknown> = {}, at = provider) => ({
    provider: 'openidConnect',
    clientId,
    clientSecret,
    discoveryUrl: at.issuer,
    scopes: 'profile email groups',
    ...more,
  });
  const set = (more: Record<string, unknown> = {}) => sources().update(source.id, { settings: settings(more) });
  const restart = async (client: ClientSettings, service: ClientSettings = {}) => {
    host = await host.restart({ settings: { ...base, oauth2_client: client, service } });
  };
  /** Goes to the provider; gives the answer of the callback there. */
  const leave = async (browser: Browser, name = 'Corp', query = ''): Promise<string> => {
    const start = await browser.go(`/user/oauth2/${name}${query}`);
    expect([start.statusCode, start.payload.includes('class="flash') && start.payload]).to.equal([303, false]);
    return String(start.headers.location);
  };
  const pathOf = (url: URL) => url.pathname + url.search;
  const come = async (
    subject: string,
    { browser = new Browser(host), name = 'Corp', query = '', at = provider } = {},
  ): Promise<{ answer: TestResponse; browser: Browser; callback: URL }> => {
    const callback = await at.walk(await leave(browser, name, query), subject);
    return { answer: await browser.go(pathOf(callback)), browser, callback };
  };
  const who = async (browser: Browser): Promise<string> =>
    /Signed in as <b>([^<]+)|Account menu of ([^"]+)/.exec((await browser.go('/user/settings')).payload)?.[2] ?? '';

  before(async () => {
    host = await startHost({ plugins, settings: base });
    const callbacks = ['Corp', 'Other'].map((name) => host.site.url(`/user/oauth2/${name}/callback`));
    provider = await OidcServer.start(callbacks);
    other = await OidcServer.start(callbacks);
    source = await sources().create({ kind: 'oauth2', name: 'Corp', settings: settings() });
    second = await sources().create({ kind: 'oauth2', name: 'Other', settings: settings({}, other) });
    await createAccount(host, 'root', { isAdmin: true });
    const person = (name: string, more: Record<string, unknown> = {}) => ({
      name: `${name} of Corp`,
      nickname: name,
      preferred_username: name,
      email: `${name}@corp.example`,
      email_verified: true,
      ...more,
    });
    for (const name of ['ada', 'ben', 'cora', 'dora', 'eve', 'finn', 'gina', 'hugo'])
      provider.people.set(`sub-${name}`, person(name));
    other.people.set('sub-ada', person('ada', { email: 'ada@other.example' }));
  });
  after(async () => {
    await host?.close();
    await provider?.stop();
    await other?.stop();
  });

  it('is offered on the sign-in page, where the source is on', async () => {
    const page = await new Browser(host).go('/user/login?redirect_to=%2Fexplore%2Fusers');
    expect(page.payload)
      .to.include('Sign in with Corp')
      .and.include('/user/oauth2/Corp?redirect_to=%2Fexplore%2Fusers');
    await sources().update(second.id, { isActive: false });
    const without = await new Browser(host).go('/user/login');
    expect(without.payload).to.include('Sign in with Corp').and.not.to.include('Sign in with Other');
    for (const path of ['/user/oauth2/Other', '/user/oauth2/Other/callback?code=x&state=y', '/user/oauth2/Missing'])
      expect([path, (await new Browser(host).go(path)).statusCode]).to.equal([path, 404]);
    await sources().update(second.id, { isActive: true });
  });

  it('asks a newcomer, and makes an account that is known by its subject from then on', async () => {
    const { answer, browser } = await come('sub-ada', { query: '?redirect_to=%2Fexplore%2Fusers' });
    expect(answer.headers.location).to.equal('/user/link_account');
    const page = await browser.go('/user/link_account');
    expect(mainOf(page)).to.include('value="ada"').and.include('value="ada@corp.example"');
    const refused = await browser.submit('/user/link_account_signup', { user_name: 'root', email: 'no address' });
    expect(refused.statusCode).to.equal(422);
    expect(refused.payload).to.include('already').and.include('email');
    const made = await browser.submit('/user/link_account_signup', { user_name: 'ada', email: 'ada@corp.example' });
    expect([made.statusCode, made.headers.location], made.payload).to.equal([303, '/explore/users']);
    expect(await who(browser)).to.equal('ada');
    expect(await accounts().byName('ada')).to.include({
      sourceId: source.id,
      loginName: 'sub-ada',
      fullName: 'ada of Corp',
      email: 'ada@corp.example',
      isAdmin: false,
      hasPassword: false,
    });
    // the answer was good once
    expect(
      (await browser.submit('/user/link_account_signup', { user_name: 'x', email: 'x@x.example' })).statusCode,
    ).to.equal(400);
    // renamed there, another address: the same person
    provider.people.set('sub-ada', { ...provider.people.get('sub-ada'), nickname: 'root', email: 'root@example.com' });
    const again = await come('sub-ada');
    expect(again.answer.headers.location).to.equal('/');
    expect(await who(again.browser)).to.equal('ada');
  });

  it('re-used subject: somebody of another source with the same subject is somebody else', async () => {
    const { answer, browser } = await come('sub-ada', { name: 'Other', at: other });
    expect(answer.headers.location).to.equal('/user/link_account');
    expect(await who(browser)).to.equal('');
  });

  it('open redirect: leads to pages of this site only', async () => {
    for (const target of ['https://evil.example/', '//evil.example/', '/\\evil.example', 'javascript:alert(1)']) {
      const { answer } = await come('sub-ada', { query: `?redirect_to=${encodeURIComponent(target)}` });
      expect([target, answer.headers.location]).to.equal([target, '/']);
    }
  });

  it('login CSRF: an answer of another browser, a forged state and a used answer are refused', async () => {
    const stranger = await provider.walk(await leave(new Browser(host)), 'sub-ada');
    const victim = new Browser(host);
    const without = await victim.go(pathOf(stranger));
    expect([without.statusCode, without.payload.includes('started in another browser')]).to.equal([400, true]);
    await leave(victim);
    expect((await victim.go(pathOf(stranger))).statusCode).to.equal(400);
    const browser = new Browser(host);
    const callback = await provider.walk(await leave(browser), 'sub-ada');
    const forged = new URL(callback);
    forged.searchParams.set('state', 'A'.repeat(43));
    expect((await browser.go(pathOf(forged))).statusCode).to.equal(400);
    const cookie = browser.cookies.get('mortise_oauth2')!;
    browser.cookies.set('mortise_oauth2', `${cookie.slice(0, -4)}AAAA`);
    expect((await browser.go(pathOf(callback))).statusCode).to.equal(400);
    browser.cookies.set('mortise_oauth2', cookie);
    expect((await browser.go(pathOf(callback))).headers.location).to.equal('/');
    // the code was used, even where somebody kept the cookie
    const thief = new Browser(host);
    thief.cookies.set('mortise_oauth2', cookie);
    const replayed = await thief.go(pathOf(callback));
    expect([replayed.statusCode, await who(thief)]).to.equal([401, '']);
  });

  it('mix-up: an answer of one provider is nothing at another', async () => {
    const browser = new Browser(host);
    const callback = await provider.walk(await leave(browser, 'Corp'), 'sub-ada');
    const mixed = pathOf(callback).replace('/Corp/', '/Other/');
    expect((await browser.go(mixed)).statusCode).to.equal(400);
    // with the state of the other source: its issuer is not who says to have answered
    const again = new Browser(host);
    const start = new URL(await leave(again, 'Other'));
    callback.searchParams.set('state', start.searchParams.get('state')!);
    const refused = await again.go(pathOf(callback).replace('/Corp/', '/Other/'));
    expect([refused.statusCode, await who(again)]).to.equal([401, '']);
  });

  it('tells what the provider answers, in words of its own', async () => {
    provider.refusal = { error: 'access_denied', error_description: '<b>Call 555-0100</b>' };
    const denied = (await come('sub-ben')).answer;
    expect(denied.statusCode).to.equal(401);
    expect(mainOf(denied)).to.include('cancelled at the provider').and.not.to.include('555');
    provider.refusal = { error: 'server_error', error_description: 'Call 555-0100' };
    const failed = (await come('sub-ben')).answer;
    expect(mainOf(failed)).to.include('(server_error)').and.not.to.include('555');
    provider.refusal = undefined;
    const silent = { kind: 'oauth2', name: 'Away', settings: settings({ discoveryUrl: 'http://127.0.0.1:1' }) };
    const { id: silentId } = await sources().create(silent);
    const away = await new Browser(host).go('/user/oauth2/Away');
    expect([away.statusCode, away.payload.includes('could not be reached')]).to.equal([503, true]);
    await sources().delete(silentId);
    await set({ clientSecret: 'wrong' });
    expect((await come('sub-ben')).answer.statusCode).to.equal(401);
    await set();
  });

  it('S15: an ID token whose signature is wrong signs nobody in, whatever connection it came by', async () => {
    provider.forgesSignatures = true;
    const { answer, browser } = await come('sub-ada');
    provider.forgesSignatures = false;
    expect([answer.statusCode, await who(browser)]).to.equal([401, '']);
    expect(await who((await come('sub-ada')).browser)).to.equal('ada');
  });

  it('lets only those in who have the required claim', async () => {
    await set({ requiredClaimName: 'groups', requiredClaimValue: 'staff' });
    const refused = (await come('sub-ada')).answer;
    expect([refused.statusCode, refused.payload.includes('may not sign in here')]).to.equal([403, true]);
    provider.people.set('sub-ada', { ...provider.people.get('sub-ada'), groups: ['staff'] });
    expect((await come('sub-ada')).answer.headers.location).to.equal('/');
    await set();
  });

  it('links an existing account with its password', async () => {
    const ben = await createAccount(host, 'ben');
    const { browser } = await come('sub-ben');
    await browser.go('/user/link_account');
    const wrong = await browser.submit('/user/link_account_signin', { user_name: 'ben', password: 'wrong' });
    expect([wrong.statusCode, wrong.payload.includes('Incorrect username or password')]).to.equal([401, true]);
    const linked = await browser.submit('/user/link_account_signin', { user_name: 'ben', password });
    expect([linked.statusCode, linked.headers.location]).to.equal([303, '/']);
    expect(await who(browser)).to.equal('ben');
    const again = await come('sub-ben');
    expect(await who(again.browser)).to.equal('ben');
    const list = await again.browser.go('/user/settings/linked_accounts');
    expect(list.payload).to.include('Corp').and.include('ben').and.include('last used');
    const [, id] = /name="id" value="(\d+)"/.exec(list.payload)!;
    // not of somebody else
    const root = await Browser.signedIn(host, 'root');
    await root.go('/user/settings/linked_accounts');
    expect((await root.submit('/user/settings/linked_accounts/remove', { id: id! })).statusCode).to.equal(422);
    await again.browser.submit('/user/settings/linked_accounts/remove', { id: id! });
    expect((await come('sub-ben')).answer.headers.location).to.equal('/user/link_account');
    expect((await accounts().byId(ben.id))!.sourceId).to.equal(0);
  });

  it('second factor bypass: a link is made after it, and asks for it, unless the source asks itself', async () => {
    const ivy = await createAccount(host, 'ivy');
    const own = await Browser.signedIn(host, 'ivy');
    const enrol = '/user/settings/security/two_factor/enroll';
    const page = (await own.go(enrol)).payload;
    const secret = /id="totp-secret">([^<]+)</.exec(page)![1]!.replace(/\s/g, '');
    const hidden = /name="secret" value="([^"]+)"/.exec(page)![1]!;
    const done = await own.submit(enrol, { secret: hidden, passcode: oneTimeCode(secret), password });
    const codes = /id="recovery-codes">([^<]+)</.exec(done.payload)![1]!.trim().split('\n');
    provider.people.set('sub-ivy', { nickname: 'ivy', email: 'ivy@corp.example' });

    const { browser } = await come('sub-ivy');
    await browser.go('/user/link_account');
    const half = await browser.submit('/user/link_account_signin', { user_name: 'ivy', password });
    expect(half.headers.location).to.equal('/user/two_factor');
    expect((await come('sub-ivy')).answer.headers.location).to.equal('/user/link_account');
    await browser.go('/user/two_factor');
    expect((await browser.submit('/user/two_factor', { passcode: codes[0]! })).headers.location).to.equal('/');
    expect(await who(browser)).to.equal('ivy');

    const again = await come('sub-ivy');
    expect([again.answer.headers.location, await who(again.browser)]).to.equal(['/user/two_factor', '']);
    await sources().update(source.id, { skipsSecondFactor: true });
    const skipped = await come('sub-ivy');
    expect([skipped.answer.headers.location, await who(skipped.browser)]).to.equal(['/', 'ivy']);
    await sources().update(source.id, { skipsSecondFactor: false });
    expect((await accounts().byId(ivy.id))!.sourceId).to.equal(0);
  });

  it('several accounts of one person: two forms that are sent at once make one', async () => {
    const register = (name: string) =>
      host.services.get(registrations).registerExternal({
        name,
        email: `${name}@corp.example`,
        isEmailVerified: false,
        sourceId: source.id,
        loginName: 'sub-jo',
      });
    const both = await Promise.allSettled(['jo-one', 'jo-two'].map(register));
    expect(both.map(({ status }) => status).sort()).to.equal(['fulfilled', 'rejected']);
    const made = await accounts().search({ loginName: 'sub-jo', sourceId: source.id, limit: 10, offset: 0 });
    expect(made.total).to.equal(1);
  });

  it('second factor bypass: a source stands for nobody who comes in through another one', async () => {
    const home = '/user/settings/linked_accounts';
    await sources().update(source.id, { skipsSecondFactor: true });
    const { browser } = await come('sub-ada');
    const add = () => browser.submit(`${home}/add`, { source: String(second.id) });
    const { id } = (await accounts().byName('ada'))!;
    const sinceMinutes = (minutes: number) =>
      host.database.write(async () => {
        const created_at = Date.now() - minutes * 60_000;
        await host.database.knex()('session').where({ user_id: id }).update({ created_at });
      });
    // somebody without a password shows that it is them by a session that has just begun
    await browser.go(home);
    await sinceMinutes(16);
    const late = await add();
    expect([late.statusCode, late.payload.includes('Sign out and in again')]).to.equal([422, true]);
    await sinceMinutes(1);
    expect((await add()).headers.location).to.equal(`${home}/go`);
    const onward = String((await browser.go(`${home}/go`)).headers.refresh).replace(/^0; url=/, '');
    const callback = await other.walk(onward, 'sub-ada');
    expect((await browser.go(pathOf(callback))).headers.location).to.equal(`${home}?saved=1`);
    const byOther = async () => {
      const { answer, browser } = await come('sub-ada', { name: 'Other', at: other });
      return [answer.statusCode, answer.headers.location, await who(browser)];
    };
    expect(await byOther()).to.equal([303, '/', 'ada']);

    const enrol = '/user/settings/security/two_factor/enroll';
    const page = (await browser.go(enrol)).payload;
    const secret = /id="totp-secret">([^<]+)</.exec(page)![1]!.replace(/\s/g, '');
    const hidden = /name="secret" value="([^"]+)"/.exec(page)![1]!;
    await browser.submit(enrol, { secret: hidden, passcode: oneTimeCode(secret) });
    expect(await who((await come('sub-ada')).browser)).to.equal('ada');
    expect(await byOther()).to.equal([303, '/user/two_factor', '']);

    // a source that is off lets its people in by no other way either
    await sources().update(source.id, { isActive: false });
    expect(await byOther()).to.equal([403, undefined, '']);
    await sources().update(source.id, { isActive: true, skipsSecondFactor: false });
    await host.services.get(secondFactors).reset(id);
  });

  it('account takeover: a source in use keeps the provider that its people are known by', async () => {
    for (const more of [{ discoveryUrl: other.issuer }, { provider: 'github' }, { useCustomUrls: true }])
      await expect(set(more)).to.reject(/cannot be changed while accounts are linked/);
    // the other one has no accounts of its own, but a link
    const changed = settings({ discoveryUrl: provider.issuer });
    await expect(sources().update(second.id, { settings: changed })).to.reject(/cannot be changed/);
    await sources().update(second.id, { settings: settings({ scopes: 'email' }, other) });
    await sources().update(second.id, { settings: settings({}, other) });
  });

  it('links a provider to an account that is signed in, for its owner alone', async () => {
    const cora = await createAccount(host, 'cora');
    const browser = await Browser.signedIn(host, 'cora');
    const home = '/user/settings/linked_accounts';
    const add = (fields: Record<string, string>) => browser.submit(`${home}/add`, fields);
    await browser.go(home);
    const wrong = await add({ source: String(source.id), password: 'wrong' });
    expect([wrong.statusCode, wrong.payload.includes('Incorrect password')]).to.equal([422, true]);
    const go = await add({ source: String(source.id), password });
    expect(go.headers.location).to.equal(`${home}/go`);
    const onward = String((await browser.go(`${home}/go`)).headers.refresh).replace(/^0; url=/, '');
    const callback = await provider.walk(onward, 'sub-cora');
    const cookie = browser.cookies.get('mortise_oauth2')!;
    // account takeover: the answer does nothing for anybody else, and nothing without a session
    for (const stranger of [await Browser.signedIn(host, 'root'), new Browser(host)]) {
      stranger.cookies.set('mortise_oauth2', cookie);
      const refused = await stranger.go(pathOf(await provider.walk(onward, 'sub-cora')));
      expect(refused.statusCode).to.equal(403);
    }
    expect((await browser.go(pathOf(callback))).headers.location).to.equal(`${home}?saved=1`);
    const signedIn = await come('sub-cora');
    expect(await who(signedIn.browser)).to.equal('cora');
    // somebody who is somebody here already is linked to nobody else
    const root = await Browser.signedIn(host, 'root');
    await root.go(home);
    await root.submit(`${home}/add`, { source: String(source.id), password });
    const taken = String((await root.go(`${home}/go`)).headers.refresh).replace(/^0; url=/, '');
    const refused = await root.go(pathOf(await provider.walk(taken, 'sub-cora')));
    expect([refused.statusCode, refused.payload.includes('already linked')]).to.equal([409, true]);
    // a source that goes takes its links with it
    expect((await accounts().byId(cora.id))!.name).to.equal('cora');
  });

  it('makes accounts without asking, where the site says so', async () => {
    await restart({ ENABLE_AUTO_REGISTRATION: true });
    const { answer, browser } = await come('sub-dora');
    expect(answer.headers.location).to.equal('/');
    expect(await who(browser)).to.equal('dora');
    const made = (await accounts().byName('dora'))!;
    expect((await host.services.get(emails).list(made.id))[0]).to.include({ isConfirmed: true });
    provider.people.set('sub-nameless', { email: 'nameless@corp.example' });
    expect((await come('sub-nameless')).answer.headers.location).to.equal('/user/link_account');
    provider.people.set('sub-odd', { nickname: "Zoë d'Arc", email: 'odd@corp.example' });
    expect(await who((await come('sub-odd')).browser)).to.equal('Zoe-dArc');
    expect((await host.services.get(emails).list((await accounts().byName('Zoe-dArc'))!.id))[0]).to.include({
      isConfirmed: false,
    });
  });

  it('account takeover by email or name: nobody becomes an account because of them', async () => {
    await createAccount(host, 'eve', { email: 'victim@corp.example' });
    provider.people.set('sub-thief', { nickname: 'thief', email: 'victim@corp.example', email_verified: true });
    provider.people.set('sub-namesake', { nickname: 'eve', email: 'namesake@corp.example', email_verified: true });
    provider.people.set('sub-liar', { nickname: 'liar', email: 'victim@corp.example', email_verified: false });
    for (const [linking, status, location] of [
      ['login', 303, '/user/link_account'],
      ['disabled', 403, undefined],
    ] as const) {
      await restart({ ENABLE_AUTO_REGISTRATION: true, ACCOUNT_LINKING: linking });
      for (const subject of ['sub-thief', 'sub-namesake', 'sub-liar']) {
        const { answer, browser } = await come(subject);
        const got = [linking, subject, answer.statusCode, answer.headers.location, await who(browser)];
        expect(got).to.equal([linking, subject, status, location, '']);
      }
    }
    // automatic linking needs an address that both sides have seen
    await restart({ ENABLE_AUTO_REGISTRATION: true, ACCOUNT_LINKING: 'auto' });
    for (const subject of ['sub-namesake', 'sub-liar']) {
      const { answer, browser } = await come(subject);
      expect([subject, answer.headers.location, await who(browser)]).to.equal([subject, '/user/link_account', '']);
    }
    const prove = (isProven: boolean) =>
      host.database.write(async () => {
        await host.database
          .knex()('email_address')
          .where({ email: 'victim@corp.example' })
          .update({ is_proven: isProven });
      });
    const eve = (await accounts().byName('eve'))!;
    const hidden = accounts().commitEmail({ ...eve, keepEmailPrivate: true });
    expect((await accounts().byConfirmedEmails([hidden])).size).to.equal(1);
    provider.people.set('sub-hidden', { nickname: 'hidden', email: hidden, email_verified: true });
    expect((await come('sub-hidden')).answer.headers.location).to.equal('/user/link_account');
    // S12: who made the account has only typed it
    expect((await host.services.get(emails).list(eve.id))[0]).to.include({ isConfirmed: true, isProven: false });
    expect((await come('sub-thief')).answer.headers.location).to.equal('/user/link_account');
    await prove(true);
    const linked = await come('sub-thief');
    expect([linked.answer.headers.location, await who(linked.browser)]).to.equal(['/', 'eve']);
  });

  it('S12: an address that another account only claims is made the account of whom the provider vouches for', async () => {
    for (const linking of ['disabled', 'login', 'auto'] as const) {
      await restart({ ENABLE_AUTO_REGISTRATION: true, ACCOUNT_LINKING: linking });
      const [claimant, owner] = [`claims-${linking}`, `owns-${linking}`];
      const email = `${owner}@corp.example`;
      const { id } = await createAccount(host, claimant, { email, isEmailClaimed: true });
      provider.people.set(`liar-${linking}`, { nickname: `liar-${linking}`, email, email_verified: false });
      expect(await who((await come(`liar-${linking}`)).browser)).to.equal('');
      provider.people.set(owner, { nickname: owner, email, email_verified: true });
      expect(await who((await come(owner)).browser)).to.equal(owner);
      expect((await accounts().byEmail(email))!.name).to.equal(owner);
      expect((await accounts().byId(id))!.email).to.match(/^account-\d+\.[0-9a-f]{16}@released\.invalid$/);
    }
  });

  it('follows groups: administrators, restricted people, teams', async () => {
    await restart({ ENABLE_AUTO_REGISTRATION: true });
    const root = (await accounts().byName('root'))!;
    const works = await host.services.get(organizations).create({ name: 'works' }, root);
    const crew = await host.services.get(teams).create(works, { name: 'Crew', units: { code: 'read' } });
    await set({
      groupClaimName: 'groups',
      adminGroup: 'admins',
      restrictedGroup: 'guests',
      groupTeamMap: JSON.stringify({ developers: { works: ['crew'] } }),
      groupTeamMapRemoval: true,
    });
    const sign = async (groups: unknown) => {
      provider.people.set('sub-finn', { ...provider.people.get('sub-finn'), groups });
      await come('sub-finn');
      const finn = (await accounts().byName('finn'))!;
      const isIn = await host.services.get(teams).isMember(crew.id, finn.id);
      return [
        finn.isAdmin,
        finn.isRestricted,
        isIn,
        await host.services.get(memberships).isMember(finn.id, works.account.id),
      ];
    };
    expect(await sign(['developers', 'guests'])).to.equal([false, true, true, true]);
    expect(await sign('admins,developers')).to.equal([true, false, true, true]);
    expect(await sign(undefined)).to.equal([true, false, true, true]);
    expect(await sign(['nothing'])).to.equal([false, false, false, false]);
    // accounts that are not of the source are only linked to it
    provider.people.set('sub-cora', { ...provider.people.get('sub-cora'), groups: ['admins', 'guests', 'developers'] });
    const linked = await come('sub-cora');
    expect(await who(linked.browser)).to.equal('cora');
    const cora = (await accounts().byName('cora'))!;
    expect([cora.isAdmin, cora.isRestricted]).to.equal([false, false]);
    expect(await host.services.get(teams).isMember(crew.id, cora.id)).to.be.false();
    await set();
  });

  it('follows full name and SSH keys by their claims, of its own accounts only', async () => {
    await set({ fullNameClaimName: 'full', sshPublicKeyClaimName: 'keys' });
    const list = async (name: string) => {
      const { id } = (await accounts().byName(name))!;
      const { items } = await host.services.get(publicKeys).list({ userId: id, limit: 10, offset: 0 });
      return items.map((key) => key.content.split(' ')[1]!.slice(-4));
    };
    provider.people.set('sub-gina', { ...provider.people.get('sub-gina'), full: 'Gina G.', keys: [keys[0], 'no key'] });
    await come('sub-gina');
    expect([(await accounts().byName('gina'))!.fullName, await list('gina')]).to.equal(['Gina G.', ['NHLG']]);
    provider.people.set('sub-gina', { ...provider.people.get('sub-gina'), full: 'Gina H.', keys: [] });
    await come('sub-gina');
    expect([(await accounts().byName('gina'))!.fullName, await list('gina')]).to.equal(['Gina H.', []]);
    // the account that cora has linked keeps her keys
    const cora = (await accounts().byName('cora'))!;
    await host.services.get(publicKeys).add(cora.id, { title: 'by hand', key: keys[1] });
    provider.people.set('sub-cora', { ...provider.people.get('sub-cora'), full: 'Not Cora', keys: [keys[0]] });
    await come('sub-cora');
    expect((await accounts().byName('cora'))!.fullName).to.equal(cora.fullName);
    expect(await list('cora')).to.equal(['UEOa'.replace('UEOa', keys[1].split(' ')[1]!.slice(-4))]);
    await set();
  });

  it('waits for mail or an administrator, where the site says so', async () => {
    await restart({ ENABLE_AUTO_REGISTRATION: true }, { REGISTER_MANUAL_CONFIRM: true });
    const { answer, browser } = await come('sub-hugo');
    expect([answer.statusCode, answer.payload.includes('administrator must activate')]).to.equal([200, true]);
    expect(await who(browser)).to.equal('');
    expect((await come('sub-hugo')).answer.statusCode).to.equal(403);
    const hugo = (await accounts().byName('hugo'))!;
    await accounts().update(hugo.id, { isActive: true });
    expect(await who((await come('sub-hugo')).browser)).to.equal('hugo');
    await accounts().update(hugo.id, { prohibitLogin: true });
    expect((await come('sub-hugo')).answer.statusCode).to.equal(403);
  });

  it('makes no account by hand where registration is closed, and none at all where it is for this site alone', async () => {
    provider.people.set('sub-late', { nickname: 'late', email: 'late@corp.example' });
    await restart({}, { DISABLE_REGISTRATION: true });
    const { browser } = await come('sub-late');
    const page = await browser.go('/user/link_account');
    expect(mainOf(page)).to.include('Link an existing account').and.not.to.include('Create a new account');
    const fields = { user_name: 'late', email: 'late@corp.example' };
    expect((await browser.submit('/user/link_account_signup', fields)).statusCode).to.equal(403);
    await restart({ ENABLE_AUTO_REGISTRATION: true }, { ALLOW_ONLY_INTERNAL_REGISTRATION: true });
    expect((await come('sub-late')).answer.headers.location).to.equal('/user/link_account');
    await restart({ ENABLE_AUTO_REGISTRATION: true }, { DISABLE_REGISTRATION: true });
    expect((await come('sub-late')).answer.headers.location).to.equal('/');
  });

  it('keeps the client secret encrypted', async () => {
    const rows = (await host.database.knex()('login_source').select('settings')) as { settings: unknown }[];
    expect(JSON.stringify(rows)).not.to.include(clientSecret);
    const root = await Browser.signedIn(host, 'root');
    const page = (await root.go(`/-/admin/auths/${source.id}`)).payload;
    expect(page).to.include(provider.issuer).and.not.to.include(clientSecret);
    await root.submit(`/-/admin/auths/${source.id}/test`);
    expect((await root.submit(`/-/admin/auths/${source.id}/test`)).payload).to.include('The connection works.');
  });

  it('leaves no trace when it is off', async () => {
    host = await host.restart({ settings: base, plugins: plugins.filter((name) => name !== 'auth-oauth2') });
    for (const path of ['/user/oauth2/Corp', '/user/link_account', '/user/oauth2_activate'])
      expect([path, (await new Browser(host).go(path)).statusCode]).to.equal([path, 404]);
    expect((await new Browser(host).go('/user/login')).payload).not.to.include('Corp');
    const root = await Browser.signedIn(host, 'root');
    expect((await root.go('/user/settings/linked_accounts')).statusCode).to.equal(404);
    expect((await root.go('/-/admin/auths')).payload).not.to.include('OAuth2');
  });
});
