import { PreparedJson } from './reply.js';

/** More than a cache holds, so that it doesn't store the value. */
const uncacheable = Number.MAX_SAFE_INTEGER;

function bytesOf(value: object): number {
  if (ArrayBuffer.isView(value)) return value.byteLength;
  return value instanceof PreparedJson ? value.body.length : 0;
}

function partsOf(value: object): Iterable<unknown> {
  if (ArrayBuffer.isView(value)) return [];
  if (value instanceof Map) return [...value.keys(), ...value.values()];
  return value instanceof Set ? value : Object.values(value);
}

/**
 * An estimate of the bytes that a value takes in memory; what is in it twice counts once. A very large one would evict
 * many that are read more often.
 */
export function estimatedSize(answer: unknown, maxSize = 2 << 20): number {
  let sum = 0;
  const seen = new Set<object>();
  const pending: unknown[] = [answer];
  for (let value = pending.pop(); sum <= maxSize; value = pending.pop()) {
    sum += 8;
    if (typeof value === 'string') sum += 16 + value.length;
    else if (typeof value === 'object' && value !== null && !seen.has(value)) {
      seen.add(value);
      sum += 48 + bytesOf(value);
      for (const part of partsOf(value)) pending.push(part);
    }
    if (pending.length === 0) return sum;
  }
  return uncacheable;
}
