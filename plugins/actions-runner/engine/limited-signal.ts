/** A signal that follows others, and ends by itself after some milliseconds. `release` lets go of them. */
export function limited(
  parent: AbortSignal,
  milliseconds: number | undefined,
  reason: string,
): { signal: AbortSignal; release: () => void } {
  const controller = new AbortController();
  const follow = () => controller.abort(parent.reason);
  if (parent.aborted) follow();
  else parent.addEventListener('abort', follow, { once: true });
  const timer =
    milliseconds === undefined
      ? undefined
      : setTimeout(() => controller.abort(new TimedOut(reason)), Math.min(milliseconds, 2_000_000_000));
  return {
    signal: controller.signal,
    release: () => {
      clearTimeout(timer);
      parent.removeEventListener('abort', follow);
    },
  };
}

/** A step or job took longer than it may. */
export class TimedOut extends Error {}
