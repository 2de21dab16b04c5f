/** Runs of push mirrors that a request waits for. */
import { FairQueue } from '@mortise/plugin-sdk/threads';
import type { PushMirrorRow } from '../models/push-mirror.js';
import type { PushMirrorService } from './push-mirrors.js';
import type { PushSync } from './push-sync.js';
import { groupOfOwner, type RunLimits } from './run-limits.js';

const maxWaiting = 200;

/** Bounded as jobs are: requests of many clients start no more than {@link RunLimits} in this process. */
export class RequestedPushes {
  readonly #queue: FairQueue;

  constructor(
    private readonly deps: {
      readonly pushSync: Pick<PushSync, 'run'>;
      readonly pushMirrors: Pick<PushMirrorService, 'request'>;
    },
    private readonly limits: RunLimits,
  ) {
    this.#queue = new FairQueue({
      running: limits.concurrency,
      runningPerVisitor: limits.perGroup,
      waiting: maxWaiting,
      waitingPerVisitor: maxWaiting,
      maxWait: limits.timeoutMs,
    });
  }

  /** Gives how many failed. Of a client that leaves, jobs do what has not ended. */
  async run(ownerId: number, mirrors: readonly PushMirrorRow[], signal: AbortSignal): Promise<number> {
    const { pushSync, pushMirrors } = this.deps;
    const start = (mirror: PushMirrorRow) => {
      const work = async () => {
        signal.throwIfAborted();
        const limit = AbortSignal.timeout(this.limits.timeoutMs);
        return pushSync.run(mirror.id, 'user', AbortSignal.any([signal, limit]));
      };
      return this.#queue.add(groupOfOwner(ownerId), work).result;
    };
    const runs = await Promise.allSettled(mirrors.map(start));
    if (signal.aborted) {
      for (const [at, run] of runs.entries())
        if (run.status === 'rejected') await pushMirrors.request(mirrors[at]!, ownerId, 'user');
      signal.throwIfAborted();
    }
    return runs.filter((run) => run.status === 'rejected' || run.value !== '').length;
  }
}
