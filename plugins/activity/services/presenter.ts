import { apiTime, type Actor, type PointReader } from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import type { Repositories } from '@mortise/repositories/api';
import { repositoryIdsOf } from './feed-subjects.js';
import type { Activity, ActivityComments } from '../contract/activity.js';

interface Deps {
  readonly accounts: Accounts;
  readonly repositories: Repositories;
  readonly comments: PointReader<ActivityComments>;
}

/** Makes the model `Activity` (FED-04). */
export class Presenter {
  constructor(private readonly deps: Deps) {}

  async toApi(activities: readonly Activity[], actor: Actor): Promise<Record<string, unknown>[]> {
    const { accounts, repositories } = this.deps;
    const users = await accounts.byIds([...new Set(activities.map((one) => one.actorId))]);
    const repositoryById = await repositories.byIds(repositoryIdsOf(activities));
    const records = await repositories.toApi([...repositoryById.values()], actor);
    const byId = new Map(records.map((record) => [record.id, record]));
    const comments = await this.#comments(activities, actor);
    return activities.map((one) => {
      const user = users.get(one.actorId);
      return {
        id: one.id,
        user_id: one.receiverId || one.actorId,
        op_type: one.kind,
        act_user_id: one.actorId,
        act_user: user ? accounts.toApiUser(user, actor) : accounts.ghost(),
        repo_id: one.repositoryId,
        repo: byId.get(one.repositoryId) ?? null,
        comment_id: one.commentId,
        comment: comments.get(one.commentId) ?? null,
        ref_name: one.ref,
        is_private: one.isPrivate,
        content: one.content,
        created: apiTime(one.createdAt),
      };
    });
  }

  async #comments(activities: readonly Activity[], actor: Actor): Promise<Map<number, Record<string, unknown>>> {
    const ids = [...new Set(activities.map((one) => one.commentId))].filter(Boolean);
    const records = new Map<number, Record<string, unknown>>();
    if (ids.length === 0) return records;
    for (const source of this.deps.comments.list())
      for (const [id, comment] of await source.comments(ids, actor)) records.set(id, comment);
    return records;
  }
}
