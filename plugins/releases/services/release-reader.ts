import { pageOf, type Database, type QueryCache } from '@mortise/plugin-sdk';
import type { Release, ReleaseSearch } from '../contract/releases.js';
import { ReleaseRow, toRelease } from '../models/release.js';
import { containing, escapeSign, tagPattern } from './tag-names.js';

const seen = ['draft', 'published'];

/** Everything that is read of releases; what is only being made is not there. */
export class ReleaseReader {
  constructor(
    private readonly database: Database,
    /** Answers that hold as long as nothing was committed. */
    private readonly newest: QueryCache<{ readonly release: Release | undefined }>,
  ) {}

  async byId(id: number): Promise<Release | undefined> {
    if (!Number.isSafeInteger(id) || id > 2 ** 31) return undefined;
    const row = await this.database.query(ReleaseRow).findById(id).whereIn('state', seen);
    return row && toRelease(row);
  }

  async byTag(repositoryId: number, tagName: string): Promise<Release | undefined> {
    const row = await this.database
      .query(ReleaseRow)
      .findOne({ repository_id: repositoryId, tag_name: tagName })
      .whereIn('state', seen);
    return row && toRelease(row);
  }

  /** Those of the tags that have one, keyed by tag. */
  async byTags(repositoryId: number, tagNames: readonly string[]): Promise<Map<string, Release>> {
    const rows = tagNames.length
      ? await this.database
          .query(ReleaseRow)
          .where({ repository_id: repositoryId, state: 'published' })
          .whereIn('tag_name', [...tagNames])
      : [];
    return new Map(rows.map((row) => [row.tag_name, toRelease(row)]));
  }

  /** A hot read: every home page of a repository shows it. */
  async latest(repositoryId: number): Promise<Release | undefined> {
    const load = async () => ({ release: await this.findLatest(repositoryId) });
    return (await this.newest.load(String(repositoryId), load)).release;
  }

  private async findLatest(repositoryId: number): Promise<Release | undefined> {
    const row = await this.database
      .query(ReleaseRow)
      .where({ repository_id: repositoryId, state: 'published', is_prerelease: false })
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .first();
    return row && toRelease(row);
  }

  /** For comparing each with the one before it. */
  async tagsNewestFirst(repositoryId: number, limit: number): Promise<{ id: number; tagName: string }[]> {
    const rows = await this.database
      .query(ReleaseRow)
      .select('id', 'tag_name')
      .where({ repository_id: repositoryId, state: 'published' })
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(limit);
    return rows.map((row) => ({ id: row.id, tagName: row.tag_name }));
  }

  /** REL-01: filtered in the query, before paging. */
  async list(search: ReleaseSearch): Promise<{ items: Release[]; total: number }> {
    const query = this.database.query(ReleaseRow).where('repository_id', search.repositoryId);
    const states = seen.filter(
      (state) =>
        (state === 'published' || search.includeDrafts) &&
        (search.isDraft === undefined || search.isDraft === (state === 'draft')),
    );
    if (states.length === 0) return { items: [], total: 0 };
    void query.whereIn('state', states);
    if (search.isPrerelease !== undefined) void query.where('is_prerelease', search.isPrerelease);
    const like = (column: string, pattern: string) =>
      this.database.knex().raw(`?? like ? escape '${escapeSign}'`, [column, pattern]);
    if (search.tagFilter) void query.where(like('lower_tag_name', tagPattern(search.tagFilter)));
    const text = search.text?.trim();
    if (text)
      void query.where((either) => {
        void either.where(like('lower_tag_name', containing(text))).orWhere(like('lower_title', containing(text)));
      });
    const { rows, total } = await pageOf(query.orderBy('created_at', 'desc').orderBy('id', 'desc'), search);
    return { items: rows.map(toRelease), total };
  }
}
