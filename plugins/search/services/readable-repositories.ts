import type { Actor } from '@mortise/plugin-sdk';
import type { RepositoryAccess } from '@mortise/repositories/api';
import { RepositoryIdRow } from '../models/repository-id.js';

/** Ids of repositories whose code the actor may read; `named`: that one, `owner/name`, or those of that owner. */
export function readableRepositories(repositoryAccess: RepositoryAccess, actor: Actor, named?: string) {
  const query = RepositoryIdRow.query()
    .select('repository.id')
    .where(repositoryAccess.visibleTo(actor, ['code']));
  if (!named) return query;
  const [owner = '', name] = named.toLowerCase().split('/');
  void query.where('repository.lower_owner_name', owner);
  if (name) void query.where('repository.lower_name', name);
  return query;
}
