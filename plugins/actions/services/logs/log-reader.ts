import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import {
  Problem,
  type Cache,
  type Database,
  type QueryCache,
  type MemoryCache,
  type StorageArea,
} from '@mortise/plugin-sdk';
import type { LogLine, LogState } from '../../contract/logs.js';
import { LogRow } from '../../models/log.js';
import { LogSegmentRow } from '../../models/log-segment.js';
import { LogTailRow } from '../../models/log-tail.js';
import { linesOf } from './lines.js';
import { frameOf, decompress } from './compression.js';

/** Bytes of lines that are read at once. */
const maxBytes = 1024 * 1024;
const batch = 500;
/** Bytes of a log that is cached once it is whole. */
const maxWhole = 256 << 10;

/** Whole lines, one after another. */
interface LogChunk {
  readonly first: number;
  readonly lines: number;
  readonly text: Buffer;
}

/** Reads logs back, from the storage and from the tail, while one becomes the other. */
export class LogReader {
  readonly #logs: QueryCache<LogRow>;
  readonly #whole: MemoryCache<Buffer>;

  constructor(
    private readonly database: Database,
    private readonly area: StorageArea,
    cache: Pick<Cache, 'query' | 'memory'>,
  ) {
    this.#logs = cache.query('actions.logs');
    this.#whole = cache.memory('actions.whole-logs');
  }

  async states(taskIds: readonly number[]): Promise<Map<number, LogState>> {
    const states = new Map<number, LogState>();
    for (let at = 0; at < taskIds.length; at += batch) {
      const rows = await this.#rows(taskIds.slice(at, at + batch));
      for (const { task_id: taskId, lines, bytes, stage } of rows.values()) {
        if (stage === 'gone') continue;
        states.set(taskId, {
          taskId,
          lines,
          bytes: Number(bytes),
          isSealed: stage !== 'open',
          isExpired: stage === 'leaving' || stage === 'expired',
        });
      }
    }
    return states;
  }

  async read(taskId: number, { from, limit }: { readonly from: number; readonly limit: number }): Promise<LogLine[]> {
    const lines: LogLine[] = [];
    if (limit <= 0 || from < 0) return lines;
    let size = 0;
    for await (const piece of this.#chunks(taskId, from)) {
      for (const { bytes, ...line } of linesOf(piece.text, piece.first)) {
        if (line.index < from) continue;
        if (lines.length > 0 && size + bytes > maxBytes) return lines;
        lines.push(line);
        size += bytes;
        if (lines.length >= limit) return lines;
      }
    }
    return lines;
  }

  async text(taskId: number): Promise<Buffer | Readable | undefined> {
    const log = await this.#log(taskId);
    if (!log || log.kept_lines === 0) return undefined;
    const whole = await this.#wholeOf(log);
    if (whole) return whole;
    const pieces = this.#chunks(taskId, 0, true);
    const first = await pieces.next();
    if (first.done) return undefined;
    async function* all(): AsyncGenerator<Buffer> {
      yield (first.value as LogChunk).text;
      for await (const { text } of pieces) yield text;
    }
    return Readable.from(all(), { objectMode: false });
  }

  async #log(taskId: number): Promise<LogRow | undefined> {
    const log = (await this.#rows([taskId])).get(taskId);
    return log?.stage === 'open' || log?.stage === 'sealed' ? log : undefined;
  }

  #rows(taskIds: readonly number[]): Promise<Map<number, LogRow>> {
    return this.#logs.loadMany(taskIds, async (missing) => {
      const rows = await this.database.query(LogRow).whereIn('task_id', [...missing]);
      return new Map(rows.map((row) => [row.task_id, row]));
    });
  }

  /** A short log to which nothing comes any more; undefined: it is long, still written, or partly gone. */
  async #wholeOf({ task_id: taskId, stage, bytes, kept_lines: lines }: LogRow): Promise<Buffer | undefined> {
    if (stage !== 'sealed' || Number(bytes) > maxWhole) return undefined;
    const key = `${taskId} ${lines} ${bytes}`;
    const known = this.#whole.get(key);
    if (known) return known;
    const pieces: LogChunk[] = [];
    for await (const piece of this.#chunksBetween(taskId, { from: 0, end: lines, all: true })) pieces.push(piece);
    if (pieces.reduce((sum, piece) => sum + piece.lines, 0) !== lines) return undefined;
    const whole = Buffer.concat(pieces.map(({ text }) => text));
    this.#whole.set(key, whole, { size: whole.length + 200 });
    return whole;
  }

  /**
   * From the piece that holds the line to what was the end when it began; `all`: what follows will be wanted too.
   */
  async *#chunks(taskId: number, from: number, all = false): AsyncGenerator<LogChunk, void, undefined> {
    const log = await this.#log(taskId);
    const end = log?.kept_lines ?? 0;
    if (from >= end) return;
    const whole = await this.#wholeOf(log!);
    if (whole) yield { first: 0, lines: end, text: whole };
    else yield* this.#chunksBetween(taskId, { from, end, all });
  }

  async *#chunksBetween(
    taskId: number,
    { from, end, all }: { readonly from: number; readonly end: number; readonly all: boolean },
  ): AsyncGenerator<LogChunk, void, undefined> {
    // What is neither here nor there has just been moved; what is still nowhere then was removed.
    for (let [line, misses] = [from, 0]; line < end && misses < 3;) {
      const before = line;
      const tail = await this.#tail(taskId, line);
      if (tail) {
        yield tail;
        line = tail.first + tail.lines;
      } else {
        for await (const piece of this.#segment(taskId, line, all)) {
          yield piece;
          line = piece.first + piece.lines;
        }
      }
      misses = line === before ? misses + 1 : 0;
    }
  }

  async #tail(taskId: number, line: number): Promise<LogChunk | undefined> {
    const row = await this.database
      .query(LogTailRow)
      .where('task_id', taskId)
      .where('first_line', '<=', line)
      .orderBy('first_line', 'desc')
      .first();
    return row && line < row.first_line + row.lines
      ? { first: row.first_line, lines: row.lines, text: row.data }
      : undefined;
  }

  /** The rest of the segment that holds the line, frame by frame. */
  async *#segment(taskId: number, line: number, all: boolean): AsyncGenerator<LogChunk, void, undefined> {
    const segment = await this.database
      .query(LogSegmentRow)
      .where('task_id', taskId)
      .where('first_line', '<=', line)
      .orderBy('first_line', 'desc')
      .first();
    if (!segment || line >= segment.first_line + segment.lines) return;
    const { frames, packing, stored_bytes } = segment;
    const from = frameOf(frames, line);
    const start = frames[from]![2];
    try {
      const rest = all ? await this.#stored(segment, start, stored_bytes) : undefined;
      for (let at = from; at < frames.length; at++) {
        const [first, , offset] = frames[at]!;
        const [next, , end] = frames[at + 1] ?? [segment.first_line + segment.lines, 0, stored_bytes];
        const stored = rest?.subarray(offset - start, end - start) ?? (await this.#stored(segment, offset, end));
        yield { first, lines: next - first, text: await decompress(stored, packing) };
      }
    } catch (error) {
      // it was moved or removed in the meantime
      if (!Problem.is(error) || error.code !== 'not_found') throw error;
    }
  }

  async #stored({ key }: LogSegmentRow, start: number, end: number): Promise<Buffer> {
    return buffer((await this.area.get(key, { start, end: end - 1 })).stream);
  }
}
