import { Readable } from 'node:stream';
import type { Database } from '@mortise/plugin-sdk';
import type { TaskLogs } from '../../contract/logs.js';
import { JobRow } from '../../models/job.js';
import type { RunRow } from '../../models/run.js';
import { zipStream } from '../zip.js';

/** What a file may be called, from what people call workflows and jobs. */
const plain = (text: string) => text.replace(/[\u0000-\u001f\u007f"*/:<>?\\|]/g, '_').slice(0, 100);
/** The file of the workflow, without its ending. */
const workflowOf = ({ workflow_id }: RunRow) => plain(workflow_id.replace(/(?<=.)\..*$/, ''));

/** A result that was taken over from an earlier attempt has the log of that attempt. */
export const taskOf = (job: Pick<JobRow, 'task_id' | 'source_task_id'>): number => job.task_id || job.source_task_id;

/** `{workflow}-{job}-{task}.log` */
export const logFileOf = (run: RunRow, job: JobRow): string =>
  `${workflowOf(run)}-${plain(job.name)}-${taskOf(job)}.log`;

/** The logs of all jobs of an attempt as one file; undefined: there is none. */
export async function logArchive(
  { database, logs }: { readonly database: Database; readonly logs: TaskLogs },
  run: RunRow,
  attemptId = run.latest_attempt_id,
): Promise<{ readonly name: string; readonly content: Readable } | undefined> {
  const jobs = await database
    .query(JobRow)
    .where({ run_id: run.id, run_attempt_id: attemptId, is_reusable_caller: false })
    .orderBy('id');
  const states = await logs.states(jobs.map(taskOf));
  const there = jobs.filter((job) => {
    const state = states.get(taskOf(job));
    return state && !state.isExpired && state.lines > 0;
  });
  if (there.length === 0) return undefined;
  const content = zipStream(
    there.map((job) => ({
      name: logFileOf(run, job),
      modifiedAt: Number(job.stopped_at) || Number(job.updated_at),
      async open() {
        const text = await logs.text(taskOf(job));
        return Buffer.isBuffer(text) ? Readable.from([text], { objectMode: false }) : text;
      },
    })),
  );
  return { name: `${workflowOf(run)}-run-${run.id}-logs.zip`, content };
}
