import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import { estimatedSize, PreparedJson } from '@mortise/plugin-sdk';
import { CacheBudget } from '../cache/budget.js';
import { LruMemory } from '../cache/memory.js';

export const lab = Lab.script();
const { describe, it } = lab;

const kilobyte = 'x'.repeat(1000);
const caches = (maxBytes: number) => {
  const budget = new CacheBudget(maxBytes);
  return [budget, new LruMemory<string>(budget.store()), new LruMemory<string>(budget.store())] as const;
};
const fill = (cache: LruMemory<string>, count: number) => {
  for (let n = 0; n < count; n++) cache.set(String(n), kilobyte);
};

describe('the memory that all caches share', () => {
  it('is never more than [cache] MAX_BYTES, and the oldest of the largest cache is evicted first', () => {
    const [, large, small] = caches(100_000);
    fill(small, 10);
    fill(large, 1000);
    expect(large.size.bytes + small.size.bytes).to.be.within(90_000, 100_000);
    expect(small.size.entries).to.equal(10);
    expect([large.get('0'), large.get('999')]).to.equal([undefined, kilobyte]);
    fill(small, 1000);
    expect(large.size.bytes + small.size.bytes).to.be.within(90_000, 100_000);
    expect(large.size.entries).to.be.within(30, 50);
  });

  it('is free again after deletes, and where an entry is replaced it counts once', () => {
    const [, one, other] = caches(10_000);
    for (let n = 0; n < 100; n++) one.set('same', kilobyte);
    expect(one.size.entries).to.equal(1);
    fill(one, 5);
    one.clear();
    fill(other, 7);
    other.delete('6');
    expect([one.size.bytes, other.size.entries]).to.equal([0, 6]);
    fill(one, 1);
    expect([one.size.entries, other.size.entries]).to.equal([1, 6]);
  });

  it('takes no value of more than a quarter, which replaces what was there', () => {
    const [, cache] = caches(10_000);
    cache.set('a', kilobyte);
    cache.set('a', kilobyte.repeat(3));
    expect(cache.get('a')).to.be.undefined();
    cache.set('b', kilobyte, { size: Infinity });
    expect(cache.get('b')).to.be.undefined();
  });

  it('leaves caches alone that are bounded by entries', () => {
    const [budget, cache] = caches(10_000);
    const state = new LruMemory<string>(budget.store({ max: 100 }));
    fill(state, 100);
    fill(cache, 100);
    expect([state.size.entries, state.get('0')]).to.equal([100, kilobyte]);
  });

  it('counts buffers, prepared JSON, maps, and what refers to itself once', () => {
    const [cyclic, deep]: [Record<string, unknown>, unknown[]] = [{ text: kilobyte }, []];
    cyclic.self = [cyclic, cyclic];
    for (let n = 0, at = deep; n < 20_000; n++) at.push((at = []));
    for (const value of [
      Buffer.alloc(1000),
      PreparedJson.serialized({ kilobyte }),
      new Map([['a', kilobyte]]),
      new Set([kilobyte]),
      cyclic,
    ])
      expect(estimatedSize(value)).to.be.within(1000, 1500);
    expect(estimatedSize(deep)).to.be.above(1_000_000);
  });
});
