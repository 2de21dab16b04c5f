import type { Database } from '@mortise/plugin-sdk';
import { statusNumbers } from '../../contract/states.js';
import { JobRow } from '../../models/job.js';
import { AttemptRow } from '../../models/attempt.js';
import { RunRow } from '../../models/run.js';

/** Locks the run in a transaction; undefined: it is gone. */
export async function lockRun(database: Database, runId: number): Promise<RunRow | undefined> {
  const query = database.query(RunRow).findById(runId);
  return database.engine === 'mysql' ? query.forUpdate() : query;
}

/** The newest attempt; undefined of runs from before there were attempts. */
export const latestAttempt = (database: Database, run: RunRow): Promise<AttemptRow | undefined> =>
  Promise.resolve(database.query(AttemptRow).findById(run.latest_attempt_id));

/** Jobs of an attempt, in their order. */
export const jobsOf = (database: Database, runId: number, attemptId: number): Promise<JobRow[]> =>
  Promise.resolve(database.query(JobRow).where({ run_id: runId, run_attempt_id: attemptId }).orderBy('id'));

/**
 * Inserts many rows; few at once, since engines bound what one statement may hold. `again`: of rows that are there, by a
 * unique key, some columns are set.
 */
export async function insertInBatches(
  database: Database,
  table: string,
  rows: readonly object[],
  again?: { readonly key: readonly string[]; readonly sets: readonly string[] },
): Promise<void> {
  const size = 20;
  for (let at = 0; at < rows.length; at += size) {
    const query = database
      .knex()(table)
      .insert(rows.slice(at, at + size));
    await (again ? query.onConflict([...again.key]).merge([...again.sets]) : query);
  }
}

const { running, cancelling, waiting } = statusNumbers;
/** A job that takes a place of its group or of `max-parallel`. */
export const isActive = (status: number): boolean => status === running || status === cancelling;
export const isQueuedOrActive = (status: number): boolean => isActive(status) || status === waiting;
