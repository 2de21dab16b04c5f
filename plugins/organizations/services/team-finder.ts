import type { QueryBuilder } from 'objection';
import { type Database, type Model, contains, containsInAnyCase } from '@mortise/plugin-sdk';
import type { Team } from '../api.js';
import type { TeamSearch } from '../contract/teams.js';
import { MemberRow } from '../models/member.js';
import { type OrganizationRow } from '../models/organization.js';
import { AccountVisibilityRow } from '../models/account-visibility.js';
import { TeamMemberRow } from '../models/team-member.js';
import { TeamRepositoryRow } from '../models/team-repository.js';
import { TeamUnitRow } from '../models/team-unit.js';
import { TeamRow, toTeam } from '../models/team.js';
import { ownerTeams } from './membership-source.js';

/** Looks teams up, each with its units. */
export class TeamFinder {
  constructor(private readonly database: Database) {}

  async byId(id: number): Promise<Team | undefined> {
    return (await this.byIds([id])).get(id);
  }

  async membersAmong(teamIds: readonly number[], userIds: readonly number[]): Promise<Set<number>> {
    const rows = await this.database
      .query(TeamMemberRow)
      .select('user_id')
      .whereIn('team_id', [...teamIds])
      .whereIn('user_id', [...userIds]);
    return new Set(rows.map((row) => row.user_id));
  }

  async ownersAmong(organizationId: number, userIds: readonly number[]): Promise<Set<number>> {
    const rows = await this.database
      .query(TeamMemberRow)
      .select('user_id')
      .where('organization_id', organizationId)
      .whereIn('user_id', [...userIds])
      .whereIn('team_id', ownerTeams());
    return new Set(rows.map((row) => row.user_id));
  }

  /** With what its organization says of teams, by one statement: part of every answer about a team. */
  async withOrganization(
    id: number,
  ): Promise<{ readonly team: Team; readonly repositoryAdminsChangeTeams: boolean } | undefined> {
    type Joined = TeamRow & Pick<OrganizationRow, 'repository_admins_change_teams'> & Partial<TeamUnitRow>;
    const rows = (await this.database
      .query(TeamRow)
      .join('organization', 'organization.account_id', 'team.organization_id')
      .leftJoin('team_unit', 'team_unit.team_id', 'team.id')
      .select('team.*', 'organization.repository_admins_change_teams', 'team_unit.unit', 'team_unit.mode')
      .where('team.id', id)) as unknown as Joined[];
    const [row] = rows;
    if (!row) return undefined;
    const isGranular = row.authorization === 'none';
    const units = rows.flatMap(({ unit, mode }) => (isGranular && unit && mode ? [[unit, mode] as const] : []));
    return {
      team: toTeam(row, Object.fromEntries(units)),
      repositoryAdminsChangeTeams: Boolean(row.repository_admins_change_teams),
    };
  }

  async byIds(ids: readonly number[]): Promise<Map<number, Team>> {
    const rows = await this.database.query(TeamRow).whereIn('id', [...ids]);
    return new Map((await this.#teams(rows)).map((team) => [team.id, team]));
  }

  async byName(organizationId: number, name: string): Promise<Team | undefined> {
    const lower = name.toLowerCase();
    const row = await this.database.query(TeamRow).findOne({ organization_id: organizationId, lower_name: lower });
    // MySQL finds `crew` for `crew ` too.
    return row?.lower_name === lower ? (await this.#teams([row]))[0] : undefined;
  }

  /** How many {@link search} finds. */
  count(search: Omit<TeamSearch, 'limit' | 'offset'>): Promise<number> {
    return this.#matching(search).resultSize();
  }

  async search(search: TeamSearch): Promise<{ items: Team[]; total: number }> {
    const query = this.#matching(search);
    const total = await query.clone().resultSize();
    // Organization by organization, the owners first.
    const rows = await query
      .orderBy('organization_id')
      .orderByRaw("case when authorization = 'owner' then 0 else 1 end")
      .orderBy('lower_name')
      .limit(search.limit)
      .offset(search.offset);
    return { items: await this.#teams(rows), total };
  }

  #matching(search: Omit<TeamSearch, 'limit' | 'offset'>) {
    const query = this.database.query(TeamRow);
    const memberOf = (userId: number) => TeamMemberRow.query().select('team_id').where('user_id', userId);
    if (search.organizationId !== undefined) void query.where('organization_id', search.organizationId);
    if (search.organizationIds) void query.whereIn('organization_id', [...search.organizationIds]);
    if (search.memberId !== undefined) void query.whereIn('id', memberOf(search.memberId));
    const names = search.names?.map((name) => name.toLowerCase());
    if (names) void query.whereIn('lower_name', names);
    const text = search.text?.trim();
    if (text)
      void query.where((any) => {
        void any.where(contains('lower_name', text));
        if (search.includeDescription) void any.orWhere(containsInAnyCase('description', text));
      });
    if (search.publicOnly)
      void query.whereIn('organization_id', AccountVisibilityRow.query().select('id').where('visibility', 'public'));
    const { repository, visibleTo } = search;
    if (repository)
      void query.where('organization_id', repository.ownerId).where((either) => {
        void either.where('includes_all_repositories', true);
        void either.orWhereIn('id', TeamRepositoryRow.query().select('team_id').where('repository_id', repository.id));
      });
    if (visibleTo && !visibleTo.isAdmin)
      void query.where((either) => {
        void either.where('visibility', 'public');
        void either.orWhereIn('id', memberOf(visibleTo.id));
        const belongs = () => MemberRow.query().select('organization_id').where('user_id', visibleTo.id);
        void either.orWhere((known) => void known.where('visibility', 'limited').whereIn('organization_id', belongs()));
        const owned = TeamMemberRow.query()
          .select('organization_id')
          .where('user_id', visibleTo.id)
          .whereIn('team_id', ownerTeams());
        void either.orWhereIn('organization_id', owned);
      });
    return query;
  }

  /** Ids of the organizations in which a person may create repositories. */
  async creatableIn(userId: number): Promise<number[]> {
    const rows = await this.database
      .query(TeamRow)
      .distinct('organization_id')
      .whereIn('id', TeamMemberRow.query().select('team_id').where('user_id', userId))
      .where((either) => void either.where('can_create_repository', true).orWhere('authorization', 'owner'));
    return rows.map((row) => row.organization_id);
  }

  /** Teams of one organization that a person is in. */
  async ofMember(organizationId: number, userId: number): Promise<Team[]> {
    const { items } = await this.search({ organizationId, memberId: userId, limit: 10_000, offset: 0 });
    return items;
  }

  idsOfMember(userId: number): QueryBuilder<Model> {
    return TeamMemberRow.query().select('team_id').where('user_id', userId) as QueryBuilder<Model>;
  }

  async #teams(rows: readonly TeamRow[]): Promise<Team[]> {
    const granular = rows.filter((row) => row.authorization === 'none').map((row) => row.id);
    const units = granular.length ? await this.database.query(TeamUnitRow).whereIn('team_id', granular) : [];
    const byTeam = new Map<number, Record<string, TeamUnitRow['mode']>>();
    for (const { team_id: id, unit, mode } of units) byTeam.set(id, { ...byTeam.get(id), [unit]: mode });
    return rows.map((row) => toTeam(row, byTeam.get(row.id) ?? {}));
  }
}
