import type { Database, StorageArea } from '@mortise/plugin-sdk';
import { LogRow } from '../../models/log.js';
import { LogSegmentRow } from '../../models/log-segment.js';
import { LogTailRow } from '../../models/log-tail.js';
import { folderOf } from './log-packer.js';

const day = 86_400_000;
const hour = 3_600_000;
const batch = 100;

interface LogCleanupDeps {
  readonly database: Database;
  readonly area: StorageArea;
  /** Days that logs are kept after their end. */
  readonly retentionDays: number;
  seal(taskId: number): Promise<void>;
}

/** Removes content first and rows afterwards, so that it goes on where it was killed. */
export class LogCleanup {
  constructor(private readonly deps: LogCleanupDeps) {}

  /** Logs of deleted runs. */
  removeGone(signal: AbortSignal): Promise<void> {
    return this.#removeAll('gone', signal, (ids) => this.deps.database.query(LogRow).delete().whereIn('task_id', ids));
  }

  async cleanUp(now: number, signal: AbortSignal): Promise<void> {
    await this.#markLost();
    await this.removeGone(signal);
    await this.#sealAbandoned(now - hour, signal);
    const { database, retentionDays } = this.deps;
    const before = now - retentionDays * day;
    await database.write(() =>
      database.query(LogRow).patch({ stage: 'leaving' }).where('stage', 'sealed').where('updated_at', '<', before),
    );
    await this.#removeAll('leaving', signal, (ids) =>
      database
        .query(LogRow)
        .patch({ stage: 'expired', packed_lines: 0, packed_bytes: 0, kept_lines: 0 })
        .whereIn('task_id', ids),
    );
    await this.#sweep(now - day, signal);
  }

  /** Tasks that went with their repository took no leave of their logs. */
  async #markLost(): Promise<void> {
    const { database } = this.deps;
    const lost = database
      .knex()('action_log')
      .leftJoin('action_task', 'action_task.id', 'action_log.task_id')
      .whereNull('action_task.id')
      .whereNot('action_log.stage', 'gone')
      .select('action_log.task_id')
      .limit(1000);
    const ids = ((await lost) as { task_id: number }[]).map(({ task_id }) => task_id);
    if (ids.length === 0) return;
    await database.write(() => database.query(LogRow).patch({ stage: 'gone' }).whereIn('task_id', ids));
    await this.#markLost();
  }

  /** Logs of tasks that ended without their runner were never completed. */
  async #sealAbandoned(before: number, signal: AbortSignal): Promise<void> {
    const left = this.deps.database
      .knex()('action_log')
      .join('action_task', 'action_task.id', 'action_log.task_id')
      .where('action_log.stage', 'open')
      .whereBetween('action_task.stopped_at', [1, before])
      .select('action_log.task_id')
      .limit(1000);
    const rows = (await left) as { task_id: number }[];
    for (const { task_id } of rows) if (!signal.aborted) await this.deps.seal(task_id);
    if (rows.length && !signal.aborted) await this.#sealAbandoned(before, signal);
  }

  async #removeAll(
    stage: 'gone' | 'leaving',
    signal: AbortSignal,
    finish: (taskIds: readonly number[]) => PromiseLike<unknown>,
  ): Promise<void> {
    const { database, area } = this.deps;
    while (!signal.aborted) {
      const rows = await database.query(LogRow).select('task_id').where('stage', stage).limit(batch);
      if (rows.length === 0) return;
      const ids = rows.map(({ task_id }) => task_id);
      for (const id of ids) for await (const { key } of area.list(folderOf(id))) await area.delete(key);
      await database.write(async () => {
        await database.query(LogSegmentRow).delete().whereIn('task_id', ids);
        await database.query(LogTailRow).delete().whereIn('task_id', ids);
        await finish(ids);
      });
    }
  }

  /** Objects that no row knows, older than a day. */
  async #sweep(before: number, signal: AbortSignal): Promise<void> {
    const { database, area } = this.deps;
    let keys: string[] = [];
    const flush = async () => {
      const known = await database.query(LogSegmentRow).select('key').whereIn('key', keys);
      const stored = new Set(known.map(({ key }) => key));
      for (const key of keys) if (!stored.has(key)) await area.delete(key);
      keys = [];
    };
    for await (const { key, modifiedAt } of area.list()) {
      if (signal.aborted) return;
      if (modifiedAt < before) keys.push(key);
      if (keys.length >= batch) await flush();
    }
    if (keys.length > 0) await flush();
  }
}
