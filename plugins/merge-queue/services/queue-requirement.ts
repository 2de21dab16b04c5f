import type { Actor } from '@mortise/plugin-sdk';
import type { MergeBlocker, MergeOptions, MergeRequirement, PullContext } from '@mortise/pulls/api';
import { blockersOfQueue, type QueueService } from './queue-service.js';
import { t } from '../texts/index.js';

/** Where the rule of the branch asks for a queue, nothing is merged past it. */
export class QueueRequirement implements MergeRequirement {
  readonly key = 'merge-queue';
  readonly order = 90;

  constructor(private readonly queue: QueueService) {}

  readonly mergeQueue = {
    allowedBlockers: ['merge-queue', 'outdated'],
    now: { label: t.later('box.add'), allowedBlockers: blockersOfQueue },
    add: async (context: PullContext, options: MergeOptions, actor: Actor): Promise<void> => {
      await this.queue.add(context, options, actor);
    },
  };

  async blockers({ pull }: PullContext): Promise<readonly MergeBlocker[]> {
    if (!(await this.queue.ruleFor(pull.repositoryId, pull.baseBranch))) return [];
    const canQueueLater = !(await this.queue.of(pull.issueId));
    const message = t.later('obstacle.queue');
    return [{ code: 'merge-queue', message, isRequirement: true, requiresQueue: true, canQueueLater }];
  }
}
