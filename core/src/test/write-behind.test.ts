import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import { isUniqueViolation, refuseDuplicate, retryDuplicate, writeBehind } from '@mortise/plugin-sdk';
import { recordingLog } from './data-kit.js';

export const lab = Lab.script();
const { describe, it } = lab;

type Written = readonly (readonly [number, number])[];

describe('what is written behind', () => {
  const kit = (keep: 'sum' | 'latest', write: (values: Written) => Promise<void>, delayMs = 5) =>
    writeBehind({ name: 'uses', keep, delayMs, log: recordingLog(), write });

  it('is added up, or the latest stays, and is written together by ascending keys', async () => {
    const written: Written[] = [];
    for (const keep of ['sum', 'latest'] as const) {
      const behind = kit(keep, async (values) => void written.push(values));
      for (const [key, value] of [
        [9, 2],
        [1, 5],
        [9, 1],
      ] as const)
        behind.add(key, value);
      expect(behind.get(9)).to.equal(keep === 'sum' ? 3 : 2);
      await sleep(60);
      expect(behind.get(9)).to.be.undefined();
    }
    expect(written).to.equal([
      [
        [1, 5],
        [9, 3],
      ],
      [
        [1, 5],
        [9, 2],
      ],
    ]);
  });

  it('is written at once after a pause, and what follows together when its time has come', async () => {
    const written: Written[] = [];
    let first: (() => void) | undefined;
    const begun = new Promise<void>((resolve) => (first = resolve));
    const write = (values: Written) => {
      written.push(values);
      first?.();
      return Promise.resolve();
    };
    const behind = kit('sum', write, 3_600_000);
    behind.add(1, 1);
    await begun;
    behind.add(1, 2);
    behind.add(2, 1);
    await sleep(20);
    expect(written).to.equal([[[1, 1]]]);
    await behind.close();
    expect(written[1]).to.equal([
      [1, 2],
      [2, 1],
    ]);
  });

  it('rests after it was written where that is wanted, and is known here meanwhile', async () => {
    const written: Written[] = [];
    const write = (values: Written) => Promise.resolve(void written.push(values));
    const options = { name: 'uses', keep: 'latest', delayMs: 1, log: recordingLog(), write } as const;
    const behind = writeBehind({ ...options, restMs: 3_600_000 });
    for (const value of [5, 7, 6]) {
      behind.add(1, value);
      await behind.flush();
    }
    expect(written).to.equal([[[1, 5]]]);
    expect(behind.get(1)).to.equal(7);
    await behind.close();
    expect(written[1]).to.equal([[1, 7]]);
  });

  it('is kept when it cannot be written, and tried again', async () => {
    let isDown = true;
    const written: Written[] = [];
    const behind = kit('sum', async (values) => {
      if (isDown) throw new Error('away');
      written.push(values);
    });
    behind.add(1, 1);
    await behind.flush();
    behind.add(1, 1);
    expect([behind.get(1), written]).to.equal([2, []]);
    isDown = false;
    await sleep(60);
    expect(written).to.equal([[[1, 2]]]);
  });

  it('is seen while it is written, and written to the end when it closes', async () => {
    let finish = (): void => undefined;
    const behind = kit('sum', () => new Promise((resolve) => (finish = resolve)), 60_000);
    behind.add(1, 4);
    const closed = behind.close();
    await sleep(1);
    expect(behind.get(1)).to.equal(4);
    finish();
    await closed;
    expect(behind.get(1)).to.be.undefined();
  });

  it('is written outside of what the one who adds it is in', async () => {
    const inside = new AsyncLocalStorage<string>();
    const seen: unknown[] = [];
    const behind = kit('sum', async () => void seen.push(inside.getStore()));
    inside.run('a transaction', () => behind.add(1, 1));
    await sleep(60);
    expect(seen).to.equal([undefined]);
  });
});

describe('rows that a unique index refuses', () => {
  const refusal = () => Object.assign(new Error('wrapped'), { nativeError: { code: 'SQLITE_CONSTRAINT_UNIQUE' } });

  it('are known on every engine', () => {
    expect(
      [refusal(), { code: 'ER_DUP_ENTRY' }, { code: 'ER_LOCK_DEADLOCK' }, undefined].map(isUniqueViolation),
    ).to.equal([true, true, false, false]);
  });

  it('are told in words, or found the second time', async () => {
    await expect(refuseDuplicate('taken', () => Promise.reject(refusal()))).to.reject('taken');
    await expect(refuseDuplicate('taken', () => Promise.reject(new Error('other')))).to.reject('other');
    let tries = 0;
    const work = async () => {
      if (++tries < 3) throw refusal();
      return 'there';
    };
    expect(await retryDuplicate(work)).to.equal('there');
    tries = -10;
    await expect(retryDuplicate(work)).to.reject('wrapped');
  });
});
