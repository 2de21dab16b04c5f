import type { QueryBuilder } from 'objection';
import { pageOf, retryDuplicate, type Database, type Model } from '@mortise/plugin-sdk';
import type { RepositoryMembers } from '@mortise/repositories/api';
import type { Issue, IssueFollowers } from '../api.js';
import { AssigneeRow, MentionRow, SubscriptionRow } from '../models/people.js';
import { TimelineRow } from '../models/timeline.js';

/**
 * Who is told what happens to an issue: those who asked for it, and, unless they said no, whoever opened it, commented on
 * it, was assigned or mentioned, and those who watch the repository.
 */
export class SubscriptionService {
  constructor(private readonly parts: { readonly database: Database; readonly repositoryMembers: RepositoryMembers }) {}

  /** Those who asked for it, oldest first. */
  async asked(issue: Issue, page: { readonly limit: number; readonly offset: number }) {
    const query = this.parts.database.query(SubscriptionRow).where({ issue_id: issue.id, is_subscribed: true });
    const { rows, total } = await pageOf(query.orderBy('id'), page);
    return { ids: rows.map((row) => row.user_id), total };
  }

  async isSubscribed(issue: Issue, userId: number): Promise<boolean> {
    const { database, repositoryMembers } = this.parts;
    const said = await database.query(SubscriptionRow).findOne({ issue_id: issue.id, user_id: userId });
    if (said) return said.is_subscribed;
    return (
      (await this.#participants(issue)).has(userId) ||
      (await repositoryMembers.watchers(issue.repositoryId)).includes(userId)
    );
  }

  async followers(issue: Issue): Promise<IssueFollowers> {
    const [said, participants] = await Promise.all([
      this.parts.database.query(SubscriptionRow).where('issue_id', issue.id),
      this.#participants(issue),
    ]);
    const silent = said.filter((row) => !row.is_subscribed).map((row) => row.user_id);
    for (const row of said) if (row.is_subscribed) participants.add(row.user_id);
    for (const id of silent) participants.delete(id);
    return { following: [...participants], silent };
  }

  /** False: it was so before. */
  async set(issue: Issue, userId: number, isSubscribed: boolean): Promise<boolean> {
    const { database } = this.parts;
    const change = async () => {
      const key = { issue_id: issue.id, user_id: userId };
      // an update locks the row before it is looked at
      const touched = await database.query(SubscriptionRow).where(key).patch({ created_at: Date.now() });
      const before = touched
        ? (await database.query(SubscriptionRow).findOne(key))!.is_subscribed
        : await this.isSubscribed(issue, userId);
      if (before === isSubscribed) return false;
      if (touched) await database.query(SubscriptionRow).where(key).patch({ is_subscribed: isSubscribed });
      else
        await database.query(SubscriptionRow).insert({ ...key, is_subscribed: isSubscribed, created_at: Date.now() });
      return true;
    };
    return retryDuplicate(() => database.write(change));
  }

  async #participants(issue: Issue): Promise<Set<number>> {
    const { database } = this.parts;
    const people = await Promise.all([
      database.query(AssigneeRow).select('user_id').where('issue_id', issue.id),
      database.query(MentionRow).select('user_id').where('issue_id', issue.id),
    ]);
    const writers = await database
      .query(TimelineRow)
      .distinct('actor_id')
      .where({ issue_id: issue.id, kind: 'comment' });
    return new Set([issue.posterId, ...people.flat().map((row) => row.user_id), ...writers.map((row) => row.actor_id)]);
  }
}

/** Those that an account asked for or takes part in, and did not say no to. */
export function followedBy(userId: number, query: QueryBuilder<Model>): void {
  const chosen = (isSubscribed: boolean) =>
    SubscriptionRow.query().select('issue_id').where({ user_id: userId, is_subscribed: isSubscribed });
  void query
    .where((either) => {
      void either.where('issue.poster_id', userId).orWhereIn('issue.id', chosen(true));
      for (const row of [AssigneeRow, MentionRow])
        void either.orWhereIn('issue.id', row.query().select('issue_id').where('user_id', userId));
      const said = TimelineRow.query().select('issue_id').where({ actor_id: userId, kind: 'comment' });
      void either.orWhereIn('issue.id', said);
    })
    .whereNotIn('issue.id', chosen(false));
}
