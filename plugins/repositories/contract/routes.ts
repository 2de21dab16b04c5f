import { Joi, reply, type Actor } from '@mortise/plugin-sdk';
import { userSchema, type Accounts } from '@mortise/accounts/api';
import { repositorySchema } from './model.js';

/** Where the operations of a repository live in the REST surface. */
export const repositoryApi = '/api/v1/repos/{owner}/{repo}';
/** Tags of these operations in the API documents. */
export const repositoryTags = ['repository'];
export const repositoryListSchema: Joi.ArraySchema<object[]> = Joi.array()
  .items(repositorySchema)
  .label('RepositoryList');
export const userListSchema: Joi.ArraySchema<object[]> = Joi.array().items(userSchema).label('UserList');

/** Text that a client may leave out or send as null. */
export const optionalText = (max: number) => Joi.string().allow('', null).max(max);

/** A page of accounts as response, in the order of their ids. */
export async function userList(accounts: Accounts, ids: readonly number[], actor: Actor, total: number) {
  const known = await accounts.byIds(ids);
  return reply.list(
    ids.flatMap((id) => (known.has(id) ? [accounts.toApiUser(known.get(id)!, actor)] : [])),
    total,
  );
}
