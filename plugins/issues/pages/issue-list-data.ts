import type { Account } from '@mortise/accounts/api';
import type { Repository } from '@mortise/repositories/api';
import type { Issue, Label, Milestone } from '../api.js';

/** What rows of a list show, read for all at once. */
export interface RowData {
  readonly issues: readonly Issue[];
  readonly labels: ReadonlyMap<number, readonly Label[]>;
  readonly assignees: ReadonlyMap<number, readonly number[]>;
  readonly milestones: ReadonlyMap<number, Milestone>;
  readonly users: ReadonlyMap<number, Account>;
  readonly repositoriesById: ReadonlyMap<number, Repository>;
}

/** All that a page of a repository's list is made of, but for what depends on who looks. */
export interface IssueListData {
  /** Without bodies. */
  readonly rows: RowData;
  readonly pinned: readonly Issue[];
  readonly labels: readonly Label[];
  readonly milestones: readonly Milestone[];
  readonly open: number;
  readonly closed: number;
}
