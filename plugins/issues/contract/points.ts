import type { QueryBuilder } from 'objection';
import { definePoint, type Actor, type Keyed, type Model, type Text } from '@mortise/plugin-sdk';
import type { RepositoryContext } from '@mortise/repositories/api';
import type { Issue, IssueSearch } from './issues.js';

/** Extension point: what a plugin adds to the model `Issue`, such as `pull_request`. */
export interface IssueModelFields extends Keyed {
  /**
   * By the id of the issue; one batch of queries however many. Of what the database says and who asks, of nothing else:
   * answers are kept while the tables stay.
   */
  fields(issues: readonly Issue[], actor: Actor): Promise<ReadonlyMap<number, Readonly<Record<string, unknown>>>>;
}
export const issueModelFields = definePoint.keyed<IssueModelFields>('issues.fields');

/** Extension point: a filter of searches by a number, such as an account whose review is waited for. */
export interface IssueFilter extends Keyed {
  /** Narrows a query of the table `issue`. */
  where(value: number, query: QueryBuilder<Model>): void;
  /** A tab of everybody's own pull requests: those that it leaves for the account that is signed in. */
  readonly pullTab?: Text;
  /** What is open of it waits for the account: its dashboard says so. */
  readonly isWaiting?: boolean;
}
export const issueFilters = definePoint.keyed<IssueFilter>('issues.filters');

/** Extension point: the project boards that issues stand on; one plugin has them. */
export interface IssueProjects {
  /**
   * Narrows a search to the issues on a board; `none`: to those that stand on no board that the actor may see. NotFound
   * for a board that the actor may not see. `context`: only issues of that repository are searched.
   */
  filter(
    project: number | 'none',
    actor: Actor,
    context?: RepositoryContext,
  ): Promise<Required<Pick<IssueSearch, 'among'>>>;
  /**
   * In the caller's transaction: the issue stands on these boards, and on no other open one that the actor may write.
   * NotFound for a board that the actor may not see, Forbidden for one that they may not change.
   */
  replace(issue: Issue, projectIds: readonly number[], actor: Actor): Promise<void>;
  /** Open boards that lists of a repository can be filtered by, as far as the actor may see them. */
  choices(
    context: RepositoryContext,
    actor: Actor,
  ): Promise<readonly { readonly id: number; readonly title: string }[]>;
}
export const issueProjects = definePoint.one<IssueProjects>('issues.projects');

/** Extension point: what may keep an issue from being closed. */
export interface CloseCheck extends Keyed {
  /** In the transaction that closes it: throws a Problem to refuse. */
  check(issue: Issue): Promise<void>;
  /** The same for opening it again. */
  reopen?(issue: Issue): Promise<void>;
}
export const closeChecks = definePoint.keyed<CloseCheck>('issues.closeChecks');

/** Extension point: told when somebody who is signed in looks at the page of an issue or a pull request. */
export interface IssueVisits extends Keyed {
  markSeen(issue: Issue, actor: Actor): Promise<void>;
}
export const issueVisits = definePoint.keyed<IssueVisits>('issues.visits', { fallback: { markSeen: undefined } });

/** Extension point: what is told of an issue that is deleted, where that is more than the model `Issue`. */
export interface IssueRecord extends Keyed {
  /** Before anything is written, as it is now; undefined: none of this plugin's. */
  record(issue: Issue, actor: Actor): Promise<object | undefined>;
}
export const issueRecords = definePoint.keyed<IssueRecord>('issues.records');

/**
 * Extension point: a choice of a repository about its issues, whose key is its name in `internal_tracker` of the API;
 * offered in the settings of the repository.
 */
export interface IssueOption extends Keyed {
  readonly label: Text;
  readonly order?: number;
  /** New repositories begin without it. */
  readonly isOffAtFirst?: boolean;
  /** Chosen on pages alone: the API does not show it. */
  readonly isPageOnly?: boolean;
}
export const issueOptions = definePoint.keyed<IssueOption>('issues.options');
