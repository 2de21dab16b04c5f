import type { QueryBuilder } from 'objection';
import type { Model } from '@mortise/plugin-sdk';
import { openStatuses, statusNumbers } from '../../contract/states.js';
import { JobRow } from '../../models/job.js';
import { AttemptRow } from '../../models/attempt.js';
import { RunRow } from '../../models/run.js';
import type { RunDeps } from './run-deps.js';

const { running, cancelling, waiting, blocked } = statusNumbers;
const pendingStatuses = [waiting, blocked];
const activeStatuses = [running, cancelling];

/** A member of a group, or one that is about to join. */
interface GroupEntry {
  readonly repositoryId: number;
  readonly group: string;
  readonly cancelInProgress: boolean;
  readonly runId: number;
  /** A job; undefined: the run as a whole. */
  readonly jobId?: number;
  /** Not approved yet: it replaces only what waits for approval as well. */
  readonly isUnapproved?: boolean;
}

interface Replaced {
  readonly runIds: readonly number[];
  readonly jobs: readonly { readonly id: number; readonly runId: number }[];
}

/** Members of concurrency groups: runs (by their newest attempts) and jobs. Only SQL. */
export class ConcurrencyGroups {
  constructor(private readonly deps: Pick<RunDeps, 'database'>) {}

  /** Members that a new entry replaces: a run replaces runs and jobs, a job replaces jobs. */
  async replacedBy({
    repositoryId,
    group,
    cancelInProgress,
    runId,
    jobId,
    isUnapproved,
  }: GroupEntry): Promise<Replaced> {
    const { database } = this.deps;
    const among = (query: QueryBuilder<Model>) => {
      const unapproved = database
        .query(RunRow)
        .where({ repository_id: repositoryId, need_approval: true })
        .select('id');
      if (isUnapproved) void query.whereIn('run_id', unapproved);
    };
    const statuses = cancelInProgress ? openStatuses : pendingStatuses;
    const where = { repository_id: repositoryId, concurrency_group: group };
    const runs = jobId
      ? []
      : await database
          .query(AttemptRow)
          .where(where)
          .whereIn('status', statuses)
          .whereNot('run_id', runId)
          .modify(among)
          .select('run_id');
    const jobs = await database
      .query(JobRow)
      .where(where)
      .whereIn('status', statuses)
      .where((query) => void (jobId ? query.whereNot('id', jobId) : query.whereNot('run_id', runId)))
      .modify(among)
      .select('id', 'run_id');
    return {
      runIds: [...new Set(runs.map((one) => one.run_id))],
      jobs: jobs.map((one) => ({ id: one.id, runId: one.run_id })),
    };
  }

  /** Does another member run? */
  async isBusy({ repositoryId, group, runId, jobId }: Omit<GroupEntry, 'cancelInProgress'>): Promise<boolean> {
    const { database } = this.deps;
    const where = { repository_id: repositoryId, concurrency_group: group };
    const run = await database
      .query(AttemptRow)
      .where(where)
      .whereIn('status', activeStatuses)
      .whereNot('run_id', runId)
      .select('id')
      .first();
    if (run) return true;
    const job = await database
      .query(JobRow)
      .where(where)
      .whereIn('status', activeStatuses)
      .where((query) => void (jobId ? query.whereNot('id', jobId) : query.whereNot('run_id', runId)))
      .select('id')
      .first();
    return Boolean(job);
  }

  /** Runs that may go on when the group is free: those that it holds back, and those of whose jobs it holds back one. */
  async blockedRuns(repositoryId: number, group: string): Promise<{ heldRuns: number[]; runsOfJobs: number[] }> {
    const { database } = this.deps;
    const where = { repository_id: repositoryId, concurrency_group: group, status: blocked };
    const runs = await database
      .query(AttemptRow)
      .where({ ...where, is_held: true })
      .orderBy('id')
      .limit(10);
    const jobs = await database.query(JobRow).where(where).orderBy('id').limit(10).select('run_id');
    return { heldRuns: runs.map((one) => one.run_id), runsOfJobs: [...new Set(jobs.map((one) => one.run_id))] };
  }
}
