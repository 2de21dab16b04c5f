import { createHash } from 'node:crypto';
import { systemActor, type Database, type Events, type PointReader } from '@mortise/plugin-sdk';
import type { IssueFollowers } from '@mortise/issues/api';
import type { Repositories, Repository } from '@mortise/repositories/api';
import {
  unreadChanged,
  type NotificationRequest,
  type NotificationDelivery,
  type NotificationChannel,
  type NotificationSubject,
  type NotificationReceiver,
} from '../contract/notifications.js';
import { NotificationRow } from '../models/notification.js';
import { NotificationProgressRow } from '../models/notification-progress.js';
import type { Audience } from './audience.js';
import type { NotificationMailer } from './notification-mailer.js';
import type { Reasons } from './reasons.js';
import { subjectReference, type SubjectReference, type SubjectKinds } from './subjects.js';

/** Accounts that are told in one transaction. */
const receiversPerStep = 100;
const maxAgeMs = 60 * 86_400_000;
const sweptAtOnce = 1000;
/** Whoever is notified was found to be a reader. */
const siteActor = systemActor('notifications');

/** What a request is about, as it is now. */
interface ResolvedSubject {
  readonly repository?: Repository;
  readonly subject?: NotificationSubject;
}

/** What was told, the same for the same event. */
function noticeKey(
  { key }: SubjectReference,
  { actorId, at, commentId, event, reason, userIds }: NotificationRequest,
): string {
  const text = JSON.stringify([key, actorId, at, commentId, event, reason, userIds]);
  return createHash('sha256').update(text).digest('hex');
}

/** Brings news to the threads of people, and to their mail. */
export class Notifier {
  constructor(
    private readonly deps: {
      readonly database: Database;
      readonly events: Events;
      readonly repositories: Pick<Repositories, 'byId'>;
      readonly audience: Audience;
      readonly mails: NotificationMailer;
      readonly reasons: Reasons;
      readonly subjectKinds: SubjectKinds;
      readonly channels: PointReader<NotificationChannel>;
    },
  ) {}

  /** `followers`: of the issue that it is about, where they are known. */
  async notify(request: NotificationRequest, followers?: IssueFollowers): Promise<void> {
    await this.#each(request, true, followers);
  }

  /** By mail alone: nothing of it stays in the inbox. */
  async mail(request: NotificationRequest): Promise<void> {
    if (this.deps.mails.isOn) await this.#each(request, false);
  }

  /** Some receivers at a time, in the order of their ids; each step is a transaction that also records how far it has come. */
  async #each(request: NotificationRequest, storesInInbox: boolean, followers?: IssueFollowers): Promise<void> {
    const { database, audience, mails } = this.deps;
    if (request.reason !== undefined) this.deps.reasons.check(request.reason);
    const subject = subjectReference(request);
    const at = request.at ?? Date.now();
    const eventKey = request.at === undefined ? undefined : noticeKey(subject, request);
    const reasonByUser = await audience.recipients(request, followers);
    // most events concern nobody but the user who caused them
    if (!mails.isOn && [...reasonByUser.keys()].every((id) => id === request.actorId)) return;
    const resolved = await this.#resolve(request);
    if (!resolved) return;
    const known = eventKey ? await database.query(NotificationProgressRow).findById(eventKey) : undefined;
    const last = known?.last_user_id ?? 0;
    const ids = [...reasonByUser.keys()].filter((id) => id > last).sort((one, other) => one - other);
    const write = mails.writer({ ...request, at }, resolved);
    for (let from = 0; from < ids.length; from += receiversPerStep) {
      const some = ids.slice(from, from + receiversPerStep);
      const receivers = await audience.receivers(some, reasonByUser, request, resolved.repository);
      const notified = storesInInbox ? receivers.filter(({ account }) => account.id !== request.actorId) : [];
      // made before the transaction: texts are rendered, and that takes its time
      const written = await write(receivers);
      if (notified.length + written.length === 0) continue;
      const prepared = notified.length
        ? await this.#prepare({ request: { ...request, at }, ...resolved, receivers: notified })
        : [];
      await database.write(async () => {
        if (eventKey) await this.#recordProgress(eventKey, some.at(-1)!);
        if (notified.length) await this.#store(subject, request, notified, at);
        for (const mail of written) await mails.send(mail);
        for (const store of prepared) await store();
      });
    }
  }

  /** Undefined: it is gone. */
  async #resolve({ subject: reference }: NotificationRequest): Promise<ResolvedSubject | undefined> {
    if ('kind' in reference) {
      const { kind, id } = reference;
      const subject = (await this.deps.subjectKinds.check(kind).find([id], siteActor)).get(id);
      return subject && { subject };
    }
    const repository = await this.deps.repositories.byId(
      'issue' in reference ? reference.issue.repositoryId : reference.repositoryId,
    );
    return repository && { repository };
  }

  async #prepare(notice: NotificationDelivery): Promise<(() => Promise<void>)[]> {
    const prepared: (() => Promise<void>)[] = [];
    for (const channel of this.deps.channels.list()) {
      const store = await channel.prepare(notice);
      if (store) prepared.push(store);
    }
    return prepared;
  }

  /** Deletes progress of events that are so old that they will not be delivered again. */
  async sweep(): Promise<void> {
    const { database } = this.deps;
    const old = () =>
      database
        .query(NotificationProgressRow)
        .select('event_key')
        .where('updated_at', '<', Date.now() - maxAgeMs)
        .limit(sweptAtOnce);
    for (let rows = await old(); rows.length > 0; rows = await old()) {
      const keys = rows.map((row) => row.event_key);
      await database.write(() => database.query(NotificationProgressRow).delete().whereIn('event_key', keys));
    }
  }

  async #recordProgress(eventKey: string, lastUserId: number): Promise<void> {
    await this.deps.database
      .query(NotificationProgressRow)
      .insert({ event_key: eventKey, last_user_id: lastUserId, updated_at: Date.now() })
      .onConflict('event_key')
      .merge();
  }

  async #store(
    subject: SubjectReference,
    request: NotificationRequest,
    notified: readonly NotificationReceiver[],
    at: number,
  ): Promise<void> {
    const { database, events } = this.deps;
    const ids = notified.map(({ account }) => account.id);
    const rows = await database.query(NotificationRow).where('subject', subject.key).whereIn('user_id', ids);
    const known = new Set(rows.map((row) => row.user_id));
    const fresh = notified.filter(({ account }) => !known.has(account.id));
    if (fresh.length)
      await database
        .knex()('notification')
        .insert(fresh.map((one) => rowOf(subject, one, request, at)))
        .onConflict(['subject', 'user_id'])
        .ignore();
    const older = rows.filter((row) => Number(row.updated_at) <= at);
    await this.#renew(older, request, at);
    await this.#lateComment(
      rows.filter((row) => !older.includes(row)),
      request,
    );
    const stale = new Set(older.filter((row) => isStale(row, at)));
    await this.#giveReason(rows, stale, new Map(notified.map(({ account, reason }) => [account.id, reason])));
    const woken = [...fresh.map(({ account }) => account.id), ...[...stale].map((row) => row.user_id)];
    if (woken.length) await events.emit(unreadChanged, { userIds: woken });
  }

  /** Something newer was told before this: the thread is as that made it, and begins with this comment. */
  async #lateComment(rows: readonly NotificationRow[], { commentId }: NotificationRequest): Promise<void> {
    const ids = rows.filter((row) => row.status === 'unread' && row.comment_id === 0).map((row) => row.id);
    if (commentId && ids.length)
      await this.deps.database.query(NotificationRow).whereIn('id', ids).patch({ comment_id: commentId });
  }

  /** What was read becomes unread; what was unread keeps the comment that it was unread from. */
  async #renew(rows: readonly NotificationRow[], request: NotificationRequest, at: number): Promise<void> {
    const comment = request.commentId ? { comment_id: request.commentId } : {};
    const change = async (some: readonly NotificationRow[], columns: object) => {
      if (some.length === 0) return;
      await this.deps.database
        .query(NotificationRow)
        .whereIn('id', [...some.map((row) => row.id)])
        .patch({ actor_id: request.actorId, updated_at: at, ...columns });
    };
    await change(
      rows.filter((row) => isStale(row, at)),
      { status: 'unread', comment_id: request.commentId ?? 0 },
    );
    await change(
      rows.filter((row) => row.status === 'pinned'),
      comment,
    );
    const unread = rows.filter((row) => row.status === 'unread');
    await change(
      unread.filter((row) => row.comment_id > 0),
      {},
    );
    await change(
      unread.filter((row) => row.comment_id === 0),
      comment,
    );
  }

  /** What concerns somebody in person is said instead of what was said before; of what had been read, whatever is new. */
  async #giveReason(
    rows: readonly NotificationRow[],
    stale: ReadonlySet<NotificationRow>,
    reasons: ReadonlyMap<number, NotificationReceiver['reason']>,
  ): Promise<void> {
    for (const reason of new Set(reasons.values())) {
      const isPersonal = this.deps.reasons.isPersonal(reason);
      const ids = rows
        .filter((row) => reasons.get(row.user_id) === reason && (isPersonal || stale.has(row)))
        .map((row) => row.id);
      if (ids.length) await this.deps.database.query(NotificationRow).whereIn('id', ids).patch({ reason });
    }
  }
}

/** Read before this happened. When it is told a second time it stays read. */
const isStale = (row: NotificationRow, at: number): boolean => row.status === 'read' && Number(row.updated_at) < at;

const rowOf = (
  { kind, repositoryId, issueId, sha, key }: SubjectReference,
  { account, reason }: NotificationReceiver,
  request: NotificationRequest,
  at: number,
) => ({
  user_id: account.id,
  repository_id: repositoryId,
  issue_id: issueId,
  kind,
  subject: key,
  sha,
  status: 'unread',
  reason,
  comment_id: request.commentId ?? 0,
  actor_id: request.actorId,
  created_at: at,
  updated_at: at,
});
