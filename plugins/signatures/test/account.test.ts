import { readFileSync } from 'node:fs';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import {
  makeUser,
  startHost,
  submitForm,
  type KitUser,
  type TestResponse,
  type TestHost,
} from '@mortise/plugin-sdk/testing';
import { gpgKeys } from '../contract/signatures.js';
import { armorKeys } from '../services/key-ring.js';
import { SigningTools } from './tools.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

describe('GPG keys of accounts', { timeout: 300_000 }, () => {
  let host: TestHost;
  let ada: KitUser;
  let ben: KitUser;
  let tools: SigningTools;
  let print: string;

  const api = (method: string, path: string, by?: KitUser, payload?: object) =>
    host.inject({
      method: method as 'GET',
      url: `/api/v1${path}`,
      payload,
      headers: by ? { authorization: by.authorization } : {},
    });
  /** A form of the settings page, with its token and cookies. */
  const form = async (path: string, values: Record<string, string>) => {
    const by = host.as(ada);
    const page = await by.inject('/user/settings/gpg_keys');
    const cookie = [page.headers['set-cookie'] ?? []]
      .flat()
      .map((one) => one.split(';')[0])
      .join('; ');
    const token = /name="_csrf" value="([^"]+)"/.exec(page.payload)![1]!;
    return submitForm(by, path, { _csrf: token, ...values }, { cookie });
  };
  const settings = async (): Promise<TestResponse> => host.as(ada).inject('/user/settings/gpg_keys');

  before(async () => {
    tools = new SigningTools();
    print = tools.gpgKey('Ada <ada@example.com>');
    host = await startHost({ plugins: ['signatures', 'refs', 'files', 'auth-basic', 'sessions'] });
    ada = await makeUser(host, 'ada');
    ben = await makeUser(host, 'ben');
  });
  after(async () => {
    await host.close();
    tools.close();
  });

  it('are added, listed, fetched and deleted', async () => {
    const made = await api('POST', '/user/gpg_keys', ada, { armored_public_key: tools.armored(print) });
    expect(made.statusCode).to.equal(201);
    expect(made.json).to.include({ key_id: print.slice(-16), can_sign: true, can_certify: true, verified: false });
    expect(made.json.emails).to.equal([{ email: 'ada@example.com', verified: true }]);
    expect(made.json.subkeys[0]).to.include({ primary_key_id: print.slice(-16), can_sign: true, can_certify: false });
    expect(
      (await api('POST', '/user/gpg_keys', ben, { armored_public_key: tools.armored(print) })).statusCode,
    ).to.equal(422);
    expect((await api('GET', '/users/ada/gpg_keys', ben)).json).to.have.length(1);
    expect((await api('GET', '/users/ada/gpg_keys')).statusCode).to.equal(401);
    expect((await api('GET', `/user/gpg_keys/${made.json.id}`, ben)).statusCode).to.equal(404);
    // Nobody deletes the key of another, nor learns that it is there.
    expect((await api('DELETE', `/user/gpg_keys/${made.json.id}`, ben)).statusCode).to.equal(204);
    expect((await api('GET', `/user/gpg_keys/${made.json.id}`, ada)).statusCode).to.equal(200);

    const ring = await host.inject('/ada.gpg');
    expect(ring.headers['content-type']).to.include('text/plain');
    expect(tools.run('gpg', ['--show-keys', '--with-colons'], ring.payload)).to.include(print);
    expect((await host.inject('/ben.gpg')).payload).to.startWith('-----BEGIN PGP PUBLIC KEY BLOCK-----');
    expect((await host.inject('/nobody.gpg')).statusCode).to.equal(404);

    expect((await api('DELETE', `/user/gpg_keys/${made.json.id}`, ada)).statusCode).to.equal(204);
    expect((await api('GET', '/user/gpg_keys', ada)).json).to.equal([]);
  });

  it('of two requests at once for the same key one is refused in words', async () => {
    const answers = await Promise.all(
      [ada, ada].map((by) => api('POST', '/user/gpg_keys', by, { armored_public_key: tools.armored(print) })),
    );
    expect(answers.map((one) => one.statusCode).sort()).to.equal([201, 422]);
    const made = answers.find((one) => one.statusCode === 201)!;
    await api('DELETE', `/user/gpg_keys/${made.json.id}`, ada);
  });

  it('are added, proven and deleted on the settings page', async () => {
    expect((await settings()).payload).to.include('No GPG keys yet');
    const refused = await form('/user/settings/gpg_keys', { key: 'nonsense' });
    expect(refused.statusCode).to.equal(422);
    expect(refused.payload).to.include('not an ASCII-armored OpenPGP public key').and.include('nonsense</textarea>');

    expect((await form('/user/settings/gpg_keys', { key: tools.armored(print) })).statusCode).to.equal(303);
    const shown = await settings();
    expect(shown.payload).to.include(print.slice(-16)).and.include('Verify that this key is yours');
    const token =
      /echo &quot;([0-9a-f]{64})/.exec(shown.payload)?.[1] ?? /echo "([0-9a-f]{64})/.exec(shown.payload)![1]!;
    const signature = tools.detached(print, `${token}\n`);
    const values = { key_id: print.slice(-16), signature };
    expect((await form('/user/settings/gpg_keys/verify', values)).statusCode).to.equal(303);
    expect((await settings()).payload)
      .to.include('Verified')
      .and.not.include('Verify that this key is yours');

    const [key] = (await api('GET', '/user/gpg_keys', ada)).json as { id: number }[];
    expect((await form('/user/settings/gpg_keys/delete', { id: String(key!.id) })).statusCode).to.equal(303);
    expect((await settings()).payload).to.include('No GPG keys yet');
  });

  it('gpg sees the end of a ring of any length', () => {
    for (const length of [60, 61, 62]) {
      const bytes = Buffer.alloc(length, 7);
      const file = tools.write(`ring${length}`, armorKeys(bytes));
      tools.run('gpg', ['--batch', '--output', `${file}.bin`, '--dearmor', file]);
      expect(readFileSync(`${file}.bin`).equals(bytes)).to.be.true();
    }
  });
});

describe('GPG keys that accounts may not change', () => {
  it('are refused over the API and on pages, which show no forms', async () => {
    const tools = new SigningTools();
    const host = await startHost({
      plugins: ['signatures', 'auth-basic', 'sessions'],
      settings: { admin: { USER_DISABLED_FEATURES: 'manage_gpg_keys' } },
    });
    try {
      const ada = await makeUser(host, 'ada');
      const by = host.as(ada);
      const key = tools.armored(tools.gpgKey('Ada <ada@example.com>'));
      const [stored] = await host.services.get(gpgKeys).add(ada.id, key);
      const at = '/api/v1/user';
      for (const [method, url, payload] of [
        ['POST', `${at}/gpg_keys`, { armored_public_key: key }],
        ['DELETE', `${at}/gpg_keys/${stored!.id}`, undefined],
        ['POST', `${at}/gpg_key_verify`, { key_id: stored!.keyId, armored_signature: 'x' }],
      ] as const)
        expect([url, (await by.inject({ method, url, payload })).statusCode]).to.equal([url, 403]);
      const shown = await by.inject('/user/settings/gpg_keys');
      expect(shown.payload).to.include('GPG keys are managed by').and.not.include('name="signature"');
      for (const [path, fields] of [
        ['', { key }],
        ['/verify', { key_id: stored!.keyId, signature: 'x' }],
        ['/delete', { id: String(stored!.id) }],
      ] as const)
        expect((await submitForm(by, `/user/settings/gpg_keys${path}`, fields)).statusCode).to.equal(403);
      expect((await host.services.get(gpgKeys).list({ userId: ada.id, limit: 9, offset: 0 })).total).to.equal(1);
      expect((await by.inject(`${at}/gpg_keys`)).json).to.have.length(1);
    } finally {
      await host.close();
      tools.close();
    }
  });
});
