import {
  BadRequest,
  defineRoute,
  NotFound,
  reply,
  type Database,
  type ResponseCache,
  type Reply,
  type Route,
  type RouteContext,
} from '@mortise/plugin-sdk';
import { repositoryApi, repositoryResource, repositoryTags, type RepositoryContext } from '@mortise/repositories/api';
import { JobRow } from '../../models/job.js';
import { AttemptRow } from '../../models/attempt.js';
import { RunRow } from '../../models/run.js';
import type { Lifecycle } from '../../services/runs/lifecycle.js';
import type { RunQueries, ListScope } from '../../services/runs/run-queries.js';
import type { RunPresenter } from '../../services/runs/run-presenter.js';
import type { RerunSelection, RerunService } from '../../services/runs/rerun-service.js';
import type { DisabledWorkflows } from '../../services/runs/disabled-workflows.js';
import {
  jobListSchema,
  jobQuery,
  jobSchema,
  runListSchema,
  runQuery,
  runSchema,
  type JobQuery,
  type RunQuery,
} from './schemas.js';

export interface RunRouteDeps {
  readonly database: Database;
  readonly runQueries: RunQueries;
  readonly presenter: RunPresenter;
  readonly lifecycle: Lifecycle;
  readonly reruns: RerunService;
  readonly disabledWorkflows: DisabledWorkflows;
  /** What the API answers, while nothing in it changes. */
  readonly responses: ResponseCache;
}

const base = `${repositoryApi}/actions`;
const tags = repositoryTags;
const unit = { scope: 'repository', resource: repositoryResource, unit: 'actions' } as const;
const readable = { actor: 'anyone', ...unit } as const;
export const read = { actor: 'user', ...unit } as const;
export const write = { actor: 'user', ...unit, mode: 'write' } as const;

type RepositoryRunContext<P = unknown> = RouteContext<RepositoryContext, P>;

/** What the path names: a number, or nothing that there is. */
const idOf = (text: string): number => (/^\d{1,15}$/.test(text) ? Number(text) : -1);

/** Which jobs of a run: those of its newest attempt, or of the one with this number. */
interface JobsOf {
  readonly run: string;
  readonly attempt?: string;
}

/** The run of a path. NotFound where there is none, or it belongs to another repository. */
export async function runIn(database: Database, repositoryId: number, id: string): Promise<RunRow> {
  const run = await database.query(RunRow).findById(idOf(id));
  if (run?.repository_id !== repositoryId) throw NotFound('run');
  return run;
}

/** Finds runs and jobs for the routes, and answers with their records, cached until they change. */
export class RunAnswers {
  constructor(readonly deps: RunRouteDeps) {}

  async run({ resource, params }: RepositoryRunContext<{ readonly run: string }>): Promise<RunRow> {
    return runIn(this.deps.database, resource.repository.id, params.run);
  }

  /** `attempt`: its number; absent: as the run stands now. */
  one({ resource, params }: RepositoryRunContext<{ readonly run: string; readonly attempt?: string }>) {
    const { id } = resource.repository;
    return this.deps.responses.one(JSON.stringify(['run', id, params.run, params.attempt]), async () => {
      const run = await runIn(this.deps.database, id, params.run);
      const attempt = params.attempt === undefined ? undefined : await this.attempt(run, params.attempt);
      const [record] = await this.deps.presenter.runs([run], attempt ? { attempt } : {});
      if (!record) throw NotFound('run');
      return record;
    });
  }

  job({ resource, params }: RepositoryRunContext<{ readonly job_id: string }>) {
    const { id } = resource.repository;
    return this.deps.responses.one(JSON.stringify(['job', id, params.job_id]), async () => {
      const row = await this.deps.database.query(JobRow).findById(idOf(params.job_id));
      if (row?.repository_id !== id) throw NotFound('job');
      const [record] = await this.jobs([row]);
      if (!record) throw NotFound('job');
      return record;
    });
  }

  listRuns(
    place: ListScope,
    { query, page, actor }: RouteContext<unknown, unknown, RunQuery>,
    workflowId?: string,
  ): Promise<Reply> {
    const { runQueries, presenter, responses } = this.deps;
    const filter = {
      ...query,
      ...(workflowId !== undefined && { workflowId, sourceId: query.scoped_workflow_source_repo_id ?? 0 }),
    };
    const key = JSON.stringify(['runs', runQueries.keyOf(place, actor), filter, page.limit, page.offset]);
    return responses.counted('workflow_runs', key, async () => {
      const { rows, total } = await runQueries.runs(place, filter, page, actor);
      const withoutPulls = query.exclude_pull_requests ?? false;
      return { items: await presenter.runs(rows, { withoutPulls }), total };
    });
  }

  listJobs(
    place: ListScope,
    { query, page, actor }: Pick<RouteContext<unknown, unknown, JobQuery>, 'query' | 'page' | 'actor'>,
  ): Promise<Reply> {
    const { runQueries, responses } = this.deps;
    const key = JSON.stringify(['jobs', runQueries.keyOf(place, actor), query, page.limit, page.offset]);
    return responses.counted('jobs', key, async () => {
      const { rows, total } = await runQueries.jobs(place, query, page, actor);
      return { items: await this.jobs(rows), total };
    });
  }

  jobsOfRun(
    { resource, query, page, actor }: RouteContext<RepositoryContext, unknown, JobQuery>,
    of: JobsOf,
  ): Promise<Reply> {
    const { runQueries, responses } = this.deps;
    const place = { repositoryId: resource.repository.id };
    const key = JSON.stringify(['jobs of', place, of.run, of.attempt, query, page.limit, page.offset]);
    return responses.counted('jobs', key, async () => {
      const run = await runIn(this.deps.database, place.repositoryId, of.run);
      const attemptId = of.attempt === undefined ? run.latest_attempt_id : (await this.attempt(run, of.attempt)).id;
      const { rows, total } = await runQueries.jobs(place, { ...query, runId: run.id, attemptId }, page, actor);
      return { items: await this.jobs(rows), total };
    });
  }

  async jobs(rows: readonly JobRow[]) {
    const runs = await this.deps.database.query(RunRow).findByIds([...new Set(rows.map((row) => row.run_id))]);
    return this.deps.presenter.jobs(rows, new Map(runs.map((run) => [run.id, run])));
  }

  async attempt(run: RunRow, number: string): Promise<AttemptRow> {
    const row = await this.deps.database.query(AttemptRow).findOne({ run_id: run.id, number: idOf(number) });
    if (!row) throw NotFound('attempt');
    return row;
  }

  async record(run: RunRow) {
    const fresh = await this.deps.database.query(RunRow).findById(run.id);
    return (await this.deps.presenter.runs([fresh ?? run]))[0];
  }

  async rerun(context: RepositoryRunContext<{ readonly run: string }>, which: RerunSelection) {
    const run = await this.run(context);
    const off = await this.deps.disabledWorkflows.of(run.repository_id);
    const source = run.is_scoped_run ? run.workflow_repo_id : 0;
    if (off.has(this.deps.disabledWorkflows.key(source, run.workflow_id))) throw BadRequest('workflow is disabled');
    return this.deps.reruns.rerun(run, which, context.actor.id);
  }
}

/** What these routes share. */
function runContext(deps: RunRouteDeps) {
  const responses = new RunAnswers(deps);
  const { lifecycle } = deps;
  const action = (
    name: 'cancel' | 'force-cancel' | 'approve',
    id: string,
    summary: string,
    act: (run: RunRow, userId: number) => Promise<unknown>,
  ) =>
    defineRoute({
      method: 'POST',
      path: `${base}/runs/{run}/${name}`,
      id,
      tags,
      summary,
      access: write,
      responses: { 200: runSchema, 409: null },
      async handler(context) {
        const run = await responses.run(context);
        await act(run, context.actor.id);
        return responses.record(run);
      },
    });
  return { responses, lifecycle, action, deps };
}

type RunRouteContext = ReturnType<typeof runContext>;

const getWorkflowRuns = ({ responses }: RunRouteContext) =>
  defineRoute({
    method: 'GET',
    path: `${base}/runs`,
    id: 'getWorkflowRuns',
    tags,
    summary: 'Runs of a repository, newest first',
    access: read,
    request: { query: runQuery },
    responses: { 200: runListSchema, 400: null },
    handler: (context) => responses.listRuns({ repositoryId: context.resource.repository.id }, context),
  });

const getWorkflowRun = ({ responses }: RunRouteContext) =>
  defineRoute({
    method: 'GET',
    path: `${base}/runs/{run}`,
    id: 'GetWorkflowRun',
    tags,
    summary: 'One run',
    access: readable,
    responses: { 200: runSchema },
    handler: (context) => responses.one(context),
  });

const deleteActionRun = ({ lifecycle, responses }: RunRouteContext) =>
  defineRoute({
    method: 'DELETE',
    path: `${base}/runs/{run}`,
    id: 'deleteActionRun',
    tags,
    summary: 'Delete a run that has ended, with everything of it',
    access: write,
    responses: { 204: null, 400: null },
    async handler(context) {
      await lifecycle.delete((await responses.run(context)).id);
      return reply.none();
    },
  });

const forceCancelWorkflowRun = ({ action, lifecycle }: RunRouteContext) =>
  action('force-cancel', 'forceCancelWorkflowRun', 'Cancel a run without waiting for its runners', (run) =>
    lifecycle.cancel(run.id, { force: true }),
  );

const approveWorkflowRun = ({ action, lifecycle }: RunRouteContext) =>
  action('approve', 'approveWorkflowRun', 'Let the run of a pull request from elsewhere begin', (run, userId) =>
    lifecycle.approve(run.id, userId),
  );

const rerunWorkflowRun = ({ responses }: RunRouteContext) =>
  defineRoute({
    method: 'POST',
    path: `${base}/runs/{run}/rerun`,
    id: 'rerunWorkflowRun',
    tags,
    summary: 'Run all jobs of a run again',
    access: write,
    responses: { 201: runSchema, 400: null, 409: null },
    async handler(context) {
      const { run } = await responses.rerun(context, { what: 'all' });
      return reply.created(await responses.record(run));
    },
  });

const rerunFailedWorkflowRun = ({ responses }: RunRouteContext) =>
  defineRoute({
    method: 'POST',
    path: `${base}/runs/{run}/rerun-failed-jobs`,
    id: 'rerunFailedWorkflowRun',
    tags,
    summary: 'Run the failed jobs of a run again, and what depends on them',
    access: write,
    responses: { 201: null, 400: null, 409: null },
    async handler(context) {
      await responses.rerun(context, { what: 'failed' });
      return reply.empty(201);
    },
  });

const rerunWorkflowJob = ({ deps, responses }: RunRouteContext) =>
  defineRoute({
    method: 'POST',
    path: `${base}/runs/{run}/jobs/{job_id}/rerun`,
    id: 'rerunWorkflowJob',
    tags,
    summary: 'Run one job again, and what depends on it',
    access: write,
    responses: { 201: jobSchema, 400: null, 409: null },
    async handler(context) {
      const before = await deps.database.query(JobRow).findById(idOf(context.params.job_id));
      const { jobs } = await responses.rerun(context, { what: 'job', jobId: idOf(context.params.job_id) });
      const job = jobs.find((one) => one.attempt_job_id === before?.attempt_job_id);
      return reply.created(job && (await responses.jobs([job]))[0]);
    },
  });

const listWorkflowRunJobs = ({ responses }: RunRouteContext) =>
  defineRoute({
    method: 'GET',
    path: `${base}/runs/{run}/jobs`,
    id: 'listWorkflowRunJobs',
    tags,
    summary: 'Jobs of the newest attempt of a run',
    access: readable,
    request: { query: jobQuery },
    responses: { 200: jobListSchema, 400: null },
    handler(context) {
      if (idOf(context.params.run) < 1) throw BadRequest('run must be a number above 0');
      return responses.jobsOfRun(context, { run: context.params.run });
    },
  });

const getWorkflowRunAttempt = ({ responses }: RunRouteContext) =>
  defineRoute({
    method: 'GET',
    path: `${base}/runs/{run}/attempts/{attempt}`,
    id: 'getWorkflowRunAttempt',
    tags,
    summary: 'One attempt of a run',
    access: readable,
    responses: { 200: runSchema },
    handler: (context) => responses.one(context),
  });

const listWorkflowRunAttemptJobs = ({ responses }: RunRouteContext) =>
  defineRoute({
    method: 'GET',
    path: `${base}/runs/{run}/attempts/{attempt}/jobs`,
    id: 'listWorkflowRunAttemptJobs',
    tags,
    summary: 'Jobs of one attempt of a run',
    access: readable,
    request: { query: jobQuery },
    responses: { 200: jobListSchema, 400: null },
    handler: (context) => responses.jobsOfRun(context, context.params),
  });

const listWorkflowJobs = ({ responses }: RunRouteContext) =>
  defineRoute({
    method: 'GET',
    path: `${base}/jobs`,
    id: 'listWorkflowJobs',
    tags,
    summary: 'Jobs of a repository',
    access: read,
    request: { query: jobQuery },
    responses: { 200: jobListSchema, 400: null },
    handler: (context) => responses.listJobs({ repositoryId: context.resource.repository.id }, context),
  });

const getWorkflowJob = ({ responses }: RunRouteContext) =>
  defineRoute({
    method: 'GET',
    path: `${base}/jobs/{job_id}`,
    id: 'getWorkflowJob',
    tags,
    summary: 'One job',
    access: read,
    responses: { 200: jobSchema },
    handler: (context) => responses.job(context),
  });

/** Runs of a repository, their attempts and jobs (ACT-37 to ACT-46, ACT-63, ACT-64). */
export function runRoutes(deps: RunRouteDeps): Route[] {
  const context = runContext(deps);
  const { action, lifecycle } = context;
  return [
    getWorkflowRuns(context),
    getWorkflowRun(context),
    deleteActionRun(context),
    action('cancel', 'cancelWorkflowRun', 'Cancel a run', (run) => lifecycle.cancel(run.id, { force: false })),
    forceCancelWorkflowRun(context),
    approveWorkflowRun(context),
    rerunWorkflowRun(context),
    rerunFailedWorkflowRun(context),
    rerunWorkflowJob(context),
    listWorkflowRunJobs(context),
    getWorkflowRunAttempt(context),
    listWorkflowRunAttemptJobs(context),
    listWorkflowJobs(context),
    getWorkflowJob(context),
  ];
}
