import { createHash } from 'node:crypto';
import type { QueryBuilder } from 'objection';
import {
  Forbidden,
  Joi,
  NotFound,
  pageOf,
  retryDuplicate,
  toId,
  type Database,
  type Model,
  type Site,
} from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';
import type { Organizations, Team, Teams } from '@mortise/organizations/api';
import type { KnownUnits } from '@mortise/repositories/api';
import { OrganizationRow } from '../models/organization.js';
import { ProvisionedGroupRow } from '../models/provisioned-group.js';
import { TeamMemberRow } from '../models/team-member.js';
import { TeamRow } from '../models/team.js';
import { whereFilter, type Attributes } from './filter.js';
import { splitPatch, type WantedMembers } from './member-changes.js';
import { basePath } from './token-method.js';
import { patched, type PatchBody } from './patch.js';
import {
  checkVersion,
  groupSchemaId,
  nameMap,
  toResource,
  withPlainNames,
  type Json,
  type ListQuery,
  type Resource,
} from './representation.js';
import { scimProblem } from './scim-problem.js';
import type { ScimToken } from './tokens.js';
import { manages, refuseAdministrator, whereVisibleTo, type ScimUsers } from './users.js';

interface Deps {
  readonly database: Database;
  readonly knownUnits: KnownUnits;
  readonly organizations: Pick<Organizations, 'byId'>;
  readonly site: Pick<Site, 'url'>;
  readonly teams: Teams;
  readonly users: ScimUsers;
}

/** What a provider says of a group; without members it says nothing of them. */
interface GroupInput {
  readonly displayName: string;
  readonly externalId?: string;
  readonly members?: readonly { readonly value: string }[];
}

interface KnownGroup {
  readonly team: Team;
  /** Undefined: no token has changed it. */
  readonly row: ProvisionedGroupRow | undefined;
  /** Ids of those whom the token sees. */
  readonly memberIds: readonly number[];
}

/** Of one answer, over all of its groups. */
const maxMembers = 20_000;
/** Of one request: who is added and who is removed. Each is a row or two and an entry of the audit log: 1 to 6 ms. */
const maxMemberChanges = 1000;

const groupNames = nameMap('displayName', 'externalId', 'members', 'value');
/** Of members, {@link splitPatch} takes care. */
const patchNames = nameMap('displayName', 'externalId');

const groupInput = Joi.object<GroupInput>({
  displayName: Joi.string().trim().max(255).required(),
  externalId: Joi.string().trim().allow('').max(255),
  members: Joi.array()
    .items(Joi.object({ value: Joi.string().max(20).required() }))
    .max(maxMembers),
});

function readGroup(given: unknown): GroupInput {
  const checked = groupInput.validate(withPlainNames(given, groupNames), { stripUnknown: true });
  if (checked.error) throw scimProblem('invalidValue', checked.error.message);
  return checked.value as GroupInput;
}

const otherScript = /(?=\p{L})\P{Script=Latin}/u;

/**
 * A team is called by Latin letters, digits, `_`, `.` and `-`. Where a name has other letters, or nothing is left of it,
 * a hash of it tells it from others.
 */
function teamNameOf(displayName: string): string {
  const name = displayName
    .normalize('NFKD')
    .replace(/\p{Mn}/gu, '')
    .replace(/[^\w.-]+/g, '-')
    .replace(/^-+|-+$/g, '');
  if (name !== '' && !otherScript.test(displayName)) return name;
  const hash = createHash('sha256').update(displayName.toLowerCase()).digest('hex').slice(0, 10);
  return `${/[a-z]/i.test(name) ? name.slice(0, 200) : 'group'}-${hash}`;
}

const attributes: Attributes = {
  id: { sql: '??', bindings: ['team.id'], type: 'id' },
  displayname: {
    sql: 'coalesce(??, ??)',
    bindings: ['scim_group.lower_display_name', 'team.lower_name'],
    type: 'textInAnyCase',
  },
  externalid: { sql: "coalesce(??, '')", bindings: ['scim_group.external_id'], type: 'text' },
};

/** As a whole list tells them: nobody is removed by name. */
const wantedOf = (members: NonNullable<GroupInput['members']>): WantedMembers => ({
  ids: new Set(members.map(({ value }) => toId(value))),
  explicitlyRemoved: new Set(),
});

/** Leaves the teams that a token sees: all of its organization but those that its provider has deleted. */
function whereTeamVisibleTo(query: QueryBuilder<Model>, token: ScimToken): void {
  query
    .leftJoin('scim_group', (join) => {
      join.on('scim_group.team_id', 'team.id').andOnVal('scim_group.token_id', token.id);
    })
    .where('team.organization_id', token.organizationId)
    .where((seen) => {
      seen.whereNull('scim_group.id').orWhere('scim_group.is_deleted', false);
    });
}

/** Teams, as identity providers manage them (RFC 7643, 4.2). Each change is one transaction. */
export class ScimGroups {
  constructor(private readonly deps: Deps) {}

  /** `withMembers`: false where the client does not ask for them. */
  async list(token: ScimToken, { filter, startIndex, count }: ListQuery, withMembers: boolean) {
    const query = this.deps.database.query(TeamRow).select('team.id').orderBy('team.id');
    whereTeamVisibleTo(query, token);
    if (filter) await whereFilter(query, filter, attributes);
    const { rows, total } = await pageOf(query, { limit: count, offset: startIndex - 1 });
    const known = await this.#known(
      token,
      rows.map(({ id }) => id),
      withMembers,
    );
    return { resources: known.map((one) => this.#present(one)), total };
  }

  /** @throws NotFound */
  async byId(token: ScimToken, id: string): Promise<Resource & Json> {
    return this.#present(await this.#find(token, id));
  }

  /**
   * Makes a team that may read, for its organization to give it more; one that the provider has deleted before comes back.
   *
   * @throws Forbidden without an organization, and problems of the types `invalidValue` and `uniqueness`
   */
  async create(token: ScimToken, body: unknown): Promise<Resource & Json> {
    const { database, knownUnits, organizations, teams } = this.deps;
    const organization = await organizations.byId(token.organizationId);
    if (!organization) throw Forbidden('No organization is named for this token, so there are no groups.');
    const input = readGroup(body);
    const name = teamNameOf(input.displayName);
    return this.#hold(token, async () => {
      const there = await teams.byName(token.organizationId, name);
      const row =
        there && (await database.query(ProvisionedGroupRow).findOne({ token_id: token.id, team_id: there.id }));
      if (there && !row?.is_deleted) throw scimProblem('uniqueness', `There is a team called "${name}".`);
      if (row) await database.query(ProvisionedGroupRow).findById(row.id).patch({ is_deleted: false });
      const units = Object.fromEntries(knownUnits.list().map(({ key }) => [key, 'read' as const]));
      const team = there ?? (await teams.create(organization, { name, units }));
      const wanted = input.members && wantedOf(input.members);
      return this.#change(token, await this.#find(token, String(team.id)), input, wanted);
    });
  }

  /** @throws NotFound, Forbidden, 412, and problems of the types `invalidValue`, `uniqueness` and `mutability` */
  replace(token: ScimToken, id: string, body: unknown, ifMatch?: string): Promise<Resource & Json> {
    const input = readGroup(body);
    // what a group without members looks like in a PUT
    const wanted = wantedOf(input.members ?? []);
    return this.#write(token, id, ifMatch, (group) => this.#change(token, group, input, wanted));
  }

  /** As {@link replace}, with the problems of {@link patched}. */
  patch(token: ScimToken, id: string, body: PatchBody, ifMatch?: string): Promise<Resource & Json> {
    return this.#write(token, id, ifMatch, async (group) => {
      const { members, others } = splitPatch(group.memberIds, body.Operations, maxMembers);
      const before = this.#present({ ...group, memberIds: [] });
      const after = await patched(before, others, { names: patchNames, schemaId: groupSchemaId });
      return this.#change(token, group, readGroup(after), members);
    });
  }

  /** Its people leave the team, and it is not there for the token; the team stays, with its rights. */
  remove(token: ScimToken, id: string, ifMatch?: string): Promise<void> {
    return this.#write(token, id, ifMatch, async (group) => {
      if (group.team.authorization === 'owner') throw scimProblem('mutability', 'The owners of an organization stay.');
      const displayName = group.row?.display_name ?? group.team.name;
      await this.#change(token, group, { displayName }, wantedOf([]));
      await this.deps.database
        .query(ProvisionedGroupRow)
        .where({ token_id: token.id, team_id: group.team.id })
        .patch({ is_deleted: true });
    });
  }

  /** One transaction, while nobody else changes a team of the organization. */
  async #hold<T>(token: ScimToken, work: () => Promise<T>): Promise<T> {
    const { database } = this.deps;
    return retryDuplicate(() =>
      database.write(async () => {
        await database.query(OrganizationRow).findById(token.organizationId).forUpdate();
        return work();
      }),
    );
  }

  async #write<T>(
    token: ScimToken,
    id: string,
    ifMatch: string | undefined,
    work: (group: KnownGroup) => Promise<T>,
  ): Promise<T> {
    return this.#hold(token, async () => {
      const group = await this.#find(token, id);
      checkVersion(ifMatch, this.#present(group));
      return work(group);
    });
  }

  /** `wanted`: undefined where members stay as they are. */
  async #change(
    token: ScimToken,
    { team, row, memberIds }: KnownGroup,
    input: GroupInput,
    wanted: WantedMembers | undefined,
  ): Promise<Resource & Json> {
    const { database, teams } = this.deps;
    const isRenamed = input.displayName !== (row?.display_name ?? team.name);
    const name = isRenamed ? teamNameOf(input.displayName) : team.name;
    if (name !== team.name) {
      if (team.authorization === 'owner')
        throw scimProblem('mutability', 'The owners of an organization keep their name.');
      const there = await teams.byName(team.organizationId, name);
      if (there && there.id !== team.id) throw scimProblem('uniqueness', `There is a team called "${name}".`);
      await teams.update(team, { name });
    }
    if (wanted) await this.#setMembers(token, team, memberIds, wanted);
    const said = {
      display_name: input.displayName,
      lower_display_name: input.displayName.toLowerCase(),
      external_id: input.externalId ?? '',
      updated_at: Date.now(),
    };
    if (row) await database.query(ProvisionedGroupRow).findById(row.id).patch(said);
    else await database.query(ProvisionedGroupRow).insert({ token_id: token.id, team_id: team.id, ...said });
    return this.#present(await this.#find(token, String(team.id)));
  }

  /** Members whom the token does not see stay, and administrators whom it does not manage, if it does not name them. */
  async #setMembers(
    token: ScimToken,
    team: Team,
    memberIds: readonly number[],
    { ids, explicitlyRemoved }: WantedMembers,
  ): Promise<void> {
    const { teams, users } = this.deps;
    const present = new Set(memberIds);
    const added = [...ids].filter((id) => !present.has(id));
    const removed = [...present].filter((id) => !ids.has(id));
    if (added.length + removed.length > maxMemberChanges)
      throw scimProblem(
        'tooMany',
        `A request changes at most ${maxMemberChanges} members. Add or remove the others with further requests.`,
      );
    const people = await users.visibleAmong(token, [...added, ...removed]);
    const personOf = (id: number): Account => {
      const account = people.get(id);
      if (!account) throw scimProblem('invalidValue', `The user ${id} does not exist.`);
      return account;
    };
    const leaving = removed.map(personOf).filter((one) => manages(token, one) || explicitlyRemoved.has(one.id));
    const coming = added.map(personOf);
    for (const account of [...coming, ...leaving]) refuseAdministrator(token, account);
    // those who come first: a team of owners is never without any
    for (const account of coming) await teams.addMember(team, account);
    for (const { id } of leaving) await teams.removeMember(team, id);
  }

  async #find(token: ScimToken, id: string): Promise<KnownGroup> {
    const query = this.deps.database.query(TeamRow).select('team.id').where('team.id', toId(id));
    whereTeamVisibleTo(query, token);
    const row = await query.first();
    const [known] = row ? await this.#known(token, [row.id], true) : [];
    if (!known) throw NotFound(`Group ${id} does not exist.`);
    return known;
  }

  /** In their order. */
  async #known(token: ScimToken, ids: readonly number[], withMembers: boolean): Promise<readonly KnownGroup[]> {
    const { database, teams } = this.deps;
    const found = await teams.byIds(ids);
    const rows = await database
      .query(ProvisionedGroupRow)
      .where('token_id', token.id)
      .whereIn('team_id', [...ids]);
    const byTeam = new Map(rows.map((row) => [row.team_id, row]));
    const members = withMembers ? await this.#membersOf(token, ids) : new Map<number, number[]>();
    return ids.flatMap((id) => {
      const team = found.get(id);
      return team ? [{ team, row: byTeam.get(id), memberIds: members.get(id) ?? [] }] : [];
    });
  }

  async #membersOf(token: ScimToken, ids: readonly number[]): Promise<ReadonlyMap<number, number[]>> {
    const query = this.deps.database
      .query(TeamMemberRow)
      .join('user', 'user.id', 'team_member.user_id')
      .select('team_member.team_id', 'team_member.user_id')
      .whereIn('team_member.team_id', [...ids])
      .orderBy('team_member.user_id')
      .limit(maxMembers + 1);
    whereVisibleTo(query, token);
    const rows = await query;
    if (rows.length > maxMembers)
      throw scimProblem(
        'tooMany',
        `These groups have over ${maxMembers} members. Ask for fewer, or exclude "members".`,
      );
    const members = new Map<number, number[]>();
    for (const { team_id: teamId, user_id: userId } of rows) {
      const own = members.get(teamId) ?? [];
      members.set(teamId, own);
      own.push(userId);
    }
    return members;
  }

  #present({ team, row, memberIds }: KnownGroup): Resource & Json {
    const url = (path: string) => this.deps.site.url(path);
    const shown: Json = {
      displayName: row?.display_name ?? team.name,
      externalId: row?.external_id,
      members: memberIds.map((userId) => ({
        value: String(userId),
        $ref: url(`${basePath}/Users/${userId}`),
        type: 'User',
      })),
    };
    const { id, createdAt } = team;
    return toResource(
      { type: 'Group', id, createdAt, updatedAt: Number(row?.updated_at ?? 0), attributes: shown },
      url,
    );
  }
}
