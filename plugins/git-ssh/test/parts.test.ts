import { generateKeyPairSync, createHash, sign } from 'node:crypto';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { Site } from '@mortise/plugin-sdk';
import ssh2 from 'ssh2';
import { Addresses } from '../services/addresses.js';
import { Callers } from '../services/callers.js';
import { keyGenerators } from '../services/host-keys.js';
import { parseCommand, repositoryPath } from '../services/command-line.js';
import { isOutdated, provesWithDevice } from '../services/signature.js';
import { sshSettings } from '../settings.js';

export const lab = Lab.script();
const { describe, it } = lab;

const defaults = (over: object) => sshSettings.validate(over).value;
const at = (rootUrl: string) => ({ rootUrl }) as Site;

const field = (data: Buffer | string) => {
  const bytes = Buffer.from(data);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
};
const sha256 = (data: Buffer | string) => createHash('sha256').update(data).digest();

describe('git over SSH, the small parts', () => {
  it('takes commands apart as a shell would', () => {
    const said = (line: string) => {
      const { name, args } = parseCommand(line);
      return [name, ...args];
    };
    expect(said("git-upload-pack '/ada/one.git'")).to.equal(['git-upload-pack', '/ada/one.git']);
    expect(said('git upload-pack ada/one')).to.equal(['git-upload-pack', 'ada/one']);
    expect(said("  git-receive-pack   'it'\\''s'  ")).to.equal(['git-receive-pack', "it's"]);
    expect(said('git-receive-pack "a \\"b\\" c" d\\ e')).to.equal(['git-receive-pack', 'a "b" c', 'd e']);
    expect(said("git-upload-pack ''")).to.equal(['git-upload-pack', '']);
    expect(said('')).to.equal(['']);
  });

  it('S11: counts the idle connections of an address, and of the /64 of one customer', () => {
    const gone: string[] = [];
    const caller = (name: string, isIdle = true) => ({ isIdle, destroy: () => void gone.push(name) });
    const callers = new Callers(3, 1000);
    const busy = [1, 2, 3, 4, 5].map((n) => caller(`busy ${n}`, false));
    for (const one of busy) expect(callers.enter('203.0.113.7', one, 0)).to.be.true();
    const idle = [1, 2, 3].map((n) => caller(`idle ${n}`));
    for (const one of idle) expect(callers.enter('203.0.113.7', one, 100)).to.be.true();
    // those that have just come are not thrown out by the next
    expect(callers.enter('203.0.113.7', caller('early'), 1000)).to.be.false();
    expect(callers.enter('203.0.113.8', caller('neighbour'), 1000)).to.be.true();
    expect(callers.enter('203.0.113.7', caller('late'), 1100)).to.be.true();
    expect(gone).to.equal(['idle 1']);
    // one network, however its addresses are written
    expect(callers.enter('::ffff:203.0.113.7', caller('the same'), 1000)).to.be.false();
    callers.leave('203.0.113.7', idle[1]!);
    expect(callers.enter('203.0.113.7', caller('one more'), 1101)).to.be.true();
    expect(gone).to.equal(['idle 1']);
    const open = new Callers(0, 1000);
    for (let n = 0; n < 1000; n++) expect(open.enter('203.0.113.7', caller(`${n}`), 0)).to.be.true();
  });

  it('refuses what only a shell could do', () => {
    const odd = [
      "git-upload-pack 'a",
      'x "a',
      'x; y',
      'x | y',
      'x && y',
      'x $(id)',
      'x `id`',
      'x > y',
      'x\ny',
      'x \\',
      'x\0',
    ];
    for (const line of [...odd, 'x'.repeat(20_000)]) expect(() => parseCommand(line), line.slice(0, 20)).to.throw();
    expect(parseCommand("x '; rm -rf $HOME'").args).to.equal(['; rm -rf $HOME']);
  });

  it('reads all usual spellings of a repository, and no others', () => {
    for (const path of [
      'ada/one.git',
      '/ada/one.git',
      '~ada/one.git',
      '/~ada/one.git',
      '/~/ada/one.git',
      '/ada/one.git/',
    ])
      expect(repositoryPath(path), path).to.equal({ owner: 'ada', repo: 'one.git' });
    const odd = [
      '',
      '/',
      'one.git',
      '../ada/one',
      '/ada/../one',
      'ada//one',
      'a/b/c',
      'ada/..',
      './one',
      'a b/one',
      'ada/on\\e',
      'C:/one',
      'ada/one\u0007',
    ];
    for (const path of odd) expect(() => repositoryPath(path), path).to.throw(/owner\/name/);
  });

  it('writes addresses with a port only where it is needed', () => {
    const address = (root: string, over: object) => new Addresses(at(root), defaults(over)).address('ada/one');
    expect(address('https://git.example.com/sub', { SSH_PORT: 22 })).to.equal('git@git.example.com:ada/one.git');
    expect(address('https://git.example.com', {})).to.equal('ssh://git@git.example.com:2222/ada/one.git');
    expect(address('https://x', { SSH_DOMAIN: 'ssh.example.com', SSH_USER: 'code', SSH_PORT: 22 })).to.equal(
      'code@ssh.example.com:ada/one.git',
    );
    expect(address('http://[::1]:3000', { SSH_PORT: 222 })).to.equal('ssh://git@[::1]:222/ada/one.git');
    expect(address('https://x', { DISABLE_SSH: true })).to.equal('');
    // USE_COMPAT_SSH_URI
    const uri = (over: object) => new Addresses(at('https://x'), defaults(over), true).address('ada/one');
    expect(uri({ SSH_PORT: 22 })).to.equal('ssh://git@x/ada/one.git');
    expect(uri({ SSH_PORT: 222 })).to.equal('ssh://git@x:222/ada/one.git');
  });

  it('tells wrong settings by name', () => {
    const { value, warning, error } = sshSettings.validate({ SSH_SERVER_CIPHERS: 'aes128-ctr, rot13' });
    expect([error, (value as { SSH_SERVER_CIPHERS: string[] }).SSH_SERVER_CIPHERS]).to.equal([
      undefined,
      ['aes128-ctr'],
    ]);
    expect(warning?.message).to.contain('rot13');
    expect(sshSettings.validate({ SSH_IDLE_TIMEOUT: 'soon' }).error).to.exist();
    expect(defaults({ SSH_IDLE_TIMEOUT: '1m30s' }).SSH_IDLE_TIMEOUT).to.equal(90_000);
  });

  it('knows signatures of keys in hardware, and that somebody touched them', () => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const point = Buffer.from(publicKey.export({ format: 'jwk' }).x as string, 'base64url');
    const blob = Buffer.concat([field('sk-ssh-ed25519@openssh.com'), field(point), field('ssh:')]);
    const message = Buffer.from('a message');
    const made = (flags: number) => {
      const tail = Buffer.from([flags, 0, 0, 0, 7]);
      return Buffer.concat([sign(null, Buffer.concat([sha256('ssh:'), tail, sha256(message)]), privateKey), tail]);
    };
    expect(provesWithDevice(blob, made(1), message)).to.be.true();
    expect(provesWithDevice(blob, made(0), message)).to.be.false();
    expect(provesWithDevice(blob, made(1), Buffer.from('another'))).to.be.false();
    expect(provesWithDevice(blob, made(1).subarray(1), message)).to.be.false();
    expect(provesWithDevice(Buffer.from('junk'), made(1), message)).to.be.false();

    const curve = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const { x = '', y = '' } = curve.publicKey.export({ format: 'jwk' });
    const spot = Buffer.concat([Buffer.from([4]), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]);
    const other = Buffer.concat([
      field('sk-ecdsa-sha2-nistp256@openssh.com'),
      field('nistp256'),
      field(spot),
      field('ssh:'),
    ]);
    const tail = Buffer.from([5, 0, 0, 0, 9]);
    const raw = sign('sha256', Buffer.concat([sha256('ssh:'), tail, sha256(message)]), {
      key: curve.privateKey,
      dsaEncoding: 'ieee-p1363',
    });
    // numbers are written as in SSH: a zero before a first bit that is set
    const number = (bytes: Buffer) => field((bytes[0] ?? 0) & 0x80 ? Buffer.concat([Buffer.alloc(1), bytes]) : bytes);
    const signature = Buffer.concat([number(raw.subarray(0, 32)), number(raw.subarray(32)), tail]);
    expect(provesWithDevice(other, signature, message)).to.be.true();
    expect(provesWithDevice(other, signature, Buffer.from('another'))).to.be.false();
  });

  it('takes no signatures with SHA-1', () => {
    const key = (algo: string) => ({ algo, data: Buffer.alloc(0) });
    expect(isOutdated({ key: key('ssh-rsa') })).to.be.true();
    expect(isOutdated({ key: key('ssh-rsa'), hashAlgo: 'sha256' })).to.be.false();
    expect(isOutdated({ key: key('ssh-ed25519') })).to.be.false();
  });

  it('makes host keys of which each can be read again', { timeout: 600_000 }, async () => {
    for (const [ending, count] of [
      ['.ed25519', 3000],
      ['.ecdsa', 20],
    ] as const)
      for (let made = 0; made < count; made++)
        expect(ssh2.utils.parseKey(await keyGenerators[ending]!()), ending).not.to.be.an.error();
  });
});
