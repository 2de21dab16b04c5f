// Chance that can be repeated: the same seed gives the same numbers.

/** Gives { number(): 0 to 1, below(n), pick(list), weighted({ name: weight }) }; mulberry32. */
export function seeded(seed) {
  let state = seed >>> 0;
  const number = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  const below = (n) => Math.floor(number() * n);
  return {
    number,
    below,
    pick: (list) => list[below(list.length)],
    weighted(weights) {
      const entries = Object.entries(weights);
      let at = number() * entries.reduce((sum, [, weight]) => sum + weight, 0);
      return entries.find(([, weight]) => (at -= weight) < 0)[0];
    },
  };
}
