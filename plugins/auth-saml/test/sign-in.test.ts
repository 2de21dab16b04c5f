/** Signing in with SAML 2.0 Web SSO (profiles, 4.1), against a provider of the tests' own. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { accounts, loginSources, type LoginSource } from '@mortise/accounts/api';
import { createAccount } from '@mortise/accounts/testing';
import { organizations, teams } from '@mortise/organizations/api';
import { Browser } from '@mortise/sessions/testing';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { makeKeyPair, sha1 } from './idp.js';
import { Corp, isSignedIn } from './kit.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('issue 30: signing in with SAML', { timeout: 60_000 }, () => {
  let host: TestHost;
  let corp: Corp;
  /** With a key of this site. */
  let sealed: Corp;
  const own = makeKeyPair();
  before(async () => {
    host = await startHost({ plugins: ['auth-saml', 'organizations', 'admin'] });
    const root = await createAccount(host, 'root', { isAdmin: true });
    await host.services.get(organizations).create({ name: 'works' }, root);
    corp = new Corp(host);
    await corp.set();
    sealed = new Corp(host, 'Sealed');
    await sealed.set({ privateKey: own.key, certificate: own.certificate, entityId: 'urn:mortise' });
  });
  after(() => host.close());

  it('is offered on the sign-in page, and makes an account for who comes first', async () => {
    const page = await new Browser(host).go('/user/login?redirect_to=/explore/repos');
    expect(page.payload).to.contain(['Sign in with Corp', 'href="/user/saml/Corp?redirect_to=%2Fexplore%2Frepos"']);
    const { answer, browser } = await corp.signIn({ nameId: 'ada' }, '?redirect_to=/explore/repos');
    expect([answer.statusCode, answer.headers.location]).to.equal([303, '/explore/repos']);
    expect(await isSignedIn(browser)).to.be.true();
    const ada = await corp.accountOf('ada');
    expect([ada?.email, ada?.sourceId, ada?.loginName, ada?.hasPassword]).to.equal([
      'ada@example.com',
      corp.sourceId,
      'ada',
      false,
    ]);
    await corp.signIn({ nameId: 'ada' });
    expect(await host.services.get(accounts).count()).to.equal(2);
  });

  it('asks with a request of its own, signed where there is a key, and describes itself', async () => {
    const first = (await corp.startSignIn()).request;
    const second = (await corp.startSignIn()).request;
    expect(first.id).not.to.equal(second.id);
    expect(first).to.include({ issuer: first.acs.replace('/acs', '/metadata'), isSigned: false });
    expect((await sealed.startSignIn()).request).to.include({ issuer: 'urn:mortise', isSigned: true });
    const metadata = await host.inject('/user/saml/Sealed/metadata');
    expect(metadata.headers['content-type']).to.contain('application/samlmetadata+xml');
    expect(metadata.payload).to.contain([
      'entityID="urn:mortise"',
      `Location="${first.acs.replace('Corp', 'Sealed')}"`,
      own.certificate.split('\n')[1]!,
      'use="encryption"',
      ' ID="_',
    ]);
    expect(metadata.payload).not.to.contain(own.key.split('\n')[1]!);
  });

  it('takes over names, rights and teams from attributes, and nobody outside of the required group', async () => {
    await host.services.get(teams).create((await host.services.get(organizations).byName('works'))!, {
      name: 'Builders',
      units: { code: 'read' },
    });
    // who is known by another attribute would be somebody else
    await expect(corp.set({ loginNameAttribute: 'uid' })).to.reject();
    await corp.set({
      usernameAttribute: 'nick',
      fullNameAttribute: 'cn',
      groupsAttribute: 'groups',
      requiredGroup: 'staff',
      adminGroup: 'admins',
      restrictedGroup: 'guests',
      groupTeamMap: JSON.stringify({ developers: { works: ['Builders'] } }),
      groupTeamMapRemoval: true,
    });
    const as = (...groups: readonly string[]) =>
      corp.signIn({
        nameId: 'id-7',
        attributes: { nick: ['grace'], cn: ['Grace Hopper'], groups, mail: ['g@example.com'] },
      });
    const outside = await as('developers');
    expect([outside.answer.statusCode, await corp.accountOf('grace')]).to.equal([403, undefined]);
    expect((await as('staff', 'developers', 'admins')).answer.statusCode).to.equal(303);
    const grace = (await corp.accountOf('grace'))!;
    expect([grace.fullName, grace.isAdmin, grace.isRestricted, grace.loginName]).to.equal([
      'Grace Hopper',
      true,
      false,
      'id-7',
    ]);
    const works = (await host.services.get(organizations).byName('works'))!.account;
    const isBuilder = async () => {
      const team = (await host.services.get(teams).byName(works.id, 'Builders'))!;
      return host.services.get(teams).isMember(team.id, grace.id);
    };
    expect(await isBuilder()).to.be.true();
    await as('staff', 'guests');
    const later = (await corp.accountOf('grace'))!;
    expect([later.isAdmin, later.isRestricted, await isBuilder()]).to.equal([false, true, false]);
    // a provider that leaves groups out, or sends too many, does not say that somebody is in none
    const all = { nick: ['grace'], mail: ['g@example.com'] };
    const settings = { groupsAttribute: 'groups', adminGroup: 'admins', restrictedGroup: 'guests' };
    await corp.set({ ...settings, groupTeamMap: '{"guests": {"works": ["Builders"]}}', groupTeamMapRemoval: true });
    await corp.signIn({ nameId: 'id-7', attributes: { ...all, groups: ['admins', 'guests'] } });
    const many = Array.from({ length: 2001 }, (_, at) => `group-${at}`);
    for (const attributes of [all, { ...all, groups: many }]) {
      expect((await corp.signIn({ nameId: 'id-7', attributes })).answer.statusCode).to.equal(303);
      const kept = (await corp.accountOf('grace'))!;
      expect([kept.isAdmin, kept.isRestricted, await isBuilder()]).to.equal([true, true, true]);
    }
    await corp.set({ ...settings, requiredGroup: 'guests' });
    expect((await corp.signIn({ nameId: 'id-7', attributes: all })).answer.statusCode).to.equal(403);
    await corp.set();
  });

  it('reads encrypted assertions in signed responses, and in no others', async () => {
    interface Sent {
      readonly isUnsigned?: boolean;
      readonly keyEncryption?: string;
      readonly algorithms?: typeof sha1;
      readonly change?: (encrypted: string) => string;
    }
    const send = async (to: Corp, { isUnsigned, keyEncryption, algorithms, change = (same) => same }: Sent = {}) => {
      const { idp } = to;
      const { browser, request } = await to.startSignIn();
      const attributes = { mail: ['sealed@example.com'] };
      const said = idp.assertion(request, { nameId: 'sealed', attributes });
      const assertion = idp.sign(said, 'Assertion', { algorithms });
      const response = idp.response(request, change(await idp.encrypted(assertion, own.certificate, keyEncryption)));
      const posted = await to.post(isUnsigned ? response : idp.sign(response, 'Response'));
      return posted.statusCode === 303
        ? (await browser.go(String(posted.headers.location))).statusCode
        : posted.statusCode;
    };
    expect([await send(sealed), await send(corp)]).to.equal([303, 403]);
    const encryptionNamespace = /(xmlns:\w+)="http:\/\/www.w3.org\/2001\/04\/xmlenc#"/g;
    for (const [name, sent] of Object.entries({
      unsigned: { isUnsigned: true },
      'RSA 1.5': { keyEncryption: 'rsa-1_5' },
      'unsigned and in another namespace': {
        isUnsigned: true,
        change: (encrypted) => encrypted.replaceAll(encryptionNamespace, '$1="urn:other"'),
      },
      'signed by SHA-1 inside': { algorithms: sha1 },
    } satisfies Record<string, Sent>))
      expect(await send(sealed, sent), name).to.equal(403);
  });

  it('refuses who is prohibited, who has somebody else’s name or address, and who has neither', async () => {
    const ada = (await corp.accountOf('ada'))!;
    await host.services.get(accounts).update(ada.id, { prohibitLogin: true });
    const prohibited = await corp.signIn({ nameId: 'ada' });
    expect([prohibited.answer.statusCode, await isSignedIn(prohibited.browser)]).to.equal([403, false]);
    for (const [reason, said] of [
      ['already in use here', { nameId: 'root' }],
      ['already in use here', { nameId: 'other', attributes: { mail: ['root@example.com'] } }],
      ['is reserved', { nameId: 'user' }],
      ['did not supply a valid username', { nameId: 'nobody', attributes: { mail: [] } }],
      ['did not supply a valid username', { nameId: '$$$' }],
    ] as const) {
      const { answer, browser } = await corp.signIn(said);
      expect([answer.statusCode, await isSignedIn(browser)], said.nameId).to.equal([403, false]);
      expect(answer.payload, said.nameId).to.contain(reason);
    }
    expect((await corp.accountOf('root'))?.sourceId).to.equal(0);
  });

  it('is closed to new people where the site says so, and to all where the source is off', async () => {
    host = await host.restart({ settings: { service: { ALLOW_ONLY_INTERNAL_REGISTRATION: true } } });
    const again = new Corp(host);
    Object.assign(again.idp, { keys: corp.idp.keys });
    const { answer } = await again.signIn({ nameId: 'late' });
    expect([answer.statusCode, await again.accountOf('late')]).to.equal([403, undefined]);
    await host.services.get(loginSources).update(corp.sourceId, { isActive: false });
    const off = await Promise.all([
      host.inject('/user/saml/Corp'),
      host.inject('/user/saml/Corp/metadata'),
      again.post('<x/>'),
    ]);
    expect(off.map(({ statusCode }) => statusCode)).to.equal([404, 404, 404]);
  });

  it('is set up by commands, which read keys from files, and keeps the key secret', async () => {
    const fileOf = async (name: string, content: string) => {
      const file = join(host.workDir, name);
      await writeFile(file, content);
      return file;
    };
    const certificates = await fileOf('idp.pem', corp.idp.keys.certificate);
    const common = { entryPoint: 'https://idp.example/sso', idpIssuer: 'urn:idp' };
    const add = (more: Record<string, string>) =>
      host.command('admin auth add-saml', { name: 'Made', ...common, ...more });
    await expect(add({})).to.reject(/idpCertificates|Signing certificates/);
    await expect(add({ idpCertificates: '/nowhere' })).to.reject(/Cannot read/);
    await expect(add({ idpCertificates: await fileOf('bad.pem', 'no certificate') })).to.reject();
    const [line = ''] = await add({ idpCertificates: certificates });
    const id = /source (\d+)/.exec(line)![1]!;
    await expect(
      host.command('admin auth update-saml', { id, privateKey: await fileOf('key.pem', own.key) }),
    ).to.reject(/ertificate/);
    await host.command('admin auth update-saml', {
      id,
      privateKey: await fileOf('key.pem', own.key),
      certificate: await fileOf('own.pem', own.certificate),
    });
    const root = (await host.services.get(accounts).byName('root'))!;
    const form = (await host.as(root).inject(`/-/admin/auths/${id}`)).payload;
    expect(form).to.contain('https://idp.example/sso');
    expect(form).not.to.contain('PRIVATE KEY');
    const [row] = await host.database.knex()('login_source').where('id', id);
    expect(JSON.stringify(row)).not.to.contain('PRIVATE KEY');
  });

  it('has switches that are turned on and off again, and a key that can be removed', async () => {
    const sources = host.services.get(loginSources);
    const id = String(sealed.sourceId);
    const update = async (args: Record<string, string | boolean>) => {
      await host.command('admin auth update-saml', { id, ...args });
      return (await sources.byId(sealed.sourceId))!;
    };
    for (const is of [true, false]) {
      const value = String(is);
      const args = { wantsSignedResponse: value, groupTeamMapRemoval: value, skipLocal2fa: value };
      const { settings, skipsSecondFactor } = await update(args);
      expect([settings.wantsSignedResponse, settings.groupTeamMapRemoval, skipsSecondFactor]).to.equal([is, is, is]);
    }
    await expect(update({ skipLocal2fa: 'perhaps' })).to.reject(/true or false/);
    const keyIn = ({ settings }: LoginSource) => [settings.privateKey, settings.certificate, settings.removeKey];
    expect(keyIn(await update({ removeKey: true }))).to.equal(['', '', undefined]);
    const pair = { privateKey: own.key, certificate: own.certificate };
    const set = (more: Readonly<Record<string, unknown>>) =>
      sources.update(sealed.sourceId, { settings: sealed.settings(more) });
    await expect(set({ ...pair, certificate: makeKeyPair().certificate })).to.reject(/ertificate/);
    expect(keyIn(await set(pair))).to.equal([own.key.trim(), own.certificate.trim(), undefined]);
    const root = (await host.services.get(accounts).byName('root'))!;
    const page = (await host.as(root).inject(`/-/admin/auths/${id}`)).payload;
    expect(page).to.contain('name="settings.removeKey"');
    // as the form sends it
    expect(keyIn(await set({ privateKey: '', certificate: '', removeKey: 'true' }))).to.equal(['', '', undefined]);
  });
});
