import { contentDisposition, defineRoute, Joi, NotFound, reply, type Database, type Route } from '@mortise/plugin-sdk';
import { repositoryResource } from '@mortise/repositories/api';
import type { TaskLogs } from '../contract/logs.js';
import { JobRow } from '../models/job.js';
import { RunRow } from '../models/run.js';
import { zipStream } from '../services/zip.js';

const base = '/api/v1/repos/{owner}/{repo}/actions';
const tags = ['repository'];
const read = { actor: 'anyone', scope: 'repository', resource: repositoryResource, unit: 'actions' } as const;
const id = Joi.number().integer().required();

/** What a file may be called, from what people call workflows and jobs. */
const plain = (text: string) => text.replace(/[\u0000-\u001f\u007f"*/:<>?\\|]/g, '_').slice(0, 100);
/** The file of the workflow, without its ending. */
const workflowOf = ({ workflow_id }: RunRow) => plain(workflow_id.replace(/(?<=.)\..*$/, ''));
const fileOf = (run: RunRow, job: JobRow) => `${workflowOf(run)}-${plain(job.name)}-${taskOf(job)}.log`;
/** A result that was taken over from an earlier attempt has the log of that attempt. */
const taskOf = (job: JobRow) => job.task_id || job.source_task_id;

export interface LogRouteParts {
  readonly database: Database;
  readonly logs: TaskLogs;
}

/** ACT-45, ACT-65: logs as files. */
export function logRoutes({ database, logs }: LogRouteParts): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: `${base}/jobs/{job_id}/logs`,
      id: 'downloadActionsRunJobLogs',
      tags,
      summary: 'The log of a job as text (ACT-65)',
      access: { ...read, actor: 'user' },
      request: { params: Joi.object<{ readonly job_id: number }>({ job_id: id }) },
      responses: { 200: Joi.any() },
      async handler({ resource, params }) {
        const job = await database.query(JobRow).findOne({ id: params.job_id, repository_id: resource.repository.id });
        const run = job && (await database.query(RunRow).findById(job.run_id));
        const text = run && taskOf(job) > 0 ? await logs.text(taskOf(job)) : undefined;
        if (!text) throw NotFound('log');
        return reply
          .bytes(text, 'text/plain; charset=utf-8')
          .header('content-disposition', contentDisposition('attachment', fileOf(run!, job!)))
          .header('x-content-type-options', 'nosniff');
      },
    }),
    defineRoute({
      method: 'GET',
      path: `${base}/runs/{run}/logs`,
      id: 'downloadActionsRunLogs',
      tags,
      summary: 'The logs of all jobs of the latest attempt as an archive (ACT-45)',
      access: read,
      request: { params: Joi.object<{ readonly run: number }>({ run: id }) },
      responses: { 200: Joi.any() },
      async handler({ resource, params }) {
        const run = await database.query(RunRow).findOne({ id: params.run, repository_id: resource.repository.id });
        if (!run) throw NotFound('run');
        const jobs = await database
          .query(JobRow)
          .where({ run_id: run.id, run_attempt_id: run.latest_attempt_id, is_reusable_caller: false })
          .orderBy('id');
        const states = await logs.states(jobs.map(taskOf));
        const there = jobs.filter((job) => {
          const state = states.get(taskOf(job));
          return state && !state.isExpired && state.lines > 0;
        });
        if (there.length === 0) throw NotFound('log');
        const archive = zipStream(
          there.map((job) => ({
            name: fileOf(run, job),
            modifiedAt: Number(job.stopped_at) || Number(job.updated_at),
            open: () => logs.text(taskOf(job)),
          })),
        );
        return reply
          .bytes(archive, 'application/zip')
          .header('content-disposition', contentDisposition('attachment', `${workflowOf(run)}-run-${run.id}-logs.zip`));
      },
    }),
  ];
}
