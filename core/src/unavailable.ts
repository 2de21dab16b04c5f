import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@mortise/plugin-sdk';

/** Errors of a server that is unavailable for the moment; trying again later makes sense. */
const codes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENETDOWN',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
  'ETIMEDOUT',
  'PROTOCOL_CONNECTION_LOST',
  'PROTOCOL_SEQUENCE_TIMEOUT',
  'ER_CON_COUNT_ERROR',
  'ER_NORMAL_SHUTDOWN',
  'ER_SERVER_SHUTDOWN',
  'ER_TOO_MANY_USER_CONNECTIONS',
  // a node of a cluster that is not in step with the others, or does not come to be while it is waited for
  'ER_UNKNOWN_COM_ERROR',
  'ER_LOCK_WAIT_TIMEOUT',
  'SQLITE_BUSY',
  'SQLITE_BUSY_SNAPSHOT',
  'SQLITE_LOCKED',
]);

/** Messages of Redis while it loads its file, or a replica waits for its master. */
const words =
  /^(LOADING|MASTERDOWN|BUSY|TRYAGAIN|CLUSTERDOWN)\b|Connection is closed|connection is in closed state|max number of clients reached|^All sentinels are unreachable/;

/** Does the error, or its cause, say that a server is unavailable for the moment? */
export function isUnavailable(error: unknown, depth = 0): boolean {
  if (!(error instanceof Error) || depth > 5) return false;
  const { code, errors, syscall } = error as Error & { code?: unknown; errors?: unknown; syscall?: unknown };
  if (typeof code === 'string' && codes.has(code)) return true;
  if (error.name === 'TimeoutError') return true;
  // the socket of a server that does not run
  if (code === 'ENOENT' && syscall === 'connect') return true;
  if (words.test(error.message)) return true;
  if (Array.isArray(errors) && errors.some((one) => isUnavailable(one, depth + 1))) return true;
  return isUnavailable(error.cause, depth + 1);
}

export const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  return error.message || String((error as NodeJS.ErrnoException).code ?? error.name);
};

const firstPauseMs = 250;
const maxPauseMs = 15_000;

/** How long a start waits for servers that are unavailable. */
interface RetryPolicy {
  /** Attempts before the error is thrown. */
  readonly attempts: number;
  /** Ends the waiting. */
  readonly signal?: AbortSignal;
}

/** Repeats the work with growing pauses while its server is unavailable; logs each attempt. */
export async function retryWhileUnavailable<T>(
  what: string,
  { attempts, signal }: RetryPolicy,
  log: Logger,
  work: () => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      const result = await work();
      if (attempt > 1) log.info(`${what} answers again`, { event: 'service.available', attempt });
      return result;
    } catch (error) {
      if (attempt >= attempts || !isUnavailable(error) || signal?.aborted) throw error;
      const pause = Math.min(maxPauseMs, firstPauseMs * 2 ** Math.min(attempt - 1, 10));
      log.warn(`${what} does not answer; trying again`, {
        event: 'service.unavailable',
        error: reasonOf(error),
        attempt,
        inMs: pause,
      });
      await sleep(pause, undefined, { signal }).catch(() => undefined);
    }
  }
}
