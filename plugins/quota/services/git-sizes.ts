import type { Database, Knex } from '@mortise/plugin-sdk';
import type { GitStore, RepositoryKind } from '@mortise/git/api';
import type { Repositories } from '@mortise/repositories/api';
import { WikiRow } from '../models/wiki.js';

interface Deps {
  readonly database: Database;
  readonly gitStore: GitStore;
  readonly repositories: Pick<Repositories, 'basicsById' | 'count' | 'setDerived'>;
}

/** Sizes of repositories and wikis: what pushes bring is added at once, and measured once it is there. */
export class GitSizes {
  constructor(private readonly deps: Deps) {}

  /** In the transaction that lets a push in. */
  async add(repositoryId: number, kind: RepositoryKind, bytes: number): Promise<void> {
    const { database, repositories } = this.deps;
    if (kind === 'code') return repositories.count(repositoryId, 'sizeBytes', bytes);
    const present = await database.query(WikiRow).findById(repositoryId).increment('size_bytes', bytes);
    if (!present) await this.#setWiki(repositoryId, bytes);
  }

  /** Bytes on disk take the place of what was counted. */
  async measure(repositoryId: number, kind: RepositoryKind): Promise<void> {
    const { database, gitStore, repositories } = this.deps;
    const size = await gitStore.size(repositoryId, kind);
    const repository = await repositories.basicsById(repositoryId);
    if (!repository) return;
    if (kind === 'wiki') await database.write(() => this.#setWiki(repositoryId, size));
    else if (repository.sizeBytes !== size) await repositories.setDerived(repositoryId, { sizeBytes: size });
  }

  async measureAll(signal: AbortSignal): Promise<void> {
    for await (const { id, kind } of this.deps.gitStore.folders()) {
      if (signal.aborted) return;
      await this.measure(id, kind);
    }
  }

  async #setWiki(repositoryId: number, bytes: number): Promise<void> {
    const row = { repository_id: repositoryId, size_bytes: bytes };
    await this.deps.database.query(WikiRow).insert(row).onConflict('repository_id').merge();
  }
}

/** Bytes of the wikis of an owner's repositories. */
export const wikiBytes = (knex: Knex, ownerId: number): Knex.QueryBuilder =>
  knex('quota_wiki')
    .whereIn('repository_id', knex('repository').where('owner_id', ownerId).select('id'))
    .select(knex.raw("'size:wiki' as subject"), knex.raw('sum(size_bytes) as bytes'));
