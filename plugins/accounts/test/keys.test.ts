import { type WriteBehind } from '@mortise/plugin-sdk';
import { createHash, generateKeyPairSync } from 'node:crypto';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { accounts as accountsRef, publicKeys as keysRef, type Accounts } from '../api.js';
import { parseKey } from '../services/ssh-key.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const field = (data: Buffer | string) => {
  const bytes = Buffer.from(data as string);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
};
const line = (kind: string, ...fields: (Buffer | string)[]) =>
  `${kind} ${Buffer.concat([kind, ...fields].map(field)).toString('base64')}`;
const ed25519 = () =>
  line('ssh-ed25519', Buffer.from(generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }).x!, 'base64url'));
const rsa = (bytes: number) =>
  line('ssh-rsa', Buffer.from([1, 0, 1]), Buffer.concat([Buffer.from([0]), Buffer.alloc(bytes, 0xa5)]));

describe('SSH keys', () => {
  it('reads the kinds that OpenSSH makes, with the fingerprint that it shows', () => {
    const key = ed25519();
    const parsed = parseKey(` ${key} ada@home \n`, 3071);
    expect(parsed.fingerprint).to.equal(
      `SHA256:${createHash('sha256')
        .update(Buffer.from(key.split(' ')[1]!, 'base64'))
        .digest('base64')
        .replace(/=+$/, '')}`,
    );
    expect(parsed.comment).to.equal('ada@home');
    const point = (size: number) => Buffer.concat([Buffer.from([4]), Buffer.alloc(size - 1, 7)]);
    const good = [
      rsa(384),
      line('ecdsa-sha2-nistp256', 'nistp256', point(65)),
      line('ecdsa-sha2-nistp521', 'nistp521', point(133)),
      line('sk-ssh-ed25519@openssh.com', Buffer.alloc(32, 1), 'ssh:'),
      line('sk-ecdsa-sha2-nistp256@openssh.com', 'nistp256', point(65), 'ssh:'),
    ];
    for (const one of good) expect(parseKey(one, 3071).content).to.equal(one);
  });

  it('LIM-14: refuses what is too large, broken or of another kind', () => {
    const key = ed25519();
    const bad = [
      '',
      'ssh-ed25519',
      'ssh-ed25519 nonsense',
      key.slice(0, 40),
      key.replace('ssh-ed25519', 'ssh-rsa'),
      `no-pty ${key}`,
      `${key}\n${key}`,
      `${key} ${'x'.repeat(4097)}`,
      rsa(128),
      rsa(6000),
      line('ssh-dss', 'x'),
      line('ssh-ed25519', Buffer.alloc(31)),
      line('ssh-ed25519', Buffer.alloc(32), 'more'),
      line('ecdsa-sha2-nistp256', 'nistp384', Buffer.alloc(65, 4)),
      '-----BEGIN OPENSSH PRIVATE KEY-----\nabc\n-----END OPENSSH PRIVATE KEY-----',
    ];
    for (const one of bad) expect(() => parseKey(one, 3071), one.slice(0, 60)).to.throw();
    expect(parseKey(`${key} ${'x'.repeat(4096)}`, 3071).comment).to.have.length(4096);
  });

  describe('of accounts', () => {
    let host: TestHost;
    let accounts: Accounts;
    before(async () => {
      host = await startHost({ plugins: ['accounts'] });
      accounts = host.services.get(accountsRef);
    });
    after(() => host.close());

    it('ACC-01, ACC-03: belong to one account, are listed, and note when they were used', async () => {
      const ada = await accounts.create({ name: 'ada', email: 'ada@example.com', password: 'long enough' });
      const ben = await accounts.create({ name: 'ben', email: 'ben@example.com', password: 'long enough' });
      const asAda = host.as(accounts.actorOf(ada, 'test'));
      const asBen = host.as(accounts.actorOf(ben, 'test'));
      const key = `${ed25519()} ada@home`;
      const made = await asAda.inject({ method: 'POST', url: '/api/v1/user/keys', payload: { title: 'home', key } });
      expect(made.statusCode).to.equal(201);
      expect(made.json).to.include({ title: 'home', key, key_type: 'user', read_only: false });
      expect(
        (await asBen.inject({ method: 'POST', url: '/api/v1/user/keys', payload: { title: 'mine', key } })).statusCode,
      ).to.equal(422);
      expect((await asBen.inject(`/api/v1/users/ada/keys`)).json[0].user).to.be.undefined();
      expect((await asBen.inject({ method: 'DELETE', url: `/api/v1/user/keys/${made.json.id}` })).statusCode).to.equal(
        403,
      );
      const keys = host.services.get(keysRef) as unknown as { used(id: number): void; uses: WriteBehind };
      await new Promise((done) => setTimeout(done, 1100));
      keys.used(made.json.id);
      await keys.uses.flush();
      const later = (await asAda.inject('/api/v1/user/keys')).json[0];
      expect(Date.parse(later.last_used_at)).to.be.above(Date.parse(later.created_at));
      expect((await host.inject('/ada.keys')).payload).to.equal(`${key.split(' ').slice(0, 2).join(' ')}\n`);
      expect((await asAda.inject({ method: 'DELETE', url: `/api/v1/user/keys/${made.json.id}` })).statusCode).to.equal(
        204,
      );
      expect((await asAda.inject(`/api/v1/user/keys/not-a-number`)).statusCode).to.equal(404);
    });
  });
});
