import { anonymous } from '@mortise/plugin-sdk';
import type { Repository } from '@mortise/repositories/api';
import { callTarget, limits, WorkflowError } from '../../workflow/index.js';
import type { CallPlan } from '../../worker/tasks.js';
import { isFinal } from '../../contract/states.js';
import { JobPayloadRow } from '../../models/job-payload.js';
import { JobRow } from '../../models/job.js';
import { RunRow } from '../../models/run.js';
import { BlockedJobs } from './blocked-jobs.js';
import { contextName, identityOfJob } from './job-writer.js';
import type { RunState } from './run-state.js';
import type { ReconcilerDeps } from './run-reconciler.js';

/** What a caller calls, read from git. */
interface Callee {
  readonly content: string;
  readonly file: string;
  readonly repositoryId: number;
  readonly commit: string;
}

type CalledJobs = Extract<CallPlan, { readonly problem?: undefined }>;

/** Jobs that call workflows get the jobs of those. */
export class CallExpansion {
  readonly #blocked: BlockedJobs;

  constructor(private readonly deps: ReconcilerDeps) {
    this.#blocked = new BlockedJobs(deps);
  }

  /** Git is read, and planned in a thread, before the transaction; nothing happens when the job went on meanwhile. */
  async expand(jobId: number): Promise<void> {
    const isOpen = (job: JobRow) => job.is_reusable_caller && !job.is_expanded;
    await this.#blocked.change(jobId, isOpen, async (blockedJob) => {
      const { job } = blockedJob;
      await this.#checkChain(job);
      const callee = await this.#read(job);
      const plan = await this.deps.workers.planCall(job.repository_id, {
        caller: { id: job.job_id, payload: blockedJob.payload },
        uses: job.call_uses,
        callee: callee.content,
        file: callee.file,
        contexts: await blockedJob.contexts(),
      });
      if (plan.problem !== undefined) throw new WorkflowError(plan.problem);
      return (state, now) => this.#insert(state, now, callee, plan);
    });
  }

  /** LIM-09 */
  async #checkChain(job: JobRow): Promise<void> {
    const chain: string[] = [job.call_uses];
    for (let parent = job.parent_job_id; parent;) {
      const row = await this.deps.database.query(JobRow).findById(parent);
      if (!row) break;
      if (chain.includes(row.call_uses)) throw new WorkflowError(`${row.call_uses} calls itself`);
      chain.push(row.call_uses);
      parent = row.parent_job_id;
    }
    if (chain.length > limits.callerDepth + 1)
      throw new WorkflowError(`workflows call one another more than ${limits.callerDepth} levels deep`);
  }

  async #read(job: JobRow): Promise<Callee> {
    const { settings, site, gitReader } = this.deps;
    const folders = [...settings.WORKFLOW_DIRS, ...settings.SCOPED_WORKFLOW_DIRS];
    const target = callTarget(job.call_uses, { rootUrl: site.rootUrl, folders });
    const place =
      target.kind === 'local'
        ? { repositoryId: job.workflow_repo_id, commit: job.workflow_commit_sha }
        : await this.#elsewhere(job, target);
    const git = gitReader.open(place.repositoryId);
    const entry = await git.entry(place.commit, target.path);
    if (entry?.type !== 'blob') throw new WorkflowError(`${job.call_uses}: there is no such workflow`);
    const info = await git.info(entry.oid);
    if ((info?.size ?? 0) > limits.fileBytes)
      throw new WorkflowError(`${job.call_uses}: the file is larger than 1 MiB`);
    const content = (await git.blob(entry.oid, limits.fileBytes)).toString('utf8');
    return { content, file: target.path, ...place };
  }

  /** Which repository and commit `owner/repository/path@ref` means, for those who may read it. */
  async #elsewhere(
    job: JobRow,
    target: { readonly owner: string; readonly repository: string; readonly ref: string },
  ): Promise<{ repositoryId: number; commit: string }> {
    const { repositories, gitReader, database } = this.deps;
    const repository = await repositories.byPath(target.owner, target.repository);
    const run = await database.query(RunRow).findById(job.run_id);
    if (!repository || !run || !(await this.#mayRead(run, repository)))
      throw new WorkflowError(`${job.call_uses}: there is no such repository`);
    const resolved = await gitReader.open(repository.id).resolve(target.ref);
    if (!resolved) throw new WorkflowError(`${job.call_uses}: there is no ${target.ref}`);
    return { repositoryId: repository.id, commit: resolved.commit };
  }

  async #mayRead(run: RunRow, target: Repository): Promise<boolean> {
    if (target.id === run.repository_id || target.id === run.workflow_repo_id) return true;
    const context = await this.deps.access.context(anonymous, target);
    if (context.may('read', 'code')) return true;
    return this.deps.environment.mayCall(run, target);
  }

  async #insert(state: RunState, job: JobRow, callee: Callee, plan: CalledJobs): Promise<void> {
    const { database, jobWriter: planner } = this.deps;
    const event = await state.payload();
    const call = {
      workflow: job.call_uses,
      ref: state.run.ref,
      inputs: plan.inputs,
      repository: event.repository ?? null,
      sender: event.sender ?? null,
      ...(!plan.hasOutputs && { outputs: {} }),
    };
    const change = { callee: callee.content, call_payload: call, call_secrets: plan.secrets };
    await database.query(JobPayloadRow).findById(job.id).patch(change);
    state.forget(job.id);
    await state.patch(job, { is_expanded: true });
    const made = await planner.insert(
      {
        runId: state.run.id,
        repositoryId: job.repository_id,
        ownerId: job.owner_id,
        attemptId: state.attempt.id,
        attempt: state.attempt.number,
        parentId: job.id,
        parentContext: contextName(job),
        workflowRepoId: callee.repositoryId,
        workflowCommit: callee.commit,
      },
      plan.jobs,
      state.jobs.length,
      await this.#numbersBefore(state, job),
    );
    await state.reload();
    for (const id of made) state.changedJobs.add(id);
  }

  /** Numbers that its jobs had when it was expanded in the attempt before. */
  async #numbersBefore(state: RunState, job: JobRow): Promise<ReadonlyMap<string, number>> {
    if (state.attempt.number === 1) return new Map();
    const { database } = this.deps;
    const earlier = await database
      .query(JobRow)
      .where({ run_id: state.run.id, attempt: state.attempt.number - 1 })
      .orderBy('id');
    const parent = earlier.find((one) => one.attempt_job_id === job.attempt_job_id);
    const children = parent ? earlier.filter((one) => one.parent_job_id === parent.id && isFinal(one.status)) : [];
    return new Map(children.map((one) => [identityOfJob(one.job_id, one.name), one.attempt_job_id]));
  }
}
