import { skippedRow, targetRow, type Database, type TableMapping } from '@mortise/plugin-sdk';
import { ReleaseRow } from '../models/release.js';

const maxTagName = 191;
const maxText = 255;

const releases: TableMapping = {
  id: 'releases.releases',
  table: 'release',
  idTable: ReleaseRow,
  references: {
    repository_id: 'repositories.repositories',
    // who has no account any more
    author_id: { to: 'accounts.users', fallback: 0 },
  },
  // tags have rows of their own there; here git alone knows them
  filter: (row) => !row.flag('is_tag'),
  ignored: ['is_tag', 'lower_tag_name', 'original_author_id', 'sha1', 'num_commits'],
  map(row) {
    const tag = row.text('tag_name');
    if (tag.length > maxTagName) return skippedRow('the name of its tag is too long');
    const title = row.text('title', maxText);
    const isDraft = row.flag('is_draft');
    const createdAt = row.time('created_unix');
    return targetRow(ReleaseRow, {
      id: row.number('id'),
      repository_id: row.number('repo_id'),
      author_id: row.number('publisher_id'),
      original_author: row.text('original_author', maxText),
      tag_name: tag,
      lower_tag_name: tag.toLowerCase(),
      target: row.text('target', maxText),
      title,
      lower_title: title.toLowerCase(),
      note: row.text('note'),
      tag_message: '',
      state: isDraft ? 'draft' : 'published',
      is_prerelease: row.flag('is_prerelease'),
      pending: null,
      pending_at: 0,
      created_at: createdAt,
      published_at: isDraft ? 0 : createdAt,
      updated_at: createdAt,
    });
  },
};

export const tables: readonly TableMapping[] = [releases];

/** After a pass: how many published releases each repository has. */
export async function countReleases(database: Database): Promise<void> {
  await database.write(async () => {
    const knex = database.knex();
    const counts = await knex('repository')
      .leftJoin(
        'release',
        (on) => void on.on('release.repository_id', 'repository.id').andOnVal('release.state', 'published'),
      )
      .groupBy('repository.id', 'repository.release_count')
      .havingRaw('count(??) <> ??', ['release.id', 'repository.release_count'])
      .select<{ id: number; count: number }[]>('repository.id', knex.raw('count(??) as ??', ['release.id', 'count']));
    for (const { id, count } of counts)
      await knex('repository')
        .where('id', id)
        .update({ release_count: Number(count) });
  });
}
