import { pageOf, retryDuplicate, type Database, type WriteOptions } from '@mortise/plugin-sdk';
import type { Repository } from '@mortise/repositories/api';
import type { NewTimelineEntry, Timeline, TimelineEntry } from '../api.js';
import { ReactionRow } from '../models/reaction.js';
import { TimelineRow, toEntry } from '../models/timeline.js';
import { isId, type VisibleSubjects } from './search-filters.js';

interface NewerEntries {
  readonly issueId: number;
  readonly kinds: readonly string[];
  readonly after: number;
  readonly limit: number;
}

/** What is new in a repository is stored together: none of it takes part in what another new one decides. */
export const newIn = ({ id }: Pick<Repository, 'id'>): WriteOptions => ({ coalesceKey: `new in ${id}` });

/** Stores what happens to issues. */
export class TimelineService implements Pick<Timeline, 'byId' | 'record' | 'remove'> {
  constructor(private readonly database: Database) {}

  async byId(id: number): Promise<TimelineEntry | undefined> {
    const row = isId(id) ? await this.database.rows.findOne(TimelineRow, { id }) : undefined;
    return row && toEntry(row);
  }

  async byIds(ids: readonly number[]): Promise<TimelineEntry[]> {
    const wanted = ids.filter(isId);
    const rows = await this.database.rows.findByIds(TimelineRow, wanted);
    return rows.map(toEntry);
  }

  /** Oldest first. */
  async list(search: {
    readonly issueId: number;
    /** Changed at or after, at or before. */
    readonly since?: number;
    readonly before?: number;
    readonly subjects?: readonly VisibleSubjects[];
    /** Kinds that are left out. */
    readonly without?: readonly string[];
    readonly limit: number;
    readonly offset: number;
  }): Promise<{ items: TimelineEntry[]; total: number }> {
    const query = this.database.query(TimelineRow).where('issue_id', search.issueId);
    if (search.since !== undefined) void query.where('updated_at', '>=', search.since);
    if (search.before !== undefined) void query.where('updated_at', '<=', search.before);
    if (search.without?.length) void query.whereNotIn('kind', [...search.without]);
    for (const { kinds, among } of search.subjects ?? [])
      void query.where((either) => {
        void either.whereNotIn('kind', [...kinds]).orWhereIn('subject_id', among);
      });
    const { rows, total } = await pageOf(query.orderBy('id'), search);
    return { items: rows.map(toEntry), total };
  }

  /** Ids of entries of the kinds after one of them; the newest at most so many, oldest first. */
  async newer({ issueId, kinds, after, limit }: NewerEntries): Promise<number[]> {
    const rows = await this.database
      .query(TimelineRow)
      .select('id')
      .where('issue_id', issueId)
      .whereIn('kind', [...kinds])
      .where('id', '>', after)
      .orderBy('id', 'desc')
      .limit(limit);
    return rows.map(({ id }) => id).reverse();
  }

  async remove(issueId: number, ids: readonly number[]): Promise<void> {
    const gone = ids.filter(isId);
    if (gone.length === 0) return;
    await this.database.write(async () => {
      await this.database.query(ReactionRow).delete().where('issue_id', issueId).whereIn('entry_id', gone);
      await this.database.query(TimelineRow).delete().where('issue_id', issueId).whereIn('id', gone);
    });
  }

  record({ issue, kind, actorId, onceKey, ...entry }: NewTimelineEntry): Promise<TimelineEntry | undefined> {
    const at = entry.at ?? Date.now();
    return retryDuplicate(() =>
      this.database.write(async () => {
        if (onceKey !== undefined) {
          const there = await this.database.query(TimelineRow).findOne({ issue_id: issue.id, once_key: onceKey });
          if (there) return undefined;
        }
        const columns = {
          issue_id: issue.id,
          repository_id: issue.repositoryId,
          kind,
          actor_id: actorId,
          original_author: entry.originalAuthor ?? '',
          original_author_id: entry.originalAuthorId ?? 0,
          body: entry.body ?? '',
          subject_id: entry.subjectId ?? 0,
          data: entry.data ?? null,
          once_key: onceKey ?? null,
          created_at: at,
          updated_at: at,
        };
        return toEntry({ ...columns, id: await this.database.rows.insert(TimelineRow, columns) });
      }),
    );
  }
}
