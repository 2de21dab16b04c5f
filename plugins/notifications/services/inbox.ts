import type { QueryBuilder } from 'objection';
import {
  pageOf,
  NotFound,
  type Actor,
  type Cache,
  type Database,
  type Events,
  type QueryCache,
} from '@mortise/plugin-sdk';
import type { RepositoryAccess } from '@mortise/repositories/api';
import {
  unreadChanged,
  type Notification,
  type NotificationKind,
  type NotificationReason,
  type NotificationStatus,
  type RepositorySubjectKind,
} from '../contract/notifications.js';
import { NotificationRow, toNotification } from '../models/notification.js';
import { RepositoryIdRow } from '../models/repository-id.js';
import { subjectIdOf, subjectKey } from '../models/subject-key.js';
import type { SubjectKinds } from './subjects.js';

export interface InboxSearch {
  /** Only these. */
  readonly ids?: readonly number[];
  readonly repositoryId?: number;
  /** Absent: any. */
  readonly statuses?: readonly NotificationStatus[];
  /** Absent: any. */
  readonly kinds?: readonly NotificationKind[];
  /** Absent: any. */
  readonly reasons?: readonly NotificationReason[];
  /** Changed at or after, at or before. */
  readonly since?: number;
  readonly before?: number;
  /** Only about what the actor may read. Default: all; who shows them looks at the rights. */
  readonly isReadable?: boolean;
}

/** Threads that one answer of a bulk change tells of. */
const maxReported = 200;

/** Threads of one account outside of repositories that are looked at, the newest first. */
const maxOutside = 1000;

/** Unit of the repository that one needs to read what a thread is about; undefined: any. */
const units: Readonly<Record<RepositorySubjectKind, readonly string[] | undefined>> = {
  issue: ['issues'],
  pull: ['pulls'],
  commit: ['code'],
  repository: undefined,
};

/** The threads of an account. */
export class Inbox {
  readonly #counts: QueryCache<number>;

  constructor(
    private readonly deps: {
      readonly database: Database;
      readonly cache: Cache;
      readonly events: Events;
      readonly repositoryAccess: RepositoryAccess;
      readonly subjectKinds: SubjectKinds;
    },
  ) {
    this.#counts = deps.cache.query('notifications.unread');
  }

  /** Shown on every page: one query, and none while nothing changes. */
  unread(actor: Actor): Promise<number> {
    const { id, isAdmin, isRestricted, publicOnly } = actor;
    return this.#counts.load(`${id}:${isAdmin}:${isRestricted}:${publicOnly}`, async () =>
      this.#query(actor, { statuses: ['unread'] }, await this.#readableSubjects(actor)).resultSize(),
    );
  }

  /** News last first. */
  async list(actor: Actor, search: InboxSearch, page: { readonly limit: number; readonly offset: number }) {
    const query = this.#query(actor, search, search.isReadable ? await this.#readableSubjects(actor) : undefined);
    const { rows, total } = await pageOf(recentFirst(query), page);
    return { items: rows.map(toNotification), total };
  }

  /** Whoever's it is. */
  async byId(id: number): Promise<Notification> {
    const row = id < 2 ** 31 ? await this.deps.database.query(NotificationRow).findById(id) : undefined;
    if (!row) throw NotFound('notification');
    return toNotification(row);
  }

  /** Those that were asked for and have another status; gives the newest of them as they are now. */
  async mark(actor: Actor, search: InboxSearch, status: NotificationStatus): Promise<Notification[]> {
    return this.deps.database.write(async () => {
      const wanted = () => this.#query(actor, search).whereNot('status', status);
      const rows = await recentFirst(wanted()).limit(maxReported);
      if (rows.length) await wanted().patch({ status });
      await this.#changed(actor.id, rows.length > 0);
      return rows.map((row) => toNotification({ ...row, status } as NotificationRow));
    });
  }

  async markOne({ id }: Notification, status: NotificationStatus): Promise<Notification> {
    const { database } = this.deps;
    return database.write(async () => {
      const gone = () => NotFound('notification');
      const changed = await database.query(NotificationRow).findById(id).whereNot('status', status).patch({ status });
      const row = await database.query(NotificationRow).findById(id);
      if (!row) throw gone();
      await this.#changed(row.user_id, changed > 0);
      return toNotification(row);
    });
  }

  /** The actor opens the page of the subject. The number of unread threads, which the page shows anyway, is asked first. */
  async markSeenByVisit(actor: Actor, subject: string): Promise<void> {
    if ((await this.unread(actor)) > 0) await this.markSeen(actor.id, subject);
  }

  /** Reads first: a page is opened far more often than there is news. */
  async markSeen(userId: number, subject: string): Promise<void> {
    const { database } = this.deps;
    const key = { subject, user_id: userId, status: 'unread' as const };
    if (!(await database.query(NotificationRow).findOne(key))) return;
    await database.write(async () => {
      await this.#changed(userId, (await database.query(NotificationRow).where(key).patch({ status: 'read' })) > 0);
    });
  }

  /** In the transaction that takes the issues, or the rights, away. */
  async forget(
    where:
      | { readonly issueIds: readonly number[] }
      | { readonly subjects: readonly string[] }
      | { readonly repositoryId: number; readonly userId?: number },
  ) {
    const { database } = this.deps;
    const query = database.query(NotificationRow);
    if ('issueIds' in where) void query.whereIn('issue_id', [...where.issueIds]);
    else if ('subjects' in where) void query.whereIn('subject', [...where.subjects]);
    else {
      void query.where('repository_id', where.repositoryId);
      if (where.userId !== undefined) void query.where('user_id', where.userId);
    }
    const unread = await query.clone().distinct('user_id').where('status', 'unread');
    await query.delete();
    for (const row of unread) await this.#changed(row.user_id, true);
  }

  /** A comment is no more. */
  async forgetComment(issueId: number, commentId: number): Promise<void> {
    await this.deps.database
      .query(NotificationRow)
      .where({ issue_id: issueId, comment_id: commentId })
      .patch({ comment_id: 0 });
  }

  async #changed(userId: number, isChanged: boolean): Promise<void> {
    if (isChanged) await this.deps.events.emit(unreadChanged, { userIds: [userId] });
  }

  /** `readableSubjects`: only threads about what the actor may read, and outside of repositories these. */
  #query(actor: Actor, search: InboxSearch, readableSubjects?: readonly string[]): QueryBuilder<NotificationRow> {
    const query = this.deps.database.query(NotificationRow).where('notification.user_id', actor.id);
    if (search.repositoryId !== undefined) void query.where('notification.repository_id', search.repositoryId);
    if (search.ids) void query.whereIn('notification.id', [...search.ids]);
    if (search.statuses) void query.whereIn('notification.status', [...search.statuses]);
    if (search.kinds) void query.whereIn('notification.kind', [...search.kinds]);
    if (search.reasons) void query.whereIn('notification.reason', [...search.reasons]);
    if (search.since !== undefined) void query.where('notification.updated_at', '>=', search.since);
    if (search.before !== undefined) void query.where('notification.updated_at', '<=', search.before);
    if (readableSubjects) this.#onlyReadable(query, actor, readableSubjects);
    return query;
  }

  /** Keys of what the threads of the actor are about outside of repositories, as far as it may be read. */
  async #readableSubjects(actor: Actor): Promise<string[]> {
    const { database, subjectKinds } = this.deps;
    const names = subjectKinds.names();
    if (names.length === 0) return [];
    const rows = await database
      .query(NotificationRow)
      .select('kind', 'subject')
      .whereNull('repository_id')
      .where('user_id', actor.id)
      .orderBy('updated_at', 'desc')
      .limit(maxOutside);
    const readable = await Promise.all(
      names.map(async (kind) => {
        const ids = rows.filter((row) => row.kind === kind).map(({ subject }) => subjectIdOf(subject));
        const subjects = ids.length ? await subjectKinds.get(kind)?.find(ids, actor) : undefined;
        return [...(subjects?.keys() ?? [])].map((id) => subjectKey(kind, id));
      }),
    );
    return readable.flat();
  }

  /** Looks up the repositories of the threads alone, however many there are on the site. */
  #onlyReadable(query: QueryBuilder<NotificationRow>, actor: Actor, subjects: readonly string[]): void {
    void query.where((either) => {
      for (const [kind, needed] of Object.entries(units)) {
        const repository = RepositoryIdRow.query()
          .select('repository.id')
          .whereColumn('repository.id', 'notification.repository_id')
          .where(this.deps.repositoryAccess.visibleTo(actor, needed));
        void either.orWhere((one) => void one.where('notification.kind', kind).whereExists(repository));
      }
      if (subjects.length) void either.orWhereIn('notification.subject', [...subjects]);
    });
  }
}

const recentFirst = (query: QueryBuilder<NotificationRow>) =>
  query.orderBy('notification.updated_at', 'desc').orderBy('notification.id', 'desc');
