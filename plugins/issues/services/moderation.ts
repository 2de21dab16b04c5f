import { BadRequest, NotFound, type Actor, type Database } from '@mortise/plugin-sdk';
import type { Repositories } from '@mortise/repositories/api';
import type { Issue } from '../api.js';
import { IssueRow, toIssue } from '../models/issue.js';
import type { TimelineService } from './timeline.js';
import { t } from '../texts/index.js';

/** Locks conversations (ISS-14 to ISS-16) and pins issues (ISS-07, ISS-08). */
export class ModerationService {
  constructor(
    private readonly deps: {
      readonly database: Database;
      readonly repositories: Repositories;
      readonly timeline: TimelineService;
      /** Of each kind, in one repository. */
      readonly maxPinned: number;
    },
  ) {}

  /** What is so already changes nothing. */
  async setLocked(issue: Issue, isLocked: boolean, actor: Actor, reason = ''): Promise<void> {
    await this.#change(issue, async (now) => {
      if (now.isLocked === isLocked) return;
      const { database, timeline } = this.deps;
      await database.query(IssueRow).findById(now.id).patch({ is_locked: isLocked, updated_at: Date.now() });
      await timeline.record({ issue: now, kind: isLocked ? 'lock' : 'unlock', actorId: actor.id, body: reason });
    });
  }

  /** In their order. */
  async pinned(repositoryId: number, isPull: boolean): Promise<Issue[]> {
    const rows = await this.deps.database
      .query(IssueRow)
      .where({ repository_id: repositoryId, is_pull: isPull })
      .where('pin_order', '>', 0)
      .orderBy('pin_order');
    return rows.map(toIssue);
  }

  async mayPinMore(repositoryId: number, isPull: boolean): Promise<boolean> {
    return (await this.pinned(repositoryId, isPull)).length < this.deps.maxPinned;
  }

  /** BadRequest when it is pinned already, or when there are too many. */
  async pin(issue: Issue, actor: Actor): Promise<void> {
    await this.#change(issue, async (now) => {
      const all = await this.pinned(now.repositoryId, now.isPull);
      if (now.pinOrder) throw BadRequest(t.later('error.pinned'));
      if (all.length >= this.deps.maxPinned)
        throw BadRequest(t.later('error.maxPinned', { limit: this.deps.maxPinned }));
      await this.#setPinOrder(now, all.length + 1);
      await this.deps.timeline.record({ issue: now, kind: 'pin', actorId: actor.id });
    });
  }

  /** BadRequest when it is not pinned. */
  async unpin(issue: Issue, actor: Actor): Promise<void> {
    await this.#change(issue, async (now) => {
      if (!now.pinOrder) throw BadRequest(t.later('error.notPinned'));
      await this.#setPinOrder(now, 0);
      await this.#shift(now, now.pinOrder + 1, Number.MAX_SAFE_INTEGER, -1);
      await this.deps.timeline.record({ issue: now, kind: 'unpin', actorId: actor.id });
    });
  }

  /** From 1; BadRequest for one that is not pinned, or a place that there is not. */
  async move(issue: Issue, position: number): Promise<void> {
    await this.#change(issue, async (now) => {
      const all = await this.pinned(now.repositoryId, now.isPull);
      if (!now.pinOrder) throw BadRequest(t.later('error.notPinned'));
      if (position < 1 || position > all.length) throw BadRequest(t.later('error.pinPosition'));
      if (position > now.pinOrder) await this.#shift(now, now.pinOrder + 1, position, -1);
      else await this.#shift(now, position, now.pinOrder - 1, 1);
      await this.#setPinOrder(now, position);
    });
  }

  async #change(issue: Issue, work: (now: Issue) => Promise<void>): Promise<void> {
    const { database, repositories } = this.deps;
    await database.write(async () => {
      await repositories.hold(issue.repositoryId);
      const row = await database.query(IssueRow).findById(issue.id);
      if (!row) throw NotFound('issue');
      await work(toIssue(row));
    });
  }

  async #setPinOrder({ id }: Issue, pinOrder: number): Promise<void> {
    await this.deps.database.query(IssueRow).findById(id).patch({ pin_order: pinOrder });
  }

  async #shift({ repositoryId, isPull }: Issue, from: number, to: number, by: number): Promise<void> {
    if (from > to) return;
    await this.deps.database
      .query(IssueRow)
      .where({ repository_id: repositoryId, is_pull: isPull })
      .whereBetween('pin_order', [from, to])
      .increment('pin_order', by);
  }
}
