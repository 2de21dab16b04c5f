import { createHash, pbkdf2Sync } from 'node:crypto';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { Encryption } from '@mortise/plugin-sdk';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { SourceFixture } from './source.js';
import { encryptTotp } from './source-secrets.js';

export const lab = Lab.script();
const { describe, it, beforeEach, afterEach } = lab;

const time = { created_unix: 1700000000, updated_unix: 1700000001 };
const tokenOf = (letter: string) => letter.repeat(32) + '01234567';
const salt = 'yWbroQ9Yrs';
const hashOf = (token: string) => pbkdf2Sync(token, salt, 10_000, 50, 'sha256').toString('hex');

describe('issue 28: credentials of a server that is taken over', () => {
  let host: TestHost;
  let source: SourceFixture;
  const take = () => host.command('takeover', { from: source.folder });
  const statusOf = async (token: string, path: string) =>
    (await host.inject({ url: `/api/v1${path}`, headers: { authorization: `token ${token}` } })).statusCode;
  beforeEach(async () => {
    host = await startHost({ plugins: ['takeover', 'auth-token', 'auth-two-factor', 'signatures', 'oauth2-provider'] });
    source = new SourceFixture();
    source.rows('user', {
      id: 7,
      lower_name: 'ada',
      name: 'ada',
      type: 0,
      email: 'ada@example.com',
      is_active: 1,
      ...time,
    });
  });
  afterEach(async () => {
    source.close();
    await host.close();
  });

  it('tokens keep their values and scopes, and get a hash of ours when they are used', async () => {
    const row = { uid: 7, token_salt: salt, token_last_eight: '01234567', ...time };
    source.rows(
      'access_token',
      { id: 30, name: 'all', token_hash: hashOf(tokenOf('a')), scope: 'all', ...row },
      { id: 31, name: 'read', token_hash: hashOf(tokenOf('b')), scope: 'read:user,read:org', ...row },
      { id: 32, name: 'nothing', token_hash: hashOf(tokenOf('c')), scope: '', ...row },
    );
    expect(await take()).to.include('auth-token.tokens: 3 read, 3 written, 0 unchanged, 0 removed, 0 skipped');
    for (const time of ['first', 'second']) {
      expect(await statusOf(tokenOf('a'), '/user'), time).to.equal(200);
      expect(await statusOf(tokenOf('b'), '/user'), time).to.equal(200);
      expect(await statusOf(tokenOf('c'), '/user'), time).to.equal(403);
      expect(await statusOf(tokenOf('d'), '/user'), time).to.equal(401);
    }
    const rows = await host.database.knex()('access_token').orderBy('id').select('token_hash', 'scopes');
    expect(rows.map(({ token_hash }) => token_hash)).to.equal(
      ['a', 'b', 'c'].map((letter) => createHash('sha256').update(tokenOf(letter)).digest('hex')),
    );
    expect(rows.map(({ scopes }) => JSON.parse(scopes))).to.equal([['all'], ['read:user', 'read:organization'], []]);
    expect(await take()).to.include('auth-token.tokens: 3 read, 0 written, 3 unchanged, 0 removed, 0 skipped');
    expect(await statusOf(tokenOf('a'), '/user')).to.equal(200);
  });

  it('tokens of earlier versions, which stored them plain or by SHA-256, work with all scopes', async () => {
    const sha256 = createHash('sha256').update(tokenOf('f')).digest('hex');
    source.rows('access_token', { id: 1, uid: 7, name: 'plain', sha1: tokenOf('e'), sha256: '', ...time });
    source.rows('access_token', { id: 2, uid: 7, name: 'hashed', sha1: sha256.slice(0, 40), sha256, ...time });
    await take();
    expect(await statusOf(tokenOf('e'), '/user')).to.equal(200);
    expect(await statusOf(tokenOf('f'), '/user')).to.equal(200);
    expect(await statusOf(sha256.slice(0, 40), '/user')).to.equal(401);
  });

  it('ids that are given after a takeover are higher than those that have come', async () => {
    source.rows('access_token', { id: 4000, uid: 7, name: 'last', sha1: tokenOf('e'), ...time });
    await take();
    const knex = host.database.knex();
    const made = {
      user_id: 7,
      name: 'next',
      token_hash: 'x',
      last_eight: 'x',
      scopes: '[]',
      created_at: 0,
      last_used_at: 0,
    };
    await host.database.write(async () => host.database.knex()('access_token').insert(made));
    expect((await knex('access_token').where('name', 'next').first('id')).id as number).to.be.above(4000);
  });

  it('OAuth2 applications keep their ids and secrets, whose bcrypt hashes give way to ours', async () => {
    const secret = 'gto_jstwxylj5dq4t22wg5x5rxst4nrocwskxe5xbcc4x4pqwv5x7phq';
    const row = { uid: 7, confidential_client: 1, redirect_uris: '["http://127.0.0.1/cb"]', ...time };
    source.rows('oauth2_application', {
      id: 16,
      name: 'app',
      client_id: 'f9204625-5fc4-4682-a786-5ee6b1e48966',
      client_secret: '$2a$10$CowrkMlI8f8mRgf/y7q9R.nOBExB7mjMfOyNmQHDs41180JcQnEoi',
      ...row,
    });
    source.rows('oauth2_grant', {
      id: 3,
      user_id: 7,
      application_id: 16,
      scope: 'openid profile',
      counter: 1,
      ...time,
    });
    expect(await take()).to.include('oauth2-provider.grants: 1 read, 1 written, 0 unchanged, 0 removed, 0 skipped');
    const exchange = async (client_secret: string) => {
      const payload = {
        grant_type: 'authorization_code',
        code: 'x',
        client_id: 'f9204625-5fc4-4682-a786-5ee6b1e48966',
      };
      return (
        await host.inject({ method: 'POST', url: '/login/oauth/access_token', payload: { ...payload, client_secret } })
      ).json.error;
    };
    const hash = async () => (await host.database.knex()('oauth2_application').where('id', 16).first()).secret_hash;
    expect(await exchange(`${secret}x`)).to.equal('invalid_client');
    expect(await hash()).to.match(/^\$2a\$/);
    expect(await exchange(secret)).to.equal('invalid_grant');
    expect(await hash()).to.equal(createHash('sha256').update(secret).digest('hex'));
    expect(await exchange(secret)).to.equal('invalid_grant');
  });

  it('one-time codes go on where the SECRET_KEY is right, and security keys keep their names', async () => {
    const secret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';
    source.rows('two_factor', { id: 1, uid: 7, secret: encryptTotp(secret), scratch_hash: '', ...time });
    source.rows('two_factor', { id: 2, uid: 7, secret: 'nonsense', scratch_hash: '', ...time });
    source.rows('webauthn_credential', {
      id: 5,
      user_id: 7,
      name: 'blue key',
      credential_id: 'credential',
      public_key: 'public',
      sign_count: 3,
      ...time,
    });
    const lines = await take();
    expect(lines).to.include('auth-two-factor.codes: 2 read, 1 written, 0 unchanged, 0 removed, 1 skipped');
    expect(lines).to.include('  1 skipped: its secret cannot be decrypted with the SECRET_KEY');
    const codes = await host.database.knex()('two_factor_totp').first();
    expect(new Encryption(host.site.secret('auth-two-factor.totp')).decrypt(codes.secret)).to.equal(secret);
    const key = await host.database.knex()('two_factor_key').first();
    expect(key.credential_id).to.equal(Buffer.from('credential').toString('base64url'));
    expect(key.credential_hash).to.equal(createHash('sha256').update(key.credential_id).digest('hex'));
  });
});
