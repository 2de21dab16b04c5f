import { readFileSync, readlinkSync } from 'node:fs';

/** Id of this thread as the operating system knows it; 0 where it does not tell (only Linux does). */
export function currentThread(): number {
  try {
    return Number(readlinkSync('/proc/thread-self').split('/').at(-1)) || 0;
  } catch {
    return 0;
  }
}

/** Milliseconds of the processor that a thread of this process has used; undefined where that is not known. */
export function cpuTimeOf(thread: number): number | undefined {
  if (thread <= 0) return undefined;
  try {
    const nanoseconds = Number(readFileSync(`/proc/self/task/${thread}/schedstat`, 'utf8').split(' ', 1)[0]);
    return Number.isFinite(nanoseconds) ? Math.round(nanoseconds / 1e6) : undefined;
  } catch {
    return undefined;
  }
}
