import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { Browser } from '@mortise/sessions/testing';
import { OidcKit, pathOf, signedInAs } from './oidc-kit.js';
import { mainOf } from './oidc-support.js';
import { clientSecret } from './provider.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('signing in with OpenID Connect', { timeout: 120_000 }, () => {
  let kit: OidcKit;
  before(async () => {
    kit = await OidcKit.start();
  });
  after(() => kit?.close());

  it('is offered on the sign-in page, where the source is on', async () => {
    const page = await new Browser(kit.host).go('/user/login?redirect_to=%2Fexplore%2Fusers');
    expect(page.payload)
      .to.include('Sign in with Corp')
      .and.include('/user/oauth2/Corp?redirect_to=%2Fexplore%2Fusers');
    await kit.sources().update(kit.second.id, { isActive: false });
    const without = await new Browser(kit.host).go('/user/login');
    expect(without.payload).to.include('Sign in with Corp').and.not.to.include('Sign in with Other');
    for (const path of ['/user/oauth2/Other', '/user/oauth2/Other/callback?code=x&state=y', '/user/oauth2/Missing'])
      expect([path, (await new Browser(kit.host).go(path)).statusCode]).to.equal([path, 404]);
    await kit.sources().update(kit.second.id, { isActive: true });
  });

  it('asks a newcomer, and makes an account that is known by its subject from then on', async () => {
    const { answer, browser } = await kit.signIn('sub-ada', { query: '?redirect_to=%2Fexplore%2Fusers' });
    expect(answer.headers.location).to.equal('/user/link_account');
    const page = await browser.go('/user/link_account');
    expect(mainOf(page)).to.include('value="ada"').and.include('value="ada@corp.example"');
    const refused = await browser.submit('/user/link_account_signup', { user_name: 'root', email: 'no address' });
    expect(refused.statusCode).to.equal(422);
    expect(refused.payload).to.include('already').and.include('email');
    const made = await browser.submit('/user/link_account_signup', { user_name: 'ada', email: 'ada@corp.example' });
    expect([made.statusCode, made.headers.location], made.payload).to.equal([303, '/explore/users']);
    expect(await signedInAs(browser)).to.equal('ada');
    expect(await kit.accounts().byName('ada')).to.include({
      sourceId: kit.source.id,
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
    kit.provider.people.set('sub-ada', {
      ...kit.provider.people.get('sub-ada'),
      nickname: 'root',
      email: 'root@example.com',
    });
    const again = await kit.signIn('sub-ada');
    expect(again.answer.headers.location).to.equal('/');
    expect(await signedInAs(again.browser)).to.equal('ada');
  });

  it('re-used subject: somebody of another source with the same subject is somebody else', async () => {
    const { answer, browser } = await kit.signIn('sub-ada', { name: 'Other', provider: kit.other });
    expect(answer.headers.location).to.equal('/user/link_account');
    expect(await signedInAs(browser)).to.equal('');
  });

  it('open redirect: leads to pages of this site only', async () => {
    for (const target of ['https://evil.example/', '//evil.example/', '/\\evil.example', 'javascript:alert(1)']) {
      const { answer } = await kit.signIn('sub-ada', { query: `?redirect_to=${encodeURIComponent(target)}` });
      expect([target, answer.headers.location]).to.equal([target, '/']);
    }
  });

  it('login CSRF: an answer of another browser, a forged state and a used answer are refused', async () => {
    const stranger = await kit.provider.walk(await kit.authorizationUrl(new Browser(kit.host)), 'sub-ada');
    const victim = new Browser(kit.host);
    const without = await victim.go(pathOf(stranger));
    expect([without.statusCode, without.payload.includes('started in another browser')]).to.equal([400, true]);
    await kit.authorizationUrl(victim);
    expect((await victim.go(pathOf(stranger))).statusCode).to.equal(400);
    const browser = new Browser(kit.host);
    const callback = await kit.provider.walk(await kit.authorizationUrl(browser), 'sub-ada');
    const forged = new URL(callback);
    forged.searchParams.set('state', 'A'.repeat(43));
    expect((await browser.go(pathOf(forged))).statusCode).to.equal(400);
    const cookie = browser.cookies.get('mortise_oauth2')!;
    browser.cookies.set('mortise_oauth2', `${cookie.slice(0, -4)}AAAA`);
    expect((await browser.go(pathOf(callback))).statusCode).to.equal(400);
    browser.cookies.set('mortise_oauth2', cookie);
    expect((await browser.go(pathOf(callback))).headers.location).to.equal('/');
    // the code was used, even where somebody kept the cookie
    const thief = new Browser(kit.host);
    thief.cookies.set('mortise_oauth2', cookie);
    const replayed = await thief.go(pathOf(callback));
    expect([replayed.statusCode, await signedInAs(thief)]).to.equal([401, '']);
  });

  it('mix-up: an answer of one provider is nothing at another', async () => {
    const browser = new Browser(kit.host);
    const callback = await kit.provider.walk(await kit.authorizationUrl(browser, 'Corp'), 'sub-ada');
    const mixed = pathOf(callback).replace('/Corp/', '/Other/');
    expect((await browser.go(mixed)).statusCode).to.equal(400);
    // with the state of the other source: its issuer is not who says to have answered
    const again = new Browser(kit.host);
    const start = new URL(await kit.authorizationUrl(again, 'Other'));
    callback.searchParams.set('state', start.searchParams.get('state')!);
    const refused = await again.go(pathOf(callback).replace('/Corp/', '/Other/'));
    expect([refused.statusCode, await signedInAs(again)]).to.equal([401, '']);
  });

  it('tells what the provider answers, in words of its own', async () => {
    kit.provider.refusal = { error: 'access_denied', error_description: '<b>Call 555-0100</b>' };
    const denied = (await kit.signIn('sub-ben')).answer;
    expect(denied.statusCode).to.equal(401);
    expect(mainOf(denied)).to.include('cancelled at the provider').and.not.to.include('555');
    kit.provider.refusal = { error: 'server_error', error_description: 'Call 555-0100' };
    const failed = (await kit.signIn('sub-ben')).answer;
    expect(mainOf(failed)).to.include('(server_error)').and.not.to.include('555');
    kit.provider.refusal = undefined;
    const silent = { kind: 'oauth2', name: 'Away', settings: kit.settings({ discoveryUrl: 'http://127.0.0.1:1' }) };
    const { id: silentId } = await kit.sources().create(silent);
    const away = await new Browser(kit.host).go('/user/oauth2/Away');
    expect([away.statusCode, away.payload.includes('could not be reached')]).to.equal([503, true]);
    await kit.sources().delete(silentId);
    await kit.set({ clientSecret: 'wrong' });
    expect((await kit.signIn('sub-ben')).answer.statusCode).to.equal(401);
    await kit.set();
  });

  it('S15: an ID token whose signature is wrong signs nobody in, whatever connection it came by', async () => {
    kit.provider.forgesSignatures = true;
    const { answer, browser } = await kit.signIn('sub-ada');
    kit.provider.forgesSignatures = false;
    expect([answer.statusCode, await signedInAs(browser)]).to.equal([401, '']);
    expect(await signedInAs((await kit.signIn('sub-ada')).browser)).to.equal('ada');
  });

  it('lets only those in who have the required claim', async () => {
    await kit.set({ requiredClaimName: 'groups', requiredClaimValue: 'staff' });
    const refused = (await kit.signIn('sub-ada')).answer;
    expect([refused.statusCode, refused.payload.includes('may not sign in here')]).to.equal([403, true]);
    kit.provider.people.set('sub-ada', { ...kit.provider.people.get('sub-ada'), groups: ['staff'] });
    expect((await kit.signIn('sub-ada')).answer.headers.location).to.equal('/');
    await kit.set();
  });

  it('keeps the client secret encrypted', async () => {
    const rows = (await kit.host.database.knex()('login_source').select('settings')) as { settings: unknown }[];
    expect(JSON.stringify(rows)).not.to.include(clientSecret);
    const root = await Browser.signedIn(kit.host, 'root');
    const page = (await root.go(`/-/admin/auths/${kit.source.id}`)).payload;
    expect(page).to.include(kit.provider.issuer).and.not.to.include(clientSecret);
    await root.submit(`/-/admin/auths/${kit.source.id}/test`);
    expect((await root.submit(`/-/admin/auths/${kit.source.id}/test`)).payload).to.include('The connection works.');
  });

  it('leaves no trace when it is off', async () => {
    await kit.restartWithoutPlugin();
    for (const path of ['/user/oauth2/Corp', '/user/link_account', '/user/oauth2_activate'])
      expect([path, (await new Browser(kit.host).go(path)).statusCode]).to.equal([path, 404]);
    expect((await new Browser(kit.host).go('/user/login')).payload).not.to.include('Corp');
    const root = await Browser.signedIn(kit.host, 'root');
    expect((await root.go('/user/settings/linked_accounts')).statusCode).to.equal(404);
    expect((await root.go('/-/admin/auths')).payload).not.to.include('OAuth2');
  });
});
