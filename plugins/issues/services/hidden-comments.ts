import { Invalid, NotFound, type Actor, type Database } from '@mortise/plugin-sdk';
import type { Repositories } from '@mortise/repositories/api';
import type { Issue, TimelineEntry } from '../api.js';
import { HiddenCommentRow, hidingReasons, type HidingReason } from '../models/hidden-comment.js';
import { TimelineRow } from '../models/timeline.js';
import type { TimelineService } from './timeline.js';
import { t } from '../texts/index.js';

/** Why pages show a comment folded, and who decided that. */
export interface Hiding {
  readonly reason: HidingReason;
  readonly hiderId: number;
}

/** Folds comments on pages; their texts stay as they are. Asks for no rights. */
export class HiddenComments {
  constructor(
    private readonly deps: {
      readonly database: Database;
      readonly repositories: Repositories;
      readonly timeline: TimelineService;
    },
  ) {}

  /** Those of an issue, by the ids of the comments. */
  async of({ id }: Issue): Promise<Map<number, Hiding>> {
    const rows = await this.deps.database.query(HiddenCommentRow).where('issue_id', id);
    return new Map(rows.map((row) => [row.entry_id, { reason: row.reason, hiderId: row.hider_id }]));
  }

  /** Those among the comments. */
  async among(ids: readonly number[]): Promise<Map<number, HidingReason>> {
    const rows = await this.deps.database.query(HiddenCommentRow).whereIn('entry_id', [...ids]);
    return new Map(rows.map((row) => [row.entry_id, row.reason]));
  }

  /** One that is hidden for another reason gets the new one. Invalid for a reason that there is not. */
  async hide(issue: Issue, comment: TimelineEntry, given: string, actor: Actor): Promise<void> {
    const reason = hidingReasons.find((one) => one === given);
    if (!reason) throw Invalid(t.later('error.hidingReason'), { inputs: { reason: t.later('error.hidingReason') } });
    await this.#change(issue, comment, async (hidden) => {
      if (hidden?.reason === reason) return;
      const { database, timeline } = this.deps;
      const at = Date.now();
      if (hidden) await database.query(HiddenCommentRow).deleteById(comment.id);
      const row = { entry_id: comment.id, issue_id: issue.id, reason, hider_id: actor.id, hidden_at: at };
      await database.query(HiddenCommentRow).insert(row);
      const entry = { issue, kind: 'hide_comment', actorId: actor.id, subjectId: comment.id, body: reason, at };
      await timeline.record(entry);
    });
  }

  /** What is shown already stays so. */
  async show(issue: Issue, comment: TimelineEntry, actor: Actor): Promise<void> {
    await this.#change(issue, comment, async (hidden) => {
      if (!hidden) return;
      await this.deps.database.query(HiddenCommentRow).deleteById(comment.id);
      const entry = { issue, kind: 'show_comment', actorId: actor.id, subjectId: comment.id };
      await this.deps.timeline.record(entry);
    });
  }

  async #change(
    { repositoryId }: Issue,
    { id }: TimelineEntry,
    work: (hidden: HiddenCommentRow | undefined) => Promise<void>,
  ): Promise<void> {
    const { database, repositories } = this.deps;
    await database.write(async () => {
      await repositories.hold(repositoryId);
      if (!(await database.query(TimelineRow).findById(id))) throw NotFound('comment');
      await work(await database.query(HiddenCommentRow).findById(id));
    });
  }
}
