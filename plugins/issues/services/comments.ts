import {
  Invalid,
  NotFound,
  pageOf,
  type Actor,
  type Database,
  type Events,
  type PointReader,
} from '@mortise/plugin-sdk';
import type { Attachments } from '@mortise/attachments/api';
import type { Repositories, Repository } from '@mortise/repositories/api';
import { commentChanged, type Issue, type TimelineEntry, type TimelineKind } from '../api.js';
import { IssueRow } from '../models/issue.js';
import { ReactionRow } from '../models/reaction.js';
import { TimelineRow, toEntry } from '../models/timeline.js';
import { commentFiles } from './attachment-kinds.js';
import type { TextFollower } from './text-follower.js';
import type { TimelinePresenter } from './timeline-presenter.js';
import { newIn, type TimelineService } from './timeline.js';
import { t } from '../texts/index.js';

interface CommentSearch {
  readonly issueId?: number;
  readonly repositoryId?: number;
  /** Of issues, of pull requests; default: both. */
  readonly isPull?: boolean;
  /** Changed at or after, at or before. */
  readonly since?: number;
  readonly before?: number;
  readonly limit: number;
  readonly offset: number;
}

/** What people write below issues and pull requests. Asks for no rights. */
export class CommentService {
  constructor(
    private readonly deps: {
      readonly database: Database;
      readonly events: Events;
      readonly attachments: Attachments;
      readonly repositories: Repositories;
      readonly timeline: TimelineService;
      readonly follower: TextFollower;
      readonly presenter: TimelinePresenter;
      readonly kinds: PointReader<TimelineKind>;
    },
  ) {}

  /** Keys of the kinds that are comments. */
  get kinds(): string[] {
    return this.deps.kinds
      .list()
      .filter((kind) => kind.isComment)
      .map((kind) => kind.key);
  }

  isComment = (entry: TimelineEntry): boolean => this.deps.kinds.get(entry.kind)?.isComment === true;

  /** Oldest first. */
  async list(search: CommentSearch): Promise<{ items: TimelineEntry[]; total: number }> {
    const query = this.deps.database.query(TimelineRow).whereIn('timeline_entry.kind', this.kinds);
    if (search.issueId !== undefined) void query.where('timeline_entry.issue_id', search.issueId);
    if (search.repositoryId !== undefined) void query.where('timeline_entry.repository_id', search.repositoryId);
    if (search.isPull !== undefined) {
      const ofKind = IssueRow.query().select('id').where('is_pull', search.isPull);
      if (search.repositoryId !== undefined) void ofKind.where('repository_id', search.repositoryId);
      void query.whereIn('timeline_entry.issue_id', ofKind);
    }
    if (search.since !== undefined) void query.where('timeline_entry.updated_at', '>=', search.since);
    if (search.before !== undefined) void query.where('timeline_entry.updated_at', '<=', search.before);
    const { rows, total } = await pageOf(query.orderBy('timeline_entry.id'), search);
    return { items: rows.map(toEntry), total };
  }

  create(repository: Repository, issue: Issue, body: string, actor: Actor): Promise<TimelineEntry> {
    const { database, events, repositories, timeline, follower } = this.deps;
    const text = textOf(body);
    return database.write(async () => {
      await repositories.hold(repository.id);
      const at = Date.now();
      const change = { add: { comment_count: 1 }, set: { updated_at: at } };
      if (!(await database.rows.update(IssueRow, { id: issue.id }, change))) throw NotFound('issue');
      const entry = (await timeline.record({ issue, kind: 'comment', actorId: actor.id, body: text, at }))!;
      const mentionedIds = await follower.follow({ repository, issue, comment: entry, before: '', text, actor, at });
      await events.emit(commentChanged, { ...of(entry), action: 'created', actorId: actor.id, at, mentionedIds });
      return entry;
    }, newIn(repository));
  }

  edit(repository: Repository, issue: Issue, comment: TimelineEntry, body: string, actor: Actor) {
    const { database, events, repositories, follower } = this.deps;
    const text = textOf(body);
    return database.write(async () => {
      await repositories.hold(repository.id);
      const row = await database.rows.findOne(TimelineRow, { id: comment.id });
      if (!row) throw NotFound('comment');
      const now = toEntry(row);
      if (now.body === text) return now;
      const at = Date.now();
      await database.rows.update(TimelineRow, { id: now.id }, { set: { body: text, updated_at: at } });
      await database.rows.update(IssueRow, { id: issue.id }, { set: { updated_at: at } });
      const written = { repository, issue, comment: now, before: now.body, text, actor, at };
      await follower.keepVersion(written);
      const mentionedIds = await follower.follow(written);
      const edited = { action: 'edited', actorId: actor.id, at, before: now.body, mentionedIds } as const;
      await events.emit(commentChanged, { ...of(now), ...edited });
      return { ...now, body: text, updatedAt: at };
    });
  }

  /** The text with the addresses of files that came with it; tells nobody, for nothing else was changed. */
  async link(comment: TimelineEntry, text: string): Promise<void> {
    const { database } = this.deps;
    await database.write(() => database.query(TimelineRow).findById(comment.id).patch({ body: text }));
  }

  /** With its files and reactions. */
  async delete(issue: Issue, comment: TimelineEntry, actor: Actor): Promise<void> {
    const { database, events, repositories, attachments, follower, presenter } = this.deps;
    const [record] = await presenter.comments([comment], actor);
    await database.write(async () => {
      await repositories.hold(issue.repositoryId);
      await attachments.removeOf(commentFiles, [comment.id]);
      await follower.forget(comment);
      await database.query(ReactionRow).delete().where({ issue_id: issue.id, entry_id: comment.id });
      if (!(await database.query(TimelineRow).deleteById(comment.id))) throw NotFound('comment');
      const at = Date.now();
      const change = { add: { comment_count: -1 }, set: { updated_at: at } };
      await database.rows.update(IssueRow, { id: issue.id }, change);
      await events.emit(commentChanged, {
        ...of(comment),
        action: 'deleted',
        actorId: actor.id,
        at,
        record: { ...record },
      });
    });
  }
}

const of = ({ repositoryId, issueId, id }: TimelineEntry) => ({ repositoryId, issueId, commentId: id });

function textOf(body: string): string {
  if (!body.trim()) throw Invalid(t.later('error.comment'), { inputs: { body: t.later('error.comment') } });
  return body;
}
