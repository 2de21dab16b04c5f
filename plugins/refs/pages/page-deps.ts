import type { MemoryCache, Site } from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import type { GitReader } from '@mortise/git/api';
import type { CommitVerification, CommitViews } from '@mortise/history/api';
import type { RepositoryPages } from '@mortise/repositories/api';
import type { BranchRuleRegistry } from '../services/branch-rules.js';
import type { BranchService } from '../services/branches.js';
import type { DeletedBranches } from '../services/deleted-branches.js';
import type { TagService } from '../services/tags.js';

interface CommonDeps {
  readonly git: GitReader;
  readonly site: Site;
  readonly pages: RepositoryPages;
}

export interface BranchPageDeps extends CommonDeps {
  readonly accounts: Accounts;
  readonly views: CommitViews;
  readonly branches: BranchService;
  readonly branchRules: BranchRuleRegistry;
  readonly deleted: DeletedBranches;
}

export interface TagPageDeps extends CommonDeps {
  readonly verification: CommitVerification;
  readonly tags: TagService;
  /** Facts that never change under their key. */
  readonly cache: MemoryCache<unknown>;
}
