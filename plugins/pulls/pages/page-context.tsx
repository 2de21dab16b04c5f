import type { VNode } from 'preact';
import {
  icon,
  type Actor,
  type Jobs,
  type MemoryCache,
  type PointReader,
  type RouteContext,
  type Site,
  type Slot,
} from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import type { BranchProtections } from '@mortise/branch-protection/api';
import type { CommitStatuses } from '@mortise/commit-status/api';
import type { GitReader, GitWriter } from '@mortise/git/api';
import type { CommitViews, Comparisons, Diffs, RevisionView } from '@mortise/history/api';
import type { IssueStyle, IssuePages, Issues } from '@mortise/issues/api';
import type { Markup } from '@mortise/markup/api';
import {
  repositoryHome,
  type Repositories,
  type Repository,
  type RepositoryAccess,
  type RepositoryMembers,
  type RepositoryPageContext,
  type RepositoryPages,
} from '@mortise/repositories/api';
import type {
  MergeRequirement,
  NewPullField,
  PullContext,
  PullDiffExtension,
  PullPageContext,
  PullRequest,
} from '../api.js';
import type { ConversationCounter } from '../contract/pages.js';
import type { PullRange } from '../contract/pulls.js';
import type { BranchRestorer } from '../services/branch-restorer.js';
import type { PullServices } from '../services/services.js';
import { t } from '../texts/index.js';

/** What pages of pull requests work with. */
export interface PageDeps {
  readonly pullServices: PullServices;
  readonly restorer: BranchRestorer;
  readonly issues: Issues;
  readonly issuePages: IssuePages;
  readonly accounts: Accounts;
  readonly repositories: Repositories;
  readonly repositoryAccess: RepositoryAccess;
  readonly members: RepositoryMembers;
  readonly pages: RepositoryPages;
  readonly git: GitReader;
  readonly writer: GitWriter;
  /** Trees of older versions on newer bases by their commits; empty: there is none. */
  readonly versionTrees: MemoryCache<string>;
  readonly diffs: Diffs;
  readonly views: CommitViews;
  readonly comparisons: Comparisons;
  readonly markup: Markup;
  readonly site: Site;
  readonly jobs: Jobs;
  readonly requirements: PointReader<MergeRequirement>;
  readonly mergeBox: PointReader<Slot<PullPageContext>>;
  readonly diffExtensions: PointReader<PullDiffExtension>;
  readonly counters: PointReader<ConversationCounter>;
  readonly newFields: PointReader<NewPullField>;
  /** Undefined where no plugin keeps them. */
  readonly statuses: () => CommitStatuses | undefined;
  readonly protections: () => BranchProtections | undefined;
}

export type PullRoute = RouteContext<PullContext>;

export const repositoryContextOf = (context: PullRoute): RepositoryPageContext => ({
  context: context.resource.context,
  actor: context.actor,
});

export const pageContextOf = ({ site }: Pick<PageDeps, 'site'>, context: PullRoute): PullPageContext => ({
  context: context.resource,
  actor: context.actor,
  repositoryPath: repositoryHome(site, context.resource.repository),
});

export const pathOf = ({ site }: Pick<PageDeps, 'site'>, repository: Repository, index: number): string =>
  `${repositoryHome(site, repository)}/pulls/${index}`;

/** What lists of commits are shown in. */
export const viewOf = (
  repositoryPath: string,
  { resource, actor }: Pick<PullRoute, 'resource' | 'actor'>,
  range: Pick<PullRange, 'git' | 'head'>,
): RevisionView => ({
  git: range.git,
  context: resource.context,
  repository: resource.repository,
  actor,
  revision: { kind: 'commit', name: range.head, commit: range.head },
  path: '',
  repositoryPath: repositoryPath,
});

/** How a pull request looks in lists and on its page. */
export function styleOf(pull: Pick<PullRequest, 'isMerged' | 'isOpen' | 'isDraft'>): IssueStyle {
  if (pull.isMerged) return { icon: 'git-merge', tone: 'done', label: t('state.merged') };
  if (!pull.isOpen) return { icon: 'git-pull-request-closed', tone: 'closed', label: t('state.closed') };
  if (pull.isDraft) return { icon: 'git-pull-request-draft', tone: 'muted', label: t('state.draft') };
  return { icon: 'git-pull-request', tone: 'open', label: t('state.open') };
}

const stateClass = { open: 'State--open', closed: 'State--closed', done: 'State--merged', muted: '' };

export function StateBadge({ pull }: { pull: PullRequest }): VNode {
  const style = styleOf(pull);
  return (
    <span class={`State ${stateClass[style.tone]}`}>
      {icon(style.icon)} {style.label}
    </span>
  );
}

/** Where the head lies, as far as the actor may know. */
export interface HeadLocation {
  readonly repository: Repository | undefined;
  /** `owner:branch` where it is another repository; empty where that is gone. */
  readonly label: string;
  readonly href: string | undefined;
  /** The branch is there. */
  readonly isThere: boolean;
}

export async function headLocation(
  { repositories, repositoryAccess, git, site }: PageDeps,
  { repository, pull }: Pick<PullContext, 'repository' | 'pull'>,
  actor: Actor,
): Promise<HeadLocation> {
  if (pull.flow === 'agit') return { repository: undefined, label: pull.headBranch, href: undefined, isThere: false };
  const headRepository =
    pull.headRepositoryId === repository.id
      ? repository
      : pull.headRepositoryId
        ? await repositories.byId(pull.headRepositoryId)
        : undefined;
  if (!headRepository) return { repository: undefined, label: '', href: undefined, isThere: false };
  const maySee =
    headRepository.id === repository.id || (await repositoryAccess.context(actor, headRepository)).may('read', 'code');
  const isThere = (await git.open(headRepository.id).branch(pull.headBranch)) !== undefined;
  const path = pull.headBranch.split('/').map(encodeURIComponent).join('/');
  return {
    repository: maySee ? headRepository : undefined,
    label:
      headRepository.id === repository.id || !maySee
        ? pull.headBranch
        : `${headRepository.ownerName}:${pull.headBranch}`,
    href: maySee && isThere ? `${repositoryHome(site, headRepository)}/src/branch/${path}` : undefined,
    isThere,
  };
}

export const branchHref = (repositoryPath: string, branch: string): string =>
  `${repositoryPath}/src/branch/${branch.split('/').map(encodeURIComponent).join('/')}`;
