import type { MergeObstacle, MergeRequirement, PullContext } from '@mortise/pulls/api';
import type { QueueService } from './queue.js';
import { t } from '../texts/index.js';

/** Where the rule of the branch asks for a queue, nothing is merged past it. */
export class QueueRequirement implements MergeRequirement {
  readonly key = 'merge-queue';
  readonly order = 90;

  constructor(private readonly queue: QueueService) {}

  async obstacles({ pull }: PullContext): Promise<readonly MergeObstacle[]> {
    if (!(await this.queue.ruleFor(pull.repositoryId, pull.baseBranch))) return [];
    return [{ code: 'merge-queue', message: t.later('obstacle.queue'), isRequirement: true, isDetour: true }];
  }
}
