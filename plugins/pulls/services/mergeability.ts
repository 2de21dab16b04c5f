import { Problem, type Actor, type PointReader } from '@mortise/plugin-sdk';
import type { CloseCheck } from '@mortise/issues/api';
import type { BlockerLink, MergeBlocker, MergeRequirement, PullContext } from '../api.js';
import { t } from '../texts/index.js';

/** Who may merge into a branch, and who may pass over what is required. */
export interface MergeRights {
  readonly mayMerge: boolean;
  readonly mayForce: boolean;
}

/** The merge queue, where a plugin brings one. */
export const findMergeQueue = (requirements: PointReader<MergeRequirement>): MergeRequirement['mergeQueue'] =>
  requirements.list().find(({ mergeQueue }) => mergeQueue)?.mergeQueue;

/** What keeps pull requests from being merged. */
export class MergeabilityChecker {
  constructor(
    private readonly deps: {
      readonly requirements: PointReader<MergeRequirement>;
      /** Merging closes: what keeps it open keeps it from being merged. */
      readonly closeChecks: PointReader<CloseCheck>;
      readonly rights: (context: PullContext, actor: Actor) => Promise<MergeRights>;
    },
  ) {}

  rights(context: PullContext, actor: Actor): Promise<MergeRights> {
    return this.deps.rights(context, actor);
  }

  /** The queue that it can be added to now; `waits` while something else is in the way; undefined where none is required. */
  async queueFor(context: PullContext, actor: Actor): Promise<MergeRequirement['mergeQueue'] | 'waits'> {
    const blockers = await this.blockers(context, actor);
    if (!blockers.some(({ requiresQueue, canQueueLater }) => requiresQueue && canQueueLater)) return undefined;
    const queue = findMergeQueue(this.deps.requirements);
    if (!queue) return undefined;
    return blockers.every(({ code }) => queue.allowedBlockers.includes(code)) ? queue : 'waits';
  }

  /** What is in the way, for the actor, in the order in which it is to be mended. */
  async blockers(context: PullContext, actor: Actor): Promise<readonly MergeBlocker[]> {
    const { pull, issue } = context;
    const blockers: MergeBlocker[] = [];
    const add = (code: string, message: MergeBlocker['message'], link?: BlockerLink) =>
      blockers.push({ code, message, isRequirement: false, ...(link && { link }) });
    if (pull.isMerged) add('merged', t.later('obstacle.merged'));
    else if (issue.isClosed) add('closed', t.later('obstacle.closed'));
    if (!(await this.rights(context, actor)).mayMerge) add('permission', t.later('obstacle.permission'));
    if (blockers.length) return blockers;
    if (pull.isDraft) add('draft', t.later('obstacle.draft'));
    if (pull.mergeState === 'conflicts') add('conflicts', t.later('obstacle.conflicts'));
    if (pull.mergeState === 'broken') add('broken', t.later('obstacle.broken'));
    if (pull.mergeState === 'empty' && pull.commitCount === 0) add('empty', t.later('obstacle.empty'));
    for (const one of this.deps.closeChecks.list())
      try {
        await one.check(issue);
      } catch (error) {
        if (!Problem.is(error)) throw error;
        add('dependencies', error.text, { path: '#side-dependencies', label: t.later('obstacle.dependencies.show') });
      }
    for (const one of this.deps.requirements.list()) blockers.push(...(await one.blockers(context)));
    return blockers;
  }
}
