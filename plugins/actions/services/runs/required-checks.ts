import { compileGlob } from '@mortise/plugin-sdk';
import type { BranchProtections } from '@mortise/branch-protection/api';
import type { MergeBlocker, MergeRequirement, PullContext, PullRequest } from '@mortise/pulls/api';
import { repositoryHome, type Repository } from '@mortise/repositories/api';
import { statusNumbers } from '../../contract/states.js';
import type { JobRow } from '../../models/job.js';
import { ScopedSkipRow } from '../../models/scoped-skip.js';
import { RunRow } from '../../models/run.js';
import { t } from '../../texts/index.js';
import type { NewRun } from './run-creator.js';
import { actionsUserId, type RunDeps } from './run-deps.js';
import { insertInBatches } from './run-rows.js';
import type { RequiredWorkflow, ScopedWorkflows } from './scoped-workflows.js';
import { contextName } from './job-writer.js';
import { scopePrefix, statusContext } from './run-notifier.js';
import type { WorkflowFile } from './workflow-files.js';

/** Is the pattern about a context? A broken one is about that of its name. */
function matcherOf(pattern: string): (context: string) => boolean {
  const glob = compileGlob(pattern, { acrossSlashes: true });
  return (context) => glob?.matches(context) ?? pattern === context;
}

const anyOf = (patterns: readonly string[]): ((context: string) => boolean) => {
  const matchers = patterns.map(matcherOf);
  return (context) => matchers.some((matches) => matches(context));
};

/** Posts commit statuses of workflows that did not run. */
export class RequiredChecks {
  constructor(
    private readonly deps: RunDeps & { readonly protections: BranchProtections; readonly scoped: ScopedWorkflows },
  ) {}

  /** Posts `skipped` for the required jobs of a workflow that a filter excluded. */
  async postSkipped(input: NewRun, jobs: readonly string[]): Promise<void> {
    const { repository, statusSha } = input;
    const rules = (await this.deps.protections.list(repository.id)).flatMap((rule) =>
      rule.enableStatusCheck ? (rule.statusCheckContexts ?? []) : [],
    );
    // what is required of a source no other workflow can answer
    const scoped = input.isScoped ? await this.#requiredOf(input) : [];
    if (rules.length + scoped.length === 0) return;
    const source = input.isScoped ? await this.deps.repositories.byId(input.workflowRepoId) : undefined;
    const prefix = input.isScoped ? scopePrefix(source, input.workflowRepoId) : '';
    const contexts = [
      ...new Set(jobs.map((job) => statusContext(prefix, input.workflowName, job, input.triggerEvent))),
    ].filter(anyOf([...rules, ...scoped]));
    if (contexts.length === 0) return;
    const statuses = contexts.map((context) => ({ context, description: 'Skipped', page: '/actions' }));
    await this.deps.database.write(async () => {
      // filters of a push say nothing of where its commits are to be merged
      if (input.pullIndex > 0) await this.#storeSkipped(input, contexts.filter(anyOf(scoped)));
      await this.#post(repository, statusSha, 'skipped', statuses);
    });
  }

  async #requiredOf({ repository, workflowRepoId, workflowId }: NewRun): Promise<readonly string[]> {
    const all = await this.deps.scoped.required(repository);
    return all.flatMap((one) => (one.sourceId === workflowRepoId && one.workflowId === workflowId ? one.patterns : []));
  }

  async #storeSkipped(input: NewRun, contexts: readonly string[]): Promise<void> {
    const common = {
      repository_id: input.repository.id,
      source_repo_id: input.workflowRepoId,
      workflow_id: input.workflowId,
      commit_sha: input.statusSha,
      pull_index: input.pullIndex,
      base_branch: input.pullBase ?? '',
    };
    const rows = contexts.map((context) => ({ ...common, context }));
    const key = ['repository_id', 'commit_sha', 'pull_index', 'source_repo_id', 'workflow_id', 'context'];
    await insertInBatches(this.deps.database, ScopedSkipRow.tableName, rows, { key, sets: ['base_branch'] });
  }

  /** Where in the file something is wrong. */
  async postBroken(repository: Repository, sha: string, file: WorkflowFile, problem: string): Promise<void> {
    const page = `/src/commit/${sha}/${file.path.split('/').map(encodeURIComponent).join('/')}`;
    const statuses = { context: file.path.slice(0, 255), description: problem.slice(0, 250), page };
    await this.#post(repository, sha, 'failure', [statuses]);
  }

  /** Those whose contexts have no status yet. */
  async #post(
    repository: Repository,
    sha: string,
    state: 'skipped' | 'failure',
    all: readonly { readonly context: string; readonly description: string; readonly page: string }[],
  ): Promise<void> {
    const { statuses, site, database } = this.deps;
    const common = { repositoryId: repository.id, sha, state, creatorId: actionsUserId };
    const home = repositoryHome(site, repository);
    await database.write(async () => {
      const known = new Set((await statuses.latest(repository.id, [sha])).get(sha)?.map(({ context }) => context));
      for (const { context, description, page } of all)
        if (!known.has(context))
          await statuses.create({ ...common, context, description, targetUrl: `${home}${page}` });
    });
  }
}

/** Runs of scoped workflows of one commit considered at most, the newest first. */
const maxRuns = 500;
/** Jobs of those with different names. Where there are more, nothing has passed. */
const maxJobs = 10_000;

/**
 * Scoped workflows that are required gate merges into every protected branch. What counts is their own runs, not the
 * statuses of the commit: those anybody who may write can post under any name.
 */
export class ScopedRequirement implements MergeRequirement {
  readonly key = 'actions-scoped';
  readonly order = 60;

  constructor(
    private readonly deps: Pick<RunDeps, 'database' | 'repositories'> & {
      readonly protections: BranchProtections;
      readonly scoped: ScopedWorkflows;
    },
  ) {}

  async blockers({ pull, repository }: PullContext): Promise<readonly MergeBlocker[]> {
    const { protections, scoped } = this.deps;
    const required = await scoped.required(repository);
    if (required.length === 0 || !(await protections.ruleFor(repository.id, pull.baseBranch))) return [];
    const passed = await this.#passed(pull, required);
    const missing = required.flatMap((one) => {
      const about = [...(passed.get(keyOf(one)) ?? [])];
      const isMet = (pattern: string) => {
        const matches = matcherOf(pattern);
        const fitting = about.filter(([context]) => matches(context));
        return fitting.length > 0 && fitting.every(([, hasPassed]) => hasPassed);
      };
      return one.patterns.filter((pattern) => !isMet(pattern));
    });
    if (missing.length === 0) return [];
    const message = t.later('obstacle.scoped', { checks: missing.slice(0, 5).join(', ') });
    const link = { path: '/checks', label: t.later('obstacle.scoped.show') };
    return [{ code: 'scoped-checks', message, isRequirement: true, link }];
  }

  /**
   * By workflow of a source: contexts of its jobs, and whether the newest of each has passed. What another pull request, or
   * this one with another base, let run or leave out says nothing: filters and conditions may look at either.
   */
  async #passed(
    { repositoryId, headOid: sha, index, baseBranch }: PullRequest,
    required: readonly RequiredWorkflow[],
  ): Promise<ReadonlyMap<string, ReadonlyMap<string, boolean>>> {
    const { database, repositories } = this.deps;
    const sourceIds = [...new Set(required.map(({ sourceId }) => sourceId))];
    const where = { repository_id: repositoryId, commit_sha: sha };
    const skips = await database
      .query(ScopedSkipRow)
      .where({ ...where, pull_index: index, base_branch: baseBranch })
      .whereIn('source_repo_id', sourceIds);
    const runs = await database
      .query(RunRow)
      .where({ ...where, status_sha: sha, is_scoped_run: true })
      .where((of) => void of.where('pull_index', 0).orWhere({ pull_index: index, pull_base: baseBranch }))
      .whereIn('workflow_repo_id', sourceIds)
      .orderBy('id', 'desc')
      .limit(maxRuns)
      .select('id', 'workflow_id', 'workflow_name', 'workflow_repo_id', 'trigger_event');
    const byId = new Map(runs.map((run) => [run.id, run]));
    const byContext = new Map<string, Map<string, boolean>>();
    const jobs = await this.#newestJobs([...byId.keys()]);
    if (jobs.length > maxJobs) return byContext;
    const sources = await repositories.byIds(sourceIds);
    const note = (workflow: Pick<RequiredWorkflow, 'sourceId' | 'workflowId'>, context: string, hasPassed: boolean) => {
      const key = keyOf(workflow);
      const contexts = byContext.get(key) ?? new Map<string, boolean>();
      byContext.set(key, contexts.set(context, hasPassed && contexts.get(context) !== false));
    };
    for (const skip of skips) note({ sourceId: skip.source_repo_id, workflowId: skip.workflow_id }, skip.context, true);
    for (const job of jobs) {
      const run = byId.get(job.run_id)!;
      const prefix = scopePrefix(sources.get(run.workflow_repo_id), run.workflow_repo_id);
      const context = statusContext(prefix, run.workflow_name || run.workflow_id, contextName(job), run.trigger_event);
      note({ sourceId: run.workflow_repo_id, workflowId: run.workflow_id }, context, passing.has(job.status));
    }
    return byContext;
  }

  /** Of each job of a workflow and an event the one that changed last, in the newest attempts; one more than may be. */
  async #newestJobs(runIds: readonly number[]): Promise<readonly NewestJob[]> {
    if (runIds.length === 0) return [];
    const knex = this.deps.database.knex();
    const same = 'run.workflow_repo_id, run.workflow_id, run.workflow_name, run.trigger_event';
    const context = `coalesce(nullif(job.context_name, ''), job.name)`;
    const turn = `row_number() over (partition by ${same}, ${context} order by job.updated_at desc, job.id desc) as turn`;
    const all = knex('action_job as job')
      .join('action_run as run', 'run.id', 'job.run_id')
      .whereIn('run.id', [...runIds])
      .where('job.run_attempt_id', knex.ref('run.latest_attempt_id'))
      .select('job.run_id', 'job.name', 'job.context_name', 'job.status', knex.raw(turn))
      .as('jobs');
    return (await knex
      .select('run_id', 'name', 'context_name', 'status')
      .from(all)
      .where('turn', 1)
      .limit(maxJobs + 1)) as unknown as NewestJob[];
  }
}

type NewestJob = Pick<JobRow, 'run_id' | 'name' | 'context_name' | 'status'>;

const passing: ReadonlySet<number> = new Set([statusNumbers.success, statusNumbers.skipped]);
const keyOf = ({ sourceId, workflowId }: Pick<RequiredWorkflow, 'sourceId' | 'workflowId'>): string =>
  `${sourceId} ${workflowId}`;
