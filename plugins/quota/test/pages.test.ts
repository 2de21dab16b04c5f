/** Pages: what one stores, what an organization stores, and rules and groups for administrators. */
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { createAccount } from '@mortise/accounts/testing';
import { startHost, submitForm, type TestClient, type TestHost } from '@mortise/plugin-sdk/testing';
import { repositories } from '@mortise/repositories/api';
import { createRepository } from '@mortise/repositories/testing';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const address = '/-/admin/quota';

describe('issue 30: pages of quotas', () => {
  let host: TestHost;
  let admin: TestClient;
  let ada: TestClient;
  before(async () => {
    host = await startHost({ plugins: ['quota', 'organizations'], settings: { quota: { ENABLED: true } } });
    admin = host.as(await createAccount(host, 'root', { isAdmin: true }));
    const account = await createAccount(host, 'ada');
    ada = host.as(account);
    const { id } = await createRepository(host, account, { name: 'shop' });
    await host.services.get(repositories).setDerived(id, { sizeBytes: 2048 });
    await ada.inject({ method: 'POST', url: '/api/v1/orgs', payload: { username: 'guild' } });
  });
  after(() => host.close());

  const submit = async (path: string, fields: Record<string, string>) => {
    const { statusCode, headers } = await submitForm(admin, `${address}/${path}`, fields);
    expect([statusCode, headers.location], path).to.equal([303, `${address}?saved=1`]);
  };
  const pageOf = async (client: TestClient, path: string) => (await client.inject(path)).payload;

  it('let administrators make rules and groups, and say for whom they hold', async () => {
    await submit('rules', { name: 'code', limit: '1 KiB', 'subject.size:repos:all': 'true' });
    await submit('groups', { group: 'small' });
    await submit('groups/add-rule', { group: 'small', rule: 'code' });
    await submit('groups/add-user', { group: 'small', user: 'ada' });
    const page = await pageOf(admin, address);
    expect(page).to.contain(['<strong class="wb-break-word">code</strong>: 1 KiB', 'Users and organizations (1)']);
    expect((await ada.inject(address)).statusCode).to.equal(403);
  });

  it('show what one stores beside the limits, and the same of an organization', async () => {
    const page = await pageOf(ada, '/user/settings/storage');
    expect(page).to.contain(['2 KiB of 1 KiB', 'Full', 'LFS objects']);
    const ofOrganization = await pageOf(ada, '/org/guild/settings/storage');
    expect(ofOrganization).to.contain(['There is no limit.', 'Public repositories']);
    const ben = host.as(await createAccount(host, 'ben'));
    expect((await ben.inject('/org/guild/settings/storage')).statusCode).to.equal(403);
  });

  it('refuse what cannot be, beside the field, and keep what was written', async () => {
    for (const fields of [
      { name: 'a/b', limit: '1 GiB' },
      { name: 'x', limit: 'much' },
      { name: '', limit: '1' },
    ]) {
      const { statusCode, payload } = await submitForm(admin, `${address}/rules`, {
        ...fields,
        'subject.size:wiki': 'true',
      });
      expect([statusCode, payload.includes('aria-invalid="true"')]).to.equal([422, true]);
      expect(payload).to.match(/name="subject.size:wiki"[^>]* checked/);
    }
    const taken = await submitForm(admin, `${address}/rules`, { name: 'code', limit: '1' });
    expect(taken.payload).to.contain('There is a quota rule “code” already.');
    const unknown = await submitForm(admin, `${address}/groups/add-user`, { group: 'small', user: 'nobody' });
    expect(unknown.payload).to.contain('There is no such user or organization.');
  });

  it('take accounts and rules out of groups, and delete both', async () => {
    await submit('groups/remove-user', { group: 'small', user: 'ada' });
    await submit('groups/remove-rule', { group: 'small', rule: 'code' });
    await submit('groups/delete', { group: 'small' });
    await submit('rules/delete', { rule: 'code' });
    expect(await pageOf(admin, address)).to.contain(['No groups yet', 'No rules yet']);
    expect(await pageOf(ada, '/user/settings/storage')).to.contain('There is no limit.');
  });
});
