import { Joi, reply, type Actor, type Database, type Site } from '@mortise/plugin-sdk';
import { userSchema, type Accounts } from '@mortise/accounts/api';
import { repositorySchema } from '../api.js';
import type { Room } from '../services/room.js';
import type { GitReader } from '@mortise/git/api';
import type { RepositorySettings } from '../settings.js';

/** What the routes of this plugin work with. */
export interface RouteServices extends Room {
  readonly accounts: Accounts;
  readonly git: GitReader;
  readonly database: Database;
  readonly site: Site;
  readonly settings: RepositorySettings;
}

export const api = '/api/v1';
export const repositoryPath = `${api}/repos/{owner}/{repo}`;
export const repositoryList = Joi.array().items(repositorySchema).label('RepositoryList');
export const tag = ['repository'];
/** For the documents: lists in an object are paged too. The kernel reads the values, whatever they are (GEN-07). */
const count = () => Joi.number().integer().unsafe().empty(Joi.any());
export const paging = {
  page: count().description('Number of the page, from 1'),
  limit: count().description('Entries per page'),
};
/** Yes or no in a query, in the forms that clients use; empty: not asked. */
export const flag = () => Joi.boolean().truthy('1', 't', 'on').falsy('0', 'f', 'off').empty('');
/** Text that a client may leave out or send as null. */
export const words = (most: number) => Joi.string().allow('', null).max(most);

export const users = Joi.array().items(userSchema).label('UserList');

/** A page of accounts as answer, in the order of their ids. */
export const makeUserList = (accounts: Accounts) => async (ids: readonly number[], actor: Actor, total: number) => {
  const known = await accounts.byIds(ids);
  return reply.list(
    ids.flatMap((id) => (known.has(id) ? [accounts.toApiUser(known.get(id)!, actor)] : [])),
    total,
  );
};
