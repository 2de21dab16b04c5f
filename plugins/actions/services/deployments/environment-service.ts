import {
  Conflict,
  Invalid,
  NotFound,
  pageOf,
  refuseDuplicate,
  type Database,
  type Events,
  type Jobs,
} from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import type { Repository, RepositoryAccess } from '@mortise/repositories/api';
import { isEnvironmentName, isPattern } from '../../workflow/index.js';
import { repositoryScope } from '../../contract/scopes.js';
import { DeploymentRow } from '../../models/deployment.js';
import { EnvironmentRow } from '../../models/environment.js';
import { SecretRow } from '../../models/secret.js';
import { VariableRow } from '../../models/variable.js';
import { t } from '../../texts/index.js';
import { auditInScope } from '../audited-scope.js';
import { resumeRun } from '../runs/job-definitions.js';
import { maxEnvironments, waitingStatus } from './deployment-gate.js';
import type { ReviewingTeams } from './reviewing-teams.js';

export const maxReviewers = 6;
/** Thirty days. */
export const maxWaitMinutes = 43_200;
const maxPatterns = 50;
const maxLength = 255;
/** Runs that are looked at again when rules have changed; more would have waited for each other anyway. */
const maxResumed = 500;

/** Rules of an environment. */
export interface EnvironmentRules {
  /** Ids of accounts. */
  readonly reviewers: readonly number[];
  /** Ids of teams. */
  readonly reviewerTeams: readonly number[];
  /** Names of teams as they were typed, by id; without them errors name the id. */
  readonly typedTeams?: ReadonlyMap<number, string>;
  readonly preventsSelfReview: boolean;
  readonly waitMinutes: number;
  readonly branchPatterns: readonly string[];
}

/** Reviewers of an environment that nobody can be any more, by id. */
export interface GoneReviewers {
  readonly users: readonly number[];
  readonly teams: readonly number[];
}

interface EnvironmentDeps {
  readonly database: Database;
  readonly events: Events;
  readonly jobs: Jobs;
  readonly accounts: Accounts;
  readonly access: RepositoryAccess;
  readonly teams: ReviewingTeams;
}

/** Environments of repositories, and their rules. */
export class EnvironmentService {
  constructor(private readonly deps: EnvironmentDeps) {}

  async list(
    repositoryId: number,
    page: { readonly limit: number; readonly offset: number },
  ): Promise<{ readonly rows: EnvironmentRow[]; readonly total: number }> {
    const query = this.deps.database.query(EnvironmentRow).where('repository_id', repositoryId).orderBy('lower_name');
    return pageOf(query, page);
  }

  async find(repositoryId: number, name: string): Promise<EnvironmentRow | undefined> {
    const key = { repository_id: repositoryId, lower_name: name.toLowerCase() };
    return this.deps.database.query(EnvironmentRow).findOne(key);
  }

  async byId(repositoryId: number, id: number): Promise<EnvironmentRow> {
    const row = await this.deps.database.query(EnvironmentRow).findOne({ id, repository_id: repositoryId });
    if (!row) throw NotFound('environment');
    return row;
  }

  /** NotFound (404) without one. */
  async get(repositoryId: number, name: string): Promise<EnvironmentRow> {
    const row = await this.find(repositoryId, name);
    if (!row) throw NotFound('environment');
    return row;
  }

  /** Invalid (422) for rules that cannot hold. */
  async create(repository: Repository, name: string, rules: EnvironmentRules): Promise<EnvironmentRow> {
    const { database } = this.deps;
    const checked = { ...checkedName(name), ...(await this.#checked(repository, rules)) };
    const taken = t.later('error.environmentTaken', { name: checked.name });
    return refuseDuplicate(Conflict(taken), () =>
      database.write(async () => {
        const owned = database.query(EnvironmentRow).where('repository_id', repository.id);
        if ((await owned.resultSize()) >= maxEnvironments)
          throw Invalid(t.later('error.environmentCount', { max: maxEnvironments }));
        const now = Date.now();
        const row = await database
          .query(EnvironmentRow)
          .insertAndFetch({ repository_id: repository.id, ...checked, created_at: now, updated_at: now });
        await this.#audit('create', row);
        return row;
      }),
    );
  }

  /** Jobs that wait go on where the new rules let them. */
  async update(repository: Repository, row: EnvironmentRow, rules: EnvironmentRules): Promise<EnvironmentRow> {
    const { database } = this.deps;
    const checked = await this.#checked(repository, rules, row);
    return database.write(async () => {
      const change = { ...checked, updated_at: Date.now() };
      if (!(await database.query(EnvironmentRow).findById(row.id).patch(change))) throw NotFound('environment');
      await this.#audit('edit', row);
      await this.#resumeWaiting(row.id);
      return (await database.query(EnvironmentRow).findById(row.id))!;
    });
  }

  /** With its history, its secrets and variables. Conflict (409) while jobs wait for it: without its rules they would begin. */
  async remove(row: EnvironmentRow): Promise<void> {
    const { database } = this.deps;
    await database.write(async () => {
      const waiting = await this.#waiting(row.id).select('id').first();
      if (waiting) throw Conflict(t.later('error.environmentWaiting', { name: row.name }));
      if (!(await database.query(EnvironmentRow).deleteById(row.id))) throw NotFound('environment');
      for (const values of [SecretRow, VariableRow])
        await database.query<SecretRow | VariableRow>(values).delete().where('environment_id', row.id);
      await this.#audit('delete', row);
    });
  }

  #waiting(environmentId: number) {
    const where = { environment_id: environmentId, status: waitingStatus };
    return this.deps.database.query(DeploymentRow).where(where);
  }

  async #resumeWaiting(environmentId: number): Promise<void> {
    const rows = await this.#waiting(environmentId).distinct('run_id').limit(maxResumed);
    for (const { run_id: runId } of rows) await this.deps.jobs.enqueue(resumeRun, { runId });
  }

  /** Accounts and teams of its rules that are gone, or that belong to another owner since the repository was transferred. */
  async goneReviewers(repository: Repository, row: EnvironmentRow): Promise<GoneReviewers> {
    const [users, teams] = [
      await this.deps.accounts.byIds(row.reviewers),
      await this.deps.teams.of(repository.ownerId, [row]),
    ];
    return {
      users: row.reviewers.filter((id) => !users.has(id)),
      teams: row.reviewer_teams.filter((id) => !teams.has(id)),
    };
  }

  /** Reviewers that are gone may stay in the rules of `row`: without them nobody would have to approve any more. */
  async #checked(repository: Repository, rules: EnvironmentRules, row?: EnvironmentRow) {
    const { waitMinutes } = rules;
    if (!Number.isInteger(waitMinutes) || waitMinutes < 0 || waitMinutes > maxWaitMinutes) {
      const text = t.later('error.waitMinutes', { max: maxWaitMinutes });
      throw Invalid(text, { inputs: { wait_minutes: text } });
    }
    const [reviewers, reviewerTeams] = [[...new Set(rules.reviewers)], [...new Set(rules.reviewerTeams)]];
    if (reviewers.length + reviewerTeams.length > maxReviewers)
      throw badReviewers(t.later('error.reviewerCount', { max: maxReviewers }));
    const gone = row ? await this.goneReviewers(repository, row) : { users: [], teams: [] };
    const present = <T>(ids: readonly T[], absent: readonly T[]) => ids.filter((id) => !absent.includes(id));
    await this.#checkReviewers(repository, present(reviewers, gone.users));
    await this.#checkTeams(repository, present(reviewerTeams, gone.teams), rules.typedTeams);
    return {
      reviewers,
      reviewer_teams: reviewerTeams,
      prevents_self_review: rules.preventsSelfReview,
      wait_minutes: waitMinutes,
      branch_patterns: checkedPatterns(rules.branchPatterns),
    };
  }

  /** Those who may read runs: who may not could not look at what they are to review. */
  async #checkReviewers(repository: Repository, wanted: readonly number[]): Promise<void> {
    const users = [...(await this.deps.accounts.byIds(wanted)).values()].filter(({ kind }) => kind === 'user');
    const readers = await this.deps.access.readersAmong(users, repository, 'actions');
    const stranger = wanted.find((id) => !readers.has(id));
    if (stranger === undefined) return;
    const name = users.find(({ id }) => id === stranger)?.name ?? String(stranger);
    throw badReviewers(t.later('error.reviewerAccess', { name }));
  }

  async #checkTeams(
    repository: Repository,
    wanted: readonly number[],
    typed: ReadonlyMap<number, string> = new Map(),
  ): Promise<void> {
    const eligible = await this.deps.teams.eligible(repository, wanted);
    const stranger = wanted.find((id) => !eligible.has(id));
    if (stranger === undefined) return;
    throw badReviewers(t.later('error.reviewerTeam', { name: typed.get(stranger) ?? String(stranger) }));
  }

  #audit(act: 'create' | 'edit' | 'delete', row: Pick<EnvironmentRow, 'id' | 'name' | 'repository_id'>): Promise<void> {
    const target = { kind: 'environment', id: row.id, name: row.name };
    return auditInScope(this.deps.events, repositoryScope(row.repository_id), { action: `environment.${act}`, target });
  }
}

const badReviewers = (text: ReturnType<typeof t.later>) => Invalid(text, { inputs: { reviewers: text } });

function checkedName(text: string): { name: string; lower_name: string } {
  const name = text.trim();
  if (!isEnvironmentName(name)) {
    const problem = t.later('error.environmentName', { max: maxLength });
    throw Invalid(problem, { inputs: { name: problem } });
  }
  return { name, lower_name: name.toLowerCase() };
}

function checkedPatterns(given: readonly string[]): string[] {
  const patterns = [...new Set(given.map((one) => one.trim()).filter(Boolean))];
  const problem = (text: ReturnType<typeof t.later>) => Invalid(text, { inputs: { branch_patterns: text } });
  if (patterns.length > maxPatterns) throw problem(t.later('error.patternCount', { max: maxPatterns }));
  const broken = patterns.find((one) => one.length > maxLength || !isPattern(one));
  if (broken !== undefined) throw problem(t.later('error.branchPattern', { pattern: broken.slice(0, maxLength) }));
  return patterns;
}
