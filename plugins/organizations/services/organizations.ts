import type { QueryBuilder } from 'objection';
import {
  actAudited,
  pageOf,
  Forbidden,
  Invalid,
  NotFound,
  type Actor,
  type Database,
  type Events,
  type Model,
  refusedField,
} from '@mortise/plugin-sdk';
import { isEmailAddress, type Account, type Accounts, type Memberships, type Visibility } from '@mortise/accounts/api';
import { isWebAddress, mustBeOpen } from '@mortise/repositories/api';
import type { Organizations } from '../api.js';
import type {
  ApiOrganization,
  NewOrganization,
  Organization,
  OrganizationChanges,
  OrganizationMember,
  OrganizationRights,
} from '../contract/organizations.js';
import { MemberRow } from '../models/member.js';
import { OrganizationRow } from '../models/organization.js';
import { RepositoryIdRow } from '../models/repository-id.js';
import { TeamMemberRow } from '../models/team-member.js';
import { TeamRow } from '../models/team.js';
import type { OrganizationFinder } from './organization-finder.js';
import { showOrganization } from './organization-presenter.js';
import type { TeamService } from './teams.js';
import { t } from '../texts/index.js';

/** What may be in the fields of an organization, in characters. */
const maxLengths = { fullName: 100, description: 255, website: 255, location: 50, email: 255 } as const;

function check(given: OrganizationChanges): void {
  for (const [field, max] of Object.entries(maxLengths) as [keyof typeof maxLengths, number][])
    if ((given[field]?.length ?? 0) > max) throw refusedField(field, t.later('error.tooLong', { max }));
  if (given.website && !isWebAddress(given.website)) throw refusedField('website', t.later('error.website'));
  if (given.email && !isEmailAddress(given.email)) throw refusedField('email', t.later('error.email'));
}

export interface OrganizationCounts {
  readonly members: number;
  readonly teams: number;
  readonly repositories: number;
}

interface OrganizationDeps {
  readonly database: Database;
  readonly events: Events;
  readonly accounts: Accounts;
  readonly memberships: Memberships;
  readonly finder: OrganizationFinder;
  readonly teams: TeamService;
  readonly settings: { readonly visibility: Visibility; readonly isMemberVisible: boolean };
}

/** Makes, changes and removes organizations, and knows their members. */
export class OrganizationService implements Organizations {
  constructor(private readonly deps: OrganizationDeps) {}

  byId = (id: number) => this.deps.finder.byId(id);
  byIds = (ids: readonly number[]) => this.deps.finder.byIds(ids);
  byName = (name: string) => this.deps.finder.byName(name);
  /** What only organizations have, beside the account. */
  ofAccount = (account: Account) => this.deps.finder.of(account);

  create(given: NewOrganization, owner: Account): Promise<Organization> {
    check(given);
    const { accounts, database, teams, settings } = this.deps;
    return database.write(async () => {
      const account = await accounts.create({
        kind: 'organization',
        name: given.name,
        email: given.email ?? '',
        fullName: given.fullName,
        description: given.description,
        website: given.website,
        location: given.location,
        visibility: given.visibility ?? settings.visibility,
      });
      const repositoryAdminsChangeTeams = given.repositoryAdminsChangeTeams ?? false;
      await database
        .query(OrganizationRow)
        .insert({ account_id: account.id, repository_admins_change_teams: repositoryAdminsChangeTeams });
      const organization = { account, repositoryAdminsChangeTeams };
      const owners = await teams.createOwners(organization);
      await teams.addMember(owners, owner);
      if (settings.isMemberVisible) await this.setPublic(account.id, owner.id, true);
      return organization;
    });
  }

  /** `maxRepoCreation`: what only administrators of the site say. */
  update(id: number, changes: OrganizationChanges & { readonly maxRepoCreation?: number }): Promise<Organization> {
    check(changes);
    const { accounts, database, events } = this.deps;
    return database.write(async () => {
      const { repositoryAdminsChangeTeams: isAllowed, ...rest } = changes;
      const { fullName, description, website, location, visibility, email, maxRepoCreation } = rest;
      const account = await accounts.update(id, {
        fullName,
        description,
        website,
        location,
        visibility,
        email,
        maxRepoCreation,
      });
      const before = isAllowed === undefined ? undefined : await database.query(OrganizationRow).findById(id);
      if (isAllowed !== undefined && before?.repository_admins_change_teams !== isAllowed) {
        await database.query(OrganizationRow).findById(id).patch({ repository_admins_change_teams: isAllowed });
        const target = { kind: 'organization', id, name: account.name };
        const details = { changed: [`repositoryAdminsChangeTeams=${isAllowed}`] };
        await events.emit(actAudited, { action: 'organization.edit', target, ownerId: id, details });
      }
      return this.deps.finder.of(account);
    });
  }

  async delete(id: number, options?: { purge?: boolean }): Promise<void> {
    await this.deps.accounts.delete(id, options);
  }

  async rights(userId: number, organizationId: number): Promise<OrganizationRights> {
    const teams = await this.deps.database
      .query(TeamRow)
      .where('organization_id', organizationId)
      .whereIn('id', TeamMemberRow.query().select('team_id').where('user_id', userId));
    const levels = new Set(teams.map((team) => team.authorization));
    const isOwner = levels.has('owner');
    const isAdmin = isOwner || levels.has('admin');
    const canWrite = isAdmin || levels.has('write');
    return {
      isOwner,
      isAdmin,
      canWrite,
      canRead: canWrite,
      canCreateRepository: isOwner || teams.some((team) => team.can_create_repository),
    };
  }

  /** What organizations have, by their ids; three statements however many. */
  async counts(ids: readonly number[]): Promise<Map<number, OrganizationCounts>> {
    const { database } = this.deps;
    const counted = async (query: QueryBuilder<Model>, column: string) => {
      const rows = (await query
        .select(`${column} as id`)
        .count('* as count')
        .whereIn(column, [...ids])
        .groupBy(column)) as unknown as { readonly id: number; readonly count: number | string }[];
      return new Map(rows.map(({ id, count }) => [id, Number(count)]));
    };
    const [members, teams, repositories] = await Promise.all([
      counted(database.query(MemberRow), 'organization_id'),
      counted(database.query(TeamRow), 'organization_id'),
      counted(database.query(RepositoryIdRow), 'owner_id'),
    ]);
    return new Map(
      ids.map((id) => [
        id,
        { members: members.get(id) ?? 0, teams: teams.get(id) ?? 0, repositories: repositories.get(id) ?? 0 },
      ]),
    );
  }

  /** How many {@link members} gives. */
  async memberCount(organizationId: number, shownTo?: Actor): Promise<number> {
    return this.#members(organizationId, shownTo).resultSize();
  }

  /** Those who are shown in public to the viewer; without one all. */
  #members(organizationId: number, shownTo: Actor | undefined) {
    const { database, memberships } = this.deps;
    const query = database.query(MemberRow).where('organization_member.organization_id', organizationId);
    if (shownTo) {
      void query.where('organization_member.is_public', true);
      memberships.whereViewable(shownTo, query, 'organization_member.user_id');
    }
    return query;
  }

  async members(
    organizationId: number,
    { shownTo, limit, offset }: { shownTo?: Actor; limit: number; offset: number },
  ): Promise<{ items: OrganizationMember[]; total: number }> {
    const { accounts } = this.deps;
    const query = this.#members(organizationId, shownTo);
    const total = await query.clone().resultSize();
    const rows = await query
      .join('user', 'user.id', 'organization_member.user_id')
      .select('organization_member.*')
      .orderBy('user.lower_name')
      .limit(limit)
      .offset(offset);
    const ids = rows.map((row) => row.user_id);
    const known = await accounts.byIds(ids);
    const owners = ids.length ? await this.deps.teams.ownersAmong(organizationId, ids) : new Set<number>();
    const items = rows.flatMap(({ user_id: id, is_public: isPublic }) => {
      const account = known.get(id);
      return account ? [{ account, isPublic, isOwner: owners.has(id) }] : [];
    });
    return { items, total };
  }

  /** Organizations of a person, as far as the viewer may know: of others those in which they are shown in public. */
  async ofUser(
    userId: number,
    viewer: Actor,
    { limit, offset }: { limit: number; offset: number },
  ): Promise<{ items: Organization[]; total: number }> {
    const { database } = this.deps;
    const isWhole = !viewer.publicOnly && (viewer.isAdmin || viewer.id === userId);
    const query = database.query(MemberRow).where('organization_member.user_id', userId);
    if (!isWhole) void query.where('is_public', true);
    void query.join('user', 'user.id', 'organization_member.organization_id');
    if (viewer.publicOnly) void query.where('user.visibility', 'public');
    else if (!isWhole)
      void query.where((seen) => {
        const isOutside = viewer.kind !== 'user' || viewer.isRestricted;
        void seen.whereIn('user.visibility', isOutside ? ['public'] : ['public', 'limited']);
        const own = MemberRow.query().select('organization_id').where('user_id', viewer.id);
        void seen.orWhereIn('user.id', own);
      });
    const { rows, total } = await pageOf(query.select('organization_member.*').orderBy('user.lower_name'), {
      limit,
      offset,
    });
    const organizationById = await this.byIds(rows.map((row) => row.organization_id));
    return { items: rows.flatMap((row) => organizationById.get(row.organization_id) ?? []), total };
  }

  removeMember(organizationId: number, userId: number): Promise<void> {
    const { database, teams } = this.deps;
    return database.write(async () => {
      await teams.hold(organizationId);
      for (const team of await teams.ofMember(organizationId, userId)) await teams.removeMember(team, userId);
    });
  }

  async setPublic(organizationId: number, userId: number, isPublic: boolean): Promise<void> {
    const { database } = this.deps;
    const changed = await database.write(async () =>
      database.query(MemberRow).findById([organizationId, userId]).patch({ is_public: isPublic }),
    );
    if (!changed) throw NotFound('member');
  }

  toApi(organization: Organization, _viewer: Actor): ApiOrganization {
    return showOrganization(organization, this.deps.accounts);
  }

  /**
   * Before an account goes: an organization takes its teams along; of a person, organizations that nobody else owns stand
   * in the way, or go too with `purge` (ADM-08).
   */
  async removeUser(userId: number, purge: boolean): Promise<void> {
    const { database, teams } = this.deps;
    await teams.hold(userId);
    await teams.removeAll(userId);
    await database.query(OrganizationRow).deleteById(userId);
    const memberships = await database.query(MemberRow).where('user_id', userId);
    for (const { organization_id: id } of memberships) {
      await teams.hold(id);
      const isAlone = await teams.isLastOwner(id, userId);
      if (isAlone && !purge) throw Invalid(t.later('error.ownsOrganizations'));
      if (isAlone) await this.delete(id, { purge });
      else await this.removeMember(id, userId);
    }
  }

  /** Throws Forbidden unless the actor may create organizations. */
  async checkMayCreate(actor: Actor, isCreationOpen: boolean): Promise<void> {
    if (!(await this.mayCreate(actor, isCreationOpen))) throw Forbidden(t.later('error.mayNotCreate'));
  }

  /** Throws Forbidden where a public-only token would make, or leave, an organization that is not public. */
  checkVisibility(actor: Actor, visibility = this.deps.settings.visibility): void {
    mustBeOpen(actor, { visibility });
  }

  async mayCreate(actor: Actor, isCreationOpen: boolean): Promise<boolean> {
    if (actor.isAdmin) return true;
    return isCreationOpen && ((await this.deps.accounts.byId(actor.id))?.allowCreateOrganization ?? false);
  }
}
