import type { MemoryCache, PointReader, Site } from '@mortise/plugin-sdk';
import type { Account, Accounts } from '@mortise/accounts/api';
import type { Commit } from '@mortise/git/api';
import type { RepositoryContext } from '@mortise/repositories/api';
import type { CommitBadges, CommitViews } from '../contract/commits.js';
import type { RevisionView } from '../contract/pages.js';
import type { CommitVerification } from '../contract/signatures.js';
import { commitList } from '../pages/commit-list.js';
import { badgesOf } from './badges.js';
import type { CommitAuthors } from './commit-authors.js';

/** What pages show of commits, each asked for many at once. */
export class CommitViewService implements CommitViews {
  constructor(
    private readonly deps: {
      readonly accounts: Accounts;
      readonly commitAuthors: CommitAuthors;
      readonly site: Site;
      readonly verification: CommitVerification;
      readonly badges: PointReader<CommitBadges>;
      readonly cache: MemoryCache<unknown>;
    },
  ) {}

  authors(commits: readonly Commit[]) {
    return this.deps.commitAuthors.of(commits);
  }

  avatarUrl = (account: Account) => this.deps.accounts.avatarUrl(account);

  badges(context: RepositoryContext, oids: readonly string[]) {
    return badgesOf(this.deps.badges, context, oids);
  }

  list(view: RevisionView, commits: readonly Commit[], { isHistory = false } = {}) {
    return commitList(this.deps, this, { commits, view, isHistory });
  }
}
