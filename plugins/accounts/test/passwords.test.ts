import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { MemoryCache } from '@mortise/plugin-sdk';
import { Passwords } from '../services/passwords.js';
import { hashCosts } from '../settings.js';

export const lab = Lab.script();
const { describe, it } = lab;

const nothingKept: MemoryCache<true> = {
  get: () => undefined,
  set: () => undefined,
  delete: () => undefined,
  clear: () => undefined,
  load: (_key, loader) => loader(),
};

describe('passwords', () => {
  const passwords = new Passwords(Buffer.alloc(32), nothingKept, 8);

  it('F13: a hash that cannot be checked is no wrong password', async () => {
    const good = await passwords.hash('correct horse');
    expect(await passwords.matches(good, 'correct horse')).to.be.true();
    expect(await passwords.matches(good, 'wrong horse')).to.be.false();
    await expect(passwords.matches(good.replace('$m=', '$x='), 'correct horse')).to.reject();
    // the next one is checked anew
    expect(await passwords.matches(good, 'correct horse')).to.be.true();
  });

  it('are hashed at the costs of PASSWORD_HASH_ALGO, and known by any', async () => {
    expect(await passwords.hash('correct horse')).to.match(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    const cheap = new Passwords(Buffer.alloc(32), nothingKept, 8, [], hashCosts('argon2$3$64$2$50'));
    const hashed = await cheap.hash('correct horse');
    expect(hashed).to.match(/^\$argon2id\$v=19\$m=64,t=3,p=2\$[^$]{22}\$[^$]{67}$/);
    expect(await passwords.matches(hashed, 'correct horse')).to.be.true();
    expect(await passwords.matches(hashed, 'wrong horse')).to.be.false();
    for (const wrong of [
      '',
      'md5',
      'argon2$',
      'argon2$0$64$1$32',
      'argon2$1$7$1$32',
      'argon2$1$9999999$1$32',
      'argon2$1$64$1$3',
    ])
      expect(hashCosts(wrong), wrong).to.be.undefined();
  });
});
