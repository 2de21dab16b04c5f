/** Another server did not answer in time. Its code is that of the system, so that it counts as one that is unavailable. */
export class TimeoutError extends Error {
  override readonly name = 'TimeoutError';
  readonly code = 'ETIMEDOUT';
}

/**
 * Rejects when the work has not ended after so many milliseconds, and aborts the signal that the work was given, so that
 * it closes what it has opened. `what` names what was waited for, for the message of the {@link TimeoutError}, or makes
 * another error.
 */
export async function withTimeout<T>(
  milliseconds: number,
  what: string | (() => Error),
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      const error =
        typeof what === 'string' ? new TimeoutError(`${what} did not answer within ${milliseconds} ms`) : what();
      reject(error);
      controller.abort(error);
    }, milliseconds);
  });
  try {
    return await Promise.race([work(controller.signal), late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * For what a page can do without: gives `fallback` where the work fails, or has not ended after `timeoutMs`. The work goes
 * on, for its cache and the next time.
 */
export async function withFallback<T, const F>(work: Promise<T>, fallback: F, timeoutMs?: number): Promise<T | F> {
  try {
    return await (timeoutMs === undefined ? work : withTimeout(timeoutMs, 'the work', () => work));
  } catch {
    return fallback;
  }
}
