import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { formatPointer, parsePointer } from '../contract/lfs.js';
import { lockPath } from '../services/lock-service.js';
import { LfsTokens, type LfsGrant } from '../services/lfs-tokens.js';

export const lab = Lab.script();
const { describe, it } = lab;
const oid = 'a1'.repeat(32);

describe('pointer files', () => {
  const good = formatPointer({ oid, size: 12 });

  it('pointers of LFS are read as the specification has them', () => {
    expect(parsePointer(good)).to.equal({ oid, size: 12 });
    expect(parsePointer(Buffer.from(good))).to.equal({ oid, size: 12 });
    expect(parsePointer(good.replaceAll('\n', '\r\n'))).to.equal({ oid, size: 12 });
    const extended = good.replace('oid', `ext-0-foo sha256:${oid}\noid`);
    expect(parsePointer(extended)).to.equal({ oid, size: 12 });
    expect(parsePointer(formatPointer({ oid, size: 0 }))).to.equal({ oid, size: 0 });
  });

  it('are told from everything else', () => {
    const others = [
      '',
      'version',
      good.replace('v1', 'v9'),
      good.replace(oid, oid.toUpperCase()),
      good.replace(oid, oid.slice(1)),
      good.replace('sha256', 'sha1'),
      good.replace('size 12', 'size -1'),
      good.replace('size 12', 'size 1e3'),
      good.replace('size 12', 'size 99999999999999999999'),
      good.replace('size 12', ''),
      `${good}size 13\n`,
      good + 'x'.repeat(1024),
      ` ${good}`,
      Buffer.from([0, 255, 1, 2]),
    ];
    for (const other of others) expect(parsePointer(other), String(other).slice(0, 80)).to.be.undefined();
  });
});

describe('LFS tokens', () => {
  const tokens = new LfsTokens('secret');
  const grant: LfsGrant = {
    repositoryId: 1,
    operation: 'download',
    userId: 2,
    fingerprint: 'SHA256:a',
    expiresAt: Date.now() + 86_400_000,
  };

  it('say what they were made with, until they expire', () => {
    const token = tokens.issue(grant);
    expect(tokens.read(token)).to.include({ repositoryId: 1, operation: 'download', userId: 2 });
    expect(tokens.read(token, grant.expiresAt + 1)).to.equal('expired');
  });

  it('cannot be made by others or changed', () => {
    const token = tokens.issue(grant);
    const [head, , signature] = token.split('.');
    const body = Buffer.from(JSON.stringify({ aud: 'lfs', ...grant, operation: 'upload' })).toString('base64url');
    const none = Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url');
    const bad = [
      new LfsTokens('other').issue(grant),
      `${head}.${body}.${signature}`,
      `${none}.${body}.`,
      `${token}x`,
      token.slice(0, -4),
      'a.b.c',
      '..',
      '',
      `${token}.more`,
    ];
    for (const one of bad) expect(tokens.read(one), one).to.be.undefined();
  });
});

describe('paths of locks', () => {
  it('paths of locks stay inside the repository', () => {
    expect(lockPath('a/b.psd')).to.equal('a/b.psd');
    expect(lockPath('./a/../b.psd')).to.equal('b.psd');
    expect(lockPath('/../../etc/passwd')).to.equal('etc/passwd');
    for (const bad of ['', '/', '..', 'a\nb', 'a\0b', 'x'.repeat(5000), undefined, 7, {}])
      expect(() => lockPath(bad)).to.throw();
  });
});
