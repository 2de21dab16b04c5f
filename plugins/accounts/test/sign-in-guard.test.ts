import { expect } from '@hapi/code';
import * as Lab from '@hapi/lab';
import type { Broker, Cache } from '@mortise/plugin-sdk';
import { SignInGuard } from '../services/sign-in-guard.js';

export const lab = Lab.script();
const { describe, it } = lab;

const address = '203.0.113.1';

/** Guards of several processes that hear each other as soon as `tell` lets them. */
function processes(count: number, limit: number) {
  const listeners: ((message: unknown) => void)[] = [];
  const underWay: unknown[] = [];
  const broker = {
    subscribe: (_topic: string, listener: (message: unknown) => void) => listeners.push(listener),
    publish: async (_topic: string, message: unknown) => void underWay.push(message),
  } as unknown as Broker;
  const cache = { memory: () => new Map() } as unknown as Cache;
  const settings = {
    FAILED_LOGIN_LIMIT: limit,
    FAILED_LOGIN_ADDRESS_LIMIT: 100,
    FAILED_LOGIN_WINDOW: 3600,
  } as ConstructorParameters<typeof SignInGuard>[1];
  const tell = () => {
    for (let next = underWay.shift(); next; next = underWay.shift()) for (const listener of listeners) listener(next);
  };
  const guards = Array.from(
    { length: count },
    () => new SignInGuard({ broker, cache, secret: Buffer.from('one site'), log: { warn: () => undefined } }, settings),
  );
  tell();
  /** A wrong password; false: it was not even looked at. */
  const guess = (guard: SignInGuard, password: string) =>
    guard
      .attempt({ name: 'ada', password, address }, async () => undefined)
      .then(
        () => true,
        () => false,
      );
  return { guards, tell, guess };
}

describe('the guard of sign-ins at several processes', () => {
  it('takes the same wrong password for one guess, whichever of them checks it', async () => {
    const { guards, tell, guess } = processes(4, 8);
    for (let round = 0; round < 3; round++)
      for (const guard of guards) {
        expect(await guess(guard, 'an old one')).to.be.true();
        tell();
      }
    const taken: boolean[] = [];
    for (let index = 0; index < 8; index++) {
      taken.push(await guess(guards[index % 4]!, `guess ${index}`));
      tell();
    }
    expect(taken).to.equal([...Array<boolean>(7).fill(true), false]);
    // that one is known, and refused to nobody who goes on with it for a while
    expect(await guess(guards[3]!, 'an old one')).to.be.true();
  });

  it('and at one moment, before any has heard of the others', async () => {
    const { guards, tell, guess } = processes(4, 8);
    expect(await Promise.all(guards.map((guard) => guess(guard, 'an old one')))).to.equal([true, true, true, true]);
    tell();
    const taken: boolean[] = [];
    for (let index = 0; index < 8; index++) {
      taken.push(await guess(guards[0]!, `guess ${index}`));
      tell();
    }
    expect(taken).to.equal([...Array<boolean>(7).fill(true), false]);
  });

  it('counts each of different ones at all of them', async () => {
    const { guards, tell, guess } = processes(2, 4);
    for (let index = 0; index < 4; index++) {
      expect(await guess(guards[index % 2]!, `guess ${index}`)).to.be.true();
      tell();
    }
    for (const guard of guards) expect(await guess(guard, 'another')).to.be.false();
  });
});
