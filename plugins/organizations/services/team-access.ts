import type { Database } from '@mortise/plugin-sdk';
import {
  accessRank,
  type AccessGrant,
  type AccessMode,
  type AccessSource,
  type Repository,
  type RepositoryRelation,
} from '@mortise/repositories/api';
import { MemberRow } from '../models/member.js';
import { TeamMemberRow } from '../models/team-member.js';
import { TeamRepositoryRow } from '../models/team-repository.js';
import { TeamUnitRow } from '../models/team-unit.js';
import { TeamRow } from '../models/team.js';
import { RepositoryIdRow } from '../models/repository-id.js';

const stronger = (one: AccessMode, other: AccessMode) => (accessRank[one] > accessRank[other] ? one : other);

/** Administrators of an organization's repositories decide about them as their owners do. */
const wholeMode = { none: 'none', write: 'write', admin: 'owner', owner: 'owner' } as const;

/** A team as far as it says what it gives, and whether it has a repository. */
type TeamGrant = Pick<TeamRow, 'id' | 'organization_id' | 'authorization' | 'includes_all_repositories'>;

/** What some teams give together. */
function combine(teams: readonly TeamGrant[], units: ReadonlyMap<number, Units>): AccessGrant {
  let mode: AccessMode = 'none';
  const modes: Record<string, AccessMode> = {};
  for (const team of teams) {
    mode = stronger(mode, wholeMode[team.authorization]);
    if (team.authorization !== 'none') continue;
    for (const [unit, given] of Object.entries(units.get(team.id) ?? {}))
      modes[unit] = stronger(modes[unit] ?? 'none', given);
  }
  return { mode, units: modes };
}

type Units = Record<string, AccessMode>;

function grouped<K, T>(rows: readonly T[], keyOf: (row: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const row of rows) groups.set(keyOf(row), [...(groups.get(keyOf(row)) ?? []), row]);
  return groups;
}

const teamsOf = (userId: number) => TeamMemberRow.query().select('team_id').where('user_id', userId);

/** A team with one of its units and one of the repositories that are asked about. */
type Joined = TeamRow & {
  user_id: number;
  unit: string | null;
  mode: AccessMode | null;
  repository_id: number | null;
};

/** All about the teams of people in some organizations with one statement, as it is part of every list. */
const joinedTeams = async (
  database: Database,
  users: readonly number[],
  owners: readonly number[],
  repositoryIds: readonly number[],
): Promise<readonly Joined[]> =>
  (await database
    .query(TeamRow)
    .join('team_member', 'team_member.team_id', 'team.id')
    .leftJoin('team_unit', 'team_unit.team_id', 'team.id')
    .leftJoin('team_repository', (on) => {
      on.on('team_repository.team_id', 'team.id').andOnIn('team_repository.repository_id', [...repositoryIds]);
    })
    .select('team.*', 'team_member.user_id', 'team_unit.unit', 'team_unit.mode', 'team_repository.repository_id')
    .whereIn('team_member.user_id', [...users])
    .whereIn('team.organization_id', [...owners])) as unknown as Joined[];

const teamsIn = (rows: readonly Joined[]) => {
  const teams = new Map<number, TeamGrant>();
  const units = new Map<number, Units>();
  const has = new Set<string>();
  for (const row of rows) {
    teams.set(row.id, row);
    if (row.unit !== null) units.set(row.id, { ...units.get(row.id), [row.unit]: row.mode! });
    if (row.repository_id !== null) has.add(`${row.id}/${row.repository_id}`);
  }
  return { teams: [...teams.values()], units, has };
};

/** Of a person in the teams of the owner; undefined: nothing. */
const grantBy = (
  all: readonly TeamGrant[],
  { units, has }: Pick<ReturnType<typeof teamsIn>, 'units' | 'has'>,
  repository: Repository,
  isRestricted: boolean,
): AccessGrant | undefined => {
  const own = all.filter((team) => team.includes_all_repositories || has.has(`${team.id}/${repository.id}`));
  const given = combine(own, units);
  // What a private organization shows its members; restricted people see only what they were expressly given.
  const isShown = !repository.isPrivate && repository.ownerVisibility === 'private' && !isRestricted;
  const mode = isShown ? stronger(given.mode, 'read') : given.mode;
  return own.length || isShown ? { ...given, mode } : undefined;
};

/** Teams of a user that give access; `units`: at least to one of these. */
function givingTeams(userId: number, units: Iterable<string> | undefined) {
  const teams = TeamRow.query().where('gives_access', true).whereIn('id', teamsOf(userId));
  if (!units) return teams;
  const ofUnits = TeamUnitRow.query()
    .select('team_id')
    .whereIn('unit', [...units])
    .whereNot('mode', 'none');
  return teams.where((either) => void either.whereNot('authorization', 'none').orWhereIn('id', ofUnits));
}

/** All that teams give in a repository, by user. */
async function grantsOfTeams(database: Database, repository: Repository) {
  const teams = await database
    .query(TeamRow)
    .where({ organization_id: repository.ownerId, gives_access: true })
    .where((either) => {
      void either.where('includes_all_repositories', true);
      void either.orWhereIn('id', TeamRepositoryRow.query().select('team_id').where('repository_id', repository.id));
    });
  if (teams.length === 0) return [];
  const granular = teams.filter((team) => team.authorization === 'none').map((team) => team.id);
  const rows = granular.length ? await database.query(TeamUnitRow).whereIn('team_id', granular) : [];
  const units = new Map<number, Units>();
  for (const { team_id: id, unit, mode } of rows) units.set(id, { ...units.get(id), [unit]: mode });
  const byId = new Map(teams.map((team) => [team.id, team]));
  const members = await database.query(TeamMemberRow).whereIn('team_id', [...byId.keys()]);
  return [...grouped(members, (row) => row.user_id)].map(([userId, own]) => ({
    userId,
    grant: combine(
      own.map((row) => byId.get(row.team_id)!),
      units,
    ),
  }));
}

/** Teams give their members rights in the repositories of their organization, and show them what it hides from others. */
export const teamSource = (database: Database): AccessSource => ({
  key: 'teams',
  async grants({ id, isRestricted }, asked) {
    const repositories = asked.filter(({ owner }) => owner.kind === 'organization').map((one) => one.repository);
    if (repositories.length === 0) return new Map();
    const owners = [...new Set(repositories.map(({ ownerId }) => ownerId))];
    const rows = await joinedTeams(
      database,
      [id],
      owners,
      repositories.map((repository) => repository.id),
    );
    const { teams, ...more } = teamsIn(rows);
    const ofOwner = grouped(teams, (team) => team.organization_id);
    return new Map(
      repositories.flatMap((repository) => {
        const all = ofOwner.get(repository.ownerId);
        const grant = all && grantBy(all, more, repository, isRestricted);
        return grant ? [[repository.id, grant] as const] : [];
      }),
    );
  },
  async grantsAmong(users, { repository, owner }) {
    if (owner.kind !== 'organization') return new Map();
    const rows = await joinedTeams(
      database,
      users.map(({ id }) => id),
      [owner.id],
      [repository.id],
    );
    const ofPerson = grouped(rows, (row) => row.user_id);
    return new Map(
      users.flatMap(({ id, isRestricted }) => {
        const { teams, ...more } = teamsIn(ofPerson.get(id) ?? []);
        const grant = teams.length ? grantBy(teams, more, repository, isRestricted) : undefined;
        return grant ? [[id, grant] as const] : [];
      }),
    );
  },
  orWhereGranted({ id, isRestricted }, either, units) {
    void either.orWhereIn(
      'repository.owner_id',
      givingTeams(id, units).select('organization_id').where('includes_all_repositories', true),
    );
    void either.orWhereIn(
      'repository.id',
      TeamRepositoryRow.query()
        .select('repository_id')
        .whereIn('team_id', givingTeams(id, units).select('id').where('includes_all_repositories', false)),
    );
    if (isRestricted) return;
    void either.orWhere((closed) => {
      void closed.where({ 'repository.is_private': false, 'repository.owner_visibility': 'private' });
      void closed.whereIn('repository.owner_id', MemberRow.query().select('organization_id').where('user_id', id));
    });
  },
  granted: (repository) => grantsOfTeams(database, repository),
});

/** Repositories of teams, for searches. */
export const teamRelation: RepositoryRelation = {
  key: 'team',
  repositories: (teamId) =>
    RepositoryIdRow.query()
      .select('repository.id')
      .whereIn('repository.id', TeamRepositoryRow.query().select('repository_id').where('team_id', teamId))
      .orWhereIn(
        'repository.owner_id',
        TeamRow.query().select('organization_id').where({ id: teamId, includes_all_repositories: true }),
      ),
};
