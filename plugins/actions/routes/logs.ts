import {
  contentDisposition,
  defineRoute,
  Joi,
  NotFound,
  reply,
  type Cache,
  type Database,
  type Route,
} from '@mortise/plugin-sdk';
import { repositoryResource } from '@mortise/repositories/api';
import type { TaskLogs } from '../contract/logs.js';
import { JobRow } from '../models/job.js';
import { RunRow } from '../models/run.js';
import { logArchive, logFileOf, taskOf } from '../services/logs/log-archive.js';

const base = '/api/v1/repos/{owner}/{repo}/actions';
const tags = ['repository'];
const read = { actor: 'anyone', scope: 'repository', resource: repositoryResource, unit: 'actions' } as const;
const id = Joi.number().integer().required();

/** Whose log a job has, and what its file is called. */
interface JobLog {
  readonly task: number;
  readonly file: string;
}

interface LogRouteDeps {
  readonly database: Database;
  readonly cache: Pick<Cache, 'query'>;
  readonly logs: TaskLogs;
}

/** ACT-45, ACT-65: logs as files. */
export function logRoutes({ database, cache, logs }: LogRouteDeps): Route[] {
  const known = cache.query<JobLog>('actions.job-logs');
  const logOf = (repositoryId: number, jobId: number): Promise<JobLog> =>
    known.load(`${repositoryId} ${jobId}`, async () => {
      const job = await database.query(JobRow).findOne({ id: jobId, repository_id: repositoryId });
      const run = job && (await database.query(RunRow).findById(job.run_id));
      if (!run) throw NotFound('log');
      return { task: taskOf(job), file: logFileOf(run, job) };
    });
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
        const { task, file } = await logOf(resource.repository.id, params.job_id);
        const text = task > 0 ? await logs.text(task) : undefined;
        if (!text) throw NotFound('log');
        return reply
          .bytes(text, 'text/plain; charset=utf-8')
          .header('content-disposition', contentDisposition('attachment', file))
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
        const archive = await logArchive({ database, logs }, run);
        if (!archive) throw NotFound('log');
        return reply
          .bytes(archive.content, 'application/zip')
          .header('content-disposition', contentDisposition('attachment', archive.name));
      },
    }),
  ];
}
