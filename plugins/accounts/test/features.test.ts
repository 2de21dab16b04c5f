import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { definePlugin, Joi } from '@mortise/plugin-sdk';
import { startHost, submitForm, type TestHost } from '@mortise/plugin-sdk/testing';
import { accounts, defineLoginSourceKind, loginSourceKinds, loginSources, publicKeys } from '../api.js';
import { signUp, type SignedIn } from '../testing.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIIhdODPh1ROOEeQDGaMSP8EBVUNJKXVOz2NmKSUQNHLG one';
const page = '/user/settings';

/** A directory that keeps SSH keys where it is told to. */
const book = definePlugin({
  name: 'book',
  version: '1.0.0',
  sdk: '*',
  requires: { accounts: '*' },
  register(host) {
    host.contribute(
      loginSourceKinds,
      defineLoginSourceKind<{ readonly keepsKeys: boolean }>({
        key: 'book',
        label: 'Book',
        schema: Joi.object({ keepsKeys: Joi.boolean().default(false) }),
        checkPassword: async (_source, name) => ({ loginName: name, name, email: `${name}@example.com` }),
        managesPublicKeys: ({ settings }) => settings.keepsKeys,
        fields: () => null as never,
      }),
    );
  },
});

describe('features that accounts do not have', () => {
  let host: TestHost;
  let ada: SignedIn;
  let ben: SignedIn;
  let sourceId: number;

  before(async () => {
    host = await startHost({
      plugins: ['accounts', book],
      settings: {
        admin: {
          USER_DISABLED_FEATURES: 'deletion',
          EXTERNAL_USER_DISABLE_FEATURES: 'manage_credentials, change_full_name',
        },
      },
    });
    sourceId = (await host.services.get(loginSources).create({ kind: 'book', name: 'Book', settings: {} })).id;
    await signUp(host, 'root', { isAdmin: true });
    ada = await signUp(host, 'ada', { sourceId, loginName: 'ada', fullName: 'Ada' });
    ben = await signUp(host, 'ben');
  });
  after(() => host.close());

  it('are refused to external accounts on pages and over the API', async () => {
    const json = (who: SignedIn, method: string, url: string, payload: object) =>
      who.inject({ method, url: `/api/v1/user${url}`, payload });
    expect((await json(ada, 'POST', '/emails', { emails: ['a@example.com'] })).statusCode).to.equal(403);
    expect((await json(ben, 'POST', '/emails', { emails: ['b@example.com'] })).statusCode).to.equal(201);
    expect((await json(ada, 'PATCH', '/settings', { full_name: 'Other' })).statusCode).to.equal(403);
    expect((await json(ada, 'PATCH', '/settings', { full_name: 'Ada', location: 'x' })).statusCode).to.equal(200);
    expect((await submitForm(ada, `${page}/account/email`, { email: 'a@example.com' })).statusCode).to.equal(403);
    await submitForm(ada, page, { full_name: 'Other', visibility: 'public', description: 'Hello' });
    const stored = (await host.services.get(accounts).byName('ada'))!;
    expect(stored).to.include({ fullName: 'Ada', description: 'Hello' });
    const shown = (await ada.inject(`${page}/account`)).payload;
    expect(shown).not.to.include(['name="old_password"', 'name="email"']);
    expect((await ben.inject(`${page}/account`)).payload).to.include(['name="old_password"', 'name="email"']);
  });

  it('an account of a source gets no password of this site by itself', async () => {
    const fields = { old_password: 'x', password: 'another one', retype: 'another one' };
    expect((await submitForm(ada, `${page}/account/password`, fields)).statusCode).to.equal(403);
  });

  it('are refused to everybody where the site says so', async () => {
    for (const who of [ada, ben]) {
      expect((await submitForm(who, `${page}/account/delete`, { password: 'long enough' })).statusCode).to.equal(403);
      expect((await who.inject(`${page}/account`)).payload).not.to.include('field-delete-password');
    }
  });

  it('SSH keys that a source keeps are not changed by hand', async () => {
    const add = () => ada.inject({ method: 'POST', url: '/api/v1/user/keys', payload: { title: 'One', key } });
    const made = await add();
    expect(made.statusCode).to.equal(201);
    await host.services.get(loginSources).update(sourceId, { settings: { keepsKeys: true } });
    const { id } = made.json as { id: number };
    expect((await ada.inject({ method: 'DELETE', url: `/api/v1/user/keys/${id}` })).statusCode).to.equal(403);
    expect((await submitForm(ada, `${page}/keys/delete`, { id: String(id) })).statusCode).to.equal(403);
    expect((await submitForm(ada, `${page}/keys`, { title: 'Two', key })).statusCode).to.equal(403);
    expect((await ada.inject(`${page}/keys`)).payload).not.to.include('name="key"');
    expect((await add()).statusCode).to.equal(403);
    expect(await host.services.get(publicKeys).byId(id)).to.exist();
    await host.services.get(loginSources).update(sourceId, { settings: { keepsKeys: false } });
    expect((await ada.inject({ method: 'DELETE', url: `/api/v1/user/keys/${id}` })).statusCode).to.equal(204);
  });
});
