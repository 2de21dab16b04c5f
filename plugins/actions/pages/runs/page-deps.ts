import { NotFound, type Database, type RouteContext, type Site } from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import {
  repositoryHome,
  repositoryResource,
  type RepositoryContext,
  type Repositories,
  type RepositoryAccess,
  type RepositoryPages,
} from '@mortise/repositories/api';
import type { TaskLogs } from '../../contract/logs.js';
import type { RunPageSection } from '../../contract/run-page-sections.js';
import type { Runners } from '../../contract/runners.js';
import { JobRow } from '../../models/job.js';
import type { RunRow } from '../../models/run.js';
import type { Annotations } from '../../services/annotations/annotations.js';
import type { DeploymentReviews } from '../../services/deployments/deployment-reviews.js';
import type { ReviewingTeams } from '../../services/deployments/reviewing-teams.js';
import type { WorkflowDispatcher } from '../../services/runs/workflow-dispatcher.js';
import type { Lifecycle } from '../../services/runs/lifecycle.js';
import type { RerunService } from '../../services/runs/rerun-service.js';
import type { ScopedWorkflows } from '../../services/runs/scoped-workflows.js';
import type { DisabledWorkflows } from '../../services/runs/disabled-workflows.js';
import type { WorkflowPresenter } from '../../services/runs/workflow-presenter.js';
import type { WorkflowFiles } from '../../services/runs/workflow-files.js';
import type { RunReader } from './run-reader.js';

export interface RunPageDeps {
  readonly database: Database;
  readonly site: Site;
  readonly pages: RepositoryPages;
  readonly repositories: Repositories;
  readonly access: RepositoryAccess;
  readonly reader: RunReader;
  readonly logs: TaskLogs;
  readonly runners: Runners;
  readonly lifecycle: Lifecycle;
  readonly reruns: RerunService;
  readonly dispatcher: WorkflowDispatcher;
  readonly disabledWorkflows: DisabledWorkflows;
  readonly scoped: ScopedWorkflows;
  readonly workflows: WorkflowPresenter;
  readonly files: WorkflowFiles;
  readonly accounts: Accounts;
  readonly reviews: DeploymentReviews;
  readonly teams: ReviewingTeams;
  readonly annotations: Annotations;
  /** What other plugins show of runs, in their order. */
  readonly sections: () => readonly RunPageSection[];
}

export type Context = RouteContext<RepositoryContext>;
export const root = '/{owner}/{repo}/actions';
export const readPage = { actor: 'anyone', resource: repositoryResource, unit: 'actions' } as const;
export const writePage = { ...readPage, actor: 'user', mode: 'write' } as const;
export const administer = { ...readPage, actor: 'user', mode: 'admin' } as const;

export const baseOf = ({ site }: Pick<RunPageDeps, 'site'>, { resource }: Pick<Context, 'resource'>): string =>
  `${repositoryHome(site, resource.repository)}/actions`;

export const param = (context: Context, name: string): string =>
  String((context.params as Record<string, unknown>)[name] ?? '');

/** The run of an address that has it by id. */
export async function runOf({ reader }: Pick<RunPageDeps, 'reader'>, context: Context): Promise<RunRow> {
  const { row } = await reader.run(context.resource.repository.id, param(context, 'run'), { id: true, index: false });
  return row;
}

export async function jobOf({ database }: Pick<RunPageDeps, 'database'>, run: RunRow, text: string): Promise<JobRow> {
  const job = /^\d{1,15}$/.test(text) ? await database.query(JobRow).findById(Number(text)) : undefined;
  if (job?.run_id !== run.id) throw NotFound('job');
  return job;
}

/** Link to the workflow file of a run at its commit; undefined where the reader may not read it, or it is gone. */
export async function workflowPage(
  { site, repositories, access }: Pick<RunPageDeps, 'site' | 'repositories' | 'access'>,
  { actor, resource }: Pick<Context, 'actor' | 'resource'>,
  run: RunRow,
): Promise<string | undefined> {
  const isOwn = run.workflow_repo_id === resource.repository.id;
  const source = isOwn ? resource.repository : await repositories.byId(run.workflow_repo_id);
  const rights = isOwn || !source ? resource : await access.context(actor, source);
  if (!source || !rights.may('read', 'code')) return undefined;
  const path = run.workflow_path.split('/').map(encodeURIComponent).join('/');
  return `${repositoryHome(site, source)}/src/commit/${run.workflow_commit_sha || run.commit_sha}/${path}`;
}
