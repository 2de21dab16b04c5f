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
import { AttemptRow, RunRow } from '../../models/run.js';
import type { Cancelling } from './cancelling.js';
import { Groups } from './concurrency.js';
import { callsWithoutOutputs, ContextMaker } from './contexts.js';
import { expandCall, makeOutputs, unfoldMatrix } from './jobs.js';
import type { RunDeps } from './parts.js';
import type { WorkflowReading } from './reading.js';
import type { Planner } from './planning.js';
import { holdRun, isUnderWay, jobsOf, latestAttempt } from './rows.js';
import { RunState } from './run-state.js';
import type { Telling } from './telling.js';

const { blocked, waiting, skipped, failure, unknown } = statusNumbers;
/** Steps of one settling: more would be a circle. */
const maxSteps = 2000;

export interface SettlingDeps extends RunDeps {
  readonly telling: Telling;
  readonly planner: Planner;
  readonly cancelling: Cancelling;
  readonly reading: WorkflowReading;
}

/**
 * Brings runs to where their jobs say they are, inside one transaction: what waited goes on or is skipped, groups let in
 * the next, attempts and runs get the sum of their jobs. At the end everybody is told.
 */
export class Settling {
  readonly groups: Groups;
  readonly #contexts: ContextMaker;
  readonly #states = new Map<number, RunState>();
  readonly #queue: number[] = [];
  /** Of conditions and groups: they are evaluated while others wait. */
  readonly #budget = new Budget(undefined, limits.settlingSteps);
  readonly #freed = new Map<string, { repositoryId: number; group: string }>();
  #becameWaiting = new Set<number>();
  #ended = new Set<number>();

  constructor(private readonly deps: SettlingDeps) {
    this.groups = new Groups(deps);
    this.#contexts = new ContextMaker(deps);
  }

  /** Of a run that is held; loads it once. */
  async state(runId: number): Promise<RunState | undefined> {
    const known = this.#states.get(runId);
    if (known) return known;
    const { database } = this.deps;
    const run = await holdRun(database, runId);
    const attempt = run && (await latestAttempt(database, run));
    if (!attempt) return undefined;
    const state = new RunState(database, run, attempt, await jobsOf(database, runId, attempt.id));
    this.#states.set(runId, state);
    return state;
  }

  /** `touched`: jobs that whoever calls has changed, or made. */
  async add(runId: number, touched: readonly number[] = []): Promise<void> {
    const state = await this.state(runId);
    if (!state) return;
    for (const id of touched) {
      state.touched.add(id);
      const job = state.job(id);
      if (job && isFinal(job.status)) this.#free(state.run.repository_id, job.concurrency_group);
      if (job?.status === waiting) this.#becameWaiting.add(state.run.repository_id);
      if (job && isFinal(job.status)) this.#ended.add(state.run.repository_id);
    }
    if (!this.#queue.includes(runId)) this.#queue.push(runId);
  }

  #free(repositoryId: number, group: string): void {
    if (group) this.#freed.set(`${repositoryId} ${group}`, { repositoryId, group });
  }

  async run(): Promise<void> {
    for (let step = 0; step < maxSteps; step++) {
      const runId = this.#queue.shift();
      if (runId !== undefined) {
        await this.#advance((await this.state(runId))!);
        continue;
      }
      const [next] = this.#freed;
      if (!next) break;
      this.#freed.delete(next[0]);
      await this.#letIn(next[1].repositoryId, next[1].group);
    }
    await this.#tell();
  }

  async #tell(): Promise<void> {
    for (const state of this.#states.values()) await this.deps.telling.tell(state);
    const { around, repositories } = this.deps;
    for (const id of new Set([...this.#becameWaiting, ...this.#ended])) {
      const repository = await repositories.byId(id);
      if (!repository) continue;
      if (this.#becameWaiting.has(id) || (await this.#othersWait(id))) await around.bump(repository);
    }
  }

  async #othersWait(repositoryId: number): Promise<boolean> {
    const where = { repository_id: repositoryId, status: waiting, task_id: 0, is_reusable_caller: false };
    return Boolean(await this.deps.database.query(JobRow).where(where).select('id').first());
  }

  // ---------------------------------------------------------------- one run

  async #advance(state: RunState): Promise<void> {
    const repository = await this.deps.repositories.byId(state.run.repository_id);
    if (!repository) return;
    let changed = true;
    for (let round = 0; changed && round < maxSteps; round++) {
      changed = await this.#sumCallers(state);
      if (state.run.need_approval || state.attempt.is_held) continue;
      for (const job of [...state.jobs])
        if (job.status === blocked && (await this.#tryNext(state, repository, job))) changed = true;
    }
    await this.#sum(state);
  }

  async #set(state: RunState, job: JobRow, status: StatusNumber, more: Partial<JobRow> = {}): Promise<void> {
    await state.set(job, status, more);
    if (status === waiting) this.#becameWaiting.add(state.run.repository_id);
    if (isFinal(status)) {
      this.#free(state.run.repository_id, job.concurrency_group);
      this.#ended.add(state.run.repository_id);
    }
  }

  /** Jobs that call a workflow stand as the jobs of that do; the innermost first. */
  async #sumCallers(state: RunState): Promise<boolean> {
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

  /** A blocked job: true when it stands differently now. */
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
    for (const call of calls) await this.#later(makeOutputs, call);
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
      if (needs.length > 0 && job.is_deferred) return await this.#later(unfoldMatrix, job);
      if (!(await this.#mayEnter(state, repository, job, ended))) return false;
      if (!this.#hasRoom(state, job)) return false;
      if (job.is_reusable_caller) return await this.#later(expandCall, job);
      await this.#set(state, job, waiting);
      return true;
    } catch (error) {
      if (!(error instanceof WorkflowError)) throw error;
      await this.#set(state, job, failure, { problem: error.message.slice(0, 2000) });
      return true;
    }
  }

  /** Work that strangers can make long: what becomes of the job is known afterwards. */
  async #later(work: JobRef<{ readonly jobId: number }>, { id, repository_id: repositoryId }: JobRow): Promise<false> {
    await this.deps.jobs.enqueue(work, { jobId: id }, { uniqueKey: `${work.id}:${id}`, group: String(repositoryId) });
    return false;
  }

  /** Its group may hold it back; others in it make way. */
  async #mayEnter(
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
      if (group) await this.makeWay({ ...where, group, cancelInProgress: job.concurrency_cancel });
    }
    if (!job.concurrency_group) return true;
    return job.concurrency_cancel || !(await this.groups.isBusy({ ...where, group: job.concurrency_group }));
  }

  /**
   * The newest attempt of a run comes to its group: others make way, or it waits. What nobody has approved yet ends
   * nothing but what waits for approval as well; it comes again when it is approved.
   */
  async arrive({ run, attempt }: RunState): Promise<void> {
    const { concurrency_group: group, concurrency_cancel: cancelInProgress } = attempt;
    if (!group) return;
    const isUnapproved = Boolean(run.need_approval);
    const where = { repositoryId: run.repository_id, group, runId: run.id };
    await this.makeWay({ ...where, cancelInProgress, isUnapproved });
    const isHeld = !isUnapproved && !cancelInProgress && (await this.groups.isBusy(where));
    await this.#patchAttempt(attempt, { is_held: isHeld });
  }

  /** Whoever must leave a group does. */
  async makeWay(arrival: Parameters<Groups['replacedBy']>[0]): Promise<void> {
    const { runIds, jobs } = await this.groups.replacedBy(arrival);
    for (const runId of runIds) {
      const other = await this.state(runId);
      if (!other) continue;
      await this.deps.cancelling.cancelJobs(other, other.jobs, { force: false });
      await this.#leave(other);
    }
    for (const { id, runId } of jobs) {
      const other = await this.state(runId);
      const job = other?.job(id);
      if (!other || !job || isFinal(job.status)) continue;
      await this.deps.cancelling.cancelJobs(other, [job], { force: false });
      await this.#leave(other);
    }
  }

  /** Its group holds the run back no more. */
  async release(state: RunState): Promise<void> {
    await this.#patchAttempt(state.attempt, { is_held: false });
  }

  async #leave(state: RunState): Promise<void> {
    if (state.attempt.is_held) await this.release(state);
    for (const job of state.jobs) if (isFinal(job.status)) this.#free(state.run.repository_id, job.concurrency_group);
    await this.add(state.run.id);
  }

  #hasRoom(state: RunState, job: JobRow): boolean {
    if (job.max_parallel === 0) return true;
    const taken = state.siblings(job).filter((one) => one.job_id === job.job_id && isUnderWay(one.status));
    return taken.length < job.max_parallel;
  }

  // ---------------------------------------------------------------- sums

  async #patchAttempt(attempt: AttemptRow, change: Partial<AttemptRow>): Promise<void> {
    Object.assign(attempt, change);
    await this.deps.database.query(AttemptRow).findById(attempt.id).patch(change);
  }

  async #sum(state: RunState): Promise<void> {
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
    if (attempt.status === status && run.status === status && state.touched.size === 0) return;
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
    if (isFinal(status)) this.#free(run.repository_id, attempt.concurrency_group);
  }

  /** One place of a group is free: the one that waits longest for it goes on. */
  async #letIn(repositoryId: number, group: string): Promise<void> {
    const { heldRuns, runsOfJobs } = await this.groups.blockedRuns(repositoryId, group);
    for (const runId of heldRuns) {
      const state = await this.state(runId);
      if (!state?.attempt.is_held || state.run.need_approval) continue;
      if (await this.groups.isBusy({ repositoryId, group, runId })) continue;
      await this.release(state);
      await this.add(runId);
      return;
    }
    for (const runId of runsOfJobs) await this.add(runId);
  }
}
