import { skippedRow, targetRow, type Database, type TableMapping } from '@mortise/plugin-sdk';
import { StarRow } from '../models/star.js';
import { WatchRow } from '../models/watch.js';

const references = { user_id: 'accounts.users', repository_id: 'repositories.repositories' };
/** What `watch.mode` is of those who watch: by choice, or since they pushed. */
const watching = [1, 3];

const stars: TableMapping = {
  id: 'stars.stars',
  table: 'star',
  idTable: StarRow,
  references,
  map: (row) =>
    targetRow(StarRow, {
      id: row.number('id'),
      user_id: row.number('uid'),
      repository_id: row.number('repo_id'),
      created_at: row.time('created_unix'),
    }),
};

const watches: TableMapping = {
  id: 'stars.watches',
  table: 'watch',
  idTable: WatchRow,
  references,
  ignored: ['updated_unix'],
  map: (row) =>
    row.has('mode') && !watching.includes(row.number('mode'))
      ? skippedRow('its account has chosen not to watch')
      : targetRow(WatchRow, {
          id: row.number('id'),
          user_id: row.number('user_id'),
          repository_id: row.number('repo_id'),
          created_at: row.time('created_unix'),
        }),
};

export const tables: readonly TableMapping[] = [stars, watches];

/** After a pass: stars of repositories that everybody may see, and how many each account has of them. */
export async function countPublicStars(database: Database): Promise<void> {
  await database.write(async () => {
    const knex = database.knex();
    const open = knex('repository').select('id').where({ is_private: false, owner_visibility: 'public' });
    await knex('star').whereIn('repository_id', open.clone()).where('is_public', false).update({ is_public: true });
    await knex('star').whereNotIn('repository_id', open.clone()).where('is_public', true).update({ is_public: false });
    const counts = await knex('user')
      .leftJoin('star', (on) => void on.on('star.user_id', 'user.id').andOnVal('star.is_public', true))
      .groupBy('user.id', 'user.public_starred_count')
      .havingRaw('count(??) <> ??', ['star.id', 'user.public_starred_count'])
      .select<{ id: number; count: number }[]>('user.id', knex.raw('count(??) as ??', ['star.id', 'count']));
    for (const { id, count } of counts)
      await knex('user')
        .where('id', id)
        .update({ public_starred_count: Number(count) });
  });
}
