import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { accounts as accountsRef, emails as emailsRef } from '@mortise/accounts/api';
import { createAccount, password } from '@mortise/accounts/testing';
import { Browser, cookieOf } from '../testing.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const page = '/user/settings/account';

describe('addresses of an account', () => {
  let host: TestHost;
  before(async () => {
    host = await startHost({ plugins: ['sessions'] });
  });
  after(() => host.close());

  const signedIn = async (name: string, more: object = {}) => {
    const account = await createAccount(host, name, more);
    const browser = await Browser.signedIn(host, name);
    await browser.go(page);
    return { account, browser };
  };
  const addresses = async (id: number) =>
    (await host.services.get(emailsRef).list(id)).map(({ email, isPrimary }) => (isPrimary ? `*${email}` : email));

  it('S15: an address is added, and made the primary one, only with the password', async () => {
    const { account, browser } = await signedIn('ada');
    const first = account.email;
    for (const wrong of ['', 'wrong']) {
      const refused = await browser.submit(`${page}/email`, { email: 'eve@example.com', password: wrong });
      expect(refused.statusCode).to.equal(422);
      expect(refused.payload).to.include('id="field-email-password-error"');
    }
    expect(await addresses(account.id)).to.equal([`*${first}`]);
    expect((await browser.submit(`${page}/email`, { email: 'two@example.com', password })).statusCode).to.equal(303);
    const second = await browser.submit(`${page}/email/primary`, { email: 'two@example.com' });
    expect([second.statusCode, second.payload.includes('id="field-primary-password-error"')]).to.equal([422, true]);
    expect(await addresses(account.id)).to.equal([`*${first}`, 'two@example.com']);
    const done = await browser.submit(`${page}/email/primary`, { email: 'two@example.com', password });
    expect(done.statusCode).to.equal(303);
    expect((await host.services.get(accountsRef).byId(account.id))?.email).to.equal('two@example.com');
  });

  it('S15: a session adds no address over the API either', async () => {
    const { account, browser } = await signedIn('ben');
    const headers = { cookie: await cookieOf(host, account.id), 'x-csrf-token': browser.csrf };
    const url = '/api/v1/user/emails';
    const answer = await host.inject({ method: 'POST', url, headers, payload: { emails: ['b2@example.com'] } });
    expect(answer.statusCode).to.equal(403);
    expect(await addresses(account.id)).to.equal([`*${account.email}`]);
  });
});
