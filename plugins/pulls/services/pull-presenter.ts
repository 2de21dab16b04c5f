import { anonymous, type Actor, type PointReader } from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import type { GitReader } from '@mortise/git/api';
import { issueFieldsOfPulls, timeOrNull, type ApiIssue, type Issue, type Issues } from '@mortise/issues/api';
import type { ApiRepository, Repositories, Repository, RepositoryAccess } from '@mortise/repositories/api';
import type { PullFields, PullRequest } from '../api.js';
import type { ApiPullBranch, ApiPullRequest } from '../contract/models.js';
import type { PullReader } from './pull-reader.js';
import { headRef } from './pull-refs.js';

const isMergeable = ({ isMerged, isDraft, mergeState }: PullRequest): boolean =>
  !isMerged && !isDraft && (mergeState === 'clean' || mergeState === 'empty');

/** Makes the models of pull requests. */
export class PullPresenter {
  constructor(
    private readonly deps: {
      readonly accounts: Accounts;
      readonly gitReader: GitReader;
      readonly issues: Issues;
      readonly repositories: Repositories;
      readonly repositoryAccess: RepositoryAccess;
      readonly reader: PullReader;
      readonly fields: PointReader<PullFields>;
    },
  ) {}

  /** In the same order; `known`: repositories as the caller has them. Those without a row are left out. */
  async toApi(issues: readonly Issue[], actor: Actor, known: readonly Repository[] = []): Promise<ApiPullRequest[]> {
    const { accounts, repositories, reader, fields } = this.deps;
    const rows = await reader.byIssueIds(issues.map(({ id }) => id));
    const list = [...rows.values()];
    const repositoriesById = await this.#repositories(list, known);
    const [models, shown, users, ...more] = await Promise.all([
      this.deps.issues.toApi(issues, actor),
      this.#shown([...repositoriesById.values()], new Set(list.map(({ repositoryId }) => repositoryId)), actor),
      accounts.byIds(list.map(({ mergerId }) => mergerId).filter(Boolean)),
      ...fields.list().map((one) => one.fields(list, actor)),
    ]);
    return Promise.all(
      models.flatMap((issue) => {
        const pull = rows.get(issue.id);
        const repository = pull && repositoriesById.get(pull.repositoryId);
        if (!pull || !repository) return [];
        const merger = users.get(pull.mergerId);
        const mergedBy = merger ? accounts.toApiUser(merger, anonymous) : accounts.ghost();
        const extra = Object.assign({}, ...more.map((one) => one.get(issue.id))) as Partial<ApiPullRequest>;
        return [this.#model(issue, pull, { repository, repositoriesById, shown, mergedBy, extra, repositories })];
      }),
    );
  }

  async #model(
    issue: ApiIssue,
    pull: PullRequest,
    { repository, repositoriesById, shown, mergedBy, extra, repositories }: ModelInput,
  ): Promise<ApiPullRequest> {
    const htmlUrl = `${repositories.htmlUrl(repository)}/pulls/${pull.index}`;
    const head = repositoriesById.get(pull.headRepositoryId);
    return {
      id: issue.id,
      url: htmlUrl,
      number: issue.number,
      user: issue.user,
      title: issue.title,
      body: issue.body,
      labels: issue.labels,
      milestone: issue.milestone,
      assignee: issue.assignee,
      assignees: issue.assignees ?? [],
      requested_reviewers: [],
      requested_reviewers_teams: [],
      state: issue.state,
      draft: pull.isDraft,
      is_locked: issue.is_locked,
      comments: issue.comments,
      review_comments: 0,
      additions: pull.additions,
      deletions: pull.deletions,
      changed_files: pull.changedFiles,
      html_url: htmlUrl,
      diff_url: `${htmlUrl}.diff`,
      patch_url: `${htmlUrl}.patch`,
      mergeable: isMergeable(pull),
      merged: pull.isMerged,
      merged_at: timeOrNull(pull.mergedAt),
      merge_commit_sha: pull.isMerged ? pull.mergeCommit : null,
      merged_by: pull.isMerged ? mergedBy : null,
      allow_maintainer_edit: pull.allowMaintainerEdit,
      base: await this.#base(pull, repository, shown.get(repository.id) ?? null),
      head: await this.#head(pull, head, head ? (shown.get(head.id) ?? null) : null),
      merge_base: pull.mergeBase,
      ...issueFieldsOfPulls.records(issue),
      created_at: issue.created_at,
      updated_at: issue.updated_at,
      closed_at: issue.closed_at,
      pin_order: issue.pin_order,
      content_version: issue.content_version,
      ...extra,
    };
  }

  async #base(pull: PullRequest, repository: Repository, repo: ApiRepository | null): Promise<ApiPullBranch> {
    const tip = await this.deps.gitReader.open(repository.id).branch(pull.baseBranch);
    return {
      label: pull.baseBranch,
      ref: pull.baseBranch,
      sha: tip?.oid ?? pull.baseOid,
      repo_id: repository.id,
      repo,
    };
  }

  /** A head without a branch is what the base repository keeps of it. */
  async #head(
    pull: PullRequest,
    repository: Repository | undefined,
    repo: ApiRepository | null,
  ): Promise<ApiPullBranch> {
    const tip =
      repository && pull.flow === 'branch'
        ? await this.deps.gitReader.open(repository.id).branch(pull.headBranch)
        : undefined;
    return {
      label: pull.flow === 'agit' ? '' : pull.headBranch,
      ref: tip ? pull.headBranch : headRef(pull.index),
      sha: tip && !pull.isMerged ? tip.oid : pull.headOid,
      repo_id: pull.headRepositoryId,
      repo,
    };
  }

  async #repositories(pulls: readonly PullRequest[], known: readonly Repository[]): Promise<Map<number, Repository>> {
    const repositoriesById = new Map(known.map((one) => [one.id, one]));
    const ids = pulls.flatMap((pull) => [pull.repositoryId, pull.headRepositoryId]);
    const missing = [...new Set(ids)].filter((id) => id && !repositoriesById.has(id));
    if (missing.length)
      for (const [id, one] of await this.deps.repositories.byIds(missing)) repositoriesById.set(id, one);
    return repositoriesById;
  }

  /**
   * Those that the actor may see; whoever sees a pull request sees what it is for. What the site tells others of public
   * repositories, in webhooks and events of workflows, is what everybody may see.
   */
  async #shown(
    repositoriesById: readonly Repository[],
    bases: ReadonlySet<number>,
    actor: Actor,
  ): Promise<Map<number, ApiRepository>> {
    const { repositories, repositoryAccess } = this.deps;
    const open = actor.kind === 'system' ? await repositoryAccess.contexts(anonymous, repositoriesById) : undefined;
    const isPublic = open && [...bases].some((id) => open.get(id)?.may('read'));
    const rights = isPublic ? open : await repositoryAccess.contexts(actor, repositoriesById);
    const visible = repositoriesById.filter(({ id }) => bases.has(id) || rights.get(id)?.may('read'));
    return new Map((await repositories.toApi(visible, actor)).map((model) => [model.id, model]));
  }
}

interface ModelInput {
  readonly repository: Repository;
  readonly repositoriesById: ReadonlyMap<number, Repository>;
  readonly shown: ReadonlyMap<number, ApiRepository>;
  readonly mergedBy: ApiPullRequest['user'];
  readonly extra: Partial<ApiPullRequest>;
  readonly repositories: Repositories;
}
