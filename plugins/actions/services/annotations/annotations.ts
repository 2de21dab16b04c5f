import type { Database } from '@mortise/plugin-sdk';
import { AnnotationRow } from '../../models/annotation.js';
import type { JobRow } from '../../models/job.js';
import { RunRow } from '../../models/run.js';
import { TaskRow } from '../../models/task.js';
import { taskOf } from '../logs/log-archive.js';
import type { ParsedAnnotation } from './annotation-parser.js';

/** Of one task; what a job says beyond that stands in its log alone. */
const maxOfTask = 50;
/** Those that a page shows. */
const maxShown = 500;
const maxPaths = 200;

/** What jobs say of files and lines. */
export class Annotations {
  constructor(private readonly deps: { readonly database: Database }) {}

  /** In the transaction that stores the lines. */
  async add(taskId: number, found: readonly ParsedAnnotation[]): Promise<void> {
    if (found.length === 0) return;
    const { database } = this.deps;
    const task = await database.query(TaskRow).findById(taskId);
    const run = task && (await database.query(RunRow).findById(task.run_id));
    if (!task || !run) return;
    const room = maxOfTask - (await database.query(AnnotationRow).where('task_id', taskId).resultSize());
    const shared = {
      ...{ repository_id: run.repository_id, run_id: run.id, task_id: taskId, created_at: Date.now() },
      commit_sha: run.status_sha || run.commit_sha,
    };
    for (const one of found.slice(0, Math.max(0, room)))
      await database.query(AnnotationRow).insert({ ...shared, ...one });
  }

  /** Of the jobs of an attempt, in the order of their logs. */
  async ofJobs(jobs: readonly JobRow[]): Promise<AnnotationRow[]> {
    const tasks = jobs.map(taskOf).filter(Boolean);
    if (tasks.length === 0) return [];
    return this.deps.database.query(AnnotationRow).whereIn('task_id', tasks).orderBy('id').limit(maxShown);
  }

  /** About these files at a commit, by the newest attempts of runs. */
  async ofFiles(repositoryId: number, commit: string, paths: readonly string[]): Promise<AnnotationRow[]> {
    if (paths.length === 0) return [];
    const { database } = this.deps;
    const isNewest = database
      .knex()('action_job as job')
      .join('action_run as run', (on) =>
        on.on('run.id', 'job.run_id').andOn('run.latest_attempt_id', 'job.run_attempt_id'),
      )
      .select('job.id')
      .whereRaw('run.id = action_annotation.run_id')
      .whereRaw('action_annotation.task_id in (job.task_id, job.source_task_id)');
    return database
      .query(AnnotationRow)
      .where({ repository_id: repositoryId, commit_sha: commit })
      .whereIn('path', paths.slice(0, maxPaths))
      .whereExists(isNewest)
      .orderBy('id')
      .limit(maxShown);
  }
}
