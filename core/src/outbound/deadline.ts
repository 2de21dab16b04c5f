interface Destroyable {
  destroy(error?: Error): unknown;
}

/** Takes what an exchange has opened, so that it is closed with it. */
export type Hold = <T extends Destroyable>(opened: T) => T;

/**
 * Runs an exchange that ends with its signal at the latest, whatever its streams do or leave out. What it opened is
 * closed in any case.
 */
export async function untilAborted<T>(signal: AbortSignal, run: (hold: Hold) => Promise<T>): Promise<T> {
  const opened: Destroyable[] = [];
  const hold: Hold = (one) => {
    if (signal.aborted) one.destroy(reasonOf(signal));
    opened.push(one);
    return one;
  };
  let onAbort: (() => void) | undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    onAbort = () => reject(reasonOf(signal));
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
  });
  try {
    return await Promise.race([aborted, run(hold)]);
  } finally {
    signal.removeEventListener('abort', onAbort!);
    for (const one of opened) one.destroy();
  }
}

const reasonOf = ({ reason }: AbortSignal): Error => (reason instanceof Error ? reason : new Error(String(reason)));

/** A signal that fires after a time or with another one; `clear` when nobody waits any more. */
export function timeLimit(
  milliseconds: number,
  other?: AbortSignal,
): { readonly signal: AbortSignal; readonly isOver: () => boolean; clear(): void } {
  // AbortSignal.any with AbortSignal.timeout may be collected before it fires
  const controller = new AbortController();
  let over = false;
  const timer = setTimeout(() => {
    over = true;
    controller.abort(new Error(`no answer within ${milliseconds} ms`));
  }, milliseconds);
  const follow = () => controller.abort(other!.reason);
  if (other?.aborted) follow();
  else other?.addEventListener('abort', follow, { once: true });
  return {
    signal: controller.signal,
    isOver: () => over,
    clear() {
      clearTimeout(timer);
      other?.removeEventListener('abort', follow);
    },
  };
}
