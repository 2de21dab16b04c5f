import { BadRequest, type Database } from '@mortise/plugin-sdk';
import type { RuntimeTask } from '@mortise/actions/api';
import type { StepSummary } from '../contract/artifacts.js';
import { SummaryRow } from '../models/step-summary.js';

/** Bytes of the summary of a step, and of all steps of a job together. */
export const maxSummary = 1024 * 1024;

/** Markdown that steps leave for the page of their run. */
export class StepSummaries {
  constructor(private readonly database: Database) {}

  /** Of a step of the job that the task runs; an empty one takes away what was there. */
  async put(task: RuntimeTask, step: number, content: Buffer): Promise<void> {
    if (step < 0 || step >= (await task.steps())) throw BadRequest('The job has no such step.');
    if (content.length > maxSummary) throw BadRequest(`A summary has at most ${maxSummary} bytes.`);
    const { database } = this;
    await database.write(async () => {
      const before = await database.query(SummaryRow).where('job_id', task.jobId);
      const others = before.filter((row) => row.step !== step).reduce((sum, { size }) => sum + size, 0);
      if (others + content.length > maxSummary)
        throw BadRequest(`The summaries of a job have at most ${maxSummary} bytes together.`);
      await database.query(SummaryRow).delete().where({ job_id: task.jobId, step });
      if (content.length === 0) return;
      await database.query(SummaryRow).insert({
        job_id: task.jobId,
        step,
        content: content.toString('utf8').toWellFormed(),
        size: content.length,
        updated_at: Date.now(),
      });
    });
  }

  /** In the order of jobs and steps, those first that have at most `maxBytes` together. */
  async ofJobs(jobIds: readonly number[], maxBytes: number): Promise<StepSummary[]> {
    if (jobIds.length === 0) return [];
    const sizes = await this.database
      .query(SummaryRow)
      .whereIn('job_id', [...jobIds])
      .orderBy(['job_id', 'step'])
      .select('id', 'size');
    let left = maxBytes;
    const ids = sizes.filter(({ size }) => (left -= size) >= 0).map(({ id }) => id);
    if (ids.length === 0) return [];
    const rows = await this.database.query(SummaryRow).whereIn('id', ids).orderBy(['job_id', 'step']);
    return rows.map(({ job_id: jobId, step, content }) => ({ jobId, step, content }));
  }
}
