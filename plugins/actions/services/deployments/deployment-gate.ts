import type { Database, Events, Jobs } from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import { addressOutput, matchesPatterns, WorkflowError } from '../../workflow/index.js';
import { deploymentWaiting } from '../../contract/deployments.js';
import { isFinal, statusNumbers } from '../../contract/states.js';
import { DeploymentRow } from '../../models/deployment.js';
import { EnvironmentRow } from '../../models/environment.js';
import type { JobRow } from '../../models/job.js';
import { OutputRow } from '../../models/output.js';
import type { RunRow } from '../../models/run.js';
import { splitRef } from '../runs/github-context.js';
import { resumeRun } from '../runs/job-definitions.js';
import type { RunState } from '../runs/run-state.js';
import { asksForReview } from './reviewing-teams.js';

/** Environments of one repository: workflows make those that they name. */
export const maxEnvironments = 100;
const maxUrl = 2000;

/** When its wait is over, milliseconds since 1970 UTC. */
export const opensAt = (
  environment: Pick<EnvironmentRow, 'wait_minutes'>,
  deployment: Pick<DeploymentRow, 'created_at'>,
): number => Number(deployment.created_at) + environment.wait_minutes * 60_000;

/** Lets jobs begin that deploy to an environment, as its rules allow. Inside the transaction of the run; only SQL. */
export class DeploymentGate {
  constructor(
    private readonly deps: {
      readonly database: Database;
      readonly events: Events;
      readonly jobs: Jobs;
      readonly accounts: Accounts;
    },
  ) {}

  /** False: the job waits for a review or for time to pass. Throws `WorkflowError` where it may not begin at all. */
  async admits(state: RunState, job: JobRow): Promise<boolean> {
    const environment = await this.#environment(state.run, job);
    if (!environment) return true;
    const { database, events, jobs } = this.deps;
    const known = await database.query(DeploymentRow).findOne({ job_id: job.id });
    const deployment = known ?? (await this.#create(state, job, environment));
    checkBranch(environment, state.run.ref);
    if (deployment.review === 'rejected') throw new WorkflowError(await this.#refusal(environment, deployment));
    const opens = opensAt(environment, deployment);
    if (opens > Date.now()) {
      const options = { runAt: opens, uniqueKey: `${resumeRun.id}:${deployment.id}` };
      await jobs.enqueue(resumeRun, { runId: state.run.id }, options);
    }
    const needsReview = asksForReview(environment) && deployment.review !== 'approved';
    if (needsReview && !known) await events.emit(deploymentWaiting, { deploymentId: deployment.id });
    return !needsReview && opens <= Date.now();
  }

  /** The environment that the job names; made where there is none, though not for what comes from elsewhere. */
  async #environment(run: RunRow, job: JobRow): Promise<EnvironmentRow | undefined> {
    const { database } = this.deps;
    const key = { repository_id: run.repository_id, lower_name: job.environment.toLowerCase() };
    const find = async () => database.query(EnvironmentRow).findOne(key);
    const known = await find();
    if (known || (run.is_fork && run.trigger_event !== 'pull_request_target')) return known;
    const count = await database.query(EnvironmentRow).where('repository_id', run.repository_id).resultSize();
    if (count >= maxEnvironments) throw new WorkflowError(`a repository has at most ${maxEnvironments} environments`);
    const now = Date.now();
    const empty = { reviewers: '[]', branch_patterns: '[]', prevents_self_review: false, wait_minutes: 0 };
    await database
      .knex()('action_environment')
      .insert({ ...key, ...empty, name: job.environment, created_at: now, updated_at: now })
      .onConflict(['repository_id', 'lower_name'])
      .merge(['lower_name']);
    return find();
  }

  async #create({ run, attempt }: RunState, job: JobRow, environment: EnvironmentRow): Promise<DeploymentRow> {
    const now = Date.now();
    return this.deps.database.query(DeploymentRow).insertAndFetch({
      repository_id: run.repository_id,
      environment_id: environment.id,
      run_id: run.id,
      attempt: attempt.number,
      job_id: job.id,
      creator_id: attempt.trigger_user_id,
      ref: run.ref,
      commit_sha: run.commit_sha,
      status: job.status,
      review: 'pending',
      comment: '',
      created_at: now,
      updated_at: now,
    });
  }

  async #refusal({ name }: EnvironmentRow, deployment: DeploymentRow): Promise<string> {
    const reviewer = (await this.deps.accounts.byId(deployment.reviewer_id))?.name ?? 'ghost';
    return `${reviewer} rejected the deployment to ${name}${deployment.comment && `: ${deployment.comment}`}`;
  }

  /** Deployments get the status of their jobs, and the address that the runner reported. */
  async record(state: RunState): Promise<void> {
    const { database } = this.deps;
    for (const id of state.changedJobs) {
      const job = state.job(id);
      if (!job?.environment) continue;
      const output =
        isFinal(job.status) && job.task_id
          ? await database.query(OutputRow).findOne({ task_id: job.task_id, output_key: addressOutput })
          : undefined;
      const url = webAddress(output?.output_value);
      await database
        .query(DeploymentRow)
        .where({ job_id: job.id })
        .patch({ status: job.status, updated_at: Date.now(), ...(url && { url }) });
    }
  }
}

function checkBranch({ name, branch_patterns: patterns }: EnvironmentRow, ref: string): void {
  if (patterns.length === 0) return;
  const { name: short, type } = splitRef(ref);
  const isNamed = type === 'branch' || type === 'tag';
  if (!isNamed || !matchesPatterns(patterns, short))
    throw new WorkflowError(
      `${isNamed ? short : ref} may not be deployed to ${name}: its rules name other branches and tags`,
    );
}

/** Empty for what a browser should not open. */
function webAddress(text: string | undefined): string {
  if (!text || text.length > maxUrl || !URL.canParse(text)) return '';
  const url = new URL(text);
  return (url.protocol === 'https:' || url.protocol === 'http:') && url.href.length <= maxUrl ? url.href : '';
}

/** Of jobs that wait for a review or for time to pass. */
export const waitingStatus = statusNumbers.blocked;
