const hour = 3_600_000;
const day = 24 * hour;
const minBackoffMs = 10 * 60_000;
/** After so many failures in a row the owner is told. */
export const failuresBeforeNotice = 3;
/** A mirror without an interval that failed so often waits until somebody asks, or something changes. */
const maxRetries = 10;

/** When a mirror is due again. The pause after failures doubles up to a day, or to its interval where that is longer. */
export function nextRun(now: number, interval: number, failures: number, retries: boolean): number {
  if (failures === 0) return interval ? now + interval : 0;
  if (!interval && (!retries || failures >= maxRetries)) return 0;
  const first = Math.max(interval, minBackoffMs);
  return now + Math.min(first * 2 ** Math.min(failures - 1, 20), Math.max(interval, day));
}
