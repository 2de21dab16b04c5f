import type { MemoryCache, PointReader, Site, Slot } from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import type { GitReader } from '@mortise/git/api';
import type { Markup } from '@mortise/markup/api';
import type { Repositories, RepositoryAccess, RepositoryPages } from '@mortise/repositories/api';
import type { CommitPageContext, ComparePageContext, CommitViews } from '../contract/commits.js';
import type { Comparisons } from '../contract/comparisons.js';
import type { RenamedBranches } from '../contract/renamed-branches.js';
import type { Diffs } from '../contract/diffs.js';
import type { CommitVerification } from '../contract/signatures.js';

/** What the pages of this plugin work with. */
export interface PageDeps {
  readonly accounts: Accounts;
  readonly git: GitReader;
  readonly site: Site;
  readonly repositories: Repositories;
  readonly repositoryAccess: RepositoryAccess;
  readonly pages: RepositoryPages;
  readonly renamedBranches: RenamedBranches;
  readonly verification: CommitVerification;
  readonly views: CommitViews;
  readonly comparisons: Comparisons;
  readonly diffs: Diffs;
  readonly markup: Markup;
  readonly compareActions: PointReader<Slot<ComparePageContext>>;
  readonly commitActions: PointReader<Slot<CommitPageContext>>;
  /** Facts that never change under their key. */
  readonly cache: MemoryCache<unknown>;
  /** Commits on one page of the graph. */
  readonly graphSize: number;
}
