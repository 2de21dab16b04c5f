import { anonymous, type Actor, type Database, type MemoryCache } from '@mortise/plugin-sdk';
import type { Repository, RepositorySearch } from '../api.js';
import { CollaboratorRow, RepositoryTopicRow, StarRow, TopicRow, WatchRow } from '../models/others.js';
import { RepositoryRow, toRepository } from '../models/repository.js';
import { visibleTo } from './access.js';

const sortColumns: Readonly<Record<NonNullable<RepositorySearch['sort']>, string>> = {
  alpha: 'repository.lower_name',
  created: 'repository.created_at',
  updated: 'repository.updated_at',
  size: 'repository.size_bytes',
  git_size: 'repository.size_bytes',
  lfs_size: 'repository.size_bytes',
  stars: 'repository.star_count',
  forks: 'repository.fork_count',
  id: 'repository.id',
};

/** Text for LIKE with `!` as escape character. */
const likeText = (text: string) => `%${text.toLowerCase().replace(/[!%_]/g, '!$&')}%`;

/** Reads repositories; hot rows are kept for as long as nothing was committed. */
export class RepositoryFinder {
  constructor(
    protected readonly database: Database,
    private readonly rows: MemoryCache<Repository | undefined>,
    private readonly mainLanguages: MemoryCache<string[]>,
  ) {}

  /** Main languages of what everybody may see, the most frequent first; some minutes old. */
  languages(): Promise<string[]> {
    return this.mainLanguages.load('', async () => {
      const rows = await this.database
        .query(RepositoryRow)
        .select('repository.language')
        .where(visibleTo(anonymous))
        .whereNot('repository.language', '')
        .groupBy('repository.language')
        .orderByRaw('count(*) desc, repository.language')
        .limit(50);
      return rows.map((row) => row.language);
    });
  }

  async byId(id: number): Promise<Repository | undefined> {
    return this.#load(`#${id}`, async () => {
      const row = await this.database.query(RepositoryRow).findOne({ id, is_ready: true });
      return row && toRepository(row);
    });
  }

  async byIds(ids: readonly number[]): Promise<Map<number, Repository>> {
    if (ids.length === 0) return new Map();
    const rows = await this.database
      .query(RepositoryRow)
      .whereIn('id', [...new Set(ids)])
      .where('is_ready', true);
    return new Map(rows.map((row) => [row.id, toRepository(row)]));
  }

  async byPath(owner: string, name: string): Promise<Repository | undefined> {
    const lowerOwner = owner.toLowerCase();
    const lowerName = name.toLowerCase();
    return this.#load(`${lowerOwner}/${lowerName}`, async () => {
      const row = await this.database
        .query(RepositoryRow)
        .findOne({ lower_owner_name: lowerOwner, lower_name: lowerName, is_ready: true });
      return row && toRepository(row);
    });
  }

  /** Inside a transaction the cache may lag behind what the transaction wrote. */
  #load(key: string, load: () => Promise<Repository | undefined>): Promise<Repository | undefined> {
    return this.database.inTransaction() ? load() : this.rows.load(key, load);
  }

  async search(search: RepositorySearch, actor: Actor): Promise<{ items: Repository[]; total: number }> {
    const query = this.database.query(RepositoryRow).where(visibleTo(actor));
    if (search.text) {
      const text = likeText(search.text);
      const escaped = "escape '!'";
      void query.where((either) => {
        const [owner, name] = search.text!.toLowerCase().split('/');
        if (!search.topicOnly) void either.whereRaw(`repository.lower_name like ? ${escaped}`, [text]);
        // `owner/name`, as people read it
        if (!search.topicOnly && owner && name !== undefined)
          void either.orWhere(
            (path) =>
              void path
                .where('repository.lower_owner_name', owner)
                .whereRaw(`repository.lower_name like ? ${escaped}`, [likeText(name)]),
          );
        if (search.includeDescription)
          void either.orWhereRaw(`lower(repository.description) like ? ${escaped}`, [text]);
        void either.orWhereIn(
          'repository.id',
          RepositoryTopicRow.query()
            .select('repository_id')
            .whereIn('topic_id', TopicRow.query().select('id').where('name', search.text!.toLowerCase())),
        );
      });
    }
    const collaborating = (userId: number) => CollaboratorRow.query().select('repository_id').where('user_id', userId);
    if (search.ownerId !== undefined) {
      const ownerId = search.ownerId;
      if (search.mode === 'collaborative')
        void query.whereIn('repository.id', collaborating(ownerId)).whereNot('repository.owner_id', ownerId);
      else if (search.exclusive || search.mode) void query.where('repository.owner_id', ownerId);
      else
        void query.where(
          (either) =>
            void either.where('repository.owner_id', ownerId).orWhereIn('repository.id', collaborating(ownerId)),
        );
    }
    if (search.accessibleTo !== undefined) {
      const userId = search.accessibleTo;
      void query.where(
        (either) => void either.where('repository.owner_id', userId).orWhereIn('repository.id', collaborating(userId)),
      );
    }
    if (search.starredBy !== undefined)
      void query.whereIn('repository.id', StarRow.query().select('repository_id').where('user_id', search.starredBy));
    if (search.watchedBy !== undefined)
      void query.whereIn('repository.id', WatchRow.query().select('repository_id').where('user_id', search.watchedBy));
    if (search.forkOf !== undefined) void query.where('repository.fork_of_id', search.forkOf);
    if (search.isPrivate !== undefined) void query.where('repository.is_private', search.isPrivate);
    if (search.isTemplate !== undefined) void query.where('repository.is_template', search.isTemplate);
    if (search.isArchived !== undefined) void query.where('repository.is_archived', search.isArchived);
    if (search.language) void query.where('repository.language', search.language);
    if (search.mode === 'source') void query.where('repository.fork_of_id', 0);
    if (search.mode === 'fork') void query.whereNot('repository.fork_of_id', 0);
    if (search.mode === 'mirror') void query.whereRaw('1 = 0');
    const total = await query.clone().resultSize();
    if (search.priorityOwnerId !== undefined)
      void query.orderByRaw('case when repository.owner_id = ? then 0 else 1 end', [search.priorityOwnerId]);
    const rows = total
      ? await query
          .orderBy(sortColumns[search.sort ?? 'alpha'], search.descending ? 'desc' : 'asc')
          .orderBy('repository.id', search.descending ? 'desc' : 'asc')
          .limit(search.limit)
          .offset(search.offset)
      : [];
    return { items: rows.map(toRepository), total };
  }
}
