import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { definePlugin, Joi, TextField } from '@mortise/plugin-sdk';
import { submitForm, type TestClient, type TestHost } from '@mortise/plugin-sdk/testing';
import {
  accounts as accountsRef,
  defineLoginSourceKind,
  loginSourceKinds,
  loginSources as loginSourcesRef,
} from '@mortise/accounts/api';
import { startAdmin } from './user-fixtures.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

interface BookSettings {
  readonly host: string;
  readonly secret: string;
}

/** A directory in which everybody has the password `there`. */
const book = definePlugin({
  name: 'book',
  version: '1.0.0',
  sdk: '*',
  requires: { accounts: '*' },
  register(host) {
    host.contribute(
      loginSourceKinds,
      defineLoginSourceKind<BookSettings>({
        key: 'book',
        label: 'Address book',
        schema: Joi.object<BookSettings, true>({
          host: Joi.string().required(),
          secret: Joi.string().allow('').default(''),
        }),
        secrets: ['secret'],
        names: { 'settings.host': 'Host of the book' },
        checkPassword: async (_source, loginName, given) =>
          given === 'there' ? { loginName, name: loginName, email: `${loginName}@book.example` } : undefined,
        async *users() {},
        async tryConnection({ settings }) {
          if (settings.host === 'silent') throw new Error('<no answer>');
        },
        fields: ({ settings }) => (
          <TextField name="settings.host" label="Host" value={typeof settings.host === 'string' ? settings.host : ''} />
        ),
      }),
    );
  },
});

describe('login sources in the administration', () => {
  let host: TestHost;
  let root: TestClient;
  let ada: TestClient;
  const home = '/-/admin/auths';
  const secret = 'key of the book';
  const add = (fields: Record<string, string>) => submitForm(root, `${home}/new?type=book`, fields);
  const sources = () => host.services.get(loginSourcesRef);
  const accounts = () => host.services.get(accountsRef);
  const api = (method: string, url: string, payload?: object) => root.inject({ method, url, payload });

  before(async () => {
    ({ host, root, ada } = await startAdmin({ plugins: ['admin', book] }));
  });
  after(() => host.close());

  it('are made, changed and tried on pages', async () => {
    expect((await root.inject(home)).payload).to.include(['No authentication sources', 'Add Address book']);
    expect((await root.inject(`${home}/new?type=book`)).statusCode).to.equal(200);
    const refused = await add({ name: '', 'settings.secret': secret });
    expect(refused.statusCode).to.equal(422);
    expect(refused.payload).to.include('Host of the book is required.').and.not.to.include(secret);
    const fields = { name: 'Our book', 'settings.host': 'silent', 'settings.secret': secret, is_active: 'true' };
    const made = await add(fields);
    expect([made.statusCode, made.headers.location]).to.equal([303, `${home}?saved`]);
    expect((await add(fields)).statusCode).to.equal(422);
    const [source] = await sources().list();
    expect(source).to.include({ name: 'Our book', kind: 'book', isActive: true, isSyncEnabled: false });
    const url = `${home}/${source!.id}`;
    expect((await root.inject(home)).payload).to.include([url, 'Our book', 'Address book']);
    const page = await root.inject(url);
    expect(page.payload).to.include('value="silent"').and.not.to.include(secret);
    const silent = await submitForm(root, `${url}/test`, {});
    expect([silent.statusCode, silent.payload.includes('The connection failed: &lt;no answer>')]).to.equal([422, true]);
    await submitForm(root, url, {
      ...fields,
      'settings.host': 'there',
      'settings.secret': '',
      is_sync_enabled: 'true',
    });
    expect(await sources().byId(source!.id)).to.include({ isSyncEnabled: true, settings: { host: 'there', secret } });
    expect((await submitForm(root, `${url}/test`, {})).payload).to.include('The connection works.');
    expect((await submitForm(root, url, { name: 'x', 'settings.host': '' })).statusCode).to.equal(422);
  });

  it('are for administrators, and missing ones are not found', async () => {
    for (const url of [home, `${home}/new?type=book`, `${home}/1`])
      expect((await ada.inject(url)).statusCode).to.equal(403);
    for (const url of [`${home}/new?type=none`, `${home}/new`, `${home}/77`, `${home}/new?type=book&type=book`])
      expect([url, (await root.inject(url)).statusCode]).to.equal([url, 404]);
    expect((await submitForm(root, `${home}/77/delete`, {})).statusCode).to.equal(404);
    expect((await submitForm(ada, `${home}/1/delete`, {})).statusCode).to.equal(403);
  });

  it('ADM-01 to ADM-09: have accounts, made over the API without a password', async () => {
    const { id } = (await sources().list())[0]!;
    const created = await api('POST', '/api/v1/admin/users', {
      username: 'cora',
      email: 'cora@example.com',
      source_id: id,
      login_name: 'cora.there',
    });
    expect(created.statusCode).to.equal(201);
    expect(created.json).to.include({ login: 'cora', source_id: id, login_name: 'cora.there' });
    expect((await accounts().checkPassword('cora', 'there'))?.name).to.equal('cora');
    const unchanged = await api('PATCH', '/api/v1/admin/users/cora', { full_name: 'Cora' });
    expect(unchanged.json).to.include({ source_id: id, login_name: 'cora.there', full_name: 'Cora' });
    for (const [query, count] of [
      [`source_id=${id}`, 1],
      [`source_id=${id + 1}`, 0],
      ['login_name=cora.there', 1],
      ['login_name=cora', 0],
    ] as const)
      expect((await api('GET', `/api/v1/admin/users?${query}`)).json).to.have.length(count);
    expect((await api('PATCH', '/api/v1/admin/users/cora', { source_id: id + 7 })).statusCode).to.equal(422);
    expect((await submitForm(root, `${home}/${id}/delete`, { typed_name: 'Our book' })).payload).to.include(
      '1 account belongs',
    );
  });

  it('are chosen where users are made and edited', async () => {
    const { id } = (await sources().list())[0]!;
    const given = { username: 'dora', email: 'dora@example.com', source_id: String(id) };
    const refused = await submitForm(root, '/-/admin/users/new', given);
    expect(refused.statusCode).to.equal(422);
    expect(refused.payload).to.include('id="field-login_name-error"');
    expect((await submitForm(root, '/-/admin/users/new', { ...given, source_id: '99' })).statusCode).to.equal(422);
    const made = await submitForm(root, '/-/admin/users/new', { ...given, login_name: 'dora' });
    expect(made.statusCode).to.equal(303);
    const dora = (await accounts().byName('dora'))!;
    expect(dora).to.include({ sourceId: id, loginName: 'dora', hasPassword: false, mustChangePassword: false });
    const url = `/-/admin/users/${dora.id}`;
    expect((await root.inject(url)).payload).to.include(['Authentication source', 'value="dora"']);
    const back = {
      username: 'dora',
      email: 'dora@example.com',
      source_id: '0',
      active: 'true',
      password: 'long enough',
    };
    expect((await submitForm(root, url, back)).statusCode).to.equal(303);
    expect(await accounts().byId(dora.id)).to.include({ sourceId: 0, loginName: '', hasPassword: true });
  });

  it('are listed and deleted by commands', async () => {
    const { id } = await sources().create({ kind: 'book', name: 'Empty', settings: { host: 'x' } });
    expect((await host.command('admin auth list')).join('\n')).to.include(`${id}\tEmpty\tbook\ttrue`);
    await expect(host.command('admin auth delete', { id: 'x' })).to.reject(/whole number/);
    await expect(host.command('admin auth delete', { id: '99' })).to.reject(/does not exist/);
    await host.command('admin auth delete', { id: String(id) });
    expect(await sources().byId(id)).to.be.undefined();
    const other = await sources().create({ kind: 'book', name: 'Other', settings: { host: 'x' } });
    const refused = await submitForm(root, `${home}/${other.id}/delete`, { typed_name: 'other' });
    expect(refused.payload).to.include('enter Other to confirm');
    const gone = await submitForm(root, `${home}/${other.id}/delete`, { typed_name: 'Other' });
    expect((await root.inject(gone.headers.location!)).payload).to.include('Other has been deleted.');
  });
});
