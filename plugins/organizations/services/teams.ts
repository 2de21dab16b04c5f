import {
  actAudited,
  Invalid,
  NotFound,
  refuseDuplicate,
  type Actor,
  type Database,
  type Events,
  refusedField,
} from '@mortise/plugin-sdk';
import type { Account, Accounts, Memberships, Visibility } from '@mortise/accounts/api';
import {
  refuseBlockedPair,
  repositoryAccessReduced,
  type Repositories,
  type Repository,
} from '@mortise/repositories/api';
import type { ApiTeam, NewTeam, Team, TeamChanges, Teams } from '../contract/teams.js';
import type { Organization } from '../contract/organizations.js';
import { MemberRow } from '../models/member.js';
import { OrganizationRow } from '../models/organization.js';
import { RepositoryIdRow } from '../models/repository-id.js';
import { TeamMemberRow } from '../models/team-member.js';
import { TeamRepositoryRow } from '../models/team-repository.js';
import { TeamUnitRow } from '../models/team-unit.js';
import { TeamRow, toTeam } from '../models/team.js';
import { auditedTeamAct } from './audited-team.js';
import { nameForm, ownersName, reservedNames } from './team-names.js';
import type { OrganizationFinder } from './organization-finder.js';
import { TeamFinder } from './team-finder.js';
import { showOrganization } from './organization-presenter.js';
import { checkUnits, givesAccess, type TeamUnits, type UnitModes } from './units.js';
import { t } from '../texts/index.js';

interface TeamDeps {
  readonly database: Database;
  readonly events: Events;
  readonly accounts: Accounts;
  readonly memberships: Pick<Memberships, 'whereViewable'>;
  readonly finder: OrganizationFinder;
  readonly repositories: Pick<Repositories, 'byId' | 'hold'>;
  readonly units: TeamUnits;
  readonly isMemberVisible: boolean;
}

/** Teams, their members and repositories. Whoever is in a team belongs to the organization. */
export class TeamService extends TeamFinder implements Teams {
  constructor(private readonly deps: TeamDeps) {
    super(deps.database);
  }

  createOwners({ account }: Organization): Promise<Team> {
    return this.#insert(account.id, {
      name: ownersName,
      authorization: 'owner',
      units: {},
      includesAllRepositories: true,
      canCreateRepository: true,
      visibility: 'limited',
    });
  }

  create({ account }: Organization, given: NewTeam): Promise<Team> {
    this.#checkName(given.name);
    const isAdmin = given.permission === 'admin';
    const units = isAdmin ? {} : (given.units ?? {});
    checkUnits(units);
    // ORG-08: a team that is not administrative has its rights from its units alone.
    if (!isAdmin && Object.keys(units).length === 0) throw refusedField('units', t.later('error.noUnits'));
    const store = () =>
      this.#insert(account.id, {
        name: given.name,
        description: given.description ?? '',
        authorization: isAdmin ? 'admin' : 'none',
        units,
        includesAllRepositories: given.includesAllRepositories ?? false,
        canCreateRepository: given.canCreateRepository ?? false,
        visibility: given.visibility ?? 'private',
      });
    return refuseDuplicate(t.later('error.teamTaken', { name: given.name }), store);
  }

  #insert(
    organizationId: number,
    team: Pick<
      Team,
      'name' | 'authorization' | 'units' | 'includesAllRepositories' | 'canCreateRepository' | 'visibility'
    > & { readonly description?: string },
  ): Promise<Team> {
    const { database } = this.deps;
    const now = Date.now();
    return database.write(async () => {
      const lower = team.name.toLowerCase();
      if (await database.query(TeamRow).findOne({ organization_id: organizationId, lower_name: lower }))
        throw refusedField('name', t.later('error.teamTaken', { name: team.name }));
      const row = await database.query(TeamRow).insertAndFetch({
        organization_id: organizationId,
        name: team.name,
        lower_name: lower,
        description: team.description ?? '',
        authorization: team.authorization,
        gives_access: givesAccess(team.authorization, team.units),
        includes_all_repositories: team.includesAllRepositories,
        can_create_repository: team.canCreateRepository,
        visibility: team.visibility,
        created_at: now,
        updated_at: now,
      });
      await this.#setUnits(row.id, team.units);
      const made = toTeam(row, team.units);
      await this.deps.events.emit(actAudited, auditedTeamAct('create', made));
      return made;
    });
  }

  async #setUnits(teamId: number, units: UnitModes): Promise<void> {
    const { database } = this.deps;
    await database.query(TeamUnitRow).delete().where('team_id', teamId);
    for (const [unit, mode] of Object.entries(units))
      await database.query(TeamUnitRow).insert({ team_id: teamId, unit, mode });
  }

  async update(seen: Team, changes: TeamChanges): Promise<Team> {
    const store = (team: Team) => this.#update(team, changes);
    return refuseDuplicate(t.later('error.teamTaken', { name: changes.name ?? seen.name }), () =>
      this.#change(seen, store),
    );
  }

  async #update(team: Team, changes: TeamChanges): Promise<Team> {
    const isOwners = team.authorization === 'owner';
    const name = isOwners ? team.name : (changes.name ?? team.name);
    this.#checkName(name);
    const authorization = isOwners
      ? team.authorization
      : changes.permission === 'admin'
        ? 'admin'
        : changes.permission || changes.units
          ? 'none'
          : team.authorization;
    const units = authorization === 'none' ? (changes.units ?? team.units) : {};
    checkUnits(units);
    if (authorization === 'none' && Object.keys(units).length === 0)
      throw refusedField('units', t.later('error.noUnits'));
    const kept = <T>(given: T | undefined, before: T): T => (isOwners ? before : (given ?? before));
    const { database } = this.deps;
    const row = await database.query(TeamRow).patchAndFetchById(team.id, {
      name,
      lower_name: name.toLowerCase(),
      description: changes.description ?? team.description,
      authorization,
      gives_access: givesAccess(authorization, units),
      includes_all_repositories: kept(changes.includesAllRepositories, team.includesAllRepositories),
      can_create_repository: kept(changes.canCreateRepository, team.canCreateRepository),
      visibility: kept(changes.visibility, team.visibility),
      updated_at: Date.now(),
    });
    await this.#setUnits(team.id, units);
    await this.#reduced(team);
    const updated = toTeam(row, units);
    await this.deps.events.emit(actAudited, auditedTeamAct('edit', updated, { details: { authorization } }));
    return updated;
  }

  async delete(team: Team): Promise<void> {
    if (team.authorization === 'owner') throw Invalid(t.later('error.ownersStay'));
    const { database } = this.deps;
    await this.#change(team, async () => {
      const members = await database.query(TeamMemberRow).select('user_id').where('team_id', team.id);
      await this.#reduced(team);
      await this.#drop([team.id]);
      for (const { user_id: userId } of members) await this.#leaveWithoutTeam(team.organizationId, userId);
      await this.deps.events.emit(actAudited, auditedTeamAct('delete', team));
    });
  }

  /** Changes a team, or who is in it, while nobody else changes a team of the organization; NotFound when it is gone. */
  #change<T>(seen: Team, work: (team: Team) => Promise<T>): Promise<T> {
    const { database } = this.deps;
    return database.write(async () => {
      await this.hold(seen.organizationId);
      const team = await this.byId(seen.id);
      if (!team) throw NotFound('team');
      return work(team);
    });
  }

  /** Inside a transaction: waits for others who change teams of the organization, so that what is read is what they left. */
  async hold(organizationId: number): Promise<void> {
    await this.deps.database.query(OrganizationRow).findById(organizationId).forUpdate();
  }

  /** All teams of an organization that goes, with its members. */
  async removeAll(organizationId: number): Promise<void> {
    const { database } = this.deps;
    const rows = await database.query(TeamRow).select('id').where('organization_id', organizationId);
    await this.#drop(rows.map((row) => row.id));
    await database.query(MemberRow).delete().where('organization_id', organizationId);
  }

  /** Each by name: what follows from foreign keys alone, nobody notices who keeps what was read. */
  async #drop(ids: readonly number[]): Promise<void> {
    const { database } = this.deps;
    const those = [...ids];
    await database.query(TeamUnitRow).delete().whereIn('team_id', those);
    await database.query(TeamMemberRow).delete().whereIn('team_id', those);
    await database.query(TeamRepositoryRow).delete().whereIn('team_id', those);
    await database.query(TeamRow).delete().whereIn('id', those);
  }

  #checkName(name: string): void {
    if (!name) throw refusedField('name', t.later('error.nameMissing'));
    if (name.length > 255 || !nameForm.test(name) || reservedNames.has(name.toLowerCase()))
      throw refusedField('name', t.later('error.teamName'));
  }

  async members(
    teamId: number,
    { shownTo, limit, offset }: { readonly shownTo?: Actor; readonly limit: number; readonly offset: number },
  ) {
    const query = this.deps.database.query(TeamMemberRow).where('team_member.team_id', teamId);
    if (shownTo) this.deps.memberships.whereViewable(shownTo, query, 'team_member.user_id');
    const total = await query.clone().resultSize();
    const rows = await query
      .join('user', 'user.id', 'team_member.user_id')
      .select('team_member.*')
      .orderBy('user.lower_name')
      .limit(limit)
      .offset(offset);
    const known = await this.deps.accounts.byIds(rows.map((row) => row.user_id));
    return { items: rows.flatMap((row) => known.get(row.user_id) ?? []), total };
  }

  async isMember(teamId: number, userId: number): Promise<boolean> {
    return (await this.deps.database.query(TeamMemberRow).findById([teamId, userId])) !== undefined;
  }

  async addMember(team: Team, account: Account, actor?: Pick<Actor, 'id' | 'isAdmin'>): Promise<void> {
    if (account.kind !== 'user') throw Invalid(t.later('error.notAPerson'));
    const { accounts, database } = this.deps;
    const { organizationId } = team;
    await refuseBlockedPair(accounts, account, organizationId, actor);
    await this.#change(team, async () => {
      if (await this.isMember(team.id, account.id)) return;
      const key = { organization_id: organizationId, user_id: account.id };
      await database.query(TeamMemberRow).insert({ team_id: team.id, ...key });
      await database.query(TeamRow).findById(team.id).increment('member_count', 1);
      if (!(await database.query(MemberRow).findById([organizationId, account.id])))
        await database.query(MemberRow).insert({ ...key, is_public: this.deps.isMemberVisible });
      await this.deps.events.emit(actAudited, auditedTeamAct('add_member', team, { userId: account.id }));
    });
  }

  async removeMember(team: Team, userId: number): Promise<void> {
    const { database, events } = this.deps;
    await this.#change(team, async () => {
      if (!(await this.isMember(team.id, userId))) return;
      if (team.authorization === 'owner' && (await this.isLastOwner(team.organizationId, userId)))
        throw Invalid(t.later('error.lastOwner'));
      await database.query(TeamMemberRow).deleteById([team.id, userId]);
      await database.query(TeamRow).findById(team.id).decrement('member_count', 1);
      await this.#leaveWithoutTeam(team.organizationId, userId);
      await events.emit(repositoryAccessReduced, { ownerId: team.organizationId, userIds: [userId] });
      await events.emit(actAudited, auditedTeamAct('remove_member', team, { userId }));
    });
  }

  async #leaveWithoutTeam(organizationId: number, userId: number): Promise<void> {
    const { database } = this.deps;
    const key = { organization_id: organizationId, user_id: userId };
    if (await database.query(TeamMemberRow).findOne(key)) return;
    await database.query(MemberRow).delete().where(key);
  }

  /** While the organization is held: two owners must not both leave as if the other stayed. */
  async isLastOwner(organizationId: number, userId: number): Promise<boolean> {
    const { database } = this.deps;
    const team = await database.query(TeamRow).findOne({ organization_id: organizationId, authorization: 'owner' });
    if (!team) return false;
    const rows = await database.query(TeamMemberRow).select('user_id').where('team_id', team.id).limit(2);
    return rows.length === 1 && rows[0]!.user_id === userId;
  }

  /** Its members may have less than before. */
  async #reduced(team: Team): Promise<void> {
    const rows = await this.deps.database.query(TeamMemberRow).select('user_id').where('team_id', team.id);
    const userIds = rows.map((row) => row.user_id);
    if (userIds.length) await this.deps.events.emit(repositoryAccessReduced, { ownerId: team.organizationId, userIds });
  }

  async hasRepository(team: Team, repository: Repository): Promise<boolean> {
    if (repository.ownerId !== team.organizationId) return false;
    if (team.includesAllRepositories) return true;
    const row = await this.deps.database.query(TeamRepositoryRow).findById([team.id, repository.id]);
    return row !== undefined;
  }

  async addRepository(team: Team, repository: Repository): Promise<void> {
    const { database, repositories } = this.deps;
    await this.#change(team, async () => {
      await repositories.hold(repository.id);
      // Handed over to another in the meantime?
      if ((await repositories.byId(repository.id))?.ownerId !== team.organizationId)
        throw Invalid(t.later('error.foreignRepository'));
      const key = { team_id: team.id, repository_id: repository.id };
      if (await database.query(TeamRepositoryRow).findById([team.id, repository.id])) return;
      await database.query(TeamRepositoryRow).insert(key);
      await database.query(TeamRow).findById(team.id).increment('repository_count', 1);
      await this.deps.events.emit(actAudited, auditedTeamAct('add_repository', team, { repositoryId: repository.id }));
    });
  }

  /** All that the organization has now. */
  async addAllRepositories(team: Team): Promise<void> {
    const { database } = this.deps;
    await this.#change(team, async () => {
      // Held, so that none of them is handed over to another in the meantime.
      const all = await database.query(RepositoryIdRow).select('id').where('owner_id', team.organizationId).forUpdate();
      const there = await database.query(TeamRepositoryRow).select('repository_id').where('team_id', team.id);
      const known = new Set(there.map((row) => row.repository_id));
      const missing = all.filter(({ id }) => !known.has(id));
      for (const { id } of missing)
        await database.query(TeamRepositoryRow).insert({ team_id: team.id, repository_id: id });
      await database.query(TeamRow).findById(team.id).increment('repository_count', missing.length);
      const details = { count: missing.length };
      await this.deps.events.emit(actAudited, auditedTeamAct('add_repository', team, { details }));
    });
  }

  async removeAllRepositories(team: Team): Promise<void> {
    const { database } = this.deps;
    await this.#change(team, async () => {
      await database.query(TeamRepositoryRow).delete().where('team_id', team.id);
      await database.query(TeamRow).findById(team.id).patch({ repository_count: 0 });
      await this.#reduced(team);
      await this.deps.events.emit(actAudited, auditedTeamAct('remove_repository', team, { details: { all: true } }));
    });
  }

  async removeRepository(team: Team, repository: Repository): Promise<void> {
    const { database } = this.deps;
    await this.#change(team, async () => {
      const gone = await database.query(TeamRepositoryRow).deleteById([team.id, repository.id]);
      if (!gone) return;
      await database.query(TeamRow).findById(team.id).decrement('repository_count', 1);
      await this.#reduced(team);
      await this.deps.events.emit(
        actAudited,
        auditedTeamAct('remove_repository', team, { repositoryId: repository.id }),
      );
    });
  }

  /** A repository that goes, or goes to another owner, is in no team any more but in those of `ownerId`. */
  async forgetRepository(repositoryId: number, ownerId = 0): Promise<void> {
    const { database } = this.deps;
    const teams = await database
      .query(TeamRow)
      .whereIn('id', TeamRepositoryRow.query().select('team_id').where('repository_id', repositoryId))
      .whereNot('organization_id', ownerId);
    if (teams.length === 0) return;
    const ids = teams.map((team) => team.id);
    await database.query(TeamRepositoryRow).delete().where('repository_id', repositoryId).whereIn('team_id', ids);
    await database.query(TeamRow).whereIn('id', ids).decrement('repository_count', 1);
  }

  async toApi(
    teams: readonly Team[],
    _viewer: Actor,
    { withOrganization = false }: { withOrganization?: boolean } = {},
  ): Promise<ApiTeam[]> {
    const { accounts, finder, units } = this.deps;
    const owners = withOrganization
      ? await finder.byIds(teams.map((team) => team.organizationId))
      : new Map<number, Organization>();
    return teams.map((team) => {
      const owner = owners.get(team.organizationId);
      return {
        id: team.id,
        name: team.name,
        description: team.description,
        organization: owner ? showOrganization(owner, accounts) : null,
        includes_all_repositories: team.includesAllRepositories,
        permission: team.authorization,
        ...units.toApi(team),
        can_create_org_repo: team.canCreateRepository,
        visibility: team.visibility as Visibility,
      };
    });
  }
}
