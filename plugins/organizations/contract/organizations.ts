import { Joi, defineResource, defineService, type Actor } from '@mortise/plugin-sdk';
import type { Account, Visibility } from '@mortise/accounts/api';

/** An account of the kind `organization`, and what only organizations have. */
export interface Organization {
  readonly account: Account;
  /** Administrators of a repository may give it to teams, and take it from them (ORG-06). */
  readonly repositoryAdminsChangeTeams: boolean;
}

/** Model `Organization` of the REST surface (ORG-04 to ORG-06). */
export interface ApiOrganization {
  id: number;
  name: string;
  full_name: string;
  email: string;
  avatar_url: string;
  description: string;
  website: string;
  location: string;
  visibility: Visibility;
  repo_admin_change_team_access: boolean;
  /** Repeats `name`. */
  username: string;
}

export const organizationSchema = Joi.object<ApiOrganization>({
  id: Joi.number().integer().required(),
  name: Joi.string().required(),
  full_name: Joi.string().allow('').required(),
  email: Joi.string().allow('').required(),
  avatar_url: Joi.string().allow('').required(),
  description: Joi.string().allow('').required(),
  website: Joi.string().allow('').required(),
  location: Joi.string().allow('').required(),
  visibility: Joi.string().valid('public', 'limited', 'private').required(),
  repo_admin_change_team_access: Joi.boolean().required(),
  username: Joi.string().required(),
}).label('Organization');

export interface NewOrganization {
  readonly name: string;
  readonly fullName?: string;
  /** Address for mail; empty: none. */
  readonly email?: string;
  readonly description?: string;
  readonly website?: string;
  readonly location?: string;
  readonly visibility?: Visibility;
  readonly repositoryAdminsChangeTeams?: boolean;
}

export type OrganizationChanges = Partial<Omit<NewOrganization, 'name'>>;

/** What a person may do in an organization (ORG-16). */
export interface OrganizationRights {
  readonly isOwner: boolean;
  /** In a team of administrators, or an owner. */
  readonly isAdmin: boolean;
  readonly canWrite: boolean;
  readonly canRead: boolean;
  readonly canCreateRepository: boolean;
}

export interface OrganizationMember {
  readonly account: Account;
  readonly isOwner: boolean;
  /** Everybody may know of the membership. */
  readonly isPublic: boolean;
}

export interface Organizations {
  byId(id: number): Promise<Organization | undefined>;
  /** Case-insensitive. */
  byName(name: string): Promise<Organization | undefined>;
  byIds(ids: readonly number[]): Promise<Map<number, Organization>>;
  /** Makes it with its team of owners, whose first member is `owner`; Invalid for a bad, reserved or used name. */
  create(given: NewOrganization, owner: Account): Promise<Organization>;
  update(id: number, changes: OrganizationChanges): Promise<Organization>;
  /** Invalid while it owns anything, unless `purge`. */
  delete(id: number, options?: { purge?: boolean }): Promise<void>;
  /** What a person may do in it; of an account that does not belong to it: nothing. */
  rights(userId: number, organizationId: number): Promise<OrganizationRights>;
  /** By name. `shownTo`: those who are shown in public, as far as that viewer may know of them; without it all. */
  members(
    organizationId: number,
    page: { shownTo?: Actor; limit: number; offset: number },
  ): Promise<{ items: OrganizationMember[]; total: number }>;
  /** Out of all teams; Invalid when nobody would be left to own the organization. */
  removeMember(organizationId: number, userId: number): Promise<void>;
  /** NotFound for who is no member. */
  setPublic(organizationId: number, userId: number, isPublic: boolean): Promise<void>;
  toApi(organization: Organization, viewer: Actor): ApiOrganization;
}
export const organizations = defineService<Organizations>('organizations.organizations');

/** What routes of an organization get as `resource`. */
export interface OrganizationContext extends Organization {
  readonly isMember: boolean;
  /** May decide for it: an owner, or an administrator of the site. */
  readonly isOwner: boolean;
}

/**
 * Resolved from `{org}`: 404 when missing or not visible, 307 after a rename. Mode `write` is for members, `owner` for
 * owners and administrators of the site (403).
 */
export const organizationResource = defineResource<OrganizationContext>('organizations.organization');
