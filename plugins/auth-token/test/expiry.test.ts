import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { anonymous } from '@mortise/plugin-sdk';
import { startHost, submitForm, type TestHost } from '@mortise/plugin-sdk/testing';
import { accounts as accountsRef } from '@mortise/accounts/api';
import { createAccount, password } from '@mortise/accounts/testing';
import { PostOffice } from '@mortise/mail/testing';
import { accessTokens, notifyOfExpiry } from '../contract/auth-token.js';
import { expiryOn, noticeTime } from '../services/expiry.js';
import { cachedActors } from '../services/methods.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const day = 86_400_000;
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

describe('tokens that end', () => {
  let host: TestHost;
  let office: PostOffice;
  let userId: number;
  const create = (name: string, expiresAt?: number) =>
    host.services.get(accessTokens).create({ userId, name, scopes: ['all'], creator: anonymous, expiresAt });
  const change = (id: number, values: object) =>
    host.database.write(async () => {
      await host.database.knex()('access_token').where('id', id).update(values);
    });
  const status = async (secret: string) =>
    (await host.inject({ url: '/api/v1/user', headers: bearer(secret) })).statusCode;
  before(async () => {
    office = await PostOffice.start();
    host = await startHost({ plugins: ['auth-token', 'auth-basic', 'mail'], settings: { mailer: office.settings } });
    ({ id: userId } = await createAccount(host, 'ada'));
  });
  after(async () => {
    await host?.close();
    await office?.close();
  });

  it('sign nobody in from then on', async () => {
    const { token, secret } = await create('short', Date.now() + day);
    expect([await status(secret), await status(secret)]).to.equal([200, 200]);
    await change(token.id, { expires_at: Date.now() - 1 });
    const refused = await host.inject({ url: '/api/v1/user', headers: bearer(secret) });
    expect([refused.statusCode, await status(secret)]).to.equal([401, 401]);
    expect(await host.services.get(accessTokens).find(secret)).to.be.undefined();
    const basic = { authorization: `Basic ${Buffer.from(`ada:${secret}`).toString('base64')}` };
    expect((await host.inject({ url: '/api/v1/user', headers: basic })).statusCode).to.equal(401);
  });

  it('sign nobody in though who acted with them is kept', async () => {
    const account = (await host.services.get(accountsRef).byId(userId))!;
    const token = (await create('kept')).token;
    let expiresAt = Date.now() + day;
    const tokens = {
      lookUp: () => Promise.resolve({ token, account, scopes: { publicOnly: false } }),
      noteUse: () => undefined,
    };
    const found = () => ({ actor: host.services.get(accountsRef).actorOf(account, 'token'), expiresAt });
    const kept = { get: found, load: () => Promise.resolve(found()) };
    const actors = cachedActors(tokens, host.services.get(accountsRef), kept as never);
    const presented = { text: 'a'.repeat(40), form: 'header', maybe: false } as const;
    expect(actors.peek(presented)?.name).to.equal('ada');
    expiresAt = Date.now() - 1;
    expect(actors.peek(presented)).to.be.undefined();
    expect(await actors.load(presented)).to.equal({ refuse: 'the token has expired' });
  });

  it('are made over the API and by command, not with an end that is past or none', async () => {
    const basic = { authorization: `Basic ${Buffer.from(`ada:${password}`).toString('base64')}` };
    const post = (name: string, expires_at?: string | null) =>
      host.inject({
        method: 'POST',
        url: '/api/v1/users/ada/tokens',
        headers: basic,
        payload: { name, scopes: ['all'], expires_at },
      });
    const made = await post('until', '2100-01-31T12:00:00Z');
    expect([made.statusCode, made.json.expires_at]).to.equal([201, '2100-01-31T12:00:00Z']);
    const own = await host.inject({ url: '/api/v1/token', headers: bearer(made.json.sha1) });
    expect(own.json.expires_at).to.equal('2100-01-31T12:00:00Z');
    for (const none of [undefined, null, '']) {
      const lasting = await post(`lasting ${none}`, none);
      expect([lasting.statusCode, 'expires_at' in lasting.json]).to.equal([201, false]);
    }
    for (const wrong of [
      '2001-01-31T12:00:00Z',
      '1970-01-01T00:00:00Z',
      '2100-02-30T12:00:00Z',
      'tomorrow',
      '2100-01-31',
    ])
      expect((await post('wrong', wrong)).statusCode, wrong).to.equal(422);
    // a token that ends makes none that ends later
    const short = await post('parent', '2090-01-01T00:00:00Z');
    const bySelf = (expires_at?: string) =>
      host.inject({
        method: 'POST',
        url: '/api/v1/users/ada/tokens',
        headers: { authorization: `Basic ${Buffer.from(`ada:${short.json.sha1}`).toString('base64')}` },
        payload: { name: `of short ${expires_at}`, scopes: ['read:user'], expires_at },
      });
    for (const later of [undefined, '2090-01-01T00:00:01Z']) expect((await bySelf(later)).statusCode).to.equal(403);
    expect((await bySelf('2089-12-31T00:00:00Z')).statusCode).to.equal(201);
    const command = { username: 'ada', tokenName: 'robot', raw: true };
    await host.command('admin user generate-access-token', { ...command, expiresOn: '2100-01-31' });
    const [last] = (await host.services.get(accessTokens).list(userId, { limit: 1, offset: 0 })).items;
    expect(new Date(last!.expiresAt).toISOString()).to.equal('2100-01-31T23:59:59.000Z');
    for (const expiresOn of ['2001-01-31', '2100-02-30', 'soon'])
      await expect(host.command('admin user generate-access-token', { ...command, expiresOn })).to.reject();
  });

  it('are made, shown and renamed on the settings page', async () => {
    const browser = host.as(
      host.services.get(accountsRef).actorOf((await host.services.get(accountsRef).byId(userId))!, 'session'),
    );
    const url = '/user/settings/applications';
    const made = await submitForm(browser, url, { name: 'page', scope_user: 'read', expires_on: '2100-01-31' });
    expect(made.statusCode).to.equal(200);
    expect(made.payload)
      .to.include('Expires on Jan 31, 2100')
      .and.to.include('Does not expire')
      .and.to.include('Expired on')
      // it ends as the next day begins
      .and.to.include('Expires on Dec 30, 2089');
    const wrong = await submitForm(browser, url, { name: 'x', scope_user: 'read', expires_on: '2001-01-31' });
    expect([wrong.statusCode, wrong.payload.includes('id="field-expires_on-error"')]).to.equal([422, true]);
    const { items } = await host.services.get(accessTokens).list(userId, { limit: 50, offset: 0 });
    const id = items.find(({ name }) => name === 'page')!.id;
    const rename = (name: string, of = id) => submitForm(browser, `${url}/rename`, { id: String(of), name });
    expect((await rename('new name')).statusCode).to.equal(303);
    expect((await host.services.get(accessTokens).byId(id))?.name).to.equal('new name');
    expect((await rename('new name')).statusCode).to.equal(303);
    expect((await rename('robot')).statusCode).to.equal(400);
    expect((await rename('')).statusCode).to.equal(422);
    const other = await createAccount(host, 'ben');
    const { token } = await host.services
      .get(accessTokens)
      .create({ userId: other.id, name: 'his', scopes: ['all'], creator: anonymous });
    expect((await rename('mine', token.id)).statusCode).to.equal(404);
  });

  it('are told of once before, by mail', async () => {
    expect(noticeTime(0, 0)).to.equal(0);
    expect(noticeTime(0, 90 * day)).to.equal(83 * day);
    expect(noticeTime(0, 8 * day)).to.equal(6 * day);
    expect(expiryOn('')).to.be.undefined();
    const due = (await create('ending', Date.now() + 30 * day)).token;
    const past = (await create('ended', Date.now() + 30 * day)).token;
    await create('later', Date.now() + 30 * day);
    await change(due.id, { notice_at: 1 });
    await change(past.id, { notice_at: 1, expires_at: Date.now() - 1 });
    const { jobs } = await import('@mortise/plugin-sdk');
    for (let round = 0; round < 2; round++) {
      await host.services.get(jobs).enqueue(notifyOfExpiry, {});
      await host.settle();
    }
    expect(office.mails.map(({ to, subject }) => [to[0], subject])).to.equal([
      ['ada@example.com', 'Your access token ending on Mortise expires soon'],
    ]);
    expect(office.mails[0]?.text)
      .to.match(/can be used until .* 20\d\d/)
      .and.to.include('/user/settings/applications');
  });
});
