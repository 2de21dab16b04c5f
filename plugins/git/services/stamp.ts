/**
 * Tells readers in every process whether their table of references is still good: a small file that is replaced
 * (`changing`) before references move and (`settled` with a random word) after. Readers compare what stat says.
 */
import { randomBytes } from 'node:crypto';
import { renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const changing = 'changing';
/** Stamps read in this turn of the event loop: one answer asks many times, and each look costs a system call. */
const seen = new Map<string, string | undefined>();
const fileOf = (folder: string) => join(folder, 'mortise-refs');

function replace(folder: string, text: string): void {
  const temporary = join(folder, `mortise-refs.${randomBytes(6).toString('hex')}`);
  writeFileSync(temporary, text);
  renameSync(temporary, fileOf(folder));
  seen.delete(folder);
}

export function markChanging(folder: string): void {
  replace(folder, changing);
}

export function markSettled(folder: string): void {
  replace(folder, randomBytes(12).toString('hex'));
}

/** Undefined: references are moving, or there is no stamp; nothing may be kept. */
export function readStamp(folder: string): string | undefined {
  if (seen.has(folder)) return seen.get(folder);
  const stat = statSync(fileOf(folder), { bigint: true, throwIfNoEntry: false });
  const isSettled = stat && stat.size !== BigInt(changing.length);
  const stamp = isSettled ? `${stat.ino}.${stat.ctimeNs}.${stat.size}` : undefined;
  if (seen.size === 0) setImmediate(() => seen.clear());
  seen.set(folder, stamp);
  return stamp;
}
