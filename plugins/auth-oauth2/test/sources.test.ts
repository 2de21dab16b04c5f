import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { deflateSync } from 'node:zlib';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import {
  accountMail,
  accounts as accountsRef,
  loginSources as loginSourcesRef,
  type LoginSource,
} from '@mortise/accounts/api';
import { createAccount } from '@mortise/accounts/testing';
import { linkIn, PostOffice } from '@mortise/mail/testing';
import { Browser } from '@mortise/sessions/testing';
import { clientId, clientSecret, OidcServer } from './provider.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

/** One white point. */
const picture = (() => {
  const chunk = (type: string, data: Buffer) =>
    Buffer.concat([Buffer.from([0, 0, 0, data.length]), Buffer.from(type), data, Buffer.alloc(4)]);
  const header = Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0]);
  const start = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const data = deflateSync(Buffer.from([0, 255]));
  return Buffer.concat([start, chunk('IHDR', header), chunk('IDAT', data), chunk('IEND', Buffer.alloc(0))]);
})();

describe('accounts of a provider', { timeout: 120_000 }, () => {
  let host: TestHost;
  let office: PostOffice;
  let provider: OidcServer;
  let pictures: Server;
  let pictureUrl: string;
  let source: LoginSource;
  const accounts = () => host.services.get(accountsRef);
  const sources = () => host.services.get(loginSourcesRef);
  const plugins = ['auth-oauth2', 'mail', 'admin'];
  const base = () => ({
    security: { SECRET_KEY: 'a secret of this test that is long enough', ALLOWED_HOST_LIST: 'loopback' },
    mailer: office.settings,
  });
  const restart = async (client: Record<string, unknown>, more: Record<string, Record<string, unknown>> = {}) => {
    const settings = { ...base(), ...more, oauth2_client: { ENABLE_AUTO_REGISTRATION: true, ...client } };
    host = await host.restart({ settings: { ...settings, security: { ...base().security, ...more.security } } });
  };
  const come = async (subject: string) => {
    const browser = new Browser(host);
    const start = await browser.go('/user/oauth2/Corp');
    const callback = await provider.walk(String(start.headers.location), subject);
    return { browser, answer: await browser.go(callback.pathname + callback.search) };
  };
  const isSignedIn = async (browser: Browser) => (await browser.go('/user/settings')).statusCode === 200;

  before(async () => {
    office = await PostOffice.start();
    host = await startHost({ plugins, settings: base() });
    provider = await OidcServer.start([host.site.url('/user/oauth2/Corp/callback')]);
    pictures = createServer((_request, response) =>
      response.writeHead(200, { 'content-type': 'image/png' }).end(picture),
    );
    await new Promise<void>((resolve) => pictures.listen(0, '127.0.0.1', resolve));
    pictureUrl = `http://127.0.0.1:${(pictures.address() as AddressInfo).port}/ada.png`;
    const settings = { provider: 'openidConnect', clientId, clientSecret, discoveryUrl: provider.issuer };
    source = await sources().create({ kind: 'oauth2', name: 'Corp', settings });
    await createAccount(host, 'root', { isAdmin: true });
    for (const name of ['ada', 'ben', 'cora', 'dora'])
      provider.people.set(`sub-${name}`, { nickname: name, email: `${name}@corp.example`, email_verified: true });
  });
  after(async () => {
    await host?.close();
    await provider?.stop();
    pictures?.close();
    await office?.close();
  });

  it('are activated by a mail, where the site says so', async () => {
    await restart({ REGISTER_EMAIL_CONFIRM: true });
    const { answer, browser } = await come('sub-ada');
    expect([answer.statusCode, answer.payload.includes('ada@corp.example')]).to.equal([200, true]);
    expect(await isSignedIn(browser)).to.be.false();
    await host.settle();
    const link = linkIn(office.mailTo('ada@corp.example'), '/user/oauth2_activate');
    const reader = new Browser(host);
    expect((await reader.go(link)).payload).to.include('Activate the account <strong>ada</strong>?');
    expect((await accounts().byName('ada'))!.isActive).to.be.false();
    const code = new URL(link, 'http://x').searchParams.get('code')!;
    expect((await reader.submit('/user/oauth2_activate', { code })).payload).to.include('has been activated');
    expect((await reader.submit('/user/oauth2_activate', { code })).statusCode).to.equal(410);
    expect(await isSignedIn((await come('sub-ada')).browser)).to.be.true();
  });

  it('are told to look for the mail that they got, where they have had enough of them', async () => {
    await restart({ REGISTER_EMAIL_CONFIRM: true, ENABLE_AUTO_REGISTRATION: false });
    provider.people.set('sub-eli', { nickname: 'eli', email: 'eli@corp.example' });
    const asked = { client: '192.0.2.7', address: 'eli@corp.example' };
    while ((await host.services.get(accountMail).allow('activate', asked)) === 'yes');
    const { browser } = await come('sub-eli');
    await browser.go('/user/link_account');
    const made = await browser.submit('/user/link_account_signup', { user_name: 'eli', email: 'eli@corp.example' });
    expect([made.statusCode, made.payload.includes('by the link in the confirmation email')]).to.equal([429, true]);
    expect(made.payload).not.to.include('administrator');
  });

  it('wait for the administrator where the site says so, and no mail makes them active', async () => {
    await restart({}, { service: { REGISTER_MANUAL_CONFIRM: true } });
    provider.people.set('sub-ben', { nickname: 'ben', email: 'ben@corp.example', email_verified: false });
    expect((await come('sub-ben')).answer.payload).to.include('administrator must activate');
    const { answer } = await come('sub-ben');
    expect([answer.statusCode, answer.payload.includes('email has been sent')]).to.equal([403, false]);
    await host.settle();
    expect(office.mails.filter((mail) => JSON.stringify(mail).includes('ben@corp.example'))).to.equal([]);
    expect((await accounts().byName('ben'))!.isActive).to.be.false();
  });

  it('follow the picture of the provider, from addresses that the site allows', async () => {
    provider.people.set('sub-cora', { ...provider.people.get('sub-cora'), picture: pictureUrl });
    await restart({ UPDATE_AVATAR: true }, { security: { ALLOWED_HOST_LIST: 'external' } });
    await come('sub-cora');
    await host.settle();
    expect((await accounts().byName('cora'))!.avatar).to.equal('');
    await restart({ UPDATE_AVATAR: true });
    await come('sub-cora');
    await host.settle();
    expect((await accounts().byName('cora'))!.avatar).to.match(/^[0-9a-f]{64}$/);
  });

  it('are linked with a notice by mail, and the last way in stays', async () => {
    await restart({});
    await createAccount(host, 'gina', { password: undefined });
    const links = (await host.database.knex()('oauth2_link').count({ n: '*' })) as { n: number }[];
    expect(Number(links[0]!.n)).to.equal(0);
    const root = await Browser.signedIn(host, 'root');
    const home = '/user/settings/linked_accounts';
    await root.go(home);
    await root.submit(`${home}/add`, { source: String(source.id), password: 'long enough' });
    const onward = String((await root.go(`${home}/go`)).headers.refresh).replace(/^0; url=/, '');
    const callback = await provider.walk(onward, 'sub-dora');
    expect((await root.go(callback.pathname + callback.search)).headers.location).to.equal(`${home}?saved=1`);
    await host.settle();
    expect(office.mailTo('root@example.com').subject).to.include('linked');
    const boss = await createAccount(host, 'boss', { isAdmin: true });
    const admin = await Browser.signedIn(host, boss.name);
    const { id: rootId } = (await accounts().byName('root'))!;
    expect((await admin.go(`/-/admin/users/${rootId}`)).payload).to.include('/linked_accounts/remove');
    expect((await admin.submit(`/-/admin/users/${rootId}/linked_accounts/remove`, { id: '999' })).statusCode).to.equal(
      404,
    );
    // as if the account had no password
    const { id } = (await accounts().byName('root'))!;
    await host.database.write(async () => {
      await host.database.knex()('user').where({ id }).update({ password_hash: '' });
    });
    host = await host.restart({ settings: { ...base(), oauth2_client: {} } });
    const { browser } = await come('sub-dora');
    const [, link] = /name="id" value="(\d+)"/.exec((await browser.go(home)).payload)!;
    const kept = await browser.submit(`${home}/remove`, { id: link! });
    expect([kept.statusCode, kept.payload.includes('only way to sign in')]).to.equal([422, true]);
  });

  it('come from sources that are added and changed by commands', async () => {
    const given = { name: 'By command', provider: 'github', key: 'abc', secret: '-', notActive: true };
    await host.command('admin auth add-oauth', given, { input: 'piped\n' });
    const made = (await sources().list()).find(({ name }) => name === 'By command')!;
    expect(made).to.include({ kind: 'oauth2', isActive: false, skipsSecondFactor: false });
    expect(made.settings).to.include({
      provider: 'github',
      clientId: 'abc',
      clientSecret: 'piped',
      useCustomUrls: false,
    });
    const id = String(made.id);
    const changes = {
      useCustomUrls: 'true',
      customAuthUrl: 'https://git.example/login/oauth/authorize',
      scopes: 'read:user',
      groupTeamMapRemoval: true,
      skipLocal2fa: true,
    };
    await host.command('admin auth update-oauth', { id, ...changes });
    const changed = (await sources().byId(made.id))!;
    expect(changed.settings).to.include({
      clientSecret: 'piped',
      useCustomUrls: true,
      authUrl: changes.customAuthUrl,
      scopes: 'read:user',
      groupTeamMapRemoval: true,
    });
    expect(changed.skipsSecondFactor).to.be.true();
    await expect(host.command('admin auth add-oauth', { name: 'x', key: 'y' })).to.reject(/discoveryUrl|discovery URL/);
    await expect(host.command('admin auth update-oauth', { id: '999' })).to.reject(/does not exist/);
  });
});
