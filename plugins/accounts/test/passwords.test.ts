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

  it('cost the same for a name that nobody has as for those of others, whatever they were hashed at', async () => {
    const cheap = new Passwords(Buffer.alloc(32), nothingKept, 8, [], hashCosts('argon2$1$8$1$32'));
    const old = [await passwords.hash('a'), await new Passwords(Buffer.alloc(32), nothingKept, 8).hash('b')];
    const spent = async (work: () => Promise<unknown>) => {
      const before = process.cpuUsage();
      for (let times = 0; times < 10; times++) await work();
      const { user, system } = process.cpuUsage(before);
      return user + system;
    };
    const own = await spent(() => cheap.matches(old[0]!, 'wrong'));
    const pretended = await spent(() => cheap.pretend('wrong', 'nobody', old));
    expect(pretended / own).to.be.between(0.3, 3);
    expect((await spent(() => cheap.pretend('wrong', 'nobody'))) / own).to.be.below(0.3);
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
      'argon2$99$1000000$1$32',
      'argon2$1$64$1$15',
      'argon2$1$64$1$65',
    ])
      expect(hashCosts(wrong), wrong).to.be.undefined();
  });
});
