import { definePoint, type Database, type PointReader } from '@mortise/plugin-sdk';
import type { ActivityEvent, ActivityEventKind, ActivityModels, ActivityTone } from '@mortise/activity-events/api';
import type { Repositories, Repository } from '@mortise/repositories/api';
import { apiStatus, runAction } from '../contract/states.js';
import { JobRow } from '../models/job.js';
import { RunRow } from '../models/run.js';
import { apiSender } from '../services/runs/api-sender.js';
import type { RunPresenter } from '../services/runs/run-presenter.js';
import type { WorkflowPresenter } from '../services/runs/workflow-presenter.js';
import { t } from '../texts/index.js';

/** How it stood when it was recorded. */
export interface RunData {
  readonly runId: number;
  readonly status: number;
  readonly attempt: number;
}

export interface JobData {
  readonly jobId: number;
  readonly runId: number;
  readonly status: number;
}

/** The model `Organization` of an owner that is one; filled by the plugin that knows them. */
interface OrganizationModels {
  model(ownerId: number): Promise<object | undefined>;
}
export const organizationModels = definePoint.many<OrganizationModels>('actions.organizationModels');

interface KindDeps {
  readonly database: Database;
  readonly models: ActivityModels;
  readonly repositories: Repositories;
  readonly presenter: RunPresenter;
  readonly workflows: WorkflowPresenter;
  readonly organizations: PointReader<OrganizationModels>;
}

const toneOf = (status: number): ActivityTone => (status === 1 ? 'positive' : status === 2 ? 'negative' : 'neutral');

async function common(repository: Repository, { models, organizations }: KindDeps, actorId: number) {
  const [organization] = (await Promise.all(organizations.list().map((one) => one.model(repository.ownerId)))).filter(
    Boolean,
  );
  return {
    ...(organization && { organization }),
    repository: await models.repository(repository),
    sender: await apiSender(models, actorId),
  };
}

/** HOK-19 */
export const runKind = (deps: KindDeps): ActivityEventKind<RunData> => ({
  key: 'workflow_run',
  label: t.later('event.run'),
  description: t.later('event.runNote'),
  group: t.later('event.group'),
  order: 200,
  async describe(one) {
    const { repository } = await deps.models.names(one);
    const found = await deps.repositories.byId(one.resource.repositoryId ?? 0);
    if (!found || runAction(one.data.status) !== 'completed') return undefined;
    return {
      title: t.later('event.runLine', {
        repository,
        title: one.resource.title,
        result: apiStatus(one.data.status).conclusion,
      }),
      url: deps.presenter.runPage(found, { id: one.data.runId }),
      tone: toneOf(one.data.status),
    };
  },
  async payload({ data, resource, actorId }) {
    const repository = await deps.repositories.byId(resource.repositoryId ?? 0);
    const run = await deps.database.query(RunRow).findById(data.runId);
    if (!run || !repository) return undefined;
    const [record] = await deps.presenter.runs([run]);
    return {
      action: runAction(data.status),
      workflow: await deps.workflows.ofRun(repository, run),
      workflow_run: { ...record, ...apiStatus(data.status) },
      ...(await common(repository, deps, actorId)),
    };
  },
});

/** HOK-18 */
export const jobKind = (deps: KindDeps): ActivityEventKind<JobData> => ({
  key: 'workflow_job',
  label: t.later('event.job'),
  description: t.later('event.jobNote'),
  group: t.later('event.group'),
  order: 210,
  async describe(one: ActivityEvent<JobData>) {
    const { repository } = await deps.models.names(one);
    const found = await deps.repositories.byId(one.resource.repositoryId ?? 0);
    if (!found || runAction(one.data.status) !== 'completed') return undefined;
    return {
      title: t.later('event.jobLine', {
        repository,
        title: one.resource.title,
        result: apiStatus(one.data.status).conclusion,
      }),
      url: `${deps.presenter.runPage(found, { id: one.data.runId })}/jobs/${one.data.jobId}`,
      tone: toneOf(one.data.status),
    };
  },
  async payload({ data, resource, actorId }) {
    const repository = await deps.repositories.byId(resource.repositoryId ?? 0);
    const job = await deps.database.query(JobRow).findById(data.jobId);
    const run = job && (await deps.database.query(RunRow).findById(job.run_id));
    if (!run || !repository) return undefined;
    const [record] = await deps.presenter.jobs([job], new Map([[run.id, run]]));
    const { status, conclusion } = apiStatus(data.status);
    return {
      action: status,
      workflow_job: { ...record, status, conclusion },
      ...(await common(repository, deps, actorId)),
    };
  },
});
