import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { createAccount } from '@mortise/accounts/testing';

export const lab = Lab.script();
const { describe, it, afterEach } = lab;

describe('the front page of a site without accounts', () => {
  let host: TestHost;
  afterEach(() => host.close());
  const front = async () => (await host.inject('/')).payload;

  it('leads to the first account, until there is one', async () => {
    host = await startHost({ plugins: ['sessions'] });
    const empty = await front();
    expect(empty).to.include(['href="/user/sign_up">', 'Create the first account', 'the administrator of this site']);
    expect(empty).to.not.include('btn-primary btn-large" href="/user/login"');
    await createAccount(host, 'root', { isAdmin: true });
    const used = await front();
    expect(used).to.not.include('first account');
    expect(used).to.include('btn-primary btn-large" href="/user/login"');
  });

  it('says how to make it on the server where nobody may register', async () => {
    host = await startHost({ plugins: ['sessions'], settings: { service: { DISABLE_REGISTRATION: true } } });
    const empty = await front();
    expect(empty).to.include('mortise admin user create --admin').and.not.include('/user/sign_up');
  });
});
