import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { emails, memberships, publicKeys } from '@mortise/accounts/api';
import { createAccount, password } from '@mortise/accounts/testing';
import { organizations, teams } from '@mortise/organizations/api';
import { OidcKit, signedInAs } from './oidc-kit.js';
import { keys, mainOf } from './oidc-support.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('accounts made and updated by OpenID Connect', { timeout: 120_000 }, () => {
  let kit: OidcKit;
  before(async () => {
    kit = await OidcKit.start();
    // cora has an account of her own, and a link
    await createAccount(kit.host, 'cora');
    const { browser } = await kit.signIn('sub-cora');
    await browser.go('/user/link_account');
    await browser.submit('/user/link_account_signin', { user_name: 'cora', password });
  });
  after(() => kit?.close());

  it('makes accounts without asking, where the site says so', async () => {
    await kit.restart({ ENABLE_AUTO_REGISTRATION: true });
    const { answer, browser } = await kit.signIn('sub-dora');
    expect(answer.headers.location).to.equal('/');
    expect(await signedInAs(browser)).to.equal('dora');
    const made = (await kit.accounts().byName('dora'))!;
    expect((await kit.host.services.get(emails).list(made.id))[0]).to.include({ isConfirmed: true });
    kit.provider.people.set('sub-nameless', { email: 'nameless@corp.example' });
    expect((await kit.signIn('sub-nameless')).answer.headers.location).to.equal('/user/link_account');
    kit.provider.people.set('sub-odd', { nickname: "Zoë d'Arc", email: 'odd@corp.example' });
    expect(await signedInAs((await kit.signIn('sub-odd')).browser)).to.equal('Zoe-dArc');
    expect((await kit.host.services.get(emails).list((await kit.accounts().byName('Zoe-dArc'))!.id))[0]).to.include({
      isConfirmed: false,
    });
  });

  it('account takeover by email or name: nobody becomes an account because of them', async () => {
    await createAccount(kit.host, 'eve', { email: 'victim@corp.example' });
    kit.provider.people.set('sub-thief', { nickname: 'thief', email: 'victim@corp.example', email_verified: true });
    kit.provider.people.set('sub-namesake', { nickname: 'eve', email: 'namesake@corp.example', email_verified: true });
    kit.provider.people.set('sub-liar', { nickname: 'liar', email: 'victim@corp.example', email_verified: false });
    for (const [linking, status, location] of [
      ['login', 303, '/user/link_account'],
      ['disabled', 403, undefined],
    ] as const) {
      await kit.restart({ ENABLE_AUTO_REGISTRATION: true, ACCOUNT_LINKING: linking });
      for (const subject of ['sub-thief', 'sub-namesake', 'sub-liar']) {
        const { answer, browser } = await kit.signIn(subject);
        const got = [linking, subject, answer.statusCode, answer.headers.location, await signedInAs(browser)];
        expect(got).to.equal([linking, subject, status, location, '']);
      }
    }
    // automatic linking needs an address that both sides have seen
    await kit.restart({ ENABLE_AUTO_REGISTRATION: true, ACCOUNT_LINKING: 'auto' });
    for (const subject of ['sub-namesake', 'sub-liar']) {
      const { answer, browser } = await kit.signIn(subject);
      expect([subject, answer.headers.location, await signedInAs(browser)]).to.equal([
        subject,
        '/user/link_account',
        '',
      ]);
    }
    const prove = (isProven: boolean) =>
      kit.host.database.write(async () => {
        await kit.host.database
          .knex()('email_address')
          .where({ email: 'victim@corp.example' })
          .update({ is_proven: isProven });
      });
    const eve = (await kit.accounts().byName('eve'))!;
    const hidden = kit.accounts().commitEmail({ ...eve, keepEmailPrivate: true });
    expect((await kit.accounts().byConfirmedEmails([hidden])).size).to.equal(1);
    kit.provider.people.set('sub-hidden', { nickname: 'hidden', email: hidden, email_verified: true });
    expect((await kit.signIn('sub-hidden')).answer.headers.location).to.equal('/user/link_account');
    // S12: who made the account has only typed it
    expect((await kit.host.services.get(emails).list(eve.id))[0]).to.include({ isConfirmed: true, isProven: false });
    expect((await kit.signIn('sub-thief')).answer.headers.location).to.equal('/user/link_account');
    await prove(true);
    const linked = await kit.signIn('sub-thief');
    expect([linked.answer.headers.location, await signedInAs(linked.browser)]).to.equal(['/', 'eve']);
  });

  it('S12: an address that another account only claims is made the account of whom the provider vouches for', async () => {
    for (const linking of ['disabled', 'login', 'auto'] as const) {
      await kit.restart({ ENABLE_AUTO_REGISTRATION: true, ACCOUNT_LINKING: linking });
      const [claimant, owner] = [`claims-${linking}`, `owns-${linking}`];
      const email = `${owner}@corp.example`;
      const { id } = await createAccount(kit.host, claimant, { email, isEmailClaimed: true });
      kit.provider.people.set(`liar-${linking}`, { nickname: `liar-${linking}`, email, email_verified: false });
      expect(await signedInAs((await kit.signIn(`liar-${linking}`)).browser)).to.equal('');
      kit.provider.people.set(owner, { nickname: owner, email, email_verified: true });
      expect(await signedInAs((await kit.signIn(owner)).browser)).to.equal(owner);
      expect((await kit.accounts().byEmail(email))!.name).to.equal(owner);
      expect((await kit.accounts().byId(id))!.email).to.match(/^account-\d+\.[0-9a-f]{16}@released\.invalid$/);
    }
  });

  it('follows groups: administrators, restricted people, teams', async () => {
    await kit.restart({ ENABLE_AUTO_REGISTRATION: true });
    const root = (await kit.accounts().byName('root'))!;
    const works = await kit.host.services.get(organizations).create({ name: 'works' }, root);
    const crew = await kit.host.services.get(teams).create(works, { name: 'Crew', units: { code: 'read' } });
    await kit.set({
      groupClaimName: 'groups',
      adminGroup: 'admins',
      restrictedGroup: 'guests',
      groupTeamMap: JSON.stringify({ developers: { works: ['crew'] } }),
      groupTeamMapRemoval: true,
    });
    const sign = async (groups: unknown) => {
      kit.provider.people.set('sub-finn', { ...kit.provider.people.get('sub-finn'), groups });
      await kit.signIn('sub-finn');
      const finn = (await kit.accounts().byName('finn'))!;
      const isIn = await kit.host.services.get(teams).isMember(crew.id, finn.id);
      return [
        finn.isAdmin,
        finn.isRestricted,
        isIn,
        await kit.host.services.get(memberships).isMember(finn.id, works.account.id),
      ];
    };
    expect(await sign(['developers', 'guests'])).to.equal([false, true, true, true]);
    expect(await sign('admins,developers')).to.equal([true, false, true, true]);
    expect(await sign(undefined)).to.equal([true, false, true, true]);
    expect(await sign(['nothing'])).to.equal([false, false, false, false]);
    // accounts that are not of the source are only linked to it
    kit.provider.people.set('sub-cora', {
      ...kit.provider.people.get('sub-cora'),
      groups: ['admins', 'guests', 'developers'],
    });
    const linked = await kit.signIn('sub-cora');
    expect(await signedInAs(linked.browser)).to.equal('cora');
    const cora = (await kit.accounts().byName('cora'))!;
    expect([cora.isAdmin, cora.isRestricted]).to.equal([false, false]);
    expect(await kit.host.services.get(teams).isMember(crew.id, cora.id)).to.be.false();
    await kit.set();
  });

  it('follows full name and SSH keys by their claims, of its own accounts only', async () => {
    await kit.set({ fullNameClaimName: 'full', sshPublicKeyClaimName: 'keys' });
    const list = async (name: string) => {
      const { id } = (await kit.accounts().byName(name))!;
      const { items } = await kit.host.services.get(publicKeys).list({ userId: id, limit: 10, offset: 0 });
      return items.map((key) => key.content.split(' ')[1]!.slice(-4));
    };
    kit.provider.people.set('sub-gina', {
      ...kit.provider.people.get('sub-gina'),
      full: 'Gina G.',
      keys: [keys[0], 'no key'],
    });
    await kit.signIn('sub-gina');
    expect([(await kit.accounts().byName('gina'))!.fullName, await list('gina')]).to.equal(['Gina G.', ['NHLG']]);
    kit.provider.people.set('sub-gina', { ...kit.provider.people.get('sub-gina'), full: 'Gina H.', keys: [] });
    await kit.signIn('sub-gina');
    expect([(await kit.accounts().byName('gina'))!.fullName, await list('gina')]).to.equal(['Gina H.', []]);
    // the account that cora has linked keeps her keys
    const cora = (await kit.accounts().byName('cora'))!;
    await kit.host.services.get(publicKeys).add(cora.id, { title: 'by hand', key: keys[1] });
    kit.provider.people.set('sub-cora', { ...kit.provider.people.get('sub-cora'), full: 'Not Cora', keys: [keys[0]] });
    await kit.signIn('sub-cora');
    expect((await kit.accounts().byName('cora'))!.fullName).to.equal(cora.fullName);
    expect(await list('cora')).to.equal(['UEOa'.replace('UEOa', keys[1].split(' ')[1]!.slice(-4))]);
    await kit.set();
  });

  it('waits for mail or an administrator, where the site says so', async () => {
    await kit.restart({ ENABLE_AUTO_REGISTRATION: true }, { REGISTER_MANUAL_CONFIRM: true });
    const { answer, browser } = await kit.signIn('sub-hugo');
    expect([answer.statusCode, answer.payload.includes('administrator must activate')]).to.equal([200, true]);
    expect(await signedInAs(browser)).to.equal('');
    expect((await kit.signIn('sub-hugo')).answer.statusCode).to.equal(403);
    const hugo = (await kit.accounts().byName('hugo'))!;
    await kit.accounts().update(hugo.id, { isActive: true });
    expect(await signedInAs((await kit.signIn('sub-hugo')).browser)).to.equal('hugo');
    await kit.accounts().update(hugo.id, { prohibitLogin: true });
    expect((await kit.signIn('sub-hugo')).answer.statusCode).to.equal(403);
  });

  it('makes no account by hand where registration is closed, and none at all where it is for this site alone', async () => {
    kit.provider.people.set('sub-late', { nickname: 'late', email: 'late@corp.example' });
    await kit.restart({}, { DISABLE_REGISTRATION: true });
    const { browser } = await kit.signIn('sub-late');
    const page = await browser.go('/user/link_account');
    expect(mainOf(page)).to.include('Link an existing account').and.not.to.include('Create a new account');
    const fields = { user_name: 'late', email: 'late@corp.example' };
    expect((await browser.submit('/user/link_account_signup', fields)).statusCode).to.equal(403);
    await kit.restart({ ENABLE_AUTO_REGISTRATION: true }, { ALLOW_ONLY_INTERNAL_REGISTRATION: true });
    expect((await kit.signIn('sub-late')).answer.headers.location).to.equal('/user/link_account');
    await kit.restart({ ENABLE_AUTO_REGISTRATION: true }, { DISABLE_REGISTRATION: true });
    expect((await kit.signIn('sub-late')).answer.headers.location).to.equal('/');
  });
});
