import { anonymous, apiTime, type Actor, type PointReader } from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import type { Attachments } from '@mortise/attachments/api';
import type { Repositories, Repository } from '@mortise/repositories/api';
import type { Issue, TimelineEntry, TimelineKind } from '../api.js';
import type { ApiComment } from '../contract/models.js';
import { commentFiles } from './attachment-kinds.js';
import type { IssuePresenter } from './issue-presenter.js';
import type { IssueReader } from './issue-reader.js';

/** Makes the models of comments and of entries of a timeline. */
export class TimelinePresenter {
  constructor(
    private readonly deps: {
      readonly accounts: Accounts;
      readonly repositories: Repositories;
      readonly attachments: Attachments;
      readonly reader: IssueReader;
      readonly presenter: IssuePresenter;
      readonly kinds: PointReader<TimelineKind>;
    },
  ) {}

  /** In the same order; authors are shown as to anybody. Without those whose issue is gone. */
  async comments(comments: readonly TimelineEntry[], _actor?: Actor): Promise<ApiComment[]> {
    const { accounts, attachments, reader, repositories } = this.deps;
    const [issues, files, users, elsewhere] = await Promise.all([
      reader.byIds(comments.map((one) => one.issueId)),
      attachments.list(
        commentFiles,
        comments.map((one) => one.id),
      ),
      accounts.byIds([...new Set(comments.map((one) => one.actorId))]),
      this.#writtenElsewhere(comments),
    ]);
    const repositoriesById = await repositories.byIds([...issues.values()].map((issue) => issue.repositoryId));
    return comments.flatMap((comment): ApiComment[] => {
      const issue = issues.get(comment.issueId);
      const repository = issue && repositoriesById.get(issue.repositoryId);
      if (!issue || !repository) return [];
      const account = users.get(comment.actorId);
      const { body, updatedAt } = elsewhere.get(comment.id) ?? comment;
      return [
        {
          id: comment.id,
          ...this.#addresses(repository, issue, comment),
          user: account ? accounts.toApiUser(account, anonymous) : accounts.ghost(),
          original_author: comment.originalAuthor,
          original_author_id: comment.originalAuthorId,
          body,
          assets: (files.get(comment.id) ?? []).map((file) => attachments.toApi(file)),
          created_at: apiTime(comment.createdAt),
          updated_at: apiTime(updatedAt),
        },
      ];
    });
  }

  /** Texts that other plugins keep. */
  async #writtenElsewhere(entries: readonly TimelineEntry[]) {
    const texts = new Map<number, Pick<TimelineEntry, 'body' | 'updatedAt'>>();
    for (const { key, written } of this.deps.kinds.list()) {
      const own = written ? entries.filter((one) => one.kind === key) : [];
      if (own.length) for (const [id, text] of await written!.texts(own)) texts.set(id, text);
    }
    return texts;
  }

  /** Model `TimelineComment` for each that the actor may see, in the same order. */
  async timeline(
    repository: Repository,
    issue: Issue,
    entries: readonly TimelineEntry[],
    actor: Actor,
  ): Promise<Record<string, unknown>[]> {
    const { accounts, kinds } = this.deps;
    const users = await accounts.byIds([...new Set(entries.map((one) => one.actorId))]);
    const more = new Map<number, Readonly<Record<string, unknown>> | null>();
    for (const kind of kinds.list()) {
      const own = entries.filter((one) => one.kind === kind.key);
      if (!own.length || !kind.fields) continue;
      for (const [id, fields] of await kind.fields(own, { issue, actor })) more.set(id, fields);
    }
    return entries.flatMap((entry) => {
      const fields = more.get(entry.id);
      if (fields === null) return [];
      const account = users.get(entry.actorId);
      return [
        {
          id: entry.id,
          type: entry.kind,
          ...this.#addresses(repository, issue, entry),
          // As to anybody: the timeline is the same for all who read it.
          user: account ? accounts.toApiUser(account, anonymous) : accounts.ghost(),
          body: entry.body,
          created_at: apiTime(entry.createdAt),
          updated_at: apiTime(entry.updatedAt),
          old_project_id: 0,
          project_id: 0,
          old_milestone: null,
          milestone: null,
          tracked_time: null,
          old_title: '',
          new_title: '',
          old_ref: '',
          new_ref: '',
          ref_issue: null,
          ref_comment: null,
          ref_action: 'none',
          ref_commit_sha: '',
          review_id: 0,
          label: null,
          assignee: null,
          assignee_team: null,
          removed_assignee: false,
          resolve_doer: null,
          dependent_issue: null,
          hidden_reason: '',
          ...fields,
        },
      ];
    });
  }

  #addresses(repository: Repository, issue: Issue, { id }: TimelineEntry) {
    const issueUrl = this.deps.presenter.htmlUrl(repository, issue);
    return {
      html_url: `${issueUrl}#issuecomment-${id}`,
      pull_request_url: issue.isPull ? issueUrl : '',
      issue_url: issue.isPull ? '' : issueUrl,
    };
  }
}
