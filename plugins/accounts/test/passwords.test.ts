import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import type { MemoryCache } from '@mortise/plugin-sdk';
import { Passwords } from '../services/passwords.js';

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
});
