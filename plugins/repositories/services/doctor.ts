import type { Database, Finding } from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import type { GitStore } from '@mortise/git/api';
import { RepositoryRow } from '../models/repository.js';
import type { RepositoryService } from './repositories.js';

/** Every repository has its folder with the right HEAD and follows its owner's visibility; half-made ones are gone. */
export async function* checkFolders(
  {
    database,
    store,
    accounts,
    repositories,
  }: { database: Database; store: GitStore; accounts: Accounts; repositories: RepositoryService },
  { fix }: { fix: boolean },
): AsyncGenerator<Finding> {
  const batch = 500;
  let checked = 0;
  for (let after = 0; ;) {
    const rows = await database
      .query(RepositoryRow)
      .where('id', '>', after)
      .where('is_ready', true)
      .orderBy('id')
      .limit(batch);
    const owners = await accounts.byIds(rows.map((row) => row.owner_id));
    for (const row of rows) {
      checked++;
      const visibility = owners.get(row.owner_id)?.visibility;
      if (visibility && visibility !== row.owner_visibility) {
        const patch = () => database.query(RepositoryRow).findById(row.id).patch({ owner_visibility: visibility });
        if (fix) await database.write(patch);
        yield {
          level: 'error',
          text: `${row.owner_name}/${row.name} (${row.id}) is listed as if its owner were ${row.owner_visibility}`,
          fixed: fix,
        };
      }
      if (await store.exists(row.id)) {
        if ((await store.head(row.id)) === row.default_branch) continue;
        // A kill came between the row and the folder.
        if (fix) await store.setHead(row.id, row.default_branch);
        yield {
          level: 'warning',
          text: `HEAD of ${row.owner_name}/${row.name} (${row.id}) does not name ${row.default_branch}`,
          fixed: fix,
        };
        continue;
      }
      if (fix) await store.create(row.id, { defaultBranch: row.default_branch, objectFormat: row.object_format });
      yield {
        level: 'error',
        text: `repository ${row.owner_name}/${row.name} (${row.id}) has no folder${fix ? '; an empty one was made' : ''}`,
        fixed: fix,
      };
    }
    if (rows.length < batch) break;
    after = rows.at(-1)!.id;
  }
  yield* orphans(database, store, fix);
  if (fix) {
    const swept = await repositories.sweep(0);
    if (swept) yield { level: 'warning', text: `${swept} half-made repositories were removed`, fixed: true };
  }
  yield { level: 'ok', text: `${checked} repositories have their folders` };
}

/** A folder is made before its row is seen by others: younger ones may belong to a creation that goes on. */
const youngMs = 3_600_000;

/** Folders whose repository is in no row, for instance after the database alone was brought back from a back-up. */
async function* orphans(database: Database, store: GitStore, fix: boolean): AsyncGenerator<Finding> {
  let some: { id: number; kind: 'code' | 'wiki' }[] = [];
  const unknown = async function* (): AsyncGenerator<Finding> {
    const ids = [...new Set(some.map(({ id }) => id))];
    const known = new Set((await database.query(RepositoryRow).whereIn('id', ids).select('id')).map(({ id }) => id));
    for (const { id, kind } of some.filter((one) => !known.has(one.id))) {
      const aside = fix ? await store.setAside(id, kind) : undefined;
      yield {
        level: 'warning',
        text: `the folder of repository ${id}${kind === 'wiki' ? ' (wiki)' : ''} belongs to no repository${aside ? `; it lies in ${aside} now, and may be deleted or adopted` : ''}`,
        fixed: fix,
      };
    }
    some = [];
  };
  for await (const { id, kind, changedAt } of store.folders()) {
    if (Date.now() - changedAt < youngMs) continue;
    some.push({ id, kind });
    if (some.length >= 200) yield* unknown();
  }
  yield* unknown();
}
