import { Joi } from '@mortise/plugin-sdk';
import { userSchema, type Accounts, type Memberships } from '@mortise/accounts/api';
import { teamSchema, type Organizations, type Teams } from '../api.js';
import { organizationSchema } from '../contract/organizations.js';

/** What the routes of this plugin work with; each says which of them it needs. */
export interface RouteServices {
  readonly accounts: Accounts;
  readonly memberships: Memberships;
  readonly organizations: Organizations;
  readonly teams: Teams;
}

export const api = '/api/v1';
export const organizationPath = `${api}/orgs/{org}`;
export const teamPath = `${api}/teams/{id}`;
export const tags = ['organization'];

export const organizationList = Joi.array().items(organizationSchema).label('OrganizationList');
export const teamList = Joi.array().items(teamSchema).label('TeamList');
export const userList = Joi.array().items(userSchema).label('UserList');

/** Text that a client may leave out or send as null. */
export const words = (max: number) => Joi.string().allow('', null).max(max);
export const visibility = Joi.string().valid('public', 'limited', 'private', '', null);
/** Null changes nothing. */
export const present = <T>(value: T | null | undefined): T | undefined => value ?? undefined;
