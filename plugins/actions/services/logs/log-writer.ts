import { Problem, type Database, type Jobs } from '@mortise/plugin-sdk';
import { packLog, removeLogs, type ReportedLogRow } from '../../contract/logs.js';
import { LogRow, type LogStage } from '../../models/log.js';
import { LogTailRow } from '../../models/log-tail.js';
import { AnnotationParser } from '../annotations/annotation-parser.js';
import type { Annotations } from '../annotations/annotations.js';
import { lineOf } from './lines.js';

/** Bytes of one row of the tail. */
const chunkSize = 1024 * 1024;
/** A tail that is longer is moved to the storage. */
export const tailSize = 1024 * 1024;
/** One that is longer, because that lags behind, is moved before more is taken. */
const maxTail = 16 * 1024 * 1024;
/** Line numbers of the protocol that a log can have. */
const maxLines = 1_000_000_000;
const batch = 500;

interface LogWriterDeps {
  readonly database: Database;
  readonly jobs: Jobs;
  /** Bytes of plain text that are kept of one log. */
  readonly maxBytes: number;
  /** What lines say of files. */
  readonly annotations: Pick<Annotations, 'add'>;
  /** Moves the tail to the storage. */
  pack(taskId: number): Promise<void>;
  /** Called after each commit that adds to a log or ends it. */
  changed(taskId: number, lines: number, isSealed: boolean): void;
}

const sealed = () => new Problem('conflict', 'The log of this task is complete.');
/** What stands for all that goes beyond the limit. */
const limitNote = (bytes: number) => `The log is larger than ${bytes} bytes; what follows is not kept.`;

/** Takes in what runners send. The row of the log is held during each change, so that two senders add nothing twice. */
export class LogWriter {
  constructor(private readonly deps: LogWriterDeps) {}

  async append(
    taskId: number,
    rows: readonly ReportedLogRow[],
    { index, noMore }: { readonly index: number; readonly noMore: boolean },
  ): Promise<number> {
    if (!Number.isSafeInteger(index) || index < 0 || index + rows.length > maxLines)
      throw new Problem('bad_request', 'The number of the first line is out of range.');
    const { database } = this.deps;
    const before = await database.query(LogRow).findById(taskId);
    if (before && Number(before.bytes) - Number(before.packed_bytes) > maxTail) await this.deps.pack(taskId);
    const state = await database.write(() => this.#add(taskId, rows, index, noMore, before === undefined));
    if (state.isChanged) this.deps.changed(taskId, state.lines, state.isSealed);
    return state.lines;
  }

  async #add(taskId: number, rows: readonly ReportedLogRow[], index: number, noMore: boolean, isFirst: boolean) {
    const log = await this.#lockLog(taskId, isFirst);
    const fresh = index > log.lines ? [] : rows.slice(log.lines - index);
    const unchanged = { lines: log.lines, isSealed: log.stage !== 'open', isChanged: false };
    if (index > log.lines) return unchanged;
    if (log.stage !== 'open') {
      if (fresh.length > 0) throw sealed();
      return unchanged;
    }
    if (fresh.length === 0 && !noMore) return unchanged;
    const kept = await this.#store(log, fresh);
    const parser = new AnnotationParser(log.stop_token);
    const said = fresh.flatMap(({ content }, at) => parser.read(content, log.lines + at) ?? []);
    await this.deps.annotations.add(taskId, said);
    const next = {
      lines: log.lines + fresh.length,
      kept_lines: log.kept_lines + kept.lines,
      bytes: Number(log.bytes) + kept.bytes,
      stop_token: parser.stopToken,
      stage: noMore ? ('sealed' as const) : log.stage,
      updated_at: Date.now(),
    };
    await this.deps.database.query(LogRow).patch(next).where('task_id', taskId);
    if (noMore || next.bytes - Number(log.packed_bytes) > tailSize) await this.#enqueue(taskId);
    return { lines: next.lines, isSealed: noMore, isChanged: true };
  }

  /**
   * Inside a transaction: locks the row until its end. MariaDB lets several wait for a row that is
   * missing, or for one whose insert is ignored, and then for each other: the first to come insert it, or take it, at once.
   */
  async #lockLog(taskId: number, isFirst: boolean): Promise<LogRow> {
    const { database } = this.deps;
    const find = () => {
      const query = database.query(LogRow).findById(taskId);
      return database.engine === 'mysql' ? query.forUpdate() : query;
    };
    const known = isFirst ? undefined : await find();
    if (known) return known;
    await database
      .knex()('action_log')
      .insert({ task_id: taskId, stage: 'open', updated_at: Date.now() })
      .onConflict('task_id')
      .merge(['task_id']);
    return (await find())!;
  }

  /** Writes lines to the tail, in pieces; at the limit a note takes the place of the first line that does not fit. */
  async #store(log: LogRow, rows: readonly ReportedLogRow[]): Promise<{ lines: number; bytes: number }> {
    const kept = { lines: 0, bytes: 0 };
    if (log.kept_lines < log.lines) return kept;
    let [waiting, size]: [Buffer[], number] = [[], 0];
    const flush = async () => {
      if (waiting.length === 0) return;
      const first_line = log.kept_lines + kept.lines - waiting.length;
      const row = {
        task_id: log.task_id,
        first_line,
        lines: waiting.length,
        bytes: size,
        data: Buffer.concat(waiting),
      };
      await this.deps.database.query(LogTailRow).insert(row);
      [waiting, size] = [[], 0];
    };
    for (const row of rows) {
      const line = lineOf(row);
      const fits = Number(log.bytes) + kept.bytes + line.length <= this.deps.maxBytes;
      const added = fits ? line : lineOf({ time: row.time, content: limitNote(this.deps.maxBytes) });
      if (size + added.length > chunkSize) await flush();
      waiting.push(added);
      size += added.length;
      kept.lines++;
      kept.bytes += added.length;
      if (!fits) break;
    }
    await flush();
    return kept;
  }

  async seal(taskId: number): Promise<void> {
    const { database } = this.deps;
    await database.write(async () => {
      const log = await database.query(LogRow).findById(taskId);
      const open: LogStage = 'open';
      const ended = await database
        .query(LogRow)
        .patch({ stage: 'sealed', updated_at: Date.now() })
        .where({ task_id: taskId, stage: open });
      if (!log || ended === 0) return;
      await this.#enqueue(taskId);
      database.afterCommit(() => this.deps.changed(taskId, log.lines, true));
    });
  }

  async forget(taskIds: readonly number[]): Promise<void> {
    const { database, jobs } = this.deps;
    await database.write(async () => {
      let found = 0;
      for (let at = 0; at < taskIds.length; at += batch)
        found += await database
          .query(LogRow)
          .patch({ stage: 'gone', updated_at: Date.now() })
          .whereIn('task_id', taskIds.slice(at, at + batch));
      if (found > 0) await jobs.enqueue(removeLogs, {}, { uniqueKey: 'actions.removeLogs' });
    });
  }

  async #enqueue(taskId: number): Promise<void> {
    await this.deps.jobs.enqueue(packLog, { taskId }, { uniqueKey: `actions.packLog.${taskId}` });
  }
}
