import type { Repository } from '@mortise/repositories/api';
import { aggregateNeed, type Contexts, type NeedResult, type Result, type Value } from '../../workflow/index.js';
import { isFinal, statusName } from '../../contract/states.js';
import type { JobRow } from '../../models/job.js';
import type { AttemptRow } from '../../models/attempt.js';
import type { RunRow } from '../../models/run.js';
import { githubContext, type GithubContextInput } from './github-context.js';
import { actionsUserId, actionsUserName, type RunDeps } from './run-deps.js';
import type { RunState } from './run-state.js';

type Plain = Readonly<Record<string, Value>>;

/** What the `github` context is made of. */
interface ContextInput {
  readonly run: GithubContextInput['run'] & Pick<RunRow, 'trigger_user_id'>;
  readonly attempt: Pick<AttemptRow, 'number' | 'trigger_user_id'>;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly job?: JobRow | undefined;
  readonly inputs?: Plain | undefined;
}

const isCall = (job: JobRow): boolean => job.is_reusable_caller && job.is_expanded;

/** Calls among these jobs whose outputs are still to be computed. */
export async function callsWithoutOutputs(state: RunState, jobs: readonly JobRow[]): Promise<readonly JobRow[]> {
  const calls = jobs.filter(isCall);
  const made = await state.callOutputs(calls);
  return calls.filter(({ id }) => !made.has(id));
}

/** What expressions about the jobs of a run see; only SQL. */
export class ContextBuilder {
  constructor(private readonly deps: RunDeps) {}

  async nameOf(userId: number): Promise<string> {
    if (userId === actionsUserId) return actionsUserName;
    return (await this.deps.accounts.byId(userId))?.name ?? 'ghost';
  }

  async github(state: RunState, repository: Repository, job?: JobRow): Promise<Plain> {
    const { run, attempt } = state;
    const inputs = job && (await this.inputs(state, job));
    return this.githubOf({ run, attempt, payload: await state.payload(), job, inputs }, repository);
  }

  /** Of a run that need not be stored yet. */
  async githubOf({ run, attempt, payload, job, inputs }: ContextInput, repository: Repository): Promise<Plain> {
    const { site, settings, repositories } = this.deps;
    return githubContext({
      run,
      attempt: attempt.number,
      repository,
      htmlUrl: repositories.htmlUrl(repository),
      rootUrl: site.rootUrl,
      defaultActionsUrl: settings.DEFAULT_ACTIONS_URL === 'self' ? site.rootUrl : 'https://github.com',
      actor: await this.nameOf(run.trigger_user_id),
      triggeringActor: await this.nameOf(attempt.trigger_user_id),
      payload,
      ...(job && { jobId: job.job_id }),
      ...(inputs && { inputs }),
    });
  }

  /** What the workflow that the job is of was called with; undefined: it was not called. */
  async inputs(state: RunState, job: Pick<JobRow, 'parent_job_id'>): Promise<Plain | undefined> {
    if (!job.parent_job_id) return undefined;
    const row = await state.jobPayload(job.parent_job_id);
    return (row?.call_payload?.inputs ?? {}) as Plain;
  }

  /** Without `needs`. */
  async of(state: RunState, repository: Repository, job: JobRow): Promise<Contexts> {
    const [github, vars, called] = [
      await this.github(state, repository, job),
      await this.deps.environment.variablesOf(repository),
      await this.inputs(state, job),
    ];
    const inputs = called ?? ((await state.inputs()) as Plain);
    const { matrix, strategy } = job;
    return { github, vars, inputs, matrix: matrix as Plain, ...(strategy && { strategy: strategy as Plain }) };
  }

  /**
   * How the jobs among the siblings of one have ended, by their ids. Outputs are read of those alone that are `wanted`;
   * those of calls have been made before ({@link callsWithoutOutputs}).
   */
  async ended(
    state: RunState,
    of: Pick<JobRow, 'parent_job_id'>,
    wanted: readonly string[],
  ): Promise<ReadonlyMap<string, NeedResult>> {
    const groups = new Map<string, JobRow[]>();
    for (const one of state.siblings(of)) groups.set(one.job_id, [...(groups.get(one.job_id) ?? []), one]);
    const result = new Map<string, NeedResult>();
    for (const [id, instances] of groups) {
      if (!instances.every(({ status }) => isFinal(status))) continue;
      const outputs = wanted.includes(id) ? await this.#outputs(state, instances) : undefined;
      result.set(
        id,
        aggregateNeed(
          instances.map((one) => ({
            result: statusName(one.status) as Result,
            continueOnError: one.continue_on_error,
            outputs: outputs?.get(one.id) ?? {},
          })),
        ),
      );
    }
    return result;
  }

  async #outputs(
    state: RunState,
    jobs: readonly JobRow[],
  ): Promise<ReadonlyMap<number, Readonly<Record<string, string>>>> {
    const reported = await state.outputs(jobs.filter((one) => !one.is_reusable_caller));
    return new Map([...reported, ...(await state.callOutputs(jobs.filter(isCall)))]);
  }
}
