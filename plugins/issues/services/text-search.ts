import type { QueryBuilder } from 'objection';
import type { Cache, Database, QueryCache, Knex, Model } from '@mortise/plugin-sdk';
import type { SearchDocument, SearchIndex, TextSearches } from '@mortise/search/api';
import type { IssueSearch } from '../api.js';
import { IssueRow } from '../models/issue.js';

/** The word by which the search index knows issues and pull requests. */
export const issueSubject = 'issue';
/** The same for texts about code, which only those find who may read it. */
export const issueCodeSubject = 'issue-code';

/** What is found of an issue by itself. */
export const issueDocument = ({
  id,
  repository_id,
  title,
  body,
}: Pick<IssueRow, 'id' | 'repository_id' | 'title' | 'body'>): SearchDocument => ({
  kind: 'issue',
  id,
  repositoryId: repository_id,
  subjectType: issueSubject,
  subjectId: id,
  title,
  body,
});

/**
 * Newest documents of a search that asks for nothing but a text: all that it finds is counted. Where more is asked for, of
 * the newest {@link maxFilteredResults}: what is looked for may be among the older ones.
 */
const maxPlainResults = 1000;
const maxFilteredResults = 5000;

const plainFields: ReadonlySet<string> = new Set<keyof IssueSearch | 'page'>([
  'text',
  'repositoryId',
  'isClosed',
  'isPull',
  'labelsMatch',
  'sort',
  // as routes have it
  'page',
  'limit',
  'offset',
]);

const isUnset = (value: unknown): boolean => value === undefined || (Array.isArray(value) && value.length === 0);

type Results = ReadonlyMap<string, readonly number[]>;

/** What an issue is sorted by, and its state. */
type ResultRow = Pick<IssueRow, 'id' | 'is_closed' | 'due_at'> & { readonly by: number };

export interface SortColumn {
  readonly by: string;
  readonly isDescending: boolean;
}

/** Who searches. */
interface TextViewer {
  /** The same for those who may read the same. */
  readonly key: string;
  /** Which texts they may read. */
  readonly texts: NonNullable<TextSearches['among']>;
  /** Repositories whose code they may read, as a subquery. */
  codeReadable(): QueryBuilder<Model>;
}

/** Issues whose texts, or those of their comments, have what somebody typed. */
export class IssueTextSearch {
  readonly #results: QueryCache<Results>;

  constructor(
    private readonly deps: {
      readonly database: Database;
      readonly cache: Cache;
      readonly search: SearchIndex;
    },
  ) {
    this.#results = deps.cache.query('issues.found');
  }

  /**
   * Ids of those that match. Across repositories the newest are chosen of what the viewer may read, so that what is hidden
   * neither takes their places nor shows in how many there are.
   */
  async ids(search: IssueSearch, viewer: TextViewer): Promise<Set<number>> {
    const { text = '', repositoryId } = search;
    const isPlain = Object.entries(search).every(([key, value]) => isUnset(value) || plainFields.has(key));
    const asked = {
      subjectTypes: [issueSubject, issueCodeSubject],
      text: text.trim(),
      repositoryId,
      max: isPlain ? maxPlainResults : maxFilteredResults,
    };
    const isEverywhere = repositoryId === undefined;
    // pages of one search, and searches of both kinds, ask for the same
    const key = JSON.stringify(isEverywhere ? { ...asked, viewer: viewer.key } : asked);
    const among = isEverywhere ? viewer.texts : undefined;
    const bySubjectType = await this.#results.load(key, () => this.deps.search.findEach({ ...asked, among }), {
      size: (kept) => 500 + [...kept.values()].reduce((sum, ids) => sum + 8 * ids.length, 0),
    });
    const found = new Set(bySubjectType.get(issueSubject));
    const more = (bySubjectType.get(issueCodeSubject) ?? []).filter((id) => !found.has(id));
    if (more.length) {
      const rows = await this.deps.database
        .query(IssueRow)
        .select('issue.id')
        .whereRaw(`issue.id in (${more.join(', ')})`)
        .whereIn('issue.repository_id', viewer.codeReadable());
      for (const { id } of rows) found.add(id);
    }
    return found;
  }

  /** The few that match are read by their ids, whatever the planner of the database thinks of its indexes. */
  filter(query: QueryBuilder<Model>, found: ReadonlySet<number>): void {
    const { database } = this.deps;
    const ids = [...found];
    if (database.engine === 'sqlite')
      // one statement for all sets of ids
      void query
        .from(database.knex().raw('issue not indexed'))
        .whereRaw('issue.id in (select value from json_each(?))', [JSON.stringify(ids)]);
    else
      void query
        .from(database.knex().raw('issue force index (primary)'))
        .whereRaw(`issue.id in (${ids.join(', ') || 'null'})`);
  }

  /**
   * They are few enough to be looked at once each: which of them are open and closed, and the ids of the page, in the order
   * of the list. `query` is narrowed already.
   */
  async page(
    query: QueryBuilder<IssueRow>,
    { isClosed, offset, limit, sort }: Pick<IssueSearch, 'isClosed' | 'offset' | 'limit' | 'sort'>,
    { by, isDescending }: SortColumn,
  ): Promise<{ ids: number[]; open: number; closed: number }> {
    void query.clearSelect().select('issue.id', 'issue.is_closed', 'issue.due_at', `${by} as by`);
    const rows = (await (query.toKnexQuery() as Knex.QueryBuilder)) as ResultRow[];
    const closed = rows.filter((row) => Boolean(row.is_closed)).length;
    const wanted = isClosed === undefined ? rows : rows.filter((row) => Boolean(row.is_closed) === isClosed);
    const sign = isDescending ? -1 : 1;
    const idSign = isDescending || sort === 'leastcomment' ? -1 : 1;
    wanted.sort((one, other) => {
      // Those without a due date come last.
      if (sort === 'duedate' && !one.due_at !== !other.due_at) return one.due_at ? -1 : 1;
      return sign * (one.by - other.by) || idSign * (one.id - other.id);
    });
    return { ids: wanted.slice(offset, offset + limit).map(({ id }) => id), open: rows.length - closed, closed };
  }
}
