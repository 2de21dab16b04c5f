import { jobsChanged, runChanged } from '../../contract/events.js';
import { apiStatus, runAction, statusNumbers } from '../../contract/states.js';
import type { NewActivityEvent } from '@mortise/activity-events/api';
import type { StatusState } from '@mortise/commit-status/api';
import { repositoryHome, type Repository } from '@mortise/repositories/api';
import type { JobData, RunData } from '../../events/kinds.js';
import type { JobRow } from '../../models/job.js';
import type { RunRow } from '../../models/run.js';
import { actionsUserId, type RunDeps } from './run-deps.js';
import { contextName } from './job-writer.js';
import type { RunState } from './run-state.js';

const { success, failure, cancelled, skipped, waiting, running, blocked, cancelling } = statusNumbers;

const commitStates: Readonly<Record<number, StatusState>> = {
  [success]: 'success',
  [failure]: 'failure',
  [cancelled]: 'failure',
  [skipped]: 'skipped',
  [waiting]: 'pending',
  [running]: 'pending',
  [blocked]: 'pending',
  [cancelling]: 'pending',
};

/** `1h2m3s`, as people know it from the compatible service. */
function durationText(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return `${hours ? `${hours}h` : ''}${hours || minutes ? `${minutes}m` : ''}${seconds % 60}s`;
}

function statusDescription(job: JobRow): string {
  const lasted = durationText(
    Number(job.started_at) && Number(job.stopped_at) ? Number(job.stopped_at) - Number(job.started_at) : 0,
  );
  switch (job.status) {
    case success:
      return `Successful in ${lasted}`;
    case failure:
      return job.problem ? job.problem.slice(0, 250) : `Failing after ${lasted}`;
    case cancelled:
      return `Canceled after ${lasted}`;
    case skipped:
      return 'Skipped';
    case running:
      return 'In progress';
    case cancelling:
      return 'Canceling';
    case waiting:
      return 'Waiting to run';
    default:
      return 'Blocked by required conditions';
  }
}

/** What precedes the contexts of a scoped run. */
export const scopePrefix = (source: Repository | undefined, sourceId: number): string =>
  source ? `${source.ownerName}/${source.name}: ` : `scoped:${sourceId}: `;

/** `{workflow} / {job} ({event})`, at most 255 characters; `job` is its {@link contextName}. */
export const statusContext = (prefix: string, workflow: string, job: string, event: string): string =>
  `${prefix}${workflow} / ${job} (${event})`.slice(0, 255);

/** Publishes the status of runs and jobs: as commit statuses and as events. */
export class RunNotifier {
  constructor(
    private readonly deps: Pick<RunDeps, 'activityEvents' | 'events' | 'repositories' | 'site' | 'statuses'>,
  ) {}

  async notify(state: RunState): Promise<void> {
    const { run, attempt } = state;
    const changed = state.jobs.filter((job) => state.changedJobs.has(job.id));
    const where = { repositoryId: run.repository_id, runId: run.id };
    if (changed.length > 0) {
      await this.#postStatuses(state, changed);
      const jobs = changed.map(({ id, status }) => ({ id, status }));
      await this.deps.events.emit(jobsChanged, { ...where, jobs });
    }
    const isChanged = run.status !== state.previousStatus || state.isNew;
    if (isChanged) {
      const before = state.isNew ? 0 : state.previousStatus;
      await this.deps.events.emit(runChanged, { ...where, attempt: attempt.number, status: run.status, before });
    }
    const isNewAction = isChanged && (state.isNew || runAction(run.status) !== runAction(state.previousStatus));
    await this.#record(run, attempt.number, isNewAction, changed);
  }

  /** `workflow_run` when that begins or ends, `workflow_job` with each change. */
  async #record(run: RunRow, attempt: number, isNewAction: boolean, jobs: readonly JobRow[]): Promise<void> {
    const common = { repositoryId: run.repository_id, unit: 'actions' };
    const actorId = run.trigger_user_id;
    const list: NewActivityEvent[] = jobs.map(({ id, name, status }) => ({
      kind: 'workflow_job',
      action: apiStatus(status).status,
      resource: { ...common, id, title: name },
      actorId,
      data: { jobId: id, runId: run.id, status } satisfies JobData,
    }));
    if (isNewAction)
      list.unshift({
        kind: 'workflow_run',
        action: runAction(run.status),
        resource: { ...common, id: run.id, index: run.number, title: run.title },
        actorId,
        data: { runId: run.id, status: run.status, attempt } satisfies RunData,
      });
    await this.deps.activityEvents.record(list);
  }

  /** Prefix of the contexts of a run's statuses; empty but of scoped ones. */
  async prefixOf(run: Pick<RunRow, 'is_scoped_run' | 'workflow_repo_id'>): Promise<string> {
    if (!run.is_scoped_run) return '';
    return scopePrefix(await this.deps.repositories.byId(run.workflow_repo_id), run.workflow_repo_id);
  }

  async #postStatuses(state: RunState, jobs: readonly JobRow[]): Promise<void> {
    const { repositories, site, statuses } = this.deps;
    const { run } = state;
    if (!run.status_sha) return;
    const repository = await repositories.byId(run.repository_id);
    if (!repository) return;
    const known = (await statuses.latest(run.repository_id, [run.status_sha])).get(run.status_sha) ?? [];
    const latest = new Map(known.map((one) => [one.context, one]));
    // a path: the site may move
    const [prefix, home] = [await this.prefixOf(run), repositoryHome(site, repository)];
    const workflow = run.workflow_name || run.workflow_id;
    for (const job of jobs) {
      const context = statusContext(prefix, workflow, contextName(job), run.trigger_event);
      const status = {
        state: commitStates[job.status] ?? ('error' as const),
        description: statusDescription(job),
        targetUrl: `${home}/actions/runs/${run.id}/jobs/${job.id}`,
      };
      const last = latest.get(context);
      if (
        last?.state === status.state &&
        last.targetUrl === status.targetUrl &&
        last.description === status.description
      )
        continue;
      await statuses.create({
        repositoryId: run.repository_id,
        sha: run.status_sha,
        context,
        creatorId: actionsUserId,
        ...status,
      });
    }
  }
}
