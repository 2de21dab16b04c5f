import type { Database, Finding } from '@mortise/plugin-sdk';
import type { GitStore } from '@mortise/git/api';
import { RepositoryRow } from '../models/repository.js';
import type { Room } from './room.js';

/** Every visible repository has its folder; half-made ones are gone. */
export async function* checkFolders(
  { database, store, room }: { database: Database; store: GitStore; room: Room },
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
    for (const row of rows) {
      checked++;
      if (await store.exists(row.id)) continue;
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
  if (fix) {
    const swept = await room.repositories.sweep(0);
    if (swept) yield { level: 'warning', text: `${swept} half-made repositories were removed`, fixed: true };
  }
  yield { level: 'ok', text: `${checked} repositories have their folders` };
}
