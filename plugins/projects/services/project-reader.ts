import { likePattern, pageOf, rowWith, type Cache, type Database, type QueryCache } from '@mortise/plugin-sdk';
import type { Project, ProjectPlace } from '../contract/projects.js';
import { ProjectRow, toProject } from '../models/project.js';

/** A number that fits into a column of ids. */
export const isId = (value: number): boolean => Number.isSafeInteger(value) && value > 0 && value < 2 ** 31;

export interface ProjectSearch {
  readonly isClosed?: boolean;
  /** Part of the title. */
  readonly text?: string;
  readonly limit: number;
  readonly offset: number;
}

/** Boards that a menu offers of one place. */
const maxOffered = 50;

interface ProjectList {
  readonly items: readonly Project[];
  readonly total: number;
}

/** Reads boards. Does not check permissions; callers must. */
export class ProjectReader {
  readonly #lists: QueryCache<ProjectList>;

  constructor(
    private readonly database: Database,
    cache: Cache,
  ) {
    this.#lists = cache.query('projects.lists', { max: 1000 });
  }

  async byId(id: number): Promise<Project | undefined> {
    const row = isId(id) ? await rowWith(this.database, ProjectRow, { id }) : undefined;
    return row && toProject(row);
  }

  async byIds(ids: readonly number[]): Promise<Map<number, Project>> {
    const wanted = [...new Set(ids)].filter(isId);
    const rows = wanted.length ? await this.database.query(ProjectRow).whereIn('id', wanted) : [];
    return new Map(rows.map((row) => [row.id, toProject(row)]));
  }

  /** Boards that an account has without a repository. */
  async idsOfOwner(ownerId: number): Promise<number[]> {
    const rows = await this.database.query(ProjectRow).select('id').where('owner_id', ownerId);
    return rows.map(({ id }) => id);
  }

  /** The newest first. */
  list(place: Pick<ProjectPlace, 'repository' | 'owner'>, search: ProjectSearch) {
    const key = JSON.stringify([place.repository?.id ?? 0, place.owner.id, search]);
    return this.#lists.load(key, () => this.#listOf(place, search));
  }

  /** Open boards of several places, for a menu. */
  async openIn(places: readonly ProjectPlace[]): Promise<Project[]> {
    const search = { isClosed: false, limit: maxOffered, offset: 0 };
    const lists = await Promise.all(places.map((place) => this.list(place, search)));
    return lists.flatMap(({ items }) => items);
  }

  /** How many of those are open, and closed; `text`: part of the title. */
  async counts(
    place: Pick<ProjectPlace, 'repository' | 'owner'>,
    text = '',
  ): Promise<{ open: number; closed: number }> {
    const query = this.database.query(ProjectRow).select('is_closed').count('* as total').groupBy('is_closed');
    if (place.repository) void query.where('repository_id', place.repository.id);
    else void query.where('owner_id', place.owner.id);
    if (text) void query.whereRaw(`lower(title) like ? escape '!'`, [likePattern(text)]);
    const counts = { open: 0, closed: 0 };
    for (const row of (await query) as unknown as { is_closed: unknown; total: unknown }[])
      counts[Number(row.is_closed) ? 'closed' : 'open'] = Number(row.total);
    return counts;
  }

  async #listOf(place: Pick<ProjectPlace, 'repository' | 'owner'>, search: ProjectSearch): Promise<ProjectList> {
    const query = this.database.query(ProjectRow);
    if (place.repository) void query.where('repository_id', place.repository.id);
    else void query.where('owner_id', place.owner.id);
    if (search.isClosed !== undefined) void query.where('is_closed', search.isClosed);
    if (search.text) void query.whereRaw(`lower(title) like ? escape '!'`, [likePattern(search.text)]);
    const { rows, total } = await pageOf(query.orderBy('id', 'desc'), search);
    return { items: rows.map(toProject), total };
  }
}
