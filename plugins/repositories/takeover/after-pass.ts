import type { Database, TakeoverContext } from '@mortise/plugin-sdk';
import type { GitStore, GitTakeover, RepositoryKind } from '@mortise/git/api';
import type { RepositoryCreator } from '../api.js';
import { RepositoryRow } from '../models/repository.js';
import type { RepositoryService } from '../services/repositories.js';

interface DerivedTakeoverDeps {
  readonly creator: Pick<RepositoryCreator, 'derive'>;
  readonly database: Database;
  readonly git: Pick<GitTakeover, 'hasTaken'>;
  readonly store: Pick<GitStore, 'folders' | 'setAside'>;
  readonly repositories: Pick<RepositoryService, 'setDerived'>;
}

const pageSize = 200;

/** After a pass: what repositories repeat of their owners and originals, and what follows from git. */
export async function afterPass(deps: DerivedTakeoverDeps, context: TakeoverContext): Promise<void> {
  await copyOwners(deps.database);
  await clearLostOriginals(deps.database);
  await setFoldersAside(deps, context);
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

/** Of rows that were refused or have gone: a repository that is made here may get the number, and would have their content. */
async function setFoldersAside(
  { database, git, store }: Pick<DerivedTakeoverDeps, 'database' | 'git' | 'store'>,
  context: TakeoverContext,
): Promise<void> {
  let folders: { readonly id: number; readonly kind: RepositoryKind }[] = [];
  const setAside = async () => {
    const ids = [...new Set(folders.map(({ id }) => id))];
    const known = new Set((await database.query(RepositoryRow).findByIds(ids).select('id')).map(({ id }) => id));
    for (const { id, kind } of folders)
      if (!known.has(id) && (await git.hasTaken(id, kind)))
        context.report(
          `the folder of repository ${id} has no repository: it lies in ${await store.setAside(id, kind)}`,
        );
    folders = [];
  };
  for await (const folder of store.folders()) {
    folders.push(folder);
    if (folders.length >= pageSize) await setAside();
  }
  await setAside();
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
