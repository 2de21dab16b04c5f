import { Problem, type Database, type Finding } from '@mortise/plugin-sdk';
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
      const isThere = await store.exists(row.id).catch((error: unknown) => {
        if (!Problem.is(error) || error.code !== 'unavailable') throw error;
      });
      if (isThere === undefined) continue; // its disk is away, which the checks of git tell
      if (isThere) {
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

/** Repositories that one finding lists. */
const maxListed = 20;
/** Notes of git on its own folders, which go after the repository has. */
const outlivesRepository = /^git_/;

/** Rows of other plugins that say whose they are without a foreign key, and whose repository is gone. */
export async function* checkRows(database: Database): AsyncGenerator<Finding> {
  for (const table of await tablesOfRepositories(database)) {
    if (outlivesRepository.test(table)) continue;
    const lost = await database
      .knex()(`${table} as row`)
      .leftJoin('repository', 'repository.id', 'row.repository_id')
      .where('row.repository_id', '>', 0)
      .whereNull('repository.id')
      .groupBy('row.repository_id')
      .orderBy('row.repository_id')
      .limit(maxListed)
      .select('row.repository_id as id')
      .count<{ id: number; count: number }[]>('* as count');
    if (lost.length === 0) continue;
    const count = lost.reduce((sum, one) => sum + Number(one.count), 0);
    const ids = lost.map(({ id }) => id).join(', ');
    yield { level: 'warning', text: `${count} rows of ${table} belong to repositories that are not there: ${ids}` };
  }
}

async function tablesOfRepositories(database: Database): Promise<string[]> {
  const sql =
    database.engine === 'mysql'
      ? "select table_name as name from information_schema.columns where table_schema = database() and column_name = 'repository_id'"
      : "select m.name as name from sqlite_master m, pragma_table_info(m.name) p where m.type = 'table' and p.name = 'repository_id'";
  const answer = (await database.knex().raw(sql)) as { name: string }[] | [{ name: string }[]];
  const rows = (database.engine === 'mysql' ? answer[0] : answer) as { name: string }[];
  return rows.map(({ name }) => name).sort();
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
