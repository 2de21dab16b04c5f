import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { database } from '@mortise/plugin-sdk';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { createAccount } from '@mortise/accounts/testing';
import { secondFactors } from '../api.js';
import { KeyRow } from '../models/key.js';
import { TotpRow } from '../models/totp.js';
import { Browser, password } from './support.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const page = '/user/settings/security';

describe('second factors that accounts may not change', () => {
  let host: TestHost;
  let browser: Browser;
  let userId: number;

  before(async () => {
    host = await startHost({
      plugins: ['sessions', 'auth-two-factor'],
      settings: { admin: { USER_DISABLED_FEATURES: 'manage_mfa' } },
    });
    userId = (await createAccount(host, 'ada')).id;
    browser = await Browser.signedIn(host, 'ada');
  });
  after(() => host.close());

  it('are shown without their forms, and refused', async () => {
    const shown = await browser.go(page);
    expect(shown.statusCode).to.equal(200);
    expect(shown.payload).to.include('This is managed by the administrators');
    expect(shown.payload).to.not.match(/data-webauthn|two_factor\/enroll|name="password"/);
    expect((await browser.go(`${page}/two_factor/enroll`)).statusCode).to.equal(403);
    const store = host.services.get(database);
    await store.write(async () => {
      await store.query(TotpRow).insert({
        user_id: userId,
        secret: 'sealed',
        last_step: 0,
        failures: 0,
        failing_since: 0,
        created_at: 1,
      });
      await store.query(KeyRow).insert({
        user_id: userId,
        name: 'key',
        credential_hash: 'x',
        credential_id: 'x',
        public_key: 'x',
        counter: 0,
        transports: [],
        is_passkey: false,
        created_at: 1,
        last_used_at: 0,
      });
    });
    await browser.go(page);
    const { id } = (await store.query(KeyRow).findOne({ user_id: userId }))!;
    for (const [path, fields] of [
      ['two_factor/enroll', { passcode: '123456' }],
      ['two_factor/disable', {}],
      ['recovery_codes', {}],
      ['webauthn', { name: 'new', challenge: 'x', response: '{}' }],
      ['webauthn/rename', { id: String(id), name: 'other' }],
      ['webauthn/delete', { id: String(id) }],
    ] as const) {
      const answer = await browser.submit(`${page}/${path}`, { password, ...fields });
      expect([path, answer.statusCode === 403 || answer.statusCode === 422]).to.equal([path, true]);
      expect(answer.payload, path).to.include('managed by');
    }
    expect(await host.services.get(secondFactors).of(userId)).to.equal({ totp: true, keys: 1 });
    expect((await store.query(KeyRow).findById(id))?.name).to.equal('key');
  });
});
