import { anonymous } from '@mortise/plugin-sdk';
import type { Repository } from '@mortise/repositories/api';
import {
  bindCall,
  callTarget,
  hasTrigger,
  limits,
  needsContext,
  planJobs,
  problemText,
  WorkflowError,
  type Contexts,
  type Value,
  type Workflow,
} from '../../workflow/index.js';
import { isFinal, statusNumbers } from '../../contract/states.js';
import { JobPayloadRow, JobRow } from '../../models/job.js';
import { RunRow } from '../../models/run.js';
import { ContextMaker, storedJob } from './contexts.js';
import { identityOfJob } from './planning.js';
import type { RunState } from './run-state.js';
import { Settling, type SettlingParts } from './settling.js';

/** What a caller calls, read from git. */
interface Callee {
  readonly content: string;
  readonly workflow: Workflow;
  readonly repositoryId: number;
  readonly commit: string;
}

/** Jobs that call workflows get the jobs of those. */
export class Expanding {
  readonly #contexts: ContextMaker;

  constructor(private readonly parts: SettlingParts) {
    this.#contexts = new ContextMaker(parts);
  }

  /** Git is read before the transaction; nothing happens when the job went on meanwhile. */
  async expand(jobId: number): Promise<void> {
    const { database } = this.parts;
    const job = await database.query(JobRow).findById(jobId);
    if (!job || job.status !== statusNumbers.blocked || !job.is_reusable_caller || job.is_expanded) return;
    let callee: Callee | undefined;
    let problem: unknown;
    try {
      await this.#checkChain(job);
      callee = await this.#read(job);
    } catch (error) {
      if (!(error instanceof WorkflowError)) throw error;
      problem = error;
    }
    await database.write(async () => {
      const settling = new Settling(this.parts);
      const state = await settling.state(job.run_id);
      const now = state?.job(jobId);
      if (!state || now?.status !== statusNumbers.blocked || now.is_expanded || state.run.need_approval) return;
      try {
        if (!callee) throw problem;
        await this.#insert(state, now, callee);
      } catch (error) {
        if (!(error instanceof WorkflowError)) throw error;
        await state.set(now, statusNumbers.failure, {
          problem: error.message.slice(0, 2000),
          is_expanded: false,
        });
      }
      await settling.add(job.run_id, [...state.touched]);
      await settling.run();
    });
  }

  /** LIM-09 */
  async #checkChain(job: JobRow): Promise<void> {
    const chain: string[] = [job.call_uses];
    for (let parent = job.parent_job_id; parent;) {
      const row = await this.parts.database.query(JobRow).findById(parent);
      if (!row) break;
      if (chain.includes(row.call_uses)) throw new WorkflowError(`${row.call_uses} calls itself`);
      chain.push(row.call_uses);
      parent = row.parent_job_id;
    }
    if (chain.length > limits.callerDepth + 1)
      throw new WorkflowError(`workflows call one another more than ${limits.callerDepth} levels deep`);
  }

  async #read(job: JobRow): Promise<Callee> {
    const { settings, site, gitReader } = this.parts;
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
    const { workflow, problems } = await this.parts.reading.parse(place.repositoryId, content, target.path);
    if (!workflow) throw new WorkflowError(problems[0] ? problemText(problems[0]) : `${job.call_uses}: cannot be read`);
    if (!hasTrigger(workflow, 'workflow_call'))
      throw new WorkflowError(`${job.call_uses}: the workflow has no on: workflow_call`);
    return { content, workflow, ...place };
  }

  /** Which repository and commit `owner/repository/path@ref` means, for those who may read it. */
  async #elsewhere(
    job: JobRow,
    target: { readonly owner: string; readonly repository: string; readonly ref: string },
  ): Promise<{ repositoryId: number; commit: string }> {
    const { repositories, gitReader, database } = this.parts;
    const found = await repositories.byPath(target.owner, target.repository);
    const run = await database.query(RunRow).findById(job.run_id);
    if (!found || !run || !(await this.#mayRead(run, found)))
      throw new WorkflowError(`${job.call_uses}: there is no such repository`);
    const resolved = await gitReader.open(found.id).resolve(target.ref);
    if (!resolved) throw new WorkflowError(`${job.call_uses}: there is no ${target.ref}`);
    return { repositoryId: found.id, commit: resolved.commit };
  }

  async #mayRead(run: RunRow, target: Repository): Promise<boolean> {
    if (target.id === run.repository_id || target.id === run.workflow_repo_id) return true;
    const context = await this.parts.access.context(anonymous, target);
    if (context.may('read', 'code')) return true;
    return this.parts.around.mayCall(run, target);
  }

  async #insert(state: RunState, job: JobRow, callee: Callee): Promise<void> {
    const { database, repositories, planner, around } = this.parts;
    const repository = await repositories.byId(job.repository_id);
    const row = await state.jobPayload(job.id);
    const stored = row && storedJob(row.payload, job.job_id);
    if (!repository || !stored) throw new WorkflowError('the calling job cannot be read');
    const ended = await this.#contexts.ended(state, job, job.needs);
    const contexts: Contexts = {
      ...(await this.#contexts.of(state, repository, job)),
      needs: needsContext(job.needs, ended),
    };
    const { inputs, secrets } = bindCall(stored.job, callee.workflow, contexts);
    const event = await state.payload();
    const call = {
      workflow: job.call_uses,
      workflow_name: callee.workflow.name ?? callee.workflow.file.split('/').at(-1)!,
      ref: state.run.ref,
      inputs,
      repository: event.repository ?? null,
      sender: event.sender ?? null,
    };
    const change = { callee: callee.content, call_payload: call, call_secrets: secrets };
    await database.query(JobPayloadRow).findById(job.id).patch(change);
    Object.assign(row, change);
    await state.patch(job, { is_expanded: true });
    const called: Contexts = {
      github: { ...(contexts.github as Record<string, Value>), event_name: 'workflow_call' },
      vars: await around.variablesOf(repository),
      inputs: inputs as Value,
    };
    const made = await planner.insert(
      {
        runId: state.run.id,
        repositoryId: job.repository_id,
        ownerId: job.owner_id,
        attemptId: state.attempt.id,
        attempt: state.attempt.number,
        parentId: job.id,
        workflowRepoId: callee.repositoryId,
        workflowCommit: callee.commit,
      },
      planJobs(callee.workflow, called),
      state.jobs.length,
      await this.#numbersBefore(state, job),
    );
    await state.reload();
    for (const id of made) state.touched.add(id);
  }

  /** Numbers that its jobs had when it was expanded in the attempt before. */
  async #numbersBefore(state: RunState, job: JobRow): Promise<ReadonlyMap<string, number>> {
    if (state.attempt.number === 1) return new Map();
    const { database } = this.parts;
    const earlier = await database
      .query(JobRow)
      .where({ run_id: state.run.id, attempt: state.attempt.number - 1 })
      .orderBy('id');
    const parent = earlier.find((one) => one.attempt_job_id === job.attempt_job_id);
    const children = parent ? earlier.filter((one) => one.parent_job_id === parent.id && isFinal(one.status)) : [];
    return new Map(children.map((one) => [identityOfJob(one.job_id, one.name), one.attempt_job_id]));
  }
}
