import type { Database } from '@mortise/plugin-sdk';
import type { Repositories } from '@mortise/repositories/api';
import type { ImportedRelease, ReleaseImports } from '../contract/releases.js';
import { ReleaseRow } from '../models/release.js';

interface ImportDeps {
  readonly database: Database;
  readonly repositories: Pick<Repositories, 'hold' | 'count'>;
}

/** Writes releases of other services; asks for no rights and notifies nobody. */
export class ReleaseImportService implements ReleaseImports {
  constructor(private readonly deps: ImportDeps) {}

  releases: ReleaseImports['releases'] = async (repositoryId, releases) => {
    const { database, repositories } = this.deps;
    if (releases.length === 0) return [];
    await repositories.hold(repositoryId);
    const there = await database
      .query(ReleaseRow)
      .select('tag_name')
      .where('repository_id', repositoryId)
      .whereIn(
        'tag_name',
        releases.map(({ tagName }) => tagName),
      );
    const taken = new Set(there.map((row) => row.tag_name));
    const ids: (number | undefined)[] = [];
    let published = 0;
    for (const release of releases) {
      const isTaken = taken.has(release.tagName);
      ids.push(isTaken ? undefined : (await database.query(ReleaseRow).insert(columnsOf(repositoryId, release))).id);
      taken.add(release.tagName);
      if (!isTaken && !release.isDraft) published++;
    }
    if (published) await repositories.count(repositoryId, 'releaseCount', published);
    return ids;
  };
}

const columnsOf = (repositoryId: number, release: ImportedRelease) => ({
  repository_id: repositoryId,
  author_id: release.authorId,
  original_author: release.originalAuthor,
  tag_name: release.tagName,
  lower_tag_name: release.tagName.toLowerCase(),
  target: release.target,
  title: release.title,
  lower_title: release.title.toLowerCase(),
  note: release.note,
  tag_message: '',
  state: release.isDraft ? ('draft' as const) : ('published' as const),
  is_prerelease: release.isPrerelease,
  pending: null,
  pending_at: 0,
  created_at: release.createdAt,
  published_at: release.isDraft ? 0 : release.publishedAt,
  updated_at: release.publishedAt || release.createdAt,
});
