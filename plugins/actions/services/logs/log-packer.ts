import { randomBytes } from 'node:crypto';
import type { Database, Locks, StorageArea } from '@mortise/plugin-sdk';
import { LogRow } from '../../models/log.js';
import { LogSegmentRow } from '../../models/log-segment.js';
import { LogTailRow } from '../../models/log-tail.js';
import { compress } from './compression.js';
import { tailSize } from './log-writer.js';

/** Bytes of plain text of one object in the storage; the last one of a log is smaller. */
const segmentSize = 4 * 1024 * 1024;

/** Folder of a task: no folder holds the logs of all. */
export const folderOf = (taskId: number) => `${(taskId % 256).toString(16).padStart(2, '0')}/${taskId}/`;

interface LogPackerDeps {
  readonly database: Database;
  readonly locks: Locks;
  readonly area: StorageArea;
  readonly packing: LogSegmentRow['packing'];
}

/**
 * Moves lines from the tail to the storage. An object gets a unique name and counts from the commit on that stores its
 * lines out of the tail; killed in between it leaves an object that the nightly job removes.
 */
export class LogPacker {
  constructor(private readonly deps: LogPackerDeps) {}

  async pack(taskId: number): Promise<void> {
    await this.deps.locks.hold(
      `actions.log.${taskId}`,
      async (lock) => {
        while (!lock.signal.aborted && (await this.#next(taskId, () => lock.check())));
      },
      { waitMs: 120_000 },
    );
  }

  /** One segment; false when what is left stays in the tail. */
  async #next(taskId: number, check: () => Promise<void>): Promise<boolean> {
    const { database, area, packing } = this.deps;
    const log = await database.query(LogRow).findById(taskId);
    const waiting = log ? Number(log.bytes) - Number(log.packed_bytes) : 0;
    if (!log || waiting === 0 || (log.stage === 'open' ? waiting <= tailSize : log.stage !== 'sealed')) return false;
    const rows = await this.#tail(taskId, log.packed_lines);
    const last = rows.at(-1);
    if (!last) return false;
    const text = Buffer.concat(rows.map(({ data }) => data));
    const { content, frames } = await compress(text, log.packed_lines, packing);
    const key = `${folderOf(taskId)}${log.packed_lines}-${randomBytes(6).toString('hex')}.log${packing === 'zstd' ? '.zst' : ''}`;
    await area.put(key, content);
    const end = last.first_line + last.lines;
    await database.write(async () => {
      await check();
      await database.query(LogSegmentRow).insert({
        task_id: taskId,
        first_line: log.packed_lines,
        lines: end - log.packed_lines,
        bytes: text.length,
        stored_bytes: content.length,
        key,
        packing,
        frames,
      });
      await database.query(LogTailRow).delete().where('task_id', taskId).where('first_line', '<', end);
      await database
        .query(LogRow)
        .patch({ packed_lines: end, packed_bytes: Number(log.packed_bytes) + text.length })
        .where('task_id', taskId);
    });
    return true;
  }

  async #tail(taskId: number, from: number): Promise<LogTailRow[]> {
    const { database } = this.deps;
    const rows: LogTailRow[] = [];
    let size = 0;
    for (let next = from; ;) {
      const row = await database.query(LogTailRow).findOne({ task_id: taskId, first_line: next });
      if (!row || (rows.length > 0 && size + row.bytes > segmentSize)) return rows;
      rows.push(row);
      size += row.bytes;
      next += row.lines;
    }
  }
}
