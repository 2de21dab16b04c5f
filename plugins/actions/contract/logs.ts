import type { Readable } from 'node:stream';
import { defineJob, defineService } from '@mortise/plugin-sdk';

/** A row of a log as runners send it; `time` has the shape of protobuf's Timestamp. */
export interface ReportedLogRow {
  readonly time?: { readonly seconds: bigint | number; readonly nanos: number } | undefined;
  /** Without its line end. Line breaks inside become the two characters `\n`; what is longer than 64 KiB is cut. */
  readonly content: string;
}

/** A line that is read back. */
export interface LogLine {
  /** From 0, over all of the task's log. */
  readonly index: number;
  /** Seconds since 1970 UTC, with fractions. */
  readonly timestamp: number;
  readonly message: string;
}

/** What is known of the log of a task. */
export interface LogState {
  readonly taskId: number;
  /** Lines that the runner was told are stored. */
  readonly lines: number;
  /** Bytes of the plain text. */
  readonly bytes: number;
  readonly isSealed: boolean;
  /** Its content was removed for its age. */
  readonly isExpired: boolean;
}

/** Logs of tasks. A task that never sent a row has none. */
export interface TaskLogs {
  /**
   * Takes rows from a runner whose task it is (the caller has checked that); they are durable when it resolves. Opens a
   * transaction of its own. A gap stores nothing, lines that are known are passed over. Gives the number of lines stored.
   * Throws `conflict` for new rows of a log that is sealed.
   */
  append(
    taskId: number,
    rows: readonly ReportedLogRow[],
    options: { readonly index: number; readonly noMore: boolean },
  ): Promise<number>;
  /** Ends the log of a task that ended otherwise than by its runner. Repeatable; joins an open transaction. */
  seal(taskId: number): Promise<void>;
  /** By task; tasks without a log are left out. One query. */
  states(taskIds: readonly number[]): Promise<Map<number, LogState>>;
  /** Lines `from` and following: as many as asked for, fewer at the end and when they are longer than 1 MiB together. */
  read(taskId: number, range: { readonly from: number; readonly limit: number }): Promise<LogLine[]>;
  /** The plain text as it stands now, a long one as a stream; undefined when there is none, or none any more. */
  text(taskId: number): Promise<Buffer | Readable | undefined>;
  /** With the deletion of runs, in its transaction: the content follows by a job. */
  forget(taskIds: readonly number[]): Promise<void>;
  /** Notifies the account of added lines for a minute, on the channel `actions-log`. */
  watch(taskId: number, userId: number): void;
}
export const taskLogs = defineService<TaskLogs>('actions.logs');

/** Moves received log lines from the database to the storage. */
export const packLog = defineJob<{ readonly taskId: number }>('actions.packLog');
/** Removes the content of logs of deleted runs. */
export const removeLogs = defineJob<Record<string, never>>('actions.removeLogs');
/** Removes expired logs, and content without a log. */
export const cleanUpLogs = defineJob<Record<string, never>>('actions.cleanUpLogs');
