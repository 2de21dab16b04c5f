/** More than a cache holds: what weighs so much is not kept. */
const unworthy = Number.MAX_SAFE_INTEGER;

/** About the bytes that an answer takes in memory. A very large one would push out many that are asked for more often. */
export function weightOf(answer: unknown, most = 2 << 20): number {
  let sum = 0;
  const add = (value: unknown): void => {
    if (typeof value === 'string') sum += 24 + value.length;
    else if (typeof value === 'object' && value !== null) {
      sum += 48;
      for (const inner of Object.values(value)) {
        sum += 8;
        if (sum <= most) add(inner);
      }
    }
  };
  add(answer);
  return sum > most ? unworthy : sum;
}
