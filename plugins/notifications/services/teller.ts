import type { Database, Events } from '@mortise/plugin-sdk';
import type { Repositories } from '@mortise/repositories/api';
import { unreadChanged, type News, type NotificationKind } from '../api.js';
import { NotificationRow } from '../models/notification.js';
import type { Audience, Receiver } from './audience.js';
import type { NewsMailer } from './mails.js';

/** Rows that are written together. */
const piece = 200;

interface Subject {
  readonly kind: NotificationKind;
  readonly repositoryId: number;
  readonly issueId: number | null;
  readonly sha: string;
  /** Of the unique index. */
  readonly key: string;
}

function subjectOf({ about }: News): Subject {
  if ('issue' in about) {
    const { id, isPull, repositoryId } = about.issue;
    return { kind: isPull ? 'pull' : 'issue', repositoryId, issueId: id, sha: '', key: `issue:${id}` };
  }
  const { repositoryId } = about;
  if ('sha' in about)
    return { kind: 'commit', repositoryId, issueId: null, sha: about.sha, key: `commit:${repositoryId}:${about.sha}` };
  return { kind: 'repository', repositoryId, issueId: null, sha: '', key: `repository:${repositoryId}` };
}

/** Brings news to the threads of people, and to their mail. */
export class Teller {
  constructor(
    private readonly parts: {
      readonly database: Database;
      readonly events: Events;
      readonly repositories: Pick<Repositories, 'byId'>;
      readonly audience: Audience;
      readonly mails: NewsMailer;
    },
  ) {}

  async tell(news: News): Promise<void> {
    const { database, repositories, audience, mails } = this.parts;
    const subject = subjectOf(news);
    const repository = await repositories.byId(subject.repositoryId);
    if (!repository) return;
    const meant = await audience.of(news, repository);
    const told = meant.filter(({ account }) => account.id !== news.actorId);
    const at = news.at ?? Date.now();
    // made before the transaction: texts are rendered, and that takes its time
    const written = await mails.make({ ...news, at }, repository, meant);
    if (told.length + written.length === 0) return;
    await database.write(async () => {
      const isNew = await this.#store(subject, news, told, at);
      if (isNew || told.length === 0) for (const mail of written) await mails.send(mail);
    });
  }

  /** By mail alone: nothing of it stays in the inbox. */
  async mail(news: News): Promise<void> {
    const { database, repositories, audience, mails } = this.parts;
    const repository = await repositories.byId(subjectOf(news).repositoryId);
    if (!repository || !mails.isOn) return;
    const written = await mails.make(news, repository, await audience.of(news, repository));
    await database.write(async () => {
      for (const mail of written) await mails.send(mail);
    });
  }

  /** False: all of it was told before. */
  async #store(subject: Subject, news: News, told: readonly Receiver[], at: number): Promise<boolean> {
    const { database, events } = this.parts;
    const woken: number[] = [];
    let isNew = false;
    for (let from = 0; from < told.length; from += piece) {
      const part = told.slice(from, from + piece);
      const ids = part.map(({ account }) => account.id);
      const rows = await database.query(NotificationRow).where('subject', subject.key).whereIn('user_id', ids);
      const known = new Set(rows.map((row) => row.user_id));
      const fresh = part.filter(({ account }) => !known.has(account.id));
      if (fresh.length)
        await database
          .knex()('notification')
          .insert(fresh.map((one) => rowOf(subject, one, news, at)))
          .onConflict(['subject', 'user_id'])
          .ignore();
      const older = rows.filter((row) => Number(row.updated_at) <= at);
      await this.#renew(older, news, at);
      const reasons = new Map(part.map(({ account, reason }) => [account.id, reason]));
      await this.#giveReason(older, reasons);
      isNew ||= fresh.length + older.length > 0;
      woken.push(...fresh.map(({ account }) => account.id));
      woken.push(...older.filter((row) => isStale(row, at)).map((row) => row.user_id));
    }
    if (woken.length) await events.emit(unreadChanged, { userIds: woken });
    return isNew;
  }

  /** What was read becomes unread; what was unread keeps the comment that it was unread from. */
  async #renew(rows: readonly NotificationRow[], news: News, at: number): Promise<void> {
    const comment = news.commentId ? { comment_id: news.commentId } : {};
    const change = async (some: readonly NotificationRow[], columns: object) => {
      if (some.length === 0) return;
      await this.parts.database
        .query(NotificationRow)
        .whereIn('id', [...some.map((row) => row.id)])
        .patch({ actor_id: news.actorId, updated_at: at, ...columns });
    };
    await change(
      rows.filter((row) => isStale(row, at)),
      { status: 'unread', comment_id: news.commentId ?? 0 },
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

  /** What concerns somebody in person is said instead of what was said before. */
  async #giveReason(rows: readonly NotificationRow[], reasons: ReadonlyMap<number, Receiver['reason']>): Promise<void> {
    for (const reason of ['mentioned', 'assigned', 'review_requested'] as const) {
      const ids = rows.filter((row) => reasons.get(row.user_id) === reason).map((row) => row.id);
      if (ids.length) await this.parts.database.query(NotificationRow).whereIn('id', ids).patch({ reason });
    }
  }
}

/** Read before this happened. When it is told a second time it stays read. */
const isStale = (row: NotificationRow, at: number): boolean => row.status === 'read' && Number(row.updated_at) < at;

const rowOf = (
  { kind, repositoryId, issueId, sha, key }: Subject,
  { account, reason }: Receiver,
  news: News,
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
  comment_id: news.commentId ?? 0,
  actor_id: news.actorId,
  created_at: at,
  updated_at: at,
});
