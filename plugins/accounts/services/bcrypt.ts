/** Hashes of bcrypt, which servers of the compatible kind make: here they are only checked, and give way to others. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

const pattern = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/;
/** Each step doubles the time; 14 is about two seconds. */
const maxCost = 14;
/** Checks take a core each: one goes on at a time. */
let last: Promise<unknown> = Promise.resolve();

export const isBcrypt = (hash: string): boolean => Number(pattern.exec(hash)?.[1] ?? Infinity) <= maxCost;

/** In a thread of its own, so that requests go on meanwhile. */
async function compare(hash: string, text: string): Promise<boolean> {
  const worker = new Worker(new URL('./bcrypt-worker.js', import.meta.url), {
    workerData: { hash, password: text },
  });
  try {
    const [fits] = (await once(worker, 'message')) as [boolean];
    return fits;
  } finally {
    await worker.terminate();
  }
}

export function matchesBcrypt(hash: string, text: string): Promise<boolean> {
  const check = () => compare(hash, text);
  const result = last.then(check, check);
  last = result;
  return result;
}
