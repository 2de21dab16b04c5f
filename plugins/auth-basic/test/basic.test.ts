import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { describeAuthMethod, startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { accounts as accountsRef } from '@mortise/accounts/api';
import { createAccount } from '@mortise/accounts/testing';

export const lab = Lab.script();
const { describe, it, after } = lab;
const basic = (name: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`,
});

describeAuthMethod(lab, {
  plugin: 'auth-basic',
  key: 'basic',
  valid: (user) => basic(user.name, user.password),
  wrong: (user) => [basic(user.name, 'wrong'), basic('nobody', user.password), basic(user.name, `${user.password} `)],
});

describe('basic authentication', () => {
  let host: TestHost;
  after(() => host?.close());

  it('BAS-01: name or address with the password; states of the account count', async () => {
    host = await startHost({ plugins: ['auth-basic'] });
    const accounts = host.services.get(accountsRef);
    const ada = await createAccount(host, 'ada');
    const status = async () =>
      (await host.inject({ url: '/api/v1/user', headers: basic('ada', 'long enough') })).statusCode;
    expect(await status()).to.equal(200);
    expect(
      (await host.inject({ url: '/api/v1/user', headers: basic('ADA@example.com', 'long enough') })).json.login,
    ).to.equal('ada');
    await accounts.update(ada.id, { isActive: false });
    expect(await status()).to.equal(403);
    await accounts.update(ada.id, { isActive: true, mustChangePassword: true });
    expect(await status()).to.equal(403);
    await accounts.update(ada.id, { mustChangePassword: false, prohibitLogin: true });
    expect(await status()).to.equal(401);
  });

  it('a setting turns sign-in by HTTP basic off', async () => {
    const off = await startHost({
      plugins: ['auth-basic'],
      settings: { service: { ENABLE_BASIC_AUTHENTICATION: false } },
    });
    await createAccount(off, 'ada');
    expect((await off.inject({ url: '/api/v1/user', headers: basic('ada', 'long enough') })).statusCode).to.equal(401);
    await off.close();
  });
});
