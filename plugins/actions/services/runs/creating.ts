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
import { AttemptRow, RunCounterRow, RunPayloadRow, RunRow } from '../../models/run.js';
import { ContextMaker } from './contexts.js';
import { splitRef } from './github.js';
import type { RunState } from './run-state.js';
import { Settling, type SettlingDeps } from './settling.js';

/** A run that is to be. */
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
type Naming = Pick<RunRow, 'id' | 'number'>;

/** A plan, and which run it was made for. */
interface Draft extends Naming {
  readonly plan: Plan;
  /** The context `inputs`. */
  readonly inputs: ValueMap;
  /** Nobody else gets the id and the number. */
  readonly isReserved: boolean;
}

/** The plan names its run, which has got another id or number than was thought. */
class Outdated extends Error {
  constructor() {
    super('another run was made meanwhile');
  }
}

type Concurrency = { readonly group: string; readonly cancelInProgress: boolean };

export class RunCreator {
  readonly #contexts: ContextMaker;

  constructor(private readonly deps: SettlingDeps) {
    this.#contexts = new ContextMaker(deps);
  }

  /**
   * Stores the run with its jobs, and starts those that can start; undefined: there is one with that key. Not inside a
   * transaction: planning is work that strangers can make long. `first`: what is done in the transaction before; false:
   * there is no run then.
   */
  async create(wish: NewRun, first = async (): Promise<boolean> => true): Promise<RunRow | undefined> {
    const store = (draft: Draft) =>
      this.deps.database.write(async () => ((await first()) ? this.#store(wish, draft) : undefined));
    try {
      const guess = await this.#draft(wish, await this.#guess(wish.repository));
      try {
        return await store(guess);
      } catch (error) {
        if (!(error instanceof Outdated)) throw error;
      }
      return await store({ ...(await this.#draft(wish, await this.#reserve(wish))), isReserved: true });
    } catch (error) {
      if (wish.key && isUniqueViolation(error)) return undefined;
      throw error;
    }
  }

  /** What it will be known by, unless another is made meanwhile. */
  async #guess({ id }: Repository): Promise<Naming> {
    const { database } = this.deps;
    const last = (await database.query(RunRow).max('id as id').first()) as { id?: number | null } | undefined;
    const counter = await database.query(RunCounterRow).findById(id);
    return { id: Number(last?.id ?? 0) + 1, number: (counter?.last_number ?? 0) + 1 };
  }

  /** Takes an id and a number for it: engines give neither a second time, also when the row is gone. */
  async #reserve(wish: NewRun): Promise<Naming> {
    const { database, repositories } = this.deps;
    return database.write(async () => {
      await repositories.hold(wish.repository.id);
      const { id, number } = await this.#insert(wish, await this.#nextNumber(wish.repository.id), Date.now());
      await database.query(RunRow).deleteById(id);
      return { id, number };
    });
  }

  async #draft(wish: NewRun, naming: Naming): Promise<Draft> {
    const { around, reading } = this.deps;
    const { repository, workflow } = wish;
    const run = { ...columnsOf(wish), ...naming };
    const attempt = { number: 1, trigger_user_id: wish.userId };
    // as it is stored
    const payload = JSON.parse(JSON.stringify(wish.payload)) as Readonly<Record<string, unknown>>;
    const github = await this.#contexts.githubOf({ run, attempt, payload }, repository);
    const inputs = workflow ? inputsOf(workflow, wish.triggerEvent, payload) : {};
    const contexts: Contexts = { github, vars: await around.variablesOf(repository), inputs };
    const plan: Plan = workflow
      ? await reading.plan(repository.id, workflow, contexts)
      : { jobs: [], problem: wish.problem ?? 'the workflow cannot be read', uses: { id: false, number: false } };
    return { plan, inputs, ...naming, isReserved: false };
  }

  async #store(wish: NewRun, draft: Draft): Promise<RunRow | undefined> {
    const { database, repositories } = this.deps;
    const { repository } = wish;
    await repositories.hold(repository.id);
    if (wish.key) {
      const known = await database
        .query(RunRow)
        .findOne({ repository_id: repository.id, event_key: wish.key })
        .select('id');
      if (known) return undefined;
    }
    const now = Date.now();
    const { plan, isReserved } = draft;
    const number = isReserved ? draft.number : await this.#nextNumber(repository.id);
    const run = await this.#insert(wish, number, now, isReserved ? draft.id : undefined);
    if ((plan.uses.id && draft.id !== run.id) || (plan.uses.number && draft.number !== run.number))
      throw new Outdated();
    const inputs = Object.keys(draft.inputs).length > 0 ? draft.inputs : null;
    await database.query(RunPayloadRow).insert({ run_id: run.id, payload: JSON.stringify(wish.payload), inputs });
    const attempt = await this.insertAttempt(run, 1, wish.userId, now);
    const settling = new Settling(this.deps);
    const state = await settling.state(run.id);
    if (!state) throw new Error('a run that was just made is gone');
    state.isNew = true;
    await this.#plan(wish, plan, settling, state, attempt);
    await settling.add(
      run.id,
      state.jobs.map(({ id }) => id),
    );
    await settling.run();
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

  async #insert(wish: NewRun, number: number, now: number, id?: number): Promise<RunRow> {
    return this.deps.database.query(RunRow).insertAndFetch({
      ...columnsOf(wish),
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

  async #plan(wish: NewRun, plan: Plan, settling: Settling, state: RunState, attempt: AttemptRow): Promise<void> {
    const { run } = state;
    const { repository } = wish;
    if (plan.title) await this.#patchRun(run, { title: plan.title });
    if (plan.problem !== undefined) return this.#fail(run, attempt, plan.problem);
    await this.#enter(settling, state, attempt, plan.concurrency);
    const made = await this.deps.planner.insert(
      {
        runId: run.id,
        repositoryId: repository.id,
        ownerId: repository.ownerId,
        attemptId: attempt.id,
        attempt: 1,
        parentId: 0,
        parentContext: '',
        workflowRepoId: wish.workflowRepoId,
        workflowCommit: wish.workflowCommit,
      },
      plan.jobs,
      0,
    );
    await state.reload();
    for (const id of made) state.touched.add(id);
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
  async enterGroup(settling: Settling, state: RunState, attempt: AttemptRow, repository: Repository): Promise<void> {
    const { run } = state;
    if (!run.raw_concurrency) return;
    const github = await this.#contexts.github(state, repository);
    const vars = await this.deps.around.variablesOf(repository);
    const contexts = { github, vars, inputs: (await state.inputs()) as ValueMap };
    const raw = JSON.parse(run.raw_concurrency) as NonNullable<Workflow['concurrency']>;
    await this.#enter(settling, state, attempt, evaluateConcurrency(raw, contexts));
  }

  /** It comes to its concurrency group. */
  async #enter(
    settling: Settling,
    state: RunState,
    attempt: AttemptRow,
    entry: Concurrency | undefined,
  ): Promise<void> {
    if (!entry) return;
    const change = { concurrency_group: entry.group.slice(0, 255), concurrency_cancel: entry.cancelInProgress };
    Object.assign(state.attempt, change);
    await this.deps.database.query(AttemptRow).findById(attempt.id).patch(change);
    await settling.arrive(state);
    Object.assign(attempt, change, { is_held: state.attempt.is_held });
  }
}

function inputsOf(workflow: Workflow, event: string, payload: Readonly<Record<string, unknown>>): ValueMap {
  const given = payload.inputs as Value | undefined;
  return typedInputs(workflow, event, isMap(given) ? given : {});
}

/** What the row of a run says from its beginning to its end, but for its number. */
function columnsOf(wish: NewRun) {
  const { repository } = wish;
  const { name, type } = splitRef(wish.ref);
  return {
    repository_id: repository.id,
    owner_id: repository.ownerId,
    title: wish.title.slice(0, 255),
    workflow_id: wish.workflowId.slice(0, 255),
    workflow_name: wish.workflowName.slice(0, 255),
    workflow_repo_id: wish.workflowRepoId,
    workflow_commit_sha: wish.workflowCommit,
    workflow_path: wish.workflowPath.slice(0, 500),
    is_scoped_run: wish.isScoped,
    ref: wish.ref.slice(0, 500),
    head_branch: type === 'branch' ? name.slice(0, 255) : '',
    commit_sha: wish.sha,
    status_sha: wish.statusSha,
    pull_index: wish.pullIndex,
    pull_base: (wish.pullBase ?? '').slice(0, 255),
    trigger_user_id: wish.userId,
    event: wish.event,
    trigger_event: wish.triggerEvent,
    event_key: wish.key,
    is_fork: wish.isFork,
    need_approval: wish.needsApproval,
    approved_by: 0,
    schedule_id: wish.scheduleId ?? 0,
    depth: wish.depth ?? 0,
    raw_concurrency: wish.workflow?.concurrency ? JSON.stringify(wish.workflow.concurrency) : '',
    problem: (wish.problem ?? '').slice(0, 4000),
  };
}
