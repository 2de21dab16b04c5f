import type { QueryBuilder } from 'objection';
import { Joi, defineResource, defineService, type Actor, type Model } from '@mortise/plugin-sdk';
import type { Account, Visibility } from '@mortise/accounts/api';
import type { AccessMode, Repository } from '@mortise/repositories/api';
import {
  organizationSchema,
  type ApiOrganization,
  type Organization,
  type OrganizationContext,
} from './organizations.js';

/**
 * What is stored of a team's level (ORG-07): `none`: its rights come from its units alone; the others hold on every unit,
 * also on those that plugins add later. `write` is kept from older data, and not given any more.
 */
export type TeamAuthorization = 'none' | 'write' | 'admin' | 'owner';

export interface Team {
  readonly id: number;
  readonly organizationId: number;
  readonly name: string;
  readonly lowerName: string;
  readonly description: string;
  readonly authorization: TeamAuthorization;
  /** By the key of the unit, such as `code`; a unit that is not named gives no right (ORG-08). */
  readonly units: Readonly<Record<string, AccessMode>>;
  /** It has all repositories of the organization, also later ones. */
  readonly includesAllRepositories: boolean;
  readonly canCreateRepository: boolean;
  /** `private`: its members and the owners know of it, `limited`: all members of the organization, `public`: everybody. */
  readonly visibility: Visibility;
  readonly memberCount: number;
  readonly repositoryCount: number;
  readonly createdAt: number;
}

/** Model `Team` of the REST surface (ORG-01 to ORG-03). */
export interface ApiTeam {
  id: number;
  name: string;
  description: string;
  /** Filled in the answers for one team, null in lists. */
  organization: ApiOrganization | null;
  includes_all_repositories: boolean;
  permission: AccessMode;
  units: string[];
  units_map: Record<string, AccessMode>;
  can_create_org_repo: boolean;
  visibility: Visibility;
}

const mode = Joi.string().valid('none', 'read', 'write', 'admin', 'owner').required();

export const teamSchema = Joi.object<ApiTeam>({
  id: Joi.number().integer().required(),
  name: Joi.string().required(),
  description: Joi.string().allow('').required(),
  organization: organizationSchema.allow(null),
  includes_all_repositories: Joi.boolean().required(),
  permission: mode,
  units: Joi.array().items(Joi.string()).required(),
  units_map: Joi.object().pattern(Joi.string(), mode).required().label('TeamUnits'),
  can_create_org_repo: Joi.boolean().required(),
  visibility: Joi.string().valid('public', 'limited', 'private').required(),
}).label('Team');

export interface NewTeam {
  readonly name: string;
  readonly description?: string;
  /** `admin`: on all units; else what `units` says counts. */
  readonly permission?: 'read' | 'write' | 'admin';
  /** By the key of the unit. */
  readonly units?: Readonly<Record<string, AccessMode>>;
  readonly includesAllRepositories?: boolean;
  readonly canCreateRepository?: boolean;
  readonly visibility?: Visibility;
}
export type TeamChanges = Partial<NewTeam>;

export interface TeamSearch {
  readonly organizationId?: number;
  /** Of any of these. */
  readonly organizationIds?: readonly number[];
  /** Only teams that this person is in. */
  readonly memberId?: number;
  readonly text?: string;
  /** Only teams of these names, whatever the case. */
  readonly names?: readonly string[];
  readonly includeDescription?: boolean;
  /** Only teams that have this repository. */
  readonly repository?: Repository;
  /** Only teams of public organizations (TOK-26). */
  readonly publicOnly?: boolean;
  /** Only those that the actor may know of; absent: all. */
  readonly visibleTo?: Actor;
  readonly limit: number;
  readonly offset: number;
}

interface Page {
  readonly limit: number;
  readonly offset: number;
}

/** Teams, their members and their repositories. */
export interface Teams {
  byId(id: number): Promise<Team | undefined>;
  byIds(ids: readonly number[]): Promise<Map<number, Team>>;
  byName(organizationId: number, name: string): Promise<Team | undefined>;
  search(search: TeamSearch): Promise<{ items: Team[]; total: number }>;
  /** Invalid for a bad or used name, and for a team without any right. */
  create(organization: Organization, given: NewTeam): Promise<Team>;
  /** The owners keep their name and their rights. */
  update(team: Team, changes: TeamChanges): Promise<Team>;
  /** Invalid for the owners. */
  delete(team: Team): Promise<void>;

  /** `shownTo`: as far as that actor may know of them; absent: all. */
  members(teamId: number, page: Page & { readonly shownTo?: Actor }): Promise<{ items: Account[]; total: number }>;
  isMember(teamId: number, userId: number): Promise<boolean>;
  /** Ids of the teams that a person is in, as a subquery of one column. */
  idsOfMember(userId: number): QueryBuilder<Model>;
  /** Of these accounts, the members of any of the teams. */
  membersAmong(teamIds: readonly number[], userIds: readonly number[]): Promise<Set<number>>;
  /**
   * Whoever is in a team belongs to the organization. Forbidden when one of the two blocks the other, and where that is so
   * of the account and the `actor` who adds it.
   */
  addMember(team: Team, account: Account, actor?: Pick<Actor, 'id' | 'isAdmin'>): Promise<void>;
  /** Invalid for the last of the owners. */
  removeMember(team: Team, userId: number): Promise<void>;

  hasRepository(team: Team, repository: Repository): Promise<boolean>;
  addRepository(team: Team, repository: Repository): Promise<void>;
  removeRepository(team: Team, repository: Repository): Promise<void>;
  toApi(teams: readonly Team[], viewer: Actor, options?: { withOrganization?: boolean }): Promise<ApiTeam[]>;
}
export const teams = defineService<Teams>('organizations.teams');

/** What routes of a team get as `resource`. */
export interface TeamContext {
  readonly team: Team;
  readonly organization: OrganizationContext;
  /** Of the team; owners of the organization and administrators of the site count. */
  readonly isMember: boolean;
  readonly isOwner: boolean;
}

/**
 * Resolved from `{id}`, or from `{org}` and `{team}`: whoever may not see the team is told 404, or 403 as a member of its organization (ORG-12). Mode
 * `write` is for members of the organization, `owner` for its owners; both answer 403 to everybody else.
 */
export const teamResource = defineResource<TeamContext>('organizations.team');
