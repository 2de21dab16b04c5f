import { anonymous, apiTime, type Actor, type PointReader, type Site } from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import type { Attachments } from '@mortise/attachments/api';
import type { Repositories, Repository, RepositoryAccess } from '@mortise/repositories/api';
import {
  pathOf,
  timeOrNull,
  unitOf,
  type ApiIssue,
  type ApiLabel,
  type ApiMilestone,
  type Issue,
  type IssueModelFields,
  type Label,
  type Milestone,
} from '../api.js';
import { fieldRecords } from '../fields/values.js';
import { issueFiles } from './attachment-kinds.js';
import type { IssueReader } from './issue-reader.js';

export const toApiMilestone = (milestone: Milestone): ApiMilestone => ({
  id: milestone.id,
  title: milestone.title,
  description: milestone.description,
  state: milestone.isClosed ? 'closed' : 'open',
  open_issues: milestone.openCount,
  closed_issues: milestone.closedCount,
  created_at: apiTime(milestone.createdAt),
  updated_at: apiTime(milestone.updatedAt),
  closed_at: timeOrNull(milestone.closedAt),
  due_on: timeOrNull(milestone.dueAt),
});

/** For answers that are kept: what files are downloaded is counted in memory for a moment. */
export const withoutFiles = (records: readonly { readonly assets: readonly unknown[] }[]): boolean =>
  records.every(({ assets }) => assets.length === 0);

/** Makes the models of issues and labels, and addresses. */
export class IssuePresenter {
  constructor(
    private readonly deps: {
      readonly site: Site;
      readonly accounts: Accounts;
      readonly repositories: Repositories;
      readonly repositoryAccess: RepositoryAccess;
      readonly attachments: Attachments;
      readonly reader: IssueReader;
      readonly fields: PointReader<IssueModelFields>;
    },
  ) {}

  htmlUrl = (repository: Repository, issue: Pick<Issue, 'isPull' | 'index'>): string =>
    `${this.deps.repositories.htmlUrl(repository)}/${pathOf(issue)}`;

  /** Labels of an organization need its name. */
  label = (label: Label, ownerUrl: string): ApiLabel => ({
    id: label.id,
    name: label.name,
    exclusive: label.isExclusive,
    is_archived: label.isArchived,
    color: label.color,
    description: label.description,
    url: `${ownerUrl}/labels/${label.id}`,
  });

  organizationUrl = (name: string): string => this.deps.site.url(`/api/v1/orgs/${name}`);

  /** Those of an issue's repository, and those of the organization that owns it. */
  labelOf = (label: Label, repository: Repository): ApiLabel =>
    this.label(
      label,
      label.repositoryId ? this.deps.repositories.apiUrl(repository) : this.organizationUrl(repository.ownerName),
    );

  /** Those that the actor may read; asks once for all. */
  async readable(issues: readonly Issue[], actor: Actor): Promise<Issue[]> {
    const { repositories, repositoryAccess } = this.deps;
    const repositoriesById = await repositories.byIds(issues.map((issue) => issue.repositoryId));
    const rights = await repositoryAccess.contexts(actor, [...repositoriesById.values()]);
    return issues.filter((issue) => rights.get(issue.repositoryId)?.may('read', unitOf(issue)));
  }

  /** Of issues that name a branch, which few do: the repositories whose code the actor may read. */
  async namingBranches(
    issues: readonly Issue[],
    actor: Actor,
    repositoriesById: ReadonlyMap<number, Repository>,
  ): Promise<Set<number>> {
    const named = new Set(issues.filter(({ ref }) => ref !== '').map(({ repositoryId }) => repositoryId));
    if (named.size === 0) return named;
    const rights = await this.deps.repositoryAccess.contexts(
      actor,
      [...repositoriesById.values()].filter(({ id }) => named.has(id)),
    );
    return new Set([...named].filter((id) => rights.get(id)?.may('read', 'code')));
  }

  /**
   * In the same order, assignees as anybody sees them; those whose repository is gone are left out. `madeIn`: they have
   * just been made there, without labels, assignees and files.
   */
  async toApi(issues: readonly Issue[], actor: Actor, madeIn?: Repository): Promise<ApiIssue[]> {
    const { accounts, repositories, attachments, reader, fields } = this.deps;
    const isBare = madeIn !== undefined;
    const ids = isBare ? [] : issues.map((issue) => issue.id);
    const [labels, assignees, milestones, files, repositoriesById] = await Promise.all([
      reader.labels(ids),
      reader.assignees(ids),
      reader.milestones(issues.map((issue) => issue.milestoneId)),
      attachments.list(issueFiles, ids),
      madeIn ? new Map([[madeIn.id, madeIn]]) : repositories.byIds(issues.map((issue) => issue.repositoryId)),
    ]);
    const more = await Promise.all(fields.list().map((one) => one.fields(issues, actor)));
    const users = await accounts.byIds([
      ...new Set([...issues.map((issue) => issue.posterId), ...[...assignees.values()].flat()]),
    ]);
    const user = (id: number, viewer: Actor) => {
      const account = users.get(id);
      return account ? accounts.toApiUser(account, viewer) : accounts.ghost();
    };
    const mayNameBranch = await this.namingBranches(issues, actor, repositoriesById);
    return issues.flatMap((issue): ApiIssue[] => {
      const repository = repositoriesById.get(issue.repositoryId);
      if (!repository) return [];
      const assigned = (assignees.get(issue.id) ?? []).filter((id) => users.has(id)).map((id) => user(id, anonymous));
      const milestone = milestones.get(issue.milestoneId);
      const { ref, ...records } = fieldRecords(issue);
      return [
        {
          id: issue.id,
          url: `${repositories.apiUrl(repository)}/issues/${issue.index}`,
          html_url: this.htmlUrl(repository, issue),
          number: issue.index,
          user: user(issue.posterId, actor),
          original_author: issue.originalAuthor,
          original_author_id: issue.originalAuthorId,
          title: issue.title,
          body: issue.body,
          ref: mayNameBranch.has(issue.repositoryId) ? ref : '',
          assets: (files.get(issue.id) ?? []).map((file) => attachments.toApi(file)),
          labels: (labels.get(issue.id) ?? []).map((label) => this.labelOf(label, repository)),
          milestone: milestone ? toApiMilestone(milestone) : null,
          projects: null,
          assignee: assigned[0] ?? null,
          assignees: assigned.length ? assigned : null,
          state: issue.isClosed ? 'closed' : 'open',
          is_locked: issue.isLocked,
          comments: issue.commentCount,
          created_at: apiTime(issue.createdAt),
          updated_at: apiTime(issue.updatedAt),
          closed_at: timeOrNull(issue.closedAt),
          ...records,
          pull_request: null,
          repository: {
            id: repository.id,
            name: repository.name,
            owner: repository.ownerName,
            full_name: `${repository.ownerName}/${repository.name}`,
          },
          pin_order: issue.pinOrder,
          content_version: issue.contentVersion,
          ...Object.assign({}, ...more.map((one) => one.get(issue.id))),
        },
      ];
    });
  }
}
