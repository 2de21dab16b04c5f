import {
  pageOf,
  Conflict,
  NotFound,
  refuseDuplicate,
  type Actor,
  type Cache,
  type Database,
  type QueryCache,
  type Events,
} from '@mortise/plugin-sdk';
import type { Repositories, Repository } from '@mortise/repositories/api';
import { durationText, type Issue, type Issues, type Timeline } from '@mortise/issues/api';
import { stopwatchesChanged } from '../api.js';
import { StopwatchRow } from '../models/stopwatch.js';
import { TimeRow } from '../models/time.js';
import { t } from '../texts/index.js';

/** Times are milliseconds since 1970 UTC. */
export interface TrackedTime {
  readonly id: number;
  readonly issueId: number;
  readonly userId: number;
  readonly seconds: number;
  readonly createdAt: number;
}

export interface Stopwatch {
  readonly issueId: number;
  readonly userId: number;
  readonly startedAt: number;
}

export interface TimeSearch {
  /** Who asks: only times on issues that they may read. */
  readonly actor: Actor;
  readonly issueId?: number;
  readonly repositoryId?: number;
  readonly userId?: number;
  /** Made at or after, at or before. */
  readonly since?: number;
  readonly before?: number;
  readonly limit: number;
  readonly offset: number;
}

const toTime = (row: TimeRow): TrackedTime => ({
  id: row.id,
  issueId: row.issue_id,
  userId: row.user_id,
  seconds: row.seconds,
  createdAt: Number(row.created_at),
});

const toStopwatch = (row: StopwatchRow): Stopwatch => ({
  issueId: row.issue_id,
  userId: row.user_id,
  startedAt: Number(row.started_at),
});

/** How a repository has its time tracked. */
export function trackerOf({ units }: Repository): { readonly isOn: boolean; readonly isForWriters: boolean } {
  const config = units.find(({ key }) => key === 'issues')?.config ?? {};
  return {
    isOn: config.enable_time_tracker !== false,
    isForWriters: config.allow_only_contributors_to_track_time !== false,
  };
}

/** Time spent on issues, by hand and by stopwatch. Asks for no rights. */
export class TimeService {
  readonly #sums: QueryCache<readonly { userId: number; seconds: number }[]>;
  readonly #running: QueryCache<Stopwatch | undefined>;

  constructor(
    private readonly deps: {
      readonly database: Database;
      readonly cache: Cache;
      readonly events: Events;
      readonly repositories: Repositories;
      readonly timeline: Timeline;
      readonly issues: Issues;
    },
  ) {
    this.#sums = deps.cache.query('time-tracking.sums');
    this.#running = deps.cache.query('time-tracking.running');
  }

  /** Oldest first. */
  async list(search: TimeSearch): Promise<{ items: TrackedTime[]; total: number }> {
    const query = this.deps.database
      .query(TimeRow)
      .where('is_deleted', false)
      .whereIn('issue_id', this.deps.issues.readable(search.actor));
    if (search.issueId !== undefined) void query.where('issue_id', search.issueId);
    if (search.repositoryId !== undefined) void query.where('repository_id', search.repositoryId);
    if (search.userId !== undefined) void query.where('user_id', search.userId);
    if (search.since !== undefined) void query.where('created_at', '>=', search.since);
    if (search.before !== undefined) void query.where('created_at', '<=', search.before);
    const { rows, total } = await pageOf(query.orderBy('id'), search);
    return { items: rows.map(toTime), total };
  }

  /** Deleted ones too: the timeline tells of them. */
  async byIds(ids: readonly number[]): Promise<Map<number, TrackedTime>> {
    const rows = ids.length ? await this.deps.database.query(TimeRow).whereIn('id', [...ids]) : [];
    return new Map(rows.map((row) => [row.id, toTime(row)]));
  }

  async byId(issue: Issue, id: number): Promise<TrackedTime | undefined> {
    if (id >= 2 ** 31) return undefined;
    const row = await this.deps.database.query(TimeRow).findOne({ id, issue_id: issue.id, is_deleted: false });
    return row && toTime(row);
  }

  add(issue: Issue, userId: number, seconds: number, actorId: number, at = Date.now()): Promise<TrackedTime> {
    return this.deps.database.write(() => this.#add(issue, { userId, seconds, at, kind: 'add_time_manual', actorId }));
  }

  /** NotFound when it is gone. */
  async delete(issue: Issue, time: TrackedTime, actorId: number): Promise<void> {
    const { database } = this.deps;
    await database.write(async () => {
      const key = { id: time.id, is_deleted: false };
      if (!(await database.query(TimeRow).where(key).patch({ is_deleted: true }))) throw NotFound('time');
      await this.#tellDeleted(issue, time.id, time.seconds, actorId);
    });
  }

  /** All that a person spent on an issue; NotFound when that is nothing. */
  async reset(issue: Issue, userId: number): Promise<void> {
    const { database } = this.deps;
    await database.write(async () => {
      const key = { issue_id: issue.id, user_id: userId, is_deleted: false };
      const rows = await database.query(TimeRow).where(key);
      if (!(await database.query(TimeRow).where(key).patch({ is_deleted: true }))) throw NotFound('time');
      const seconds = rows.reduce((sum, row) => sum + row.seconds, 0);
      await this.#tellDeleted(issue, rows.at(-1)?.id ?? 0, seconds, userId);
    });
  }

  /** What each person spent on an issue, the longest first; one query. */
  sums(issueId: number): Promise<readonly { userId: number; seconds: number }[]> {
    return this.#sums.load(String(issueId), () => this.#sumsOf(issueId));
  }

  async #sumsOf(issueId: number): Promise<{ userId: number; seconds: number }[]> {
    const rows = (await this.deps.database
      .query(TimeRow)
      .select('user_id')
      .sum('seconds as total')
      .where({ issue_id: issueId, is_deleted: false })
      .groupBy('user_id')) as unknown as { user_id: number; total: unknown }[];
    return rows
      .map((row) => ({ userId: row.user_id, seconds: Number(row.total) }))
      .sort((one, other) => other.seconds - one.seconds);
  }

  /** The stopwatch of a person on an issue. */
  runningOn(issueId: number, userId: number): Promise<Stopwatch | undefined> {
    return this.#running.load(`${issueId}:${userId}`, async () => {
      const row = await this.deps.database.query(StopwatchRow).findOne({ issue_id: issueId, user_id: userId });
      return row && toStopwatch(row);
    });
  }

  /** As far as they may read the issue. */
  async running(actor: Actor): Promise<Stopwatch | undefined> {
    const row = await this.deps.database
      .query(StopwatchRow)
      .findOne('user_id', actor.id)
      .whereIn('issue_id', this.deps.issues.readable(actor));
    return row && toStopwatch(row);
  }

  /**
   * ISS-17: one at a time, so that one on another issue is stopped, and forgotten where it cannot be read any more;
   * Conflict when it runs on this one.
   */
  async start(issue: Issue, actor: Actor): Promise<void> {
    const { database, timeline, issues } = this.deps;
    const userId = actor.id;
    const refused = () => Conflict(t.later('error.running'));
    await refuseDuplicate(refused(), () =>
      database.write(async () => {
        const running = await this.running(actor);
        if (running?.issueId === issue.id) throw refused();
        const other = running && (await issues.byId(running.issueId));
        if (other) await this.finish(other, userId);
        else await database.query(StopwatchRow).delete().where('user_id', userId).whereNot('issue_id', issue.id);
        await database.query(StopwatchRow).insert({ issue_id: issue.id, user_id: userId, started_at: Date.now() });
        await timeline.record({ issue, kind: 'start_tracking', actorId: userId });
        await this.deps.events.emit(stopwatchesChanged, { userId });
      }),
    );
  }

  /** ISS-18: keeps the time; Conflict when none runs on the issue. */
  async stop(issue: Issue, userId: number): Promise<void> {
    await this.deps.database.write(async () => {
      if (!(await this.finish(issue, userId))) throw Conflict(t.later('error.notRunning'));
    });
  }

  /** Without keeping the time; Conflict when none runs on the issue. */
  async discard(issue: Issue, userId: number): Promise<void> {
    const { database, timeline, events } = this.deps;
    await database.write(async () => {
      if (!(await database.query(StopwatchRow).delete().where({ issue_id: issue.id, user_id: userId })))
        throw Conflict(t.later('error.notRunning'));
      await timeline.record({ issue, kind: 'cancel_tracking', actorId: userId });
      await events.emit(stopwatchesChanged, { userId });
    });
  }

  /** Stops the one of a person on an issue, and keeps its time; in the caller's transaction. False: none ran. */
  async finish(issue: Issue, userId: number): Promise<boolean> {
    const { database, events } = this.deps;
    const row = await database.query(StopwatchRow).findOne({ issue_id: issue.id, user_id: userId });
    if (!row || !(await database.query(StopwatchRow).deleteById(row.id))) return false;
    const at = Date.now();
    const seconds = Math.max(1, Math.round((at - Number(row.started_at)) / 1000));
    await this.#add(issue, { userId, seconds, at, kind: 'stop_tracking', actorId: userId });
    await events.emit(stopwatchesChanged, { userId });
    return true;
  }

  /** In the transaction in which an account goes; its times stay. */
  async forget(userId: number): Promise<void> {
    await this.deps.database.query(StopwatchRow).delete().where('user_id', userId);
  }

  async #add(
    issue: Issue,
    {
      userId,
      seconds,
      at,
      kind,
      actorId,
    }: { userId: number; seconds: number; at: number; kind: string; actorId: number },
  ): Promise<TrackedTime> {
    const { database, repositories, timeline, issues } = this.deps;
    await repositories.hold(issue.repositoryId);
    if (!(await issues.byId(issue.id))) throw NotFound('issue');
    const row = await database.query(TimeRow).insertAndFetch({
      issue_id: issue.id,
      repository_id: issue.repositoryId,
      user_id: userId,
      seconds,
      is_deleted: false,
      created_at: at,
    });
    await timeline.record({ issue, kind, actorId, subjectId: row.id, body: durationText(seconds) });
    return toTime(row);
  }

  async #tellDeleted(issue: Issue, id: number, seconds: number, actorId: number): Promise<void> {
    const body = durationText(seconds);
    await this.deps.timeline.record({ issue, kind: 'delete_time_manual', actorId, subjectId: id, body });
  }
}
