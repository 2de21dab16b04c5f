import type { Database, Knex } from '@mortise/plugin-sdk';
import type { OwnerQuota } from '@mortise/accounts/api';
import type { Repositories } from '../contract/repositories.js';
import type { RepositoryQuota } from '../contract/repository-quota.js';
import { RepositoryRow } from '../models/repository.js';

interface Deps {
  readonly database: Database;
  readonly ownerQuota: OwnerQuota;
  readonly repositories: Pick<Repositories, 'basicsById'>;
}

/** Asks for the owner of the repository; reads nothing where owners have no limits. */
export class RepositoryQuotaService implements RepositoryQuota {
  constructor(private readonly deps: Deps) {}

  get isLimited(): boolean {
    return this.deps.ownerQuota.isLimited;
  }

  check: RepositoryQuota['check'] = (...given) => this.#ask('check', ...given);
  checkAndLock: RepositoryQuota['checkAndLock'] = (...given) => this.#ask('checkAndLock', ...given);

  async #ask(
    how: 'check' | 'checkAndLock',
    ...[id, subject, bytes]: Parameters<RepositoryQuota['check']>
  ): Promise<void> {
    const { ownerQuota } = this.deps;
    const repository = ownerQuota.isLimited ? await this.#find(id) : undefined;
    if (!repository) return;
    const visibility = repository.isPrivate ? 'private' : 'public';
    await ownerQuota[how](repository.ownerId, subject === 'size:repos' ? `${subject}:${visibility}` : subject, bytes);
  }

  /** Also one that is being made, which others do not find yet. */
  async #find(id: number): Promise<{ readonly ownerId: number; readonly isPrivate: boolean } | undefined> {
    const { database, repositories } = this.deps;
    const known = await repositories.basicsById(id);
    if (known) return known;
    const row = await database.query(RepositoryRow).findById(id).select('owner_id', 'is_private');
    return row && { ownerId: row.owner_id, isPrivate: row.is_private };
  }
}

/** Bytes of the repositories of an owner, as they were when something was pushed last. */
export const repositoryBytes = (knex: Knex, ownerId: number): Knex.QueryBuilder =>
  knex('repository')
    .where('owner_id', ownerId)
    .groupBy('is_private')
    .select(
      knex.raw("case when is_private then 'size:repos:private' else 'size:repos:public' end as subject"),
      knex.raw('sum(size_bytes) as bytes'),
    );
