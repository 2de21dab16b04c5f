import { compileGlob } from '@mortise/plugin-sdk';
import type { BranchProtections } from '@mortise/branch-protection/api';
import type { MergeObstacle, MergeRequirement, PullContext } from '@mortise/pulls/api';
import type { Repository } from '@mortise/repositories/api';
import { t } from '../../texts/index.js';
import type { NewRun } from './creating.js';
import { actionsUserId, type RunParts } from './parts.js';
import type { Scoped } from './scoped.js';
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

  /** Contexts that any rule of the repository, or a scoped workflow, requires. */
  async patterns(repository: Repository): Promise<readonly string[]> {
    const rules = await this.parts.protections.list(repository.id);
    return [
      ...rules.flatMap((rule) => (rule.enableStatusCheck ? (rule.statusCheckContexts ?? []) : [])),
      ...(await this.parts.scoped.requiredPatterns(repository)),
    ];
  }

  /** For those jobs of a filtered workflow that something requires. */
  async tellSkipped(wish: NewRun, jobs: readonly string[]): Promise<void> {
    const patterns = await this.patterns(wish.repository);
    if (patterns.length === 0) return;
    const source = wish.isScoped ? await this.parts.repositories.byId(wish.workflowRepoId) : undefined;
    const prefix = wish.isScoped ? scopePrefix(source, wish.workflowRepoId) : '';
    for (const job of jobs) {
      const context = statusContext(prefix, wish.workflowName, job, wish.triggerEvent);
      if (fits(patterns, context))
        await this.#tell(wish.repository, wish.statusSha, context, 'skipped', 'Skipped', '/actions');
    }
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
    const { statuses, repositories, database } = this.parts;
    await database.write(async () => {
      const known = (await statuses.latest(repository.id, [sha])).get(sha) ?? [];
      if (known.some((one) => one.context === context)) return;
      await statuses.create({
        repositoryId: repository.id,
        sha,
        context,
        state,
        description,
        targetUrl: `${repositories.htmlUrl(repository)}${page}`,
        creatorId: actionsUserId,
      });
    });
  }
}

/** Scoped workflows that are required gate merges into every protected branch. */
export class ScopedRequirement implements MergeRequirement {
  readonly key = 'actions-scoped';
  readonly order = 60;

  constructor(
    private readonly parts: Pick<RunParts, 'statuses'> & {
      readonly protections: BranchProtections;
      readonly scoped: Scoped;
    },
  ) {}

  async obstacles({ pull, repository }: PullContext): Promise<readonly MergeObstacle[]> {
    const { protections, scoped, statuses } = this.parts;
    const patterns = await scoped.requiredPatterns(repository);
    if (patterns.length === 0 || !(await protections.ruleFor(repository.id, pull.baseBranch))) return [];
    const given = (await statuses.latest(repository.id, [pull.headOid])).get(pull.headOid) ?? [];
    const isMet = (pattern: string) => {
      const about = given.filter(({ context }) => fits([pattern], context));
      return about.length > 0 && about.every(({ state }) => state === 'success' || state === 'skipped');
    };
    const missing = patterns.filter((pattern) => !isMet(pattern));
    if (missing.length === 0) return [];
    const message = t.later('obstacle.scoped', { checks: missing.slice(0, 5).join(', ') });
    return [{ code: 'scoped-checks', message, isRequirement: true }];
  }
}
