import { SourceFailure } from '../contract/source.js';

/** Headers by lower-case name. */
type Headers = Readonly<Record<string, string>>;

/** What services without a time of their own are given (documented for secondary limits of GitHub). */
const secondaryPauseMs = 60_000;
/** Later than that no service is believed. */
const maxPauseMs = 24 * 3_600_000;

const secondsOf = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,12}$/.test(text.trim()) ? Number(text.trim()) : undefined;

/** `Retry-After` (RFC 9110 10.2.3): seconds, or a date. */
function retryAfter(headers: Headers, now: number): number | undefined {
  const text = headers['retry-after'];
  if (text === undefined) return undefined;
  const seconds = secondsOf(text);
  if (seconds !== undefined) return now + seconds * 1000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : date;
}

/** When the limit begins anew: seconds since 1970, or from now as drafts of the IETF have it. */
function resetOf(headers: Headers, now: number): number | undefined {
  const seconds = secondsOf(headers['x-ratelimit-reset'] ?? headers['ratelimit-reset']);
  if (seconds === undefined) return undefined;
  return seconds > 1e9 ? seconds * 1000 : now + seconds * 1000;
}

const isUsedUp = (headers: Headers): boolean =>
  secondsOf(headers['x-ratelimit-remaining'] ?? headers['ratelimit-remaining']) === 0;

const bounded = (until: number, now: number): number => Math.min(Math.max(until, now), now + maxPauseMs);

/** Until when an answer asks us to wait before the same request is sent again; undefined: it is no refusal for a limit. */
export function refusedUntil(status: number, headers: Headers, body: string, now: number): number | undefined {
  const isSecondary = /secondary rate limit|abuse detection/i.test(body);
  const isLimit = status === 429 || (status === 403 && (isUsedUp(headers) || isSecondary || 'retry-after' in headers));
  if (!isLimit && !(status === 503 && 'retry-after' in headers)) return undefined;
  const until = retryAfter(headers, now) ?? (isUsedUp(headers) ? resetOf(headers, now) : undefined);
  return bounded(until ?? now + secondaryPauseMs, now);
}

/** Until when an answer that succeeded asks us to send nothing more; undefined: no pause. */
export function pausedUntil(headers: Headers, now: number): number | undefined {
  const until = isUsedUp(headers) ? resetOf(headers, now) : undefined;
  return until === undefined ? undefined : bounded(until, now);
}

/** A longer pause is not slept through: the import gives its place to others and goes on later. */
export const maxSleepMs = 60_000;

/** The pause after an attempt that failed, the first of which is 1: twice as long after each. */
export const backoffMs = (seconds: number, attempt: number): number =>
  Math.min(seconds * 1000 * 2 ** (attempt - 1), maxSleepMs);

/** Waits, and ends with the signal. */
export async function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  if (milliseconds <= 0) return signal.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, milliseconds);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}

/** Longer pauses end the run; it goes on at that time. */
export function limitedUntil(until: number): SourceFailure {
  return new SourceFailure('limited', 'The source asks for a pause.', until);
}
