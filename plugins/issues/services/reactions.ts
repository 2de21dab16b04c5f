import { Forbidden, NotFound, isUniqueViolation, type Database } from '@mortise/plugin-sdk';
import type { Repositories } from '@mortise/repositories/api';
import type { Issue, TimelineEntry } from '../api.js';
import { IssueRow } from '../models/issue.js';
import { ReactionRow, TimelineRow } from '../models/timeline.js';
import { t } from '../texts/index.js';

export interface Reaction {
  readonly userId: number;
  readonly content: string;
  readonly createdAt: number;
}

const toReaction = (row: ReactionRow): Reaction => ({
  userId: row.user_id,
  content: row.content,
  createdAt: Number(row.created_at),
});

/** What people think of issues and comments, in one sign. */
export class ReactionService {
  constructor(
    private readonly parts: {
      readonly database: Database;
      readonly repositories: Pick<Repositories, 'hold'>;
      /** `[ui] REACTIONS` */
      readonly allowed: readonly string[];
    },
  ) {}

  /** In the order in which they came; without a limit: all. */
  async list(
    issue: Issue,
    comment?: TimelineEntry,
    page?: { readonly limit: number; readonly offset: number },
  ): Promise<{ items: Reaction[]; total: number }> {
    const query = this.parts.database.query(ReactionRow).where(keyOf(issue, comment));
    const total = await query.clone().resultSize();
    void query.orderBy('id');
    if (page) void query.limit(page.limit).offset(page.offset);
    return { items: (await query).map(toReaction), total };
  }

  /** False: it was there before. */
  async add(issue: Issue, comment: TimelineEntry | undefined, userId: number, content: string) {
    if (!this.parts.allowed.includes(content)) throw Forbidden(t.later('error.reaction', { content }));
    const { database } = this.parts;
    const key = { ...keyOf(issue, comment), user_id: userId, content, original_author: '' };
    const there = await database.query(ReactionRow).findOne(key);
    if (there) return { reaction: toReaction(there), isNew: false };
    try {
      const row = await database.write(async () => {
        await this.parts.repositories.hold(issue.repositoryId);
        if (!(await database.query(IssueRow).findById(issue.id))) throw NotFound('issue');
        if (comment && !(await database.query(TimelineRow).findById(comment.id))) throw NotFound('comment');
        return database.query(ReactionRow).insertAndFetch({ ...key, created_at: Date.now() });
      });
      return { reaction: toReaction(row), isNew: true };
    } catch (error) {
      // Another request added it a moment before.
      if (!isUniqueViolation(error)) throw error;
      return { reaction: toReaction((await database.query(ReactionRow).findOne(key))!), isNew: false };
    }
  }

  async remove(issue: Issue, comment: TimelineEntry | undefined, userId: number, content: string): Promise<void> {
    const { database } = this.parts;
    const key = { ...keyOf(issue, comment), user_id: userId, content, original_author: '' };
    await database.write(() => database.query(ReactionRow).delete().where(key));
  }
}

const keyOf = (issue: Issue, comment: TimelineEntry | undefined) => ({
  issue_id: issue.id,
  entry_id: comment?.id ?? 0,
});
