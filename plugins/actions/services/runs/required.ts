import { compileGlob } from '@mortise/plugin-sdk';
import type { BranchProtections } from '@mortise/branch-protection/api';
import type { MergeObstacle, MergeRequirement, PullContext } from '@mortise/pulls/api';
import { repositoryHome, type Repository } from '@mortise/repositories/api';
import { statusNumbers } from '../../contract/states.js';
import { JobRow } from '../../models/job.js';
import { ScopedSkipRow } from '../../models/rest.js';
import { RunRow } from '../../models/run.js';
import { t } from '../../texts/index.js';
import type { NewRun } from './creating.js';
import { actionsUserId, type RunParts } from './parts.js';
import type { RequiredWorkflow, Scoped } from './scoped.js';
import { scopePrefix, statusContext } from './telling.js';
import type { WorkflowFile } from './workflows.js';

/** Is one of the patterns about the context? Some of them may be broken. */
const fits = (patterns: readonly string[], context: string): boolean =>
  patterns.some((pattern) => compileGlob(pattern, { acrossSlashes: true })?.matches(context) ?? pattern === context);

/** Statuses that say something although nothing ran. */
export class RequiredChecks {
  constructor(
    private readonly parts: RunParts & { readonly protections: BranchProtections; readonly scoped: Scoped },
  ) {}

  /** For those jobs of a filtered workflow that something requires. */
  async tellSkipped(wish: NewRun, jobs: readonly string[]): Promise<void> {
    const { repository } = wish;
    const rules = (await this.parts.protections.list(repository.id)).flatMap((rule) =>
      rule.enableStatusCheck ? (rule.statusCheckContexts ?? []) : [],
    );
    // what is required of a source no other workflow can answer
    const scoped = wish.isScoped ? await this.#requiredOf(wish) : [];
    if (rules.length + scoped.length === 0) return;
    const source = wish.isScoped ? await this.parts.repositories.byId(wish.workflowRepoId) : undefined;
    const prefix = wish.isScoped ? scopePrefix(source, wish.workflowRepoId) : '';
    for (const job of jobs) {
      const context = statusContext(prefix, wish.workflowName, job, wish.triggerEvent);
      if (fits(scoped, context)) await this.#keepSkipped(wish, context);
      if (fits([...rules, ...scoped], context))
        await this.#tell(repository, wish.statusSha, context, 'skipped', 'Skipped', '/actions');
    }
  }

  async #requiredOf({ repository, workflowRepoId, workflowId }: NewRun): Promise<readonly string[]> {
    const all = await this.parts.scoped.required(repository);
    return all.flatMap((one) => (one.sourceId === workflowRepoId && one.workflowId === workflowId ? one.patterns : []));
  }

  async #keepSkipped(wish: NewRun, context: string): Promise<void> {
    const { database } = this.parts;
    const row = {
      repository_id: wish.repository.id,
      source_repo_id: wish.workflowRepoId,
      workflow_id: wish.workflowId,
      commit_sha: wish.statusSha,
      context,
    };
    await database.write(async () => {
      await database
        .query(ScopedSkipRow)
        .insert(row)
        .onConflict(['repository_id', 'commit_sha', 'source_repo_id', 'workflow_id', 'context'])
        .ignore();
    });
  }

  /** Where in the file something is wrong. */
  async tellBroken(repository: Repository, sha: string, file: WorkflowFile, problem: string): Promise<void> {
    const page = `/src/commit/${sha}/${file.path.split('/').map(encodeURIComponent).join('/')}`;
    await this.#tell(repository, sha, file.path.slice(0, 255), 'failure', problem.slice(0, 250), page);
  }

  async #tell(
    repository: Repository,
    sha: string,
    context: string,
    state: 'skipped' | 'failure',
    description: string,
    page: string,
  ): Promise<void> {
    const { statuses, site, database } = this.parts;
    await database.write(async () => {
      const known = (await statuses.latest(repository.id, [sha])).get(sha) ?? [];
      if (known.some((one) => one.context === context)) return;
      await statuses.create({
        repositoryId: repository.id,
        sha,
        context,
        state,
        description,
        targetUrl: `${repositoryHome(site, repository)}${page}`,
        creatorId: actionsUserId,
      });
    });
  }
}

/** Runs of scoped workflows of one commit that are looked at, the newest first. */
const maxRuns = 500;

/**
 * Scoped workflows that are required gate merges into every protected branch. What counts is their own runs, not the
 * statuses of the commit: those anybody who may write can post under any name.
 */
export class ScopedRequirement implements MergeRequirement {
  readonly key = 'actions-scoped';
  readonly order = 60;

  constructor(
    private readonly parts: Pick<RunParts, 'database' | 'repositories'> & {
      readonly protections: BranchProtections;
      readonly scoped: Scoped;
    },
  ) {}

  async obstacles({ pull, repository }: PullContext): Promise<readonly MergeObstacle[]> {
    const { protections, scoped } = this.parts;
    const required = await scoped.required(repository);
    if (required.length === 0 || !(await protections.ruleFor(repository.id, pull.baseBranch))) return [];
    const passed = await this.#passed(repository.id, pull.headOid, required);
    const missing = required.flatMap((one) => {
      const about = [...(passed.get(keyOf(one)) ?? [])];
      const isMet = (pattern: string) => {
        const fitting = about.filter(([context]) => fits([pattern], context));
        return fitting.length > 0 && fitting.every(([, hasPassed]) => hasPassed);
      };
      return one.patterns.filter((pattern) => !isMet(pattern));
    });
    if (missing.length === 0) return [];
    const message = t.later('obstacle.scoped', { checks: missing.slice(0, 5).join(', ') });
    return [{ code: 'scoped-checks', message, isRequirement: true }];
  }

  /** By workflow of a source: contexts of its jobs, and whether the newest of each has passed. */
  async #passed(
    repositoryId: number,
    sha: string,
    required: readonly RequiredWorkflow[],
  ): Promise<ReadonlyMap<string, ReadonlyMap<string, boolean>>> {
    const { database, repositories } = this.parts;
    const sourceIds = [...new Set(required.map(({ sourceId }) => sourceId))];
    const where = { repository_id: repositoryId, commit_sha: sha };
    const skips = await database.query(ScopedSkipRow).where(where).whereIn('source_repo_id', sourceIds);
    const runs = await database
      .query(RunRow)
      .where({ ...where, status_sha: sha, is_scoped_run: true })
      .whereIn('workflow_repo_id', sourceIds)
      .orderBy('id', 'desc')
      .limit(maxRuns)
      .select('id', 'latest_attempt_id', 'workflow_id', 'workflow_name', 'workflow_repo_id', 'trigger_event');
    const byId = new Map(runs.map((run) => [run.id, run]));
    const jobs = await database
      .query(JobRow)
      .whereIn('run_id', [...byId.keys()])
      .whereIn(
        'run_attempt_id',
        runs.map((run) => run.latest_attempt_id),
      )
      .orderBy([{ column: 'updated_at' }, { column: 'id' }])
      .select('run_id', 'name', 'status');
    const sources = await repositories.byIds(sourceIds);
    const found = new Map<string, Map<string, boolean>>();
    const note = (workflow: Pick<RequiredWorkflow, 'sourceId' | 'workflowId'>, context: string, hasPassed: boolean) => {
      const key = keyOf(workflow);
      found.set(key, (found.get(key) ?? new Map<string, boolean>()).set(context, hasPassed));
    };
    for (const skip of skips) note({ sourceId: skip.source_repo_id, workflowId: skip.workflow_id }, skip.context, true);
    // what ran counts more than what was left out, and of each job the newest
    for (const job of jobs) {
      const run = byId.get(job.run_id)!;
      const prefix = scopePrefix(sources.get(run.workflow_repo_id), run.workflow_repo_id);
      const context = statusContext(prefix, run.workflow_name || run.workflow_id, job.name, run.trigger_event);
      note({ sourceId: run.workflow_repo_id, workflowId: run.workflow_id }, context, passing.has(job.status));
    }
    return found;
  }
}

const passing: ReadonlySet<number> = new Set([statusNumbers.success, statusNumbers.skipped]);
const keyOf = ({ sourceId, workflowId }: Pick<RequiredWorkflow, 'sourceId' | 'workflowId'>): string =>
  `${sourceId} ${workflowId}`;
