const waiting: (() => void)[] = [];
let isPolling = false;

function end(): void {
  isPolling = false;
  for (const forget of waiting.splice(0)) forget();
}

// A tick that is asked for by a microtask comes when all microtasks have run, and before the event loop goes on.
const endOfCallback = () => void (isPolling || end());
const afterMicrotasks = () => queueMicrotask(() => process.nextTick(endOfCallback));

/**
 * Calls `forget` before this process reads anything that came from outside after now. For what costs a system call to
 * find out and is asked many times for one answer: what another process changed before it sent a message is then never
 * answered from memory to that message.
 *
 * That is at the end of the running callback with its promises; for requests, at the end of the turn of the event loop
 * that read them, since all of them were there before the first was looked at. (`setImmediate` alone will not do: what a
 * timer or an immediate kept would still be there when the loop reads new input.)
 */
export function clearBeforeNextInput(forget: () => void): void {
  if (waiting.length === 0 && !isPolling) process.nextTick(afterMicrotasks);
  waiting.push(forget);
}

/** For the kernel, when a request came from a socket: the event loop is reading what had come before it began to. */
export function noteRequestsRead(): void {
  if (isPolling) return;
  isPolling = true;
  setImmediate(end);
}
