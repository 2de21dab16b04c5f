import { createReadStream } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { join, normalize } from 'node:path';
import type { Readable } from 'node:stream';
import type { Database, SourceRow, StorageArea, TakeoverContext } from '@mortise/plugin-sdk';
import { isFinal } from '../contract/states.js';
import { LogRow } from '../models/log.js';
import { LogSegmentRow } from '../models/log-segment.js';
import { LogTailRow } from '../models/log-tail.js';
import { compress } from '../services/logs/compression.js';
import { folderOf } from '../services/logs/log-packer.js';
import { unpacked } from './zstd-file.js';

/** Bytes of plain text of one object in the storage. */
const segmentBytes = 4 * 1024 * 1024;

type NewSegment = Pick<
  LogSegmentRow,
  'task_id' | 'first_line' | 'lines' | 'bytes' | 'stored_bytes' | 'key' | 'packing' | 'frames'
>;

export interface LogTakeoverDeps {
  readonly database: Database;
  readonly area: StorageArea;
  readonly packing: LogSegmentRow['packing'];
  /** Bytes of plain text that are kept of one log. */
  readonly maxBytes: number;
}

/** Brings logs of tasks: text or zstd there, segments here. */
export class LogTakeover {
  constructor(private readonly deps: LogTakeoverDeps) {}

  /** A log that has fewer lines here than there comes again; one that has gone on here stays. */
  async take(row: SourceRow, context: TakeoverContext): Promise<void> {
    const taskId = row.number('id');
    const lines = row.number('log_length');
    const stage = row.flag('log_expired') ? 'expired' : isFinal(row.number('status')) ? 'sealed' : 'open';
    const before = await this.deps.database.query(LogRow).findById(taskId);
    if (before ? before.stage === stage && before.lines >= lines : lines === 0 && stage !== 'expired') return;
    if (before && before.stage !== 'open') return;
    if (stage === 'expired') return this.#store(taskId, { stage, lines, segments: [] });
    const file = await this.#open(row, context);
    if (file) await this.#store(taskId, { stage, ...(await this.#segments(taskId, file)) });
  }

  /** For the comparison: whether the log has come with all of its lines. */
  async differences(row: SourceRow, context: TakeoverContext): Promise<readonly string[]> {
    const lines = row.number('log_length');
    if (lines === 0 || row.flag('log_expired')) return [];
    const stored = await this.deps.database.query(LogRow).findById(row.number('id'));
    if (stored && stored.lines >= lines) return [];
    const file = await this.#open(row, context);
    file?.destroy();
    return file ? ['its log is missing or shorter'] : [];
  }

  /** While a job runs, its log lies in the database, as plain text whatever the name of its file. */
  async #open(row: SourceRow, context: TakeoverContext): Promise<Readable | undefined> {
    const name = normalize(row.text('log_filename'));
    if (name === '.' || name.startsWith('..')) return undefined;
    const stored = row.flag('log_in_storage') ? undefined : await context.databaseFile(`actions_log/${name}`);
    if (stored) return stored;
    const path = join(context.folder('actions_log'), name);
    const isFile = await lstat(path).then(
      (file) => file.isFile(),
      () => false,
    );
    if (isFile) return name.endsWith('.zst') ? unpacked(path) : createReadStream(path);
    context.report(`the log of task ${row.number('id')} cannot be read`);
    return undefined;
  }

  /** Whole lines, some megabytes at a time. */
  async #segments(taskId: number, file: Readable): Promise<{ lines: number; segments: NewSegment[] }> {
    const segments: NewSegment[] = [];
    let waiting: Buffer[] = [];
    let [size, total, first] = [0, 0, 0];
    const flush = async (isLast: boolean) => {
      const text = Buffer.concat(waiting);
      const end = isLast ? text.length : text.lastIndexOf(10) + 1;
      const whole = text.subarray(0, end);
      waiting = end < text.length ? [text.subarray(end)] : [];
      size = text.length - end;
      if (whole.length === 0) return;
      const segment = await this.#segment(taskId, first, isLast && whole.at(-1) !== 10 ? withLineEnd(whole) : whole);
      segments.push(segment);
      first += segment.lines;
    };
    for await (const chunk of file as AsyncIterable<Buffer>) {
      waiting.push(chunk);
      size += chunk.length;
      total += chunk.length;
      // a line of so many bytes is cut: it would grow in memory
      if (size >= segmentBytes) await flush(!waiting.some((part) => part.includes(10)));
      if (total >= this.deps.maxBytes) break;
    }
    await flush(true);
    return { lines: first, segments };
  }

  async #segment(taskId: number, first: number, text: Buffer): Promise<NewSegment> {
    const { area, packing } = this.deps;
    const { content, frames } = await compress(text, first, packing);
    // the same name in each pass: one that was killed leaves nothing behind
    const key = `${folderOf(taskId)}${first}-takeover.log${packing === 'zstd' ? '.zst' : ''}`;
    await area.put(key, content);
    const lines = text.reduce((count, byte) => (byte === 10 ? count + 1 : count), 0);
    const sizes = { bytes: text.length, stored_bytes: content.length };
    return { task_id: taskId, first_line: first, lines, ...sizes, key, packing, frames };
  }

  async #store(
    taskId: number,
    { stage, lines, segments }: { stage: LogRow['stage']; lines: number; segments: readonly NewSegment[] },
  ): Promise<void> {
    const { database } = this.deps;
    const bytes = segments.reduce((sum, segment) => sum + segment.bytes, 0);
    const packed = { packed_lines: lines, packed_bytes: bytes };
    await database.write(async () => {
      await database.query(LogTailRow).delete().where('task_id', taskId);
      await database.query(LogSegmentRow).delete().where('task_id', taskId);
      await database.query(LogRow).deleteById(taskId);
      const kept = stage === 'expired' ? 0 : lines;
      await database
        .query(LogRow)
        .insert({ task_id: taskId, stage, lines, kept_lines: kept, bytes, ...packed, updated_at: Date.now() });
      for (const segment of segments) await database.query(LogSegmentRow).insert(segment);
    });
  }
}

const withLineEnd = (text: Buffer): Buffer => Buffer.concat([text, Buffer.from('\n')]);
