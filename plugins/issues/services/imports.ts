import { Conflict, refuseDuplicate, type Database } from '@mortise/plugin-sdk';
import type { Repositories } from '@mortise/repositories/api';
import type { SearchDocument, SearchIndex } from '@mortise/search/api';
import type { ImportedIssue, ImportedReaction, IssueImports } from '../api.js';
import type { ImportedComment } from '../contract/imports.js';
import { commentDocument } from '../events/search.js';
import { fieldColumns } from '../fields/values.js';
import { IssueRow } from '../models/issue.js';
import { IssueLabelRow } from '../models/issue-label.js';
import { LabelRow } from '../models/label.js';
import { MilestoneRow } from '../models/milestone.js';
import { AssigneeRow } from '../models/assignee.js';
import { NumberRow } from '../models/issue-number.js';
import { ReactionRow } from '../models/reaction.js';
import { TimelineRow } from '../models/timeline.js';
import { issueDocument } from './text-search.js';
import { t } from '../texts/index.js';

interface ImportDeps {
  readonly database: Database;
  readonly repositories: Pick<Repositories, 'hold' | 'count'>;
  readonly search: Pick<SearchIndex, 'put'>;
}

/** How many of each there are by a key. */
function countBy<T>(items: readonly T[], keyOf: (item: T) => number): Map<number, number> {
  const counts = new Map<number, number>();
  for (const item of items) counts.set(keyOf(item), (counts.get(keyOf(item)) ?? 0) + 1);
  return counts;
}

/** Writes issues, comments, labels and milestones of other services; asks for no rights and notifies nobody. */
export class IssueImportService implements IssueImports {
  constructor(private readonly deps: ImportDeps) {}

  labels: IssueImports['labels'] = async (repositoryId, labels) => {
    const { database, repositories } = this.deps;
    await repositories.hold(repositoryId);
    const now = Date.now();
    const ids: number[] = [];
    for (const label of labels) {
      const id = await database.rows.insert(LabelRow, {
        repository_id: repositoryId,
        organization_id: null,
        name: label.name,
        lower_name: label.name.toLowerCase(),
        color: label.color,
        description: label.description,
        is_exclusive: label.isExclusive,
        archived_at: label.isArchived ? now : 0,
        created_at: now,
      });
      ids.push(id);
    }
    return ids;
  };

  milestones: IssueImports['milestones'] = async (repositoryId, milestones) => {
    const { database, repositories } = this.deps;
    await repositories.hold(repositoryId);
    const ids: number[] = [];
    for (const milestone of milestones) {
      const id = await database.rows.insert(MilestoneRow, {
        repository_id: repositoryId,
        title: milestone.title,
        lower_title: milestone.title.toLowerCase(),
        description: milestone.description,
        is_closed: milestone.isClosed,
        due_at: milestone.dueAt,
        open_count: 0,
        closed_count: 0,
        created_at: milestone.createdAt,
        updated_at: milestone.updatedAt,
        closed_at: milestone.closedAt,
      });
      ids.push(id);
    }
    return ids;
  };

  issues: IssueImports['issues'] = async (repositoryId, issues) => {
    const { database, repositories, search } = this.deps;
    if (issues.length === 0) return [];
    await repositories.hold(repositoryId);
    const ids: number[] = [];
    const documents: SearchDocument[] = [];
    for (const issue of issues) {
      const id = await this.#insertIssue(repositoryId, issue);
      ids.push(id);
      documents.push(issueDocument({ id, repository_id: repositoryId, title: issue.title, body: issue.body }));
      for (const labelId of new Set(issue.labelIds))
        await database.rows.insert(IssueLabelRow, {
          issue_id: id,
          label_id: labelId,
          is_pull: issue.isPull,
          is_closed: issue.isClosed,
          issue_created_at: issue.createdAt,
        });
      for (const userId of new Set(issue.assigneeIds))
        await database.rows.insert(AssigneeRow, { issue_id: id, user_id: userId });
      await this.reactions(id, 0, issue.reactions, issue.createdAt);
    }
    await search.put(documents);
    await this.#count(repositoryId, issues);
    await this.#raiseNumber(repositoryId, Math.max(...issues.map(({ number }) => number)));
    return ids;
  };

  comments: IssueImports['comments'] = async (repositoryId, comments) => {
    const { database, repositories, search } = this.deps;
    if (comments.length === 0) return [];
    await repositories.hold(repositoryId);
    const ids: number[] = [];
    const documents: SearchDocument[] = [];
    for (const comment of comments) {
      const id = await database.rows.insert(TimelineRow, this.#commentColumns(repositoryId, comment));
      ids.push(id);
      documents.push(commentDocument({ id, repository_id: repositoryId, issue_id: comment.issueId }, comment.body));
      await this.reactions(comment.issueId, id, comment.reactions, comment.createdAt);
    }
    await search.put(documents);
    for (const [issueId, count] of countBy(comments, ({ issueId }) => issueId))
      await this.countComments(issueId, count);
    return ids;
  };

  countComments: IssueImports['countComments'] = async (issueId, by) => {
    await this.deps.database.rows.update(IssueRow, { id: issueId }, { add: { comment_count: by } });
  };

  reactions: IssueImports['reactions'] = async (issueId, entryId, reactions, at) => {
    const seen = new Set<string>();
    for (const reaction of reactions) {
      const key = `${reaction.content} ${reaction.userId} ${reaction.originalAuthor}`;
      if (seen.has(key)) continue;
      seen.add(key);
      await this.deps.database.rows.insert(ReactionRow, reactionColumns(issueId, entryId, reaction, at));
    }
  };

  async #insertIssue(repositoryId: number, issue: ImportedIssue): Promise<number> {
    return refuseDuplicate(Conflict(t.later('error.numberTaken', { number: issue.number })), async () =>
      this.deps.database.rows.insert(IssueRow, {
        repository_id: repositoryId,
        number: issue.number,
        is_pull: issue.isPull,
        poster_id: issue.posterId,
        original_author: issue.originalAuthor,
        original_author_id: issue.originalAuthorId,
        title: issue.title,
        body: issue.body,
        is_closed: issue.isClosed,
        is_locked: issue.isLocked,
        milestone_id: issue.milestoneId || null,
        ...fieldColumns(issue),
        comment_count: 0,
        content_version: 0,
        pin_order: 0,
        created_at: issue.createdAt,
        updated_at: issue.updatedAt,
        closed_at: issue.closedAt,
      }),
    );
  }

  #commentColumns = (repositoryId: number, comment: ImportedComment) => ({
    issue_id: comment.issueId,
    repository_id: repositoryId,
    kind: 'comment',
    actor_id: comment.authorId,
    original_author: comment.originalAuthor,
    original_author_id: comment.originalAuthorId,
    body: comment.body,
    subject_id: 0,
    data: null,
    once_key: null,
    created_at: comment.createdAt,
    updated_at: comment.updatedAt,
  });

  /** What the repository and its milestones count. */
  async #count(repositoryId: number, issues: readonly ImportedIssue[]): Promise<void> {
    const { database, repositories } = this.deps;
    for (const isPull of [false, true]) {
      const open = issues.filter((issue) => issue.isPull === isPull && !issue.isClosed).length;
      if (open) await repositories.count(repositoryId, isPull ? 'openPullCount' : 'openIssueCount', open);
    }
    for (const isClosed of [false, true]) {
      const counted = issues.filter((issue) => issue.milestoneId && issue.isClosed === isClosed);
      for (const [id, count] of countBy(counted, ({ milestoneId }) => milestoneId))
        await database.rows.update(
          MilestoneRow,
          { id },
          { add: { [isClosed ? 'closed_count' : 'open_count']: count } },
        );
    }
  }

  /** The next issue gets the number after the highest. */
  async #raiseNumber(repositoryId: number, number: number): Promise<void> {
    const { database } = this.deps;
    const row = await database.query(NumberRow).findById(repositoryId);
    if (!row) await database.rows.insert(NumberRow, { repository_id: repositoryId, last: number });
    else if (row.last < number) await database.query(NumberRow).findById(repositoryId).patch({ last: number });
  }
}

const reactionColumns = (issueId: number, entryId: number, reaction: ImportedReaction, at: number) => ({
  issue_id: issueId,
  entry_id: entryId,
  user_id: reaction.userId,
  original_author: reaction.originalAuthor,
  content: reaction.content,
  created_at: at,
});
