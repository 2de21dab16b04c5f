import type { Database, TakeoverContext } from '@mortise/plugin-sdk';
import type { RepositoryCreator } from '../api.js';
import { RepositoryRow } from '../models/repository.js';
import type { RepositoryService } from '../services/repositories.js';

interface DerivedTakeoverDeps {
  readonly creator: Pick<RepositoryCreator, 'derive'>;
  readonly database: Database;
  readonly repositories: Pick<RepositoryService, 'setDerived'>;
}

const pageSize = 200;

/** After a pass: what repositories repeat of their owners and originals, and what follows from git. */
export async function finishRepositories(deps: DerivedTakeoverDeps, context: TakeoverContext): Promise<void> {
  await copyOwners(deps.database);
  await clearLostOriginals(deps.database);
  await deriveFromGit(deps, context);
}

async function copyOwners(database: Database): Promise<void> {
  const knex = database.knex();
  const differing = await knex('repository')
    .join('user', 'user.id', 'repository.owner_id')
    .whereRaw('?? <> ?? or ?? <> ??', [
      'repository.owner_name',
      'user.name',
      'repository.owner_visibility',
      'user.visibility',
    ])
    .distinct<{ id: number; name: string; lower_name: string; visibility: string }[]>(
      'user.id',
      'user.name',
      'user.lower_name',
      'user.visibility',
    );
  await database.write(async () => {
    for (const { id, name, lower_name, visibility } of differing)
      await database
        .knex()('repository')
        .where('owner_id', id)
        .update({ owner_name: name, lower_owner_name: lower_name, owner_visibility: visibility });
  });
}

/** A fork whose original has not come is a repository like others. */
async function clearLostOriginals(database: Database): Promise<void> {
  const lost = await database
    .knex()('repository as fork')
    .leftJoin('repository as original', 'original.id', 'fork.fork_of_id')
    .where('fork.fork_of_id', '<>', 0)
    .whereNull('original.id')
    .pluck<number[]>('fork.id');
  await database.write(async () => {
    for (let at = 0; at < lost.length; at += pageSize)
      await database
        .query(RepositoryRow)
        .findByIds(lost.slice(at, at + pageSize))
        .patch({ fork_of_id: 0 });
  });
}

/** Of repositories that are new or whose references have moved: these have no licences yet. */
async function deriveFromGit(
  { creator, database, repositories }: DerivedTakeoverDeps,
  context: TakeoverContext,
): Promise<void> {
  let after = 0;
  for (;;) {
    const page = await database
      .query(RepositoryRow)
      .select('id', 'name', 'owner_name', 'default_branch')
      .where('id', '>', after)
      .whereNull('licenses')
      .orderBy('id')
      .limit(pageSize);
    for (const row of page)
      try {
        await repositories.setDerived(row.id, await creator.derive(row.id, row.default_branch));
      } catch (error) {
        context.report(`repository ${row.owner_name}/${row.name} cannot be read: ${String(error)}`);
      }
    const last = page.at(-1);
    if (!last) return;
    after = last.id;
  }
}
