import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { Encryption } from '@mortise/plugin-sdk';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { SourceFixture } from './source.js';
import { encryptGogsTotp, encryptSecret, encryptTotp } from './source-secrets.js';

export const lab = Lab.script();
const { describe, it, beforeEach, afterEach } = lab;

const time = { created_unix: 1700000000, updated_unix: 1700000001 };
const totp = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';

describe('issue 28: the SECRET_KEY of a server that is taken over', () => {
  let host: TestHost;
  let source: SourceFixture;
  const take = (more: Record<string, boolean> = {}) => host.command('takeover', { from: source.folder, ...more });
  const table = (name: string) => host.database.knex()(name);
  const setKey = (lines: string) => {
    const file = join(source.folder, 'custom', 'conf', 'app.ini');
    writeFileSync(file, readFileSync(file, 'utf8').replace(/^SECRET_KEY.*$/m, lines));
  };
  const storedTotp = async () =>
    new Encryption(host.site.secret('auth-two-factor.totp')).decrypt((await table('two_factor_totp').first()).secret);
  beforeEach(async () => {
    host = await startHost({ plugins: ['takeover', 'auth-two-factor', 'actions', 'webhooks'] });
    source = new SourceFixture();
    source.rows('user', {
      id: 7,
      lower_name: 'ada',
      name: 'ada',
      type: 0,
      email: 'a@example.com',
      is_active: 1,
      ...time,
    });
  });
  afterEach(async () => {
    source.close();
    await host.close();
  });
  const fill = (key?: string) => {
    source.rows('two_factor', { id: 1, uid: 7, secret: encryptTotp(totp, key), scratch_hash: '', ...time });
    const secret = { owner_id: 7, repo_id: 0, created_unix: 1700000000 };
    source.rows('secret', { id: 8, name: 'DEPLOY', data: encryptSecret('s3cr3t', key), ...secret });
  };

  it('stops a pass before it writes anything where it is another one, and says where it stands', async () => {
    fill('of before');
    const where = /actions\.secrets: 1 of 1, auth-two-factor\.codes: 1 of 1.*\[security\] SECRET_KEY of .*app\.ini/;
    await expect(take()).to.reject(where);
    await expect(take()).to.reject(/Nothing was written.*--without-secrets/);
    expect(await table('user').where('id', 7)).to.equal([]);
    expect(await table('takeover_source')).to.equal([]);
    expect((await take({ dryRun: true })).join('\n'))
      .to.match(where)
      .and.to.contain('A pass stops here');
    setKey('SECRET_KEY_URI = file:/etc/gitea/secret_key');
    await expect(take()).to.reject(/file:\/etc\/gitea\/secret_key, which \[security\] SECRET_KEY_URI of/);
  });

  it('may be another one where the operator agrees that what it opens is left out', async () => {
    fill('of before');
    expect((await take({ withoutSecrets: true })).join('\n')).to.match(
      /cannot be decrypted with \[security\] SECRET_KEY/,
    );
    expect(await table('user').pluck('id')).to.equal([7]);
    expect(await table('two_factor_totp')).to.equal([]);
  });

  it('stops a later pass too, which would take what has come for damaged', async () => {
    fill();
    await take();
    source.run(`update two_factor set updated_unix = 1700000009`);
    setKey('SECRET_KEY = mistyped');
    await expect(take({ sameServer: true })).to.reject(/--without-secrets/);
    expect(await storedTotp()).to.equal(totp);
  });

  it('stops a pass where one table alone was encrypted with another one', async () => {
    fill();
    source.run(`update secret set data = '${encryptSecret('s3cr3t', 'of before')}'`);
    await expect(take()).to.reject(/\(actions\.secrets: 1 of 1\) cannot be decrypted with/);
  });

  it('is not blamed where Forgejo encrypts in another way', async () => {
    fill('of before');
    source.rows('forgejo_version', { id: 1, version: 25 });
    await expect(take()).to.reject(/cannot be decrypted: Forgejo 10 and later.*--without-secrets/);
  });

  it('may fail with few values, which are damaged', async () => {
    fill();
    source.rows('two_factor', { id: 2, uid: 7, secret: 'nonsense', scratch_hash: '', ...time });
    expect(await take()).to.include('  1 skipped: its secret cannot be decrypted with the SECRET_KEY');
    expect(await storedTotp()).to.equal(totp);
  });

  it('is a preset one where app.ini has none', async () => {
    setKey('');
    fill('!#@FDEWREWR&*(');
    await take();
    expect(await storedTotp()).to.equal(totp);
  });

  it('opens one-time codes of Gogs, which are encrypted in another mode', async () => {
    source.rows('two_factor', { id: 1, user_id: 7, secret: encryptGogsTotp(totp), created_unix: 1700000000 });
    await take();
    expect(await storedTotp()).to.equal(totp);
  });
});
