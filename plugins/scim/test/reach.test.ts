/** Whom a SCIM token reaches: site administrators, accounts of login sources and of other tokens; and who makes tokens. */
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { actAudited, definePlugin, type AuditedAct } from '@mortise/plugin-sdk';
import { accounts } from '@mortise/accounts/api';
import { createAccount } from '@mortise/accounts/testing';
import { organizations } from '@mortise/organizations/api';
import { startHost, submitForm, type TestClient, type TestHost } from '@mortise/plugin-sdk/testing';
import { directory, ScimClient } from './kit.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const page = '/-/admin/scim';

describe('issue 30: the reach of a SCIM token', () => {
  let host: TestHost;
  let root: TestClient;
  let rootId: number;
  const acts: AuditedAct[] = [];
  const listener = definePlugin({
    name: 'listener',
    version: '1.0.0',
    sdk: '*',
    register(own) {
      own.on(actAudited, 'within', 'remember', {}, async (act) => void acts.push(act));
    },
  });
  before(async () => {
    host = await startHost({ plugins: ['scim', 'admin', 'auth-ldap', listener] });
    const account = await createAccount(host, 'root', { isAdmin: true });
    rootId = account.id;
    root = host.as(account);
    await host.command('admin auth add-ldap-simple', directory);
  });
  after(() => host.close());

  const all = () => host.services.get(accounts);

  it('shows site administrators, and changes them only where that is ticked', async () => {
    await createAccount(host, 'second', { isAdmin: true });
    const scim = await ScimClient.make(host, 'plain');
    const path = `/Users/${rootId}`;
    expect((await scim.get(path)).json.userName).to.equal('root');
    const refused = [
      await scim.patch(path, { op: 'replace', path: 'active', value: false }),
      await scim.send('PUT', path, { userName: 'other' }),
      await scim.send('DELETE', path),
    ];
    expect(refused.map(({ statusCode }) => statusCode)).to.equal([403, 403, 403]);
    expect((await all().byId(rootId))?.prohibitLogin).to.be.false();

    const strong = await ScimClient.make(host, 'strong', { manageAdministrators: true });
    expect((await strong.patch(path, { op: 'replace', path: 'displayName', value: 'Root' })).statusCode).to.equal(200);
    expect((await all().byId(rootId))?.fullName).to.equal('Root');
    // it has them now, and they are nobody else's
    expect((await scim.get(path)).statusCode).to.equal(404);
  });

  it('does not bring back an account that became an administrator’s', async () => {
    const scim = await ScimClient.make(host, 'return');
    const { id } = (await scim.createUser('risen@example.com')).json;
    await scim.send('DELETE', `/Users/${id}`);
    await all().update(Number(id), { isAdmin: true });
    expect((await scim.createUser('risen@example.com')).statusCode).to.equal(403);
    expect((await all().byId(Number(id)))?.prohibitLogin).to.be.true();
  });

  it('takes over an account that has no other source, and leaves those that have one', async () => {
    const free = await createAccount(host, 'free');
    const bound = await createAccount(host, 'bound', { sourceId: 1, loginName: 'bound' });
    const scim = await ScimClient.make(host, 'first');
    const other = await ScimClient.make(host, 'other');
    expect((await scim.get(`/Users/${bound.id}`)).statusCode).to.equal(404);
    const taken = await scim.createUser('bound', { emails: [{ value: 'b@example.com' }] });
    expect(taken.statusCode).to.equal(409);
    const adopted = await scim.patch(`/Users/${free.id}`, { op: 'add', path: 'externalId', value: 'f1' });
    expect([adopted.statusCode, adopted.json.userName]).to.equal([200, 'free']);
    expect((await other.get(`/Users/${free.id}`)).statusCode).to.equal(404);
    expect((await other.send('DELETE', `/Users/${free.id}`)).statusCode).to.equal(404);
  });

  it('gives new accounts the login source of the token, and their login name', async () => {
    const scim = await ScimClient.make(host, 'directory', { loginSource: 'Directory' });
    const { id } = (await scim.createUser('linus@example.com')).json;
    const made = await all().byId(Number(id));
    expect([made?.sourceId, made?.loginName, made?.name]).to.equal([1, 'linus@example.com', 'linus']);
    await scim.patch(`/Users/${id}`, { op: 'replace', path: 'userName', value: 'torvalds@example.com' });
    expect((await all().byId(Number(id)))?.loginName).to.equal('torvalds@example.com');
  });

  it('is set by administrators on a page that shows the token once', async () => {
    const user = host.as(await createAccount(host, 'nobody'));
    expect((await user.inject(page)).statusCode).to.equal(403);
    const refused = await submitForm(root, page, { name: '', organization: 'missing' });
    expect([refused.statusCode, refused.payload.includes('This organization does not exist.')]).to.equal([422, true]);
    const made = await submitForm(root, page, { name: 'Okta', login_source: 'Directory' });
    const secret = /scim_[0-9a-f]{64}/.exec(made.payload)?.[0];
    expect([made.statusCode, secret?.length]).to.equal([200, 69]);
    const shown = (await root.inject(page)).payload;
    expect([shown.includes('Okta'), shown.includes('scim_')]).to.equal([true, false]);
    const taken = await submitForm(root, page, { name: 'Okta' });
    expect(taken.statusCode).to.equal(422);
    expect(acts.filter(({ action }) => action === 'scim_token.create').at(-1)).to.include({
      details: { organization: '', login_source: 'Directory', manages_administrators: false },
    });
    expect(JSON.stringify(acts)).not.to.contain('scim_0');
  });

  it('is listed with the names of its organization and login source, and there are at most 100', async () => {
    const owner = (await all().byId(rootId))!;
    await host.services.get(organizations).create({ name: 'works' }, owner);
    await ScimClient.make(host, 'listed', { organization: 'works', loginSource: 'Directory' });
    const lines = await host.command('admin scim list-tokens');
    expect(lines.find((line) => line.includes('listed'))).to.match(/listed\tworks\tDirectory\tfalse$/);
    for (let at = lines.length - 1; at < 100; at++) await ScimClient.make(host, `one${at}`);
    await expect(ScimClient.make(host, 'over')).to.reject('There are already 100 SCIM tokens. Delete one first.');
    for (const line of await host.command('admin scim list-tokens')) {
      const [, name = ''] = line.split('\t');
      if (name.startsWith('one')) await host.command('admin scim delete-token', { name });
    }
  });

  it('ends with the old secret of a renewed token, and with the token', async () => {
    const scim = await ScimClient.make(host, 'ending');
    const { id } = (await scim.createUser('stays@example.com')).json;
    const [line = ''] = await host.command('admin scim renew-token', { name: 'ending' });
    expect((await scim.get('/Users')).statusCode).to.equal(401);
    const ask = async () =>
      (
        await host.inject({
          url: `/scim/v2/Users/${id}`,
          headers: { authorization: `Bearer ${line.replace('SCIM token: ', '')}` },
        })
      ).statusCode;
    expect(await ask()).to.equal(200);
    await host.command('admin scim delete-token', { name: 'ending' });
    expect(await ask()).to.equal(401);
    expect((await all().byId(Number(id)))?.prohibitLogin).to.be.false();
    expect(acts.map(({ action }) => action)).to.include(['scim_token.renew', 'scim_token.delete']);
  });
});
