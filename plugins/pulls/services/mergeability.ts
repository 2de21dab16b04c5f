import { Problem, type Actor, type PointReader } from '@mortise/plugin-sdk';
import type { CloseCheck } from '@mortise/issues/api';
import type { BlockerLink, MergeBlocker, MergeRequirement, PullContext } from '../api.js';
import { t } from '../texts/index.js';

/** Who may merge into a branch, and who may pass over what is required. */
export interface MergeRights {
  readonly mayMerge: boolean;
  readonly mayForce: boolean;
}

/** The other way of merging, where a plugin has one. */
export const findDetour = (requirements: PointReader<MergeRequirement>): MergeRequirement['detour'] =>
  requirements.list().find(({ detour }) => detour)?.detour;

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

  /** The other way that it takes, where there is one for it and nothing else is in the way; undefined: there is none. */
  async detour(context: PullContext, actor: Actor): Promise<MergeRequirement['detour'] | 'waits'> {
    const blockers = await this.blockers(context, actor);
    if (!blockers.some(({ isDetour, takesLater }) => isDetour && takesLater)) return undefined;
    const detour = findDetour(this.deps.requirements);
    if (!detour) return undefined;
    return blockers.every(({ code }) => detour.meets.includes(code)) ? detour : 'waits';
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
