import { apiTime, defineRoute, Joi, pagingQuery, reply, type Database, type Route, pageOf } from '@mortise/plugin-sdk';
import { repositoryApi, repositoryResource, repositoryTags, type Repositories } from '@mortise/repositories/api';
import { statusName } from '../contract/states.js';
import { JobRow } from '../models/job.js';
import { RunRow } from '../models/run.js';
import { TaskRow } from '../models/task.js';

const taskSchema = Joi.object({
  id: Joi.number().integer().required(),
  name: Joi.string().allow('').required(),
  head_branch: Joi.string().allow('').required(),
  head_sha: Joi.string().required(),
  run_number: Joi.number().integer().required(),
  event: Joi.string().required(),
  display_title: Joi.string().allow('').required(),
  status: Joi.string().required(),
  workflow_id: Joi.string().required(),
  url: Joi.string().required(),
  created_at: Joi.string().isoDate().required(),
  updated_at: Joi.string().isoDate().required(),
  run_started_at: Joi.string().isoDate().required(),
}).label('ActionTask');

const listSchema = Joi.object({
  workflow_runs: Joi.array().items(taskSchema).required(),
  total_count: Joi.number().integer().required(),
}).label('ActionTaskResponse');

/** `refs/heads/main` → `main`, `refs/pull/12/head` → `#12`. */
function prettyRef(ref: string): string {
  const pull = /^refs\/pull\/(\d+)\/(?:head|merge)$/.exec(ref);
  return pull ? `#${pull[1]}` : ref.replace(/^refs\/(?:heads|tags)\//, '');
}

interface Deps {
  readonly database: Database;
  readonly repositories: Repositories;
}

/** What runners have done and do in a repository. */
export const taskRoutes = ({ database, repositories }: Deps): readonly Route[] => [
  defineRoute({
    method: 'GET',
    path: `${repositoryApi}/actions/tasks`,
    id: 'ListActionTasks',
    tags: repositoryTags,
    summary: 'List the tasks of a repository',
    access: { actor: 'anyone', scope: 'repository', resource: repositoryResource, unit: 'actions' },
    request: {
      params: Joi.object({ owner: Joi.string().required(), repo: Joi.string().required() }),
      query: Joi.object(pagingQuery),
    },
    responses: { 200: listSchema },
    async handler({ resource: { repository }, page }) {
      const query = database.query(TaskRow).where('repository_id', repository.id).orderBy('id', 'desc');
      const { rows, total } = await pageOf(query, page);
      const runs = await database.query(RunRow).findByIds([...new Set(rows.map((row) => row.run_id))]);
      const jobs = await database.query(JobRow).findByIds([...new Set(rows.map((row) => row.job_id))]);
      const runOf = new Map(runs.map((run) => [run.id, run]));
      const jobOf = new Map(jobs.map((job) => [job.id, job]));
      const html = repositories.htmlUrl(repository);
      const tasks = rows.map((task) => {
        const run = runOf.get(task.run_id);
        return {
          id: task.id,
          name: jobOf.get(task.job_id)?.name ?? '',
          head_branch: prettyRef(run?.ref ?? ''),
          head_sha: task.commit_sha,
          run_number: run?.number ?? 0,
          event: run?.trigger_event ?? '',
          display_title: run?.title ?? '',
          status: statusName(task.status),
          workflow_id: run?.workflow_id ?? '',
          url: `${html}/actions/runs/${task.run_id}`,
          created_at: apiTime(Number(task.created_at)),
          updated_at: apiTime(Number(task.updated_at)),
          run_started_at: apiTime(Number(task.started_at)),
        };
      });
      const answer = reply.list([], total);
      answer.body = { workflow_runs: tasks, total_count: total };
      return answer;
    },
  }),
];
