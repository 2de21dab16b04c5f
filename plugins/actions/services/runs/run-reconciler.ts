import type { JobRef } from '@mortise/plugin-sdk';
import type { Repository } from '@mortise/repositories/api';
import {
  Budget,
  concurrencyWaitsForNeeds,
  evaluateConcurrency,
  limits,
  shouldRun,
  needsContext,
  WorkflowError,
  type Contexts,
  type NeedResult,
  type RawConcurrency,
  type Value,
} from '../../workflow/index.js';
import { aggregate, isFinal, statusNumbers, type StatusNumber } from '../../contract/states.js';
import { JobRow } from '../../models/job.js';
import { AttemptRow } from '../../models/attempt.js';
import { RunRow } from '../../models/run.js';
import type { DeploymentGate } from '../deployments/deployment-gate.js';
import type { Cancellation } from './cancellation.js';
import { ConcurrencyGroups } from './concurrency-groups.js';
import { callsWithoutOutputs, ContextBuilder } from './context-builder.js';
import { expandCall, computeCallOutputs, expandDeferredMatrix } from './job-definitions.js';
import type { RunDeps } from './run-deps.js';
import type { WorkflowWorkers } from './workflow-workers.js';
import type { JobWriter } from './job-writer.js';
import { lockRun, isQueuedOrActive, jobsOf, latestAttempt } from './run-rows.js';
import { RunState } from './run-state.js';
import type { RunNotifier } from './run-notifier.js';

const { blocked, waiting, skipped, failure, unknown } = statusNumbers;
/** Steps of one reconciliation: more would be a cycle. */
const maxSteps = 2000;

export interface ReconcilerDeps extends RunDeps {
  readonly notifier: RunNotifier;
  readonly jobWriter: JobWriter;
  readonly cancellation: Cancellation;
  readonly deploymentGate: DeploymentGate;
  readonly workers: WorkflowWorkers;
}

/**
 * Reconciles runs with the statuses of their jobs, inside one transaction: blocked jobs go on or are skipped, groups admit
 * the next, attempts and runs get the status of their jobs. Notifies at the end.
 */
export class RunReconciler {
  readonly groups: ConcurrencyGroups;
  readonly #contexts: ContextBuilder;
  readonly #states = new Map<number, RunState>();
  readonly #queue: number[] = [];
  /** Of conditions and groups: they are evaluated while others wait. */
  readonly #budget = new Budget(undefined, limits.reconcileSteps);
  readonly #freedGroups = new Map<string, { repositoryId: number; group: string }>();
  #becameWaiting = new Set<number>();
  #ended = new Set<number>();

  constructor(private readonly deps: ReconcilerDeps) {
    this.groups = new ConcurrencyGroups(deps);
    this.#contexts = new ContextBuilder(deps);
  }

  /** State of a run, whose row it locks; loaded once. */
  async state(runId: number): Promise<RunState | undefined> {
    const known = this.#states.get(runId);
    if (known) return known;
    const { database } = this.deps;
    const run = await lockRun(database, runId);
    const attempt = run && (await latestAttempt(database, run));
    if (!attempt) return undefined;
    const state = new RunState(database, run, attempt, await jobsOf(database, runId, attempt.id));
    this.#states.set(runId, state);
    return state;
  }

  /** `touched`: jobs that the caller has changed or inserted. */
  async add(runId: number, touched: readonly number[] = []): Promise<void> {
    const state = await this.state(runId);
    if (!state) return;
    for (const id of touched) {
      state.changedJobs.add(id);
      const job = state.job(id);
      if (job && isFinal(job.status)) this.#groupFreed(state.run.repository_id, job.concurrency_group);
      if (job?.status === waiting) this.#becameWaiting.add(state.run.repository_id);
      if (job && isFinal(job.status)) this.#ended.add(state.run.repository_id);
    }
    if (!this.#queue.includes(runId)) this.#queue.push(runId);
  }

  #groupFreed(repositoryId: number, group: string): void {
    if (group) this.#freedGroups.set(`${repositoryId} ${group}`, { repositoryId, group });
  }

  async run(): Promise<void> {
    for (let step = 0; step < maxSteps; step++) {
      const runId = this.#queue.shift();
      if (runId !== undefined) {
        await this.#advance((await this.state(runId))!);
        continue;
      }
      const [next] = this.#freedGroups;
      if (!next) break;
      this.#freedGroups.delete(next[0]);
      await this.#admitNext(next[1].repositoryId, next[1].group);
    }
    await this.#notify();
  }

  async #notify(): Promise<void> {
    for (const state of this.#states.values()) {
      await this.deps.deploymentGate.record(state);
      await this.deps.notifier.notify(state);
    }
    const { environment, repositories } = this.deps;
    for (const id of new Set([...this.#becameWaiting, ...this.#ended])) {
      const repository = await repositories.byId(id);
      if (!repository) continue;
      if (this.#becameWaiting.has(id) || (await this.#hasWaitingJobs(id))) await environment.bump(repository);
    }
  }

  async #hasWaitingJobs(repositoryId: number): Promise<boolean> {
    const where = { repository_id: repositoryId, status: waiting, task_id: 0, is_reusable_caller: false };
    return Boolean(await this.deps.database.query(JobRow).where(where).select('id').first());
  }

  // ---------------------------------------------------------------- one run

  async #advance(state: RunState): Promise<void> {
    const repository = await this.deps.repositories.byId(state.run.repository_id);
    if (!repository) return;
    let changed = true;
    for (let round = 0; changed && round < maxSteps; round++) {
      changed = await this.#aggregateCallers(state);
      if (state.run.need_approval || state.attempt.is_held) continue;
      for (const job of [...state.jobs])
        if (job.status === blocked && (await this.#tryNext(state, repository, job))) changed = true;
    }
    await this.#aggregateRun(state);
  }

  async #set(state: RunState, job: JobRow, status: StatusNumber, more: Partial<JobRow> = {}): Promise<void> {
    await state.set(job, status, more);
    if (status === waiting) this.#becameWaiting.add(state.run.repository_id);
    if (isFinal(status)) {
      this.#groupFreed(state.run.repository_id, job.concurrency_group);
      this.#ended.add(state.run.repository_id);
    }
  }

  /** Jobs that call a workflow get the status of its jobs; the innermost first. */
  async #aggregateCallers(state: RunState): Promise<boolean> {
    let changed = false;
    for (const caller of [...state.jobs].reverse()) {
      if (!caller.is_reusable_caller || !caller.is_expanded || isFinal(caller.status)) continue;
      const children = state.children(caller);
      const status = aggregate(children.map((one) => ({ status: one.status, continueOnError: one.continue_on_error })));
      if (status === unknown || status === caller.status) continue;
      await this.#set(state, caller, status);
      changed = true;
    }
    return changed;
  }

  /** Tries to unblock a job: true when its status has changed. */
  async #tryNext(state: RunState, repository: Repository, job: JobRow): Promise<boolean> {
    const { needs } = job;
    const siblings = state.siblings(job);
    const isOpen = (id: string) => siblings.some((one) => one.job_id === id && !isFinal(one.status));
    if (job.is_reusable_caller && job.is_expanded) return false;
    if (needs.some(isOpen)) return false;
    const calls = await callsWithoutOutputs(
      state,
      siblings.filter((one) => needs.includes(one.job_id)),
    );
    for (const call of calls) await this.#enqueue(computeCallOutputs, call);
    if (calls.length > 0) return false;
    try {
      const ended = needs.length > 0 ? await this.#contexts.ended(state, job, needs) : new Map<string, NeedResult>();
      if (needs.length > 0 || job.is_reusable_caller) {
        const contexts = await this.#contexts.of(state, repository, job);
        const needsOf = (id: string) => siblings.find((one) => one.job_id === id)?.needs ?? [];
        const condition = { id: job.job_id, needs, ...(job.condition && { if: job.condition }) };
        if (!shouldRun(condition, { ended, needsOf, cancelled: state.isCancelled, contexts, budget: this.#budget })) {
          await this.#set(state, job, skipped);
          return true;
        }
      }
      if (needs.length > 0 && job.is_deferred) return await this.#enqueue(expandDeferredMatrix, job);
      if (job.environment && !(await this.deps.deploymentGate.admits(state, job))) return false;
      if (!(await this.#mayJoinGroup(state, repository, job, ended))) return false;
      if (!this.#hasRoom(state, job)) return false;
      if (job.is_reusable_caller) return await this.#enqueue(expandCall, job);
      await this.#set(state, job, waiting);
      return true;
    } catch (error) {
      if (!(error instanceof WorkflowError)) throw error;
      await this.#set(state, job, failure, { problem: error.message.slice(0, 2000) });
      return true;
    }
  }

  /** Enqueues work that may take long (workflows are untrusted); its result decides about the job later. */
  async #enqueue(
    work: JobRef<{ readonly jobId: number }>,
    { id, repository_id: repositoryId }: JobRow,
  ): Promise<false> {
    await this.deps.jobs.enqueue(work, { jobId: id }, { uniqueKey: `${work.id}:${id}`, group: String(repositoryId) });
    return false;
  }

  /** Joins the concurrency group of the job; false while another member runs. */
  async #mayJoinGroup(
    state: RunState,
    repository: Repository,
    job: JobRow,
    ended: ReadonlyMap<string, NeedResult>,
  ): Promise<boolean> {
    const where = { repositoryId: repository.id, runId: state.run.id, jobId: job.id };
    if (job.raw_concurrency && !job.is_concurrency_evaluated) {
      const raw = JSON.parse(job.raw_concurrency) as RawConcurrency;
      const contexts: Contexts = {
        ...(await this.#contexts.of(state, repository, job)),
        ...((job.needs.length > 0 || concurrencyWaitsForNeeds(raw)) && {
          needs: needsContext(job.needs, ended) as Value,
        }),
      };
      const entry = evaluateConcurrency(raw, contexts, this.#budget);
      const group = (entry?.group ?? '').slice(0, 255);
      await state.patch(job, {
        is_concurrency_evaluated: true,
        concurrency_group: group,
        concurrency_cancel: entry?.cancelInProgress ?? false,
      });
      if (group) await this.cancelReplaced({ ...where, group, cancelInProgress: job.concurrency_cancel });
    }
    if (!job.concurrency_group) return true;
    return job.concurrency_cancel || !(await this.groups.isBusy({ ...where, group: job.concurrency_group }));
  }

  /**
   * The newest attempt joins its concurrency group: replaces others, or waits. An unapproved one cancels
   * only those that wait for approval as well; it joins again when it is approved.
   */
  async joinGroup({ run, attempt }: RunState): Promise<void> {
    const { concurrency_group: group, concurrency_cancel: cancelInProgress } = attempt;
    if (!group) return;
    const isUnapproved = Boolean(run.need_approval);
    const where = { repositoryId: run.repository_id, group, runId: run.id };
    await this.cancelReplaced({ ...where, cancelInProgress, isUnapproved });
    const isHeld = !isUnapproved && !cancelInProgress && (await this.groups.isBusy(where));
    await this.#patchAttempt(attempt, { is_held: isHeld });
  }

  /** Cancels the members of a group that an entry replaces. */
  async cancelReplaced(arrival: Parameters<ConcurrencyGroups['replacedBy']>[0]): Promise<void> {
    const { runIds, jobs } = await this.groups.replacedBy(arrival);
    for (const runId of runIds) {
      const other = await this.state(runId);
      if (!other) continue;
      await this.deps.cancellation.cancelJobs(other, other.jobs, { force: false });
      await this.#leaveGroups(other);
    }
    for (const { id, runId } of jobs) {
      const other = await this.state(runId);
      const job = other?.job(id);
      if (!other || !job || isFinal(job.status)) continue;
      await this.deps.cancellation.cancelJobs(other, [job], { force: false });
      await this.#leaveGroups(other);
    }
  }

  /** The concurrency group no longer holds the run back. */
  async releaseFromGroup(state: RunState): Promise<void> {
    await this.#patchAttempt(state.attempt, { is_held: false });
  }

  async #leaveGroups(state: RunState): Promise<void> {
    if (state.attempt.is_held) await this.releaseFromGroup(state);
    for (const job of state.jobs)
      if (isFinal(job.status)) this.#groupFreed(state.run.repository_id, job.concurrency_group);
    await this.add(state.run.id);
  }

  #hasRoom(state: RunState, job: JobRow): boolean {
    if (job.max_parallel === 0) return true;
    const taken = state.siblings(job).filter((one) => one.job_id === job.job_id && isQueuedOrActive(one.status));
    return taken.length < job.max_parallel;
  }

  // ---------------------------------------------------------------- sums

  async #patchAttempt(attempt: AttemptRow, change: Partial<AttemptRow>): Promise<void> {
    Object.assign(attempt, change);
    await this.deps.database.query(AttemptRow).findById(attempt.id).patch(change);
  }

  async #aggregateRun(state: RunState): Promise<void> {
    const { run, attempt } = state;
    const status = aggregate(state.jobs.map((one) => ({ status: one.status, continueOnError: one.continue_on_error })));
    if (status === unknown) return;
    const now = Date.now();
    const hasBegun =
      status === statusNumbers.running || state.jobs.some((one) => Number(one.started_at) > 0 && one.task_id > 0);
    const times = {
      ...(hasBegun && !Number(attempt.started_at) && { started_at: now }),
      stopped_at: isFinal(status) ? Number(attempt.stopped_at) || now : 0,
    };
    if (attempt.status === status && run.status === status && state.changedJobs.size === 0) return;
    await this.#patchAttempt(attempt, { status, ...times, updated_at: now });
    const change: Partial<RunRow> = {
      status,
      started_at: Number(attempt.started_at),
      stopped_at: times.stopped_at,
      updated_at: now,
      version: run.version + 1,
    };
    Object.assign(run, change);
    await this.deps.database.query(RunRow).findById(run.id).patch(change);
    if (isFinal(status)) this.#groupFreed(run.repository_id, attempt.concurrency_group);
  }

  /** A member has left the group: the one that waits longest goes on. */
  async #admitNext(repositoryId: number, group: string): Promise<void> {
    const { heldRuns, runsOfJobs } = await this.groups.blockedRuns(repositoryId, group);
    for (const runId of heldRuns) {
      const state = await this.state(runId);
      if (!state?.attempt.is_held || state.run.need_approval) continue;
      if (await this.groups.isBusy({ repositoryId, group, runId })) continue;
      await this.releaseFromGroup(state);
      await this.add(runId);
      return;
    }
    for (const runId of runsOfJobs) await this.add(runId);
  }
}
