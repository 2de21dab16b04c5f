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
  /** Of a requirement that pull requests are merged through a queue: auto-merge adds them to it instead of merging them. */
  readonly mergeQueue?: {
    /** Codes of the blockers with which auto-merge may add one. */
    readonly allowedBlockers: readonly string[];
    /** The button of the merge box, shown where nothing but these blockers is in the way. */
    readonly now?: {
      readonly label: Text;
      /** Codes of blockers that the queue resolves itself. */
      readonly allowedBlockers: readonly string[];
    };
    /** Throws what {@link Pulls.merge} would. Conflict: it is in the queue already. */
    add(context: PullContext, options: MergeOptions, actor: Actor): Promise<void>;
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
