/** More than a cache holds, so that it doesn't store the value. */
const uncacheable = Number.MAX_SAFE_INTEGER;

/** An estimate of the bytes that a value takes in memory. A very large one would evict many that are read more often. */
export function estimatedSize(answer: unknown, maxSize = 2 << 20): number {
  let sum = 0;
  const add = (value: unknown): void => {
    if (typeof value === 'string') sum += 24 + value.length;
    else if (typeof value === 'object' && value !== null) {
      sum += 48;
      for (const inner of Object.values(value)) {
        sum += 8;
        if (sum <= maxSize) add(inner);
      }
    }
  };
  add(answer);
  return sum > maxSize ? uncacheable : sum;
}
