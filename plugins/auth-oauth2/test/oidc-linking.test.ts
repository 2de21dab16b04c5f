import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { createAccount, password } from '@mortise/accounts/testing';
import { secondFactors } from '@mortise/auth-two-factor/api';
import { registrations } from '@mortise/sessions/api';
import { Browser } from '@mortise/sessions/testing';
import { OidcKit, pathOf, signedInAs } from './oidc-kit.js';
import { oneTimeCode } from './oidc-support.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('accounts linked to OpenID Connect', { timeout: 120_000 }, () => {
  let kit: OidcKit;
  before(async () => {
    kit = await OidcKit.start();
    await kit.registerBySubject('ada');
  });
  after(() => kit?.close());

  it('links an existing account with its password', async () => {
    const ben = await createAccount(kit.host, 'ben');
    const { browser } = await kit.signIn('sub-ben');
    await browser.go('/user/link_account');
    const wrong = await browser.submit('/user/link_account_signin', { user_name: 'ben', password: 'wrong' });
    expect([wrong.statusCode, wrong.payload.includes('Incorrect username or password')]).to.equal([401, true]);
    const linked = await browser.submit('/user/link_account_signin', { user_name: 'ben', password });
    expect([linked.statusCode, linked.headers.location]).to.equal([303, '/']);
    expect(await signedInAs(browser)).to.equal('ben');
    const again = await kit.signIn('sub-ben');
    expect(await signedInAs(again.browser)).to.equal('ben');
    const list = await again.browser.go('/user/settings/linked_accounts');
    expect(list.payload).to.include('Corp').and.include('ben').and.include('last used');
    const [, id] = /name="id" value="(\d+)"/.exec(list.payload)!;
    // not of somebody else
    const root = await Browser.signedIn(kit.host, 'root');
    await root.go('/user/settings/linked_accounts');
    expect((await root.submit('/user/settings/linked_accounts/remove', { id: id! })).statusCode).to.equal(422);
    await again.browser.submit('/user/settings/linked_accounts/remove', { id: id! });
    expect((await kit.signIn('sub-ben')).answer.headers.location).to.equal('/user/link_account');
    expect((await kit.accounts().byId(ben.id))!.sourceId).to.equal(0);
  });

  it('second factor bypass: a link is made after it, and asks for it, unless the source asks itself', async () => {
    const ivy = await createAccount(kit.host, 'ivy');
    const own = await Browser.signedIn(kit.host, 'ivy');
    const enrol = '/user/settings/security/two_factor/enroll';
    const page = (await own.go(enrol)).payload;
    const secret = /id="totp-secret">([^<]+)</.exec(page)![1]!.replace(/\s/g, '');
    const hidden = /name="secret" value="([^"]+)"/.exec(page)![1]!;
    const done = await own.submit(enrol, { secret: hidden, passcode: oneTimeCode(secret), password });
    const codes = /id="recovery-codes">([^<]+)</.exec(done.payload)![1]!.trim().split('\n');
    kit.provider.people.set('sub-ivy', { nickname: 'ivy', email: 'ivy@corp.example' });

    const { browser } = await kit.signIn('sub-ivy');
    await browser.go('/user/link_account');
    const half = await browser.submit('/user/link_account_signin', { user_name: 'ivy', password });
    expect(half.headers.location).to.equal('/user/two_factor');
    expect((await kit.signIn('sub-ivy')).answer.headers.location).to.equal('/user/link_account');
    await browser.go('/user/two_factor');
    expect((await browser.submit('/user/two_factor', { passcode: codes[0]! })).headers.location).to.equal('/');
    expect(await signedInAs(browser)).to.equal('ivy');

    const again = await kit.signIn('sub-ivy');
    expect([again.answer.headers.location, await signedInAs(again.browser)]).to.equal(['/user/two_factor', '']);
    await kit.sources().update(kit.source.id, { skipsSecondFactor: true });
    const skipped = await kit.signIn('sub-ivy');
    expect([skipped.answer.headers.location, await signedInAs(skipped.browser)]).to.equal(['/', 'ivy']);
    await kit.sources().update(kit.source.id, { skipsSecondFactor: false });
    expect((await kit.accounts().byId(ivy.id))!.sourceId).to.equal(0);
  });

  it('several accounts of one person: two forms that are sent at once make one', async () => {
    const register = (name: string) =>
      kit.host.services.get(registrations).registerExternal({
        name,
        email: `${name}@corp.example`,
        isEmailVerified: false,
        sourceId: kit.source.id,
        loginName: 'sub-jo',
      });
    const both = await Promise.allSettled(['jo-one', 'jo-two'].map(register));
    expect(both.map(({ status }) => status).sort()).to.equal(['fulfilled', 'rejected']);
    const made = await kit.accounts().search({ loginName: 'sub-jo', sourceId: kit.source.id, limit: 10, offset: 0 });
    expect(made.total).to.equal(1);
  });

  it('second factor bypass: a source stands for nobody who comes in through another one', async () => {
    const home = '/user/settings/linked_accounts';
    await kit.sources().update(kit.source.id, { skipsSecondFactor: true });
    const { browser } = await kit.signIn('sub-ada');
    const add = () => browser.submit(`${home}/add`, { source: String(kit.second.id) });
    const { id } = (await kit.accounts().byName('ada'))!;
    const sinceMinutes = (minutes: number) =>
      kit.host.database.write(async () => {
        const created_at = Date.now() - minutes * 60_000;
        await kit.host.database.knex()('session').where({ user_id: id }).update({ created_at });
      });
    // somebody without a password shows that it is them by a session that has just begun
    await browser.go(home);
    await sinceMinutes(16);
    const late = await add();
    expect([late.statusCode, late.payload.includes('Sign out and in again')]).to.equal([422, true]);
    await sinceMinutes(1);
    expect((await add()).headers.location).to.equal(`${home}/go`);
    const onward = String((await browser.go(`${home}/go`)).headers.refresh).replace(/^0; url=/, '');
    const callback = await kit.other.walk(onward, 'sub-ada');
    expect((await browser.go(pathOf(callback))).headers.location).to.equal(`${home}?saved=1`);
    const byOther = async () => {
      const { answer, browser } = await kit.signIn('sub-ada', { name: 'Other', provider: kit.other });
      return [answer.statusCode, answer.headers.location, await signedInAs(browser)];
    };
    expect(await byOther()).to.equal([303, '/', 'ada']);

    const enrol = '/user/settings/security/two_factor/enroll';
    const page = (await browser.go(enrol)).payload;
    const secret = /id="totp-secret">([^<]+)</.exec(page)![1]!.replace(/\s/g, '');
    const hidden = /name="secret" value="([^"]+)"/.exec(page)![1]!;
    await browser.submit(enrol, { secret: hidden, passcode: oneTimeCode(secret) });
    expect(await signedInAs((await kit.signIn('sub-ada')).browser)).to.equal('ada');
    expect(await byOther()).to.equal([303, '/user/two_factor', '']);

    // a source that is off lets its people in by no other way either
    await kit.sources().update(kit.source.id, { isActive: false });
    expect(await byOther()).to.equal([403, undefined, '']);
    await kit.sources().update(kit.source.id, { isActive: true, skipsSecondFactor: false });
    await kit.host.services.get(secondFactors).reset(id);
  });

  it('account takeover: a source in use keeps the provider that its people are known by', async () => {
    for (const more of [{ discoveryUrl: kit.other.issuer }, { provider: 'github' }, { useCustomUrls: true }])
      await expect(kit.set(more)).to.reject(/cannot be changed while accounts are linked/);
    // the other one has no accounts of its own, but a link
    const changed = kit.settings({ discoveryUrl: kit.provider.issuer });
    await expect(kit.sources().update(kit.second.id, { settings: changed })).to.reject(/cannot be changed/);
    await kit.sources().update(kit.second.id, { settings: kit.settings({ scopes: 'email' }, kit.other) });
    await kit.sources().update(kit.second.id, { settings: kit.settings({}, kit.other) });
  });

  it('links a provider to an account that is signed in, for its owner alone', async () => {
    const cora = await createAccount(kit.host, 'cora');
    const browser = await Browser.signedIn(kit.host, 'cora');
    const home = '/user/settings/linked_accounts';
    const add = (fields: Record<string, string>) => browser.submit(`${home}/add`, fields);
    await browser.go(home);
    const wrong = await add({ source: String(kit.source.id), password: 'wrong' });
    expect([wrong.statusCode, wrong.payload.includes('Incorrect password')]).to.equal([422, true]);
    const go = await add({ source: String(kit.source.id), password });
    expect(go.headers.location).to.equal(`${home}/go`);
    const onward = String((await browser.go(`${home}/go`)).headers.refresh).replace(/^0; url=/, '');
    const callback = await kit.provider.walk(onward, 'sub-cora');
    const cookie = browser.cookies.get('mortise_oauth2')!;
    // account takeover: the answer does nothing for anybody else, and nothing without a session
    for (const stranger of [await Browser.signedIn(kit.host, 'root'), new Browser(kit.host)]) {
      stranger.cookies.set('mortise_oauth2', cookie);
      const refused = await stranger.go(pathOf(await kit.provider.walk(onward, 'sub-cora')));
      expect(refused.statusCode).to.equal(403);
    }
    expect((await browser.go(pathOf(callback))).headers.location).to.equal(`${home}?saved=1`);
    const signedIn = await kit.signIn('sub-cora');
    expect(await signedInAs(signedIn.browser)).to.equal('cora');
    // somebody who is somebody here already is linked to nobody else
    const root = await Browser.signedIn(kit.host, 'root');
    await root.go(home);
    await root.submit(`${home}/add`, { source: String(kit.source.id), password });
    const taken = String((await root.go(`${home}/go`)).headers.refresh).replace(/^0; url=/, '');
    const refused = await root.go(pathOf(await kit.provider.walk(taken, 'sub-cora')));
    expect([refused.statusCode, refused.payload.includes('already linked')]).to.equal([409, true]);
    // a source that goes takes its links with it
    expect((await kit.accounts().byId(cora.id))!.name).to.equal('cora');
  });
});
