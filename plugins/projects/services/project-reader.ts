import { containsInAnyCase, pageOf, type Cache, type Database, type QueryCache } from '@mortise/plugin-sdk';
import type { Project, ProjectScope } from '../contract/projects.js';
import { ProjectRow, toProject } from '../models/project.js';

/** A number that fits into a column of ids. */
export const isId = (value: number): boolean => Number.isSafeInteger(value) && value > 0 && value < 2 ** 31;

interface ProjectSearch {
  readonly isClosed?: boolean;
  /** Part of the title. */
  readonly text?: string;
  readonly limit: number;
  readonly offset: number;
}

/** Boards that a menu offers of one repository or account. */
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
    this.#lists = cache.query('projects.lists');
  }

  async byId(id: number): Promise<Project | undefined> {
    const row = isId(id) ? await this.database.query(ProjectRow).findById(id) : undefined;
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
  list(scope: Pick<ProjectScope, 'repository' | 'owner'>, search: ProjectSearch) {
    const key = JSON.stringify([scope.repository?.id ?? 0, scope.owner.id, search]);
    return this.#lists.load(key, () => this.#listOf(scope, search));
  }

  /** Open boards of several repositories and accounts, for a menu. */
  async openIn(scopes: readonly ProjectScope[]): Promise<Project[]> {
    const search = { isClosed: false, limit: maxOffered, offset: 0 };
    const lists = await Promise.all(scopes.map((scope) => this.list(scope, search)));
    return lists.flatMap(({ items }) => items);
  }

  /** How many of those are open, and closed; `text`: part of the title. */
  async counts(
    scope: Pick<ProjectScope, 'repository' | 'owner'>,
    text = '',
  ): Promise<{ open: number; closed: number }> {
    const query = this.database.query(ProjectRow).select('is_closed').count('* as total').groupBy('is_closed');
    if (scope.repository) void query.where('repository_id', scope.repository.id);
    else void query.where('owner_id', scope.owner.id);
    if (text) void query.where(containsInAnyCase('title', text));
    const counts = { open: 0, closed: 0 };
    for (const row of (await query) as unknown as { is_closed: unknown; total: unknown }[])
      counts[Number(row.is_closed) ? 'closed' : 'open'] = Number(row.total);
    return counts;
  }

  async #listOf(scope: Pick<ProjectScope, 'repository' | 'owner'>, search: ProjectSearch): Promise<ProjectList> {
    const query = this.database.query(ProjectRow);
    if (scope.repository) void query.where('repository_id', scope.repository.id);
    else void query.where('owner_id', scope.owner.id);
    if (search.isClosed !== undefined) void query.where('is_closed', search.isClosed);
    if (search.text) void query.where(containsInAnyCase('title', search.text));
    const { rows, total } = await pageOf(query.orderBy('id', 'desc'), search);
    return { items: rows.map(toProject), total };
  }
}
