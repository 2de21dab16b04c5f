import { isUniqueViolation } from '@mortise/plugin-sdk';
import type { Repository } from '@mortise/repositories/api';
import {
  evaluateConcurrency,
  Payloads,
  planJobs,
  runTitle,
  WorkflowError,
  type Contexts,
  type Value,
  type Workflow,
} from '../../workflow/index.js';
import { statusNumbers } from '../../contract/states.js';
import { AttemptRow, RunCounterRow, RunPayloadRow, RunRow } from '../../models/run.js';
import { ContextMaker } from './contexts.js';
import { splitRef } from './github.js';
import { RunState } from './run-state.js';
import { Settling, type SettlingParts } from './settling.js';

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

export class RunCreator {
  readonly #contexts: ContextMaker;

  constructor(private readonly parts: SettlingParts) {
    this.#contexts = new ContextMaker(parts);
  }

  /** Stores the run with its jobs, and starts those that can start; undefined: there is one with that key. */
  async create(wish: NewRun): Promise<RunRow | undefined> {
    try {
      const payloads = wish.workflow && new Payloads(wish.workflow).prepare();
      return await this.parts.database.write(() => this.#store(wish, payloads));
    } catch (error) {
      if (wish.key && isUniqueViolation(error)) return undefined;
      throw error;
    }
  }

  async #store(wish: NewRun, payloads?: Payloads): Promise<RunRow | undefined> {
    const { database, repositories } = this.parts;
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
    const run = await this.#insert(wish, await this.#nextNumber(repository.id), now);
    await database.query(RunPayloadRow).insert({ run_id: run.id, payload: JSON.stringify(wish.payload) });
    const attempt = await this.insertAttempt(run, 1, wish.userId, now);
    const settling = new Settling(this.parts);
    const state = await settling.state(run.id);
    if (!state) throw new Error('a run that was just made is gone');
    state.isNew = true;
    await this.#plan(wish, payloads, settling, state, attempt);
    await settling.add(
      run.id,
      state.jobs.map(({ id }) => id),
    );
    await settling.run();
    return state.run;
  }

  async #nextNumber(repositoryId: number): Promise<number> {
    const { database } = this.parts;
    const row = await database.query(RunCounterRow).findById(repositoryId);
    const number = (row?.last_number ?? 0) + 1;
    if (row) await database.query(RunCounterRow).findById(repositoryId).patch({ last_number: number });
    else await database.query(RunCounterRow).insert({ repository_id: repositoryId, last_number: number });
    return number;
  }

  async #insert(wish: NewRun, number: number, now: number): Promise<RunRow> {
    const { repository } = wish;
    const { name, type } = splitRef(wish.ref);
    return this.parts.database.query(RunRow).insertAndFetch({
      repository_id: repository.id,
      owner_id: repository.ownerId,
      number,
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
    const { database } = this.parts;
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

  async #plan(
    wish: NewRun,
    payloads: Payloads | undefined,
    settling: Settling,
    state: RunState,
    attempt: AttemptRow,
  ): Promise<void> {
    const { run } = state;
    const { repository, workflow } = wish;
    try {
      if (!workflow) throw new WorkflowError(wish.problem ?? 'the workflow cannot be read');
      const contexts = await this.contexts(state, repository);
      const title = runTitle(workflow, contexts);
      if (title) await this.#patchRun(run, { title });
      await this.enterGroup(settling, state, attempt, contexts);
      const made = await this.parts.planner.insert(
        {
          runId: run.id,
          repositoryId: repository.id,
          ownerId: repository.ownerId,
          attemptId: attempt.id,
          attempt: 1,
          parentId: 0,
          workflowRepoId: wish.workflowRepoId,
          workflowCommit: wish.workflowCommit,
        },
        planJobs(workflow, contexts, payloads),
        0,
      );
      await state.reload();
      for (const id of made) state.touched.add(id);
    } catch (error) {
      if (!(error instanceof WorkflowError)) throw error;
      const times = { stopped_at: Date.now(), started_at: Date.now() };
      await this.#patchRun(run, {
        problem: error.message.slice(0, 4000),
        status: failure,
        need_approval: false,
        ...times,
      });
      Object.assign(attempt, { status: failure, ...times });
      await this.parts.database
        .query(AttemptRow)
        .findById(attempt.id)
        .patch({ status: failure, ...times });
    }
  }

  async #patchRun(run: RunRow, change: Partial<RunRow>): Promise<void> {
    Object.assign(run, change);
    await this.parts.database.query(RunRow).findById(run.id).patch(change);
  }

  /** Of the run as a whole. */
  async contexts(state: RunState, repository: Repository): Promise<Contexts> {
    const github = await this.#contexts.github(state, repository);
    const event = github.event as { readonly inputs?: Value } | undefined;
    return { github, vars: await this.parts.around.variablesOf(repository), inputs: event?.inputs ?? {} };
  }

  /** Into the concurrency group of the workflow: others make way, or it waits. */
  async enterGroup(settling: Settling, state: RunState, attempt: AttemptRow, contexts: Contexts): Promise<void> {
    const { run } = state;
    if (!run.raw_concurrency) return;
    const entry = evaluateConcurrency(
      JSON.parse(run.raw_concurrency) as NonNullable<Workflow['concurrency']>,
      contexts,
    );
    if (!entry) return;
    const group = entry.group.slice(0, 255);
    const where = { repositoryId: run.repository_id, group, runId: run.id };
    await settling.makeWay({ ...where, cancelInProgress: entry.cancelInProgress });
    const change = {
      concurrency_group: group,
      concurrency_cancel: entry.cancelInProgress,
      is_held: !entry.cancelInProgress && (await settling.groups.isBusy(where)),
    };
    Object.assign(attempt, change);
    Object.assign(state.attempt, change);
    await this.parts.database.query(AttemptRow).findById(attempt.id).patch(change);
  }
}
