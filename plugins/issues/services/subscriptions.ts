import type { QueryBuilder } from 'objection';
import { pageOf, retryDuplicate, type Database, type Model } from '@mortise/plugin-sdk';
import type { RepositoryMembers } from '@mortise/repositories/api';
import type { Issue, IssueFollowers } from '../api.js';
import { AssigneeRow } from '../models/assignee.js';
import { MentionRow } from '../models/mention.js';
import { SubscriptionRow } from '../models/subscription.js';
import { TimelineRow } from '../models/timeline.js';

/**
 * Who is told what happens to an issue: those who asked for it, and, unless they said no, whoever opened it, commented on
 * it, was assigned or mentioned, and those who watch the repository.
 */
export class SubscriptionService {
  constructor(private readonly deps: { readonly database: Database; readonly repositoryMembers: RepositoryMembers }) {}

  /** Those who asked for it, oldest first. */
  async subscribers(issue: Issue, page: { readonly limit: number; readonly offset: number }) {
    const query = this.deps.database.query(SubscriptionRow).where({ issue_id: issue.id, is_subscribed: true });
    const { rows, total } = await pageOf(query.orderBy('id'), page);
    return { ids: rows.map((row) => row.user_id), total };
  }

  async isSubscribed(issue: Issue, userId: number): Promise<boolean> {
    const { database, repositoryMembers } = this.deps;
    const subscription = await database.query(SubscriptionRow).findOne({ issue_id: issue.id, user_id: userId });
    if (subscription) return subscription.is_subscribed;
    return (
      (await this.#participants(issue)).has(userId) ||
      (await repositoryMembers.watchers(issue.repositoryId)).includes(userId)
    );
  }

  async followers(issue: Issue): Promise<IssueFollowers> {
    return (await this.followersOf([issue])).get(issue.id)!;
  }

  /** By the id of the issue. */
  async followersOf(issues: readonly Issue[]): Promise<Map<number, IssueFollowers>> {
    const people = await this.#participantRows(issues);
    return new Map(
      issues.map(({ id, posterId }) => {
        const rows = people.filter((row) => row.issue_id === id);
        const silent = rows.filter((row) => row.subscription === 0).map((row) => row.user_id);
        const following = new Set([posterId, ...rows.map((row) => row.user_id)]);
        for (const one of silent) following.delete(one);
        return [id, { following: [...following], silent }];
      }),
    );
  }

  /** False: it was so before. */
  async set(issue: Issue, userId: number, isSubscribed: boolean): Promise<boolean> {
    const { database } = this.deps;
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
    const rows = await this.#participantRows([issue]);
    return new Set([issue.posterId, ...rows.flatMap((row) => (row.subscription === null ? row.user_id : []))]);
  }

  /** Who takes part, and what people said themselves (1: they want to be told, 0: not), in one query. */
  async #participantRows(
    issues: readonly Issue[],
  ): Promise<{ issue_id: number; user_id: number; subscription: 0 | 1 | null }[]> {
    if (issues.length === 0) return [];
    const ids = issues.map(({ id }) => id);
    const knex = this.deps.database.knex();
    const rowsOf = ({ tableName }: { readonly tableName: string }) => knex(tableName).whereIn('issue_id', ids);
    const none = knex.raw('null');
    const rows = (await rowsOf(SubscriptionRow)
      .select('issue_id', 'user_id', 'is_subscribed as subscription')
      .unionAll([
        rowsOf(AssigneeRow).select('issue_id', 'user_id', none),
        rowsOf(MentionRow).select('issue_id', 'user_id', none),
        rowsOf(TimelineRow).where('kind', 'comment').distinct('issue_id', 'actor_id', none),
      ])) as { issue_id: number; user_id: number; subscription: unknown }[];
    return rows.map(({ issue_id, user_id, subscription }) => ({
      issue_id,
      user_id,
      subscription: subscription === null ? null : Number(subscription) ? 1 : 0,
    }));
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
      const commenters = TimelineRow.query().select('issue_id').where({ actor_id: userId, kind: 'comment' });
      void either.orWhereIn('issue.id', commenters);
    })
    .whereNotIn('issue.id', chosen(false));
}
