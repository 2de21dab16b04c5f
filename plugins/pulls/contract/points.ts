import { defineEvent, definePoint, type Actor, type Keyed, type Text } from '@mortise/plugin-sdk';
import type { Issue } from '@mortise/issues/api';
import type { Repository } from '@mortise/repositories/api';
import type { MergeBlocker, MergeOptions, PullContext, PullRequest } from './pulls.js';

/** Extension point: what a plugin adds to the model `PullRequest`, such as `requested_reviewers`. */
export interface PullFields extends Keyed {
  /** By the id of the issue; one batch of queries however many. */
  fields(pulls: readonly PullRequest[], actor: Actor): Promise<ReadonlyMap<number, Readonly<Record<string, unknown>>>>;
}
export const pullFields = definePoint.keyed<PullFields>('pulls.fields');

/** Extension point: something that pull requests begin with, beyond what issues have, such as reviewers. */
export interface PullExtension<P = unknown> extends Keyed {
  /**
   * Before anything is written: looks at what was asked for (`NewPullRequest.extensions[key]`; undefined: nothing), throws a
   * Problem for what cannot be, and gives what {@link PullExtension.apply} needs.
   */
  prepare(input: unknown, pull: NewPullContext, actor: Actor): Promise<P>;
  /** In the transaction that makes it; only SQL. */
  apply(prepared: P, issue: Issue, pull: PullRequest, actor: Actor): Promise<void>;
}
export interface NewPullContext {
  readonly repository: Repository;
  readonly baseBranch: string;
  readonly baseOid: string;
  readonly headOid: string;
  readonly mergeBase: string;
  readonly isDraft: boolean;
  /** Paths that it changes. */
  readonly paths: readonly string[];
}
export const pullExtensions = definePoint.keyed<PullExtension>('pulls.extensions');

/** Extension point: what may keep a pull request from being merged, such as reviews that are missing. */
export interface MergeRequirement extends Keyed {
  readonly order?: number;
  /** What is in the way, for everybody; asked when somebody looks, and again under the lock when it is merged. */
  blockers(context: PullContext): Promise<readonly MergeBlocker[]>;
  /** Of one whose obstacle is a detour, such as a queue: what was to be merged when it is ready is brought there then. */
  readonly detour?: {
    /** Codes of obstacles that need not be gone before. */
    readonly meets: readonly string[];
    /** It can be chosen in the merge box, where nothing but these is in the way. */
    readonly now?: {
      readonly label: Text;
      /** Codes of obstacles that it sees to by itself. */
      readonly settles: readonly string[];
    };
    /** Throws what {@link Pulls.merge} would. Conflict: it is on its way already. */
    take(context: PullContext, options: MergeOptions, actor: Actor): Promise<void>;
  };
}
export const mergeRequirements = definePoint.keyed<MergeRequirement>('pulls.mergeRequirements');

/**
 * Something that a {@link MergeRequirement} looks at has changed, for instance a review was given: what waits to be merged
 * is looked at again. Emit it in the transaction of the change.
 */
export const mergeRequirementsChanged = defineEvent<{
  readonly repositoryId: number;
  readonly issueIds: readonly number[];
}>('pulls.mergeRequirementsChanged');

/** Extension point: words that templates of merge messages can name, such as `ReviewedBy`; texts of several lines. */
export interface MergeTemplateVariables extends Keyed {
  variables(merged: {
    readonly repository: Repository;
    readonly issue: Issue;
    readonly pull: PullRequest;
  }): Promise<Readonly<Record<string, string>>>;
}
export const mergeTemplateVariables = definePoint.keyed<MergeTemplateVariables>('pulls.mergeTemplateVariables');
