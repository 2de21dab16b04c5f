import { Problem, type Actor } from '@mortise/plugin-sdk';
import { Busy, FairQueue, type QueuedTask } from '@mortise/plugin-sdk/threads';

/** Who takes turns: each person, each job, and all others together. */
export const visitorOf = ({ kind, id, credentialId = 0 }: Actor): string =>
  kind === 'user' ? `user ${id}` : `${kind} ${credentialId}`;

/** So many at once, half of them of one visitor; a bounded number of others wait, and visitors take turns. */
export class ConcurrencyLimit {
  private readonly queue: FairQueue;

  constructor(atOnce: number, maxWait: number) {
    this.queue = new FairQueue({
      running: atOnce,
      runningPerVisitor: Math.max(1, atOnce / 2),
      waiting: 2000,
      waitingPerVisitor: 500,
      maxWait,
    });
  }

  add<T>(visitor: string, work: () => Promise<T>): QueuedTask<T> {
    const task = this.queue.add(visitor, work);
    const result = task.result.catch((error: unknown) => {
      if (error instanceof Busy) throw tooMuch();
      throw error;
    });
    return { result, join: (other) => task.join(other) };
  }
}

export const tooMuch = (): Problem =>
  new Problem('unavailable', 'Too many requests wait for the upstream registry. Try again in a moment.', {
    headers: { 'retry-after': '5' },
  });
