/** The contract of `refs`: rules of branches, and what happens to branches. */
import { defineEvent, definePoint, type Actor, type Keyed } from '@mortise/plugin-sdk';
import type { RepositoryContext } from '@mortise/repositories/api';

/** What rules say of one branch, for one actor. */
export interface BranchRule {
  /** Name (or pattern) of the rule that holds. */
  readonly ruleName: string;
  readonly requiredApprovals: number;
  readonly enableStatusCheck: boolean;
  /** Null where none were ever given. */
  readonly statusCheckContexts: readonly string[] | null;
  readonly userCanPush: boolean;
  readonly userCanMerge: boolean;
}

/** Extension point: rules of branches, as the model `Branch` and the pages show them. */
export interface BranchRules extends Keyed {
  /** Only branches under a rule are in the answer; one batch of queries however many. */
  rules(
    context: RepositoryContext,
    actor: Actor,
    branches: readonly string[],
  ): Promise<ReadonlyMap<string, BranchRule>>;
}
export const branchRules = definePoint.keyed<BranchRules>('refs.branchRules');

/** Within the transaction of the references' event: the branch got a new name; `from` is gone. */
export const branchRenamed = defineEvent<{ repositoryId: number; from: string; to: string; actorId: number }>(
  'refs.branchRenamed',
);
