import {
  Forbidden,
  Invalid,
  NotFound,
  type Problem,
  type Actor,
  type Cache,
  type QueryCache,
  type PointReader,
} from '@mortise/plugin-sdk';
import type { Account, Accounts } from '@mortise/accounts/api';
import type { BranchProtections, ProtectionRule } from '@mortise/branch-protection/api';
import type { Team, Teams } from '@mortise/organizations/api';
import type { Pulls } from '@mortise/pulls/api';
import {
  accessRank,
  type AccessMode,
  type AccessSource,
  type Repository,
  type RepositoryAccess,
} from '@mortise/repositories/api';
import { t } from '../texts/index.js';

/** What somebody was expressly given in a repository. */
interface GrantedAccess {
  readonly pulls: AccessMode;
}
const stronger = (one: AccessMode, other: AccessMode) => (accessRank[one] > accessRank[other] ? one : other);
/** A team that reads pull requests and code, wherever it has a repository. */
function maySee(team: Team): boolean {
  const mode = (unit: string) => (team.authorization === 'none' ? team.units[unit] : team.authorization);
  return atLeast(mode('pulls'), 'read') && atLeast(mode('code'), 'read');
}
/** A team that writes code, wherever it has a repository. */
export const mayWriteCode = (team: Team): boolean => team.authorization !== 'none' || atLeast(team.units.code, 'write');
const atLeast = (have: AccessMode | undefined, need: AccessMode) => accessRank[have ?? 'none'] >= accessRank[need];

/** Where rules of branches and teams come from, where there are such plugins. */
export interface OptionalSources {
  readonly protections: () => BranchProtections | undefined;
  readonly teams: () => Teams | undefined;
}

/** Knows who may ask whom for a review, and whose opinion counts. */
export class Reviewers {
  readonly #rights: QueryCache<ReadonlyMap<number, GrantedAccess>>;

  constructor(
    private readonly deps: OptionalSources & {
      readonly accounts: Accounts;
      readonly repositoryAccess: RepositoryAccess;
      readonly accessSources: PointReader<AccessSource>;
      readonly pulls: Pulls;
      readonly cache: Cache;
    },
  ) {
    this.#rights = deps.cache.query('reviews.rights');
  }

  get teams(): Teams | undefined {
    return this.deps.teams();
  }

  ruleFor(repositoryId: number, branch: string): Promise<ProtectionRule | undefined> {
    return this.deps.protections()?.ruleFor(repositoryId, branch) ?? Promise.resolve(undefined);
  }

  /** Who opened it, the owner, collaborators, and teams that see pull requests. */
  async mayAsk(repository: Repository, posterId: number, actor: Actor): Promise<boolean> {
    if (actor.kind !== 'user') return false;
    if (actor.id === posterId || actor.id === repository.ownerId) return true;
    return atLeast((await this.#grantedAccess(repository)).get(actor.id)?.pulls, 'read');
  }

  /** The people of these names or addresses; NotFound for one that does not exist. */
  async users(names: readonly string[]): Promise<Account[]> {
    const wanted = [...new Set(names.map((name) => name.trim()).filter(Boolean))];
    if (wanted.length === 0) return [];
    const accountsByName = await this.deps.accounts.byNames(wanted.filter((name) => !name.includes('@')));
    const byEmail = await this.deps.accounts.byEmails(wanted.filter((name) => name.includes('@')));
    const accounts = wanted.map((name) => {
      const account = accountsByName.get(name.toLowerCase()) ?? byEmail.get(name.toLowerCase());
      if (!account) throw NotFound('user');
      return account;
    });
    return [...new Map(accounts.map((one) => [one.id, one])).values()];
  }

  /** Teams of the owner of the repository; NotFound for one that does not exist. */
  async teamsOf(repository: Repository, names: readonly string[]): Promise<Team[]> {
    // of `organization/team` the second counts: teams of others cannot be asked
    const wanted = [...new Set(names.map((name) => name.trim().replace(/^.*\//s, '').toLowerCase()).filter(Boolean))];
    if (wanted.length === 0) return [];
    if (!this.teams) throw NotFound('team');
    const { items } = await this.teams.search({
      organizationId: repository.ownerId,
      names: wanted,
      limit: wanted.length,
      offset: 0,
    });
    const byName = new Map(items.map((team) => [team.lowerName, team]));
    return wanted.map((name) => {
      const team = byName.get(name);
      if (!team) throw NotFound('team');
      return team;
    });
  }

  /**
   * Why people cannot be asked, by their ids; those who can are left out. Nobody is asked by who they block, and none who
   * the owner blocks. `askerIds`: who asks, and who opened it.
   */
  async problems(
    users: readonly Account[],
    repository: Repository,
    { posterId, askerIds }: { readonly posterId: number; readonly askerIds: readonly number[] },
  ): Promise<Map<number, Problematic>> {
    const { accounts, repositoryAccess } = this.deps;
    const problems = new Map<number, Problematic>();
    const ids = users.map(({ id }) => id);
    const rights = await repositoryAccess.rightsAmong(users, repository);
    const unwilling = new Set<number>();
    for (const asker of new Set([posterId, repository.ownerId, ...askerIds]))
      for (const id of await accounts.blockersAmong(ids, asker)) unwilling.add(id);
    const barred = await accounts.blockedAmong(repository.ownerId, ids);
    for (const { id, kind, name } of users) {
      const own = rights.get(id);
      if (kind !== 'user') problems.set(id, Invalid(t.later('error.reviewer.organization', { name })));
      else if (id === posterId) problems.set(id, Invalid(t.later('error.reviewer.poster')));
      else if (unwilling.has(id) || barred.has(id))
        problems.set(id, Forbidden(t.later('error.reviewer.blocked', { name })));
      else if (!own?.may('read', 'pulls') || !own.may('read', 'code'))
        problems.set(id, Invalid(t.later('error.reviewer.access', { name })));
    }
    return problems;
  }

  async teamProblem(team: Team, repository: Repository): Promise<Problematic | undefined> {
    const has = team.organizationId === repository.ownerId && (await this.teams?.hasRepository(team, repository));
    if (has && maySee(team)) return undefined;
    return Invalid(t.later('error.reviewer.access', { name: team.name }));
  }

  /** Teams that the actor may know of and ask for a review: of a long list the first. */
  async askableTeams(repository: Repository, actor: Actor, limit: number): Promise<Team[]> {
    const owner = await this.deps.accounts.byId(repository.ownerId);
    if (!this.teams || owner?.kind !== 'organization') return [];
    const search = { organizationId: repository.ownerId, repository, visibleTo: actor, limit, offset: 0 };
    return (await this.teams.search(search)).items.filter(maySee);
  }

  /** Those whose opinion counts for the branch: active, allowed to write its code, and named by its rule where it names any. */
  async officialAmong(repository: Repository, branch: string, userIds: readonly number[]): Promise<Set<number>> {
    return this.listedAmong(repository, branch, [...(await this.deps.pulls.activeWriters(repository, userIds))]);
  }

  /** Those that the rule of the branch names; all of them where it names none. */
  async listedAmong(repository: Repository, branch: string, userIds: readonly number[]): Promise<Set<number>> {
    const rule = userIds.length ? await this.ruleFor(repository.id, branch) : undefined;
    return new Set(rule?.enableApprovalsAllowlist ? await rule.approversAmong(userIds) : userIds);
  }

  /** Does the branch wait for a team that is asked? Where no rule is, it does not. */
  async isOfficialTeam(repository: Repository, branch: string, team: Team): Promise<boolean> {
    const rule = await this.ruleFor(repository.id, branch);
    if (!rule) return false;
    if (rule.enableApprovalsAllowlist) return rule.approvalsAllowlist.teams.includes(team.id);
    return mayWriteCode(team);
  }

  #grantedAccess(repository: Repository): Promise<ReadonlyMap<number, GrantedAccess>> {
    const { id, ownerId } = repository;
    return this.#rights.load(`${id}:${ownerId}`, () => this.#readGrantedAccess(repository));
  }

  async #readGrantedAccess(repository: Repository): Promise<Map<number, GrantedAccess>> {
    const accessByUser = new Map<number, GrantedAccess>();
    for (const source of this.deps.accessSources.list())
      for (const { userId, grant } of (await source.granted?.(repository)) ?? []) {
        const known = accessByUser.get(userId)?.pulls ?? 'none';
        accessByUser.set(userId, { pulls: stronger(known, stronger(grant.mode, grant.units?.pulls ?? 'none')) });
      }
    return accessByUser;
  }
}
type Problematic = Problem;
