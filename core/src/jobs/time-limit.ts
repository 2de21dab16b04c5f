/** What a job has to clean up after its signal was aborted; a shorter time limit gives less. */
const maxGrace = 10_000;

/** The job goes on after its signal was aborted, and nobody waits for it any more. */
export class Overdue extends Error {}

/**
 * Runs a job for so many milliseconds at most, then aborts it. Whatever aborts it, it is left alone when it has not
 * ended a moment later, so that its place is free again.
 */
export async function withinTime(
  milliseconds: number,
  abort: AbortController,
  run: () => Promise<unknown>,
): Promise<void> {
  let grace: NodeJS.Timeout | undefined;
  let onAbort: (() => void) | undefined;
  // setTimeout takes no more than 31 bits
  const timer = setTimeout(
    () => abort.abort(new Error(`the job took longer than ${milliseconds} ms`)),
    Math.min(milliseconds, 2 ** 31 - 1),
  );
  const overdue = new Promise<never>((_resolve, reject) => {
    onAbort = () => {
      const { reason } = abort.signal as { reason: unknown };
      const text = reason instanceof Error ? reason.message : String(reason);
      grace = setTimeout(() => reject(new Overdue(text)), Math.min(milliseconds, maxGrace));
    };
    abort.signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    await Promise.race([run(), overdue]);
  } finally {
    clearTimeout(timer);
    clearTimeout(grace);
    abort.signal.removeEventListener('abort', onAbort!);
  }
}
