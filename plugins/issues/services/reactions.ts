import { Forbidden, Invalid, NotFound, isUniqueViolation, type Database } from '@mortise/plugin-sdk';
import type { Repositories } from '@mortise/repositories/api';
import type { Issue, TimelineEntry } from '../api.js';
import { IssueRow } from '../models/issue.js';
import { ReactionRow } from '../models/reaction.js';
import { TimelineRow } from '../models/timeline.js';
import { t } from '../texts/index.js';

export interface Reaction {
  readonly userId: number;
  readonly content: string;
  readonly createdAt: number;
}

/** To a text of a repository. */
interface PlacedReaction extends Reaction {
  /** Of the issue. */
  readonly number: number;
  /** 0: on the issue itself. */
  readonly commentId: number;
}

/** Of issues by their numbers, and of comments by their ids. */
interface ReactedTexts {
  readonly repositoryId: number;
  readonly isPull?: boolean;
  readonly issues: readonly number[];
  readonly comments: readonly number[];
  /** Kinds of entries that are comments. */
  readonly commentKinds: readonly string[];
}

/** In one answer for many texts. */
const maxPlaced = 5000;

const toReaction = (row: ReactionRow): Reaction => ({
  userId: row.user_id,
  content: row.content,
  createdAt: Number(row.created_at),
});

/** What people think of issues and comments, in one sign. */
export class ReactionService {
  constructor(
    private readonly deps: {
      readonly database: Database;
      readonly repositories: Pick<Repositories, 'hold'>;
      /** `[ui] REACTIONS` */
      readonly allowed: readonly string[];
    },
  ) {}

  /** Names of the emoji that users react with. */
  get allowed(): readonly string[] {
    return this.deps.allowed;
  }

  /** In the order in which they came; without a limit: all. */
  async list(
    issue: Issue,
    comment?: TimelineEntry,
    page?: { readonly limit: number; readonly offset: number },
  ): Promise<{ items: Reaction[]; total: number }> {
    const query = this.deps.database.query(ReactionRow).where(keyOf(issue, comment));
    const total = await query.clone().resultSize();
    void query.orderBy('id');
    if (page) void query.limit(page.limit).offset(page.offset);
    return { items: (await query).map(toReaction), total };
  }

  /** To several texts, in the order in which they came; two queries however many. Invalid where they are too many. */
  async ofTexts({ repositoryId, isPull, issues, comments, commentKinds }: ReactedTexts): Promise<PlacedReaction[]> {
    const base = () => {
      const query = this.deps.database
        .query(ReactionRow)
        .join('issue', 'issue.id', 'reaction.issue_id')
        .where('issue.repository_id', repositoryId)
        .select('reaction.*', 'issue.number')
        .orderBy('reaction.id')
        .limit(maxPlaced + 1);
      if (isPull !== undefined) void query.where('issue.is_pull', isPull);
      return query;
    };
    const ofIssues = issues.length
      ? await base()
          .where('entry_id', 0)
          .whereIn('issue.number', [...issues])
      : [];
    const ofComments = comments.length
      ? await base()
          .join('timeline_entry', (on) =>
            on.on('timeline_entry.id', 'reaction.entry_id').andOn('timeline_entry.issue_id', 'reaction.issue_id'),
          )
          .whereIn('timeline_entry.id', [...comments])
          .whereIn('timeline_entry.kind', [...commentKinds])
      : [];
    const rows = [...ofIssues, ...ofComments];
    if (rows.length > maxPlaced) throw Invalid(t.later('error.manyReactions', { max: maxPlaced }));
    return rows.map((row) => ({
      ...toReaction(row),
      number: (row as ReactionRow & { readonly number: number }).number,
      commentId: row.entry_id,
    }));
  }

  /** False: it was there before. */
  async add(issue: Issue, comment: TimelineEntry | undefined, userId: number, content: string) {
    if (!this.deps.allowed.includes(content)) throw Forbidden(t.later('error.reaction', { content }));
    const { database } = this.deps;
    const key = { ...keyOf(issue, comment), user_id: userId, content, original_author: '' };
    const there = await database.query(ReactionRow).findOne(key);
    if (there) return { reaction: toReaction(there), isNew: false };
    try {
      const row = await database.write(async () => {
        await this.deps.repositories.hold(issue.repositoryId);
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
    const { database } = this.deps;
    const key = { ...keyOf(issue, comment), user_id: userId, content, original_author: '' };
    await database.write(() => database.query(ReactionRow).delete().where(key));
  }
}

const keyOf = (issue: Issue, comment: TimelineEntry | undefined) => ({
  issue_id: issue.id,
  entry_id: comment?.id ?? 0,
});
