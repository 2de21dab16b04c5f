import { isUniqueViolation } from '@mortise/plugin-sdk';
import type { Repository } from '@mortise/repositories/api';
import {
  evaluateConcurrency,
  isMap,
  typedInputs,
  type Contexts,
  type Value,
  type ValueMap,
  type Workflow,
} from '../../workflow/index.js';
import type { Plan } from '../../worker/tasks.js';
import { statusNumbers } from '../../contract/states.js';
import { AttemptRow } from '../../models/attempt.js';
import { RunCounterRow } from '../../models/run-counter.js';
import { RunPayloadRow } from '../../models/run-payload.js';
import { RunRow } from '../../models/run.js';
import { ContextBuilder } from './context-builder.js';
import { splitRef } from './github-context.js';
import type { RunState } from './run-state.js';
import { RunReconciler, type ReconcilerDeps } from './run-reconciler.js';

/** A run to create. */
export interface NewRun {
  readonly repository: Repository;
  /** Undefined where the file cannot be read: `problem` says why, and the run has failed. */
  readonly workflow: Workflow | undefined;
  readonly problem?: string;
  readonly workflowId: string;
  readonly workflowPath: string;
  readonly workflowName: string;
  readonly workflowRepoId: number;
  readonly workflowCommit: string;
  readonly isScoped: boolean;
  readonly ref: string;
  readonly sha: string;
  /** Whose commit gets statuses; empty: none. */
  readonly statusSha: string;
  readonly pullIndex: number;
  /** Base branch of the pull request that it is of. */
  readonly pullBase?: string;
  readonly userId: number;
  readonly event: string;
  readonly triggerEvent: string;
  /** The same key never starts a second run. At most 191 characters. */
  readonly key: string | null;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly title: string;
  readonly isFork: boolean;
  readonly needsApproval: boolean;
  readonly scheduleId?: number;
  readonly depth?: number;
}

const { blocked, failure } = statusNumbers;

/** What a run is known by. */
type RunIdentity = Pick<RunRow, 'id' | 'number'>;

/** A plan, and which run it was made for. */
interface PlannedRun extends RunIdentity {
  readonly plan: Plan;
  /** The context `inputs`. */
  readonly inputs: ValueMap;
  /** The id and the number are reserved for this run. */
  readonly isReserved: boolean;
}

/** The plan uses the id or number of its run, which another run took meanwhile. */
class RunIdentityTaken extends Error {
  constructor() {
    super('another run was made meanwhile');
  }
}

type Concurrency = { readonly group: string; readonly cancelInProgress: boolean };

export class RunCreator {
  readonly #contexts: ContextBuilder;

  constructor(private readonly deps: ReconcilerDeps) {
    this.#contexts = new ContextBuilder(deps);
  }

  /**
   * Stores the run with its jobs, and starts those that can start; undefined: there is one with that key. Not inside a
   * transaction: planning is work that strangers can make long. `first`: what is done in the transaction before; false:
   * there is no run then.
   */
  async create(input: NewRun, first = async (): Promise<boolean> => true): Promise<RunRow | undefined> {
    const store = (planned: PlannedRun) =>
      this.deps.database.write(async () => ((await first()) ? this.#store(input, planned) : undefined));
    try {
      const planned = await this.#planRun(input, await this.#predictIdentity(input.repository));
      try {
        return await store(planned);
      } catch (error) {
        if (!(error instanceof RunIdentityTaken)) throw error;
      }
      return await store({ ...(await this.#planRun(input, await this.#reserveIdentity(input))), isReserved: true });
    } catch (error) {
      if (input.key && isUniqueViolation(error)) return undefined;
      throw error;
    }
  }

  /** Predicts id and number, which hold unless another run is created meanwhile. */
  async #predictIdentity({ id }: Repository): Promise<RunIdentity> {
    const { database } = this.deps;
    const last = (await database.query(RunRow).max('id as id').first()) as { id?: number | null } | undefined;
    const counter = await database.query(RunCounterRow).findById(id);
    return { id: Number(last?.id ?? 0) + 1, number: (counter?.last_number ?? 0) + 1 };
  }

  /** Reserves an id and a number: neither is given again, even after the row is deleted. */
  async #reserveIdentity(input: NewRun): Promise<RunIdentity> {
    const { database, repositories } = this.deps;
    return database.write(async () => {
      await repositories.hold(input.repository.id);
      const { id, number } = await this.#insert(input, await this.#nextNumber(input.repository.id), Date.now());
      await database.query(RunRow).deleteById(id);
      return { id, number };
    });
  }

  async #planRun(input: NewRun, identity: RunIdentity): Promise<PlannedRun> {
    const { environment, workers } = this.deps;
    const { repository, workflow } = input;
    const run = { ...columnsOf(input), ...identity };
    const attempt = { number: 1, trigger_user_id: input.userId };
    // as it is stored
    const payload = JSON.parse(JSON.stringify(input.payload)) as Readonly<Record<string, unknown>>;
    const github = await this.#contexts.githubOf({ run, attempt, payload }, repository);
    const inputs = workflow ? inputsOf(workflow, input.triggerEvent, payload) : {};
    const contexts: Contexts = { github, vars: await environment.variablesOf(repository), inputs };
    const plan: Plan = workflow
      ? await workers.plan(repository.id, workflow, contexts)
      : { jobs: [], problem: input.problem ?? 'the workflow cannot be read', uses: { id: false, number: false } };
    return { plan, inputs, ...identity, isReserved: false };
  }

  async #store(input: NewRun, planned: PlannedRun): Promise<RunRow | undefined> {
    const { database, repositories } = this.deps;
    const { repository } = input;
    await repositories.hold(repository.id);
    if (input.key) {
      const known = await database
        .query(RunRow)
        .findOne({ repository_id: repository.id, event_key: input.key })
        .select('id');
      if (known) return undefined;
    }
    const now = Date.now();
    const { plan, isReserved } = planned;
    const number = isReserved ? planned.number : await this.#nextNumber(repository.id);
    const run = await this.#insert(input, number, now, isReserved ? planned.id : undefined);
    if ((plan.uses.id && planned.id !== run.id) || (plan.uses.number && planned.number !== run.number))
      throw new RunIdentityTaken();
    const inputs = Object.keys(planned.inputs).length > 0 ? planned.inputs : null;
    await database.query(RunPayloadRow).insert({ run_id: run.id, payload: JSON.stringify(input.payload), inputs });
    const attempt = await this.insertAttempt(run, 1, input.userId, now);
    const reconciler = new RunReconciler(this.deps);
    const state = await reconciler.state(run.id);
    if (!state) throw new Error('a run that was just made is gone');
    state.isNew = true;
    await this.#insertJobs(input, plan, reconciler, state, attempt);
    await reconciler.add(
      run.id,
      state.jobs.map(({ id }) => id),
    );
    await reconciler.run();
    return state.run;
  }

  async #nextNumber(repositoryId: number): Promise<number> {
    const { database } = this.deps;
    const row = await database.query(RunCounterRow).findById(repositoryId);
    const number = (row?.last_number ?? 0) + 1;
    if (row) await database.query(RunCounterRow).findById(repositoryId).patch({ last_number: number });
    else await database.query(RunCounterRow).insert({ repository_id: repositoryId, last_number: number });
    return number;
  }

  async #insert(input: NewRun, number: number, now: number, id?: number): Promise<RunRow> {
    return this.deps.database.query(RunRow).insertAndFetch({
      ...columnsOf(input),
      ...(id !== undefined && { id }),
      number,
      status: blocked,
      latest_attempt_id: 0,
      version: 0,
      started_at: 0,
      stopped_at: 0,
      created_at: now,
      updated_at: now,
    });
  }

  /** The run has it as its newest from now on. */
  async insertAttempt(run: RunRow, number: number, userId: number, now: number): Promise<AttemptRow> {
    const { database } = this.deps;
    const attempt = await database.query(AttemptRow).insertAndFetch({
      run_id: run.id,
      repository_id: run.repository_id,
      number,
      trigger_user_id: userId,
      concurrency_group: '',
      concurrency_cancel: false,
      is_held: false,
      status: blocked,
      started_at: 0,
      stopped_at: 0,
      created_at: now,
      updated_at: now,
    });
    await database.query(RunRow).findById(run.id).patch({ latest_attempt_id: attempt.id });
    return attempt;
  }

  async #insertJobs(
    input: NewRun,
    plan: Plan,
    reconciler: RunReconciler,
    state: RunState,
    attempt: AttemptRow,
  ): Promise<void> {
    const { run } = state;
    const { repository } = input;
    if (plan.title) await this.#patchRun(run, { title: plan.title });
    if (plan.problem !== undefined) return this.#fail(run, attempt, plan.problem);
    await this.#enter(reconciler, state, attempt, plan.concurrency);
    const made = await this.deps.jobWriter.insert(
      {
        runId: run.id,
        repositoryId: repository.id,
        ownerId: repository.ownerId,
        attemptId: attempt.id,
        attempt: 1,
        parentId: 0,
        parentContext: '',
        workflowRepoId: input.workflowRepoId,
        workflowCommit: input.workflowCommit,
      },
      plan.jobs,
      0,
    );
    await state.reload();
    for (const id of made) state.changedJobs.add(id);
  }

  async #fail(run: RunRow, attempt: AttemptRow, problem: string): Promise<void> {
    const times = { stopped_at: Date.now(), started_at: Date.now() };
    await this.#patchRun(run, {
      problem: problem.slice(0, 4000),
      status: failure,
      need_approval: false,
      ...times,
    });
    Object.assign(attempt, { status: failure, ...times });
    await this.deps.database
      .query(AttemptRow)
      .findById(attempt.id)
      .patch({ status: failure, ...times });
  }

  async #patchRun(run: RunRow, change: Partial<RunRow>): Promise<void> {
    Object.assign(run, change);
    await this.deps.database.query(RunRow).findById(run.id).patch(change);
  }

  /** A further attempt enters the concurrency group of the workflow. Throws `WorkflowError`. */
  async enterGroup(
    reconciler: RunReconciler,
    state: RunState,
    attempt: AttemptRow,
    repository: Repository,
  ): Promise<void> {
    const { run } = state;
    if (!run.raw_concurrency) return;
    const github = await this.#contexts.github(state, repository);
    const vars = await this.deps.environment.variablesOf(repository);
    const contexts = { github, vars, inputs: (await state.inputs()) as ValueMap };
    const raw = JSON.parse(run.raw_concurrency) as NonNullable<Workflow['concurrency']>;
    await this.#enter(reconciler, state, attempt, evaluateConcurrency(raw, contexts));
  }

  /** It comes to its concurrency group. */
  async #enter(
    reconciler: RunReconciler,
    state: RunState,
    attempt: AttemptRow,
    entry: Concurrency | undefined,
  ): Promise<void> {
    if (!entry) return;
    const change = { concurrency_group: entry.group.slice(0, 255), concurrency_cancel: entry.cancelInProgress };
    Object.assign(state.attempt, change);
    await this.deps.database.query(AttemptRow).findById(attempt.id).patch(change);
    await reconciler.joinGroup(state);
    Object.assign(attempt, change, { is_held: state.attempt.is_held });
  }
}

function inputsOf(workflow: Workflow, event: string, payload: Readonly<Record<string, unknown>>): ValueMap {
  const given = payload.inputs as Value | undefined;
  return typedInputs(workflow, event, isMap(given) ? given : {});
}

/** Columns of a run that never change, except its number. */
function columnsOf(input: NewRun) {
  const { repository } = input;
  const { name, type } = splitRef(input.ref);
  return {
    repository_id: repository.id,
    owner_id: repository.ownerId,
    title: input.title.slice(0, 255),
    workflow_id: input.workflowId.slice(0, 255),
    workflow_name: input.workflowName.slice(0, 255),
    workflow_repo_id: input.workflowRepoId,
    workflow_commit_sha: input.workflowCommit,
    workflow_path: input.workflowPath.slice(0, 500),
    is_scoped_run: input.isScoped,
    ref: input.ref.slice(0, 500),
    head_branch: type === 'branch' ? name.slice(0, 255) : '',
    commit_sha: input.sha,
    status_sha: input.statusSha,
    pull_index: input.pullIndex,
    pull_base: (input.pullBase ?? '').slice(0, 255),
    trigger_user_id: input.userId,
    event: input.event,
    trigger_event: input.triggerEvent,
    event_key: input.key,
    is_fork: input.isFork,
    need_approval: input.needsApproval,
    approved_by: 0,
    schedule_id: input.scheduleId ?? 0,
    depth: input.depth ?? 0,
    raw_concurrency: input.workflow?.concurrency ? JSON.stringify(input.workflow.concurrency) : '',
    problem: (input.problem ?? '').slice(0, 4000),
  };
}
