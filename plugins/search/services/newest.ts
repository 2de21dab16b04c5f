import type { QueryBuilder } from 'objection';
import type { Database, Model } from '@mortise/plugin-sdk';
import { DocumentRow } from '../models/document.js';
import { forMySql, forSqlite, scanOf, type Clause } from './terms.js';

export interface Wanted {
  readonly families: readonly string[];
  readonly kind?: string;
  readonly repositoryId?: number;
  readonly repositories?: QueryBuilder<Model>;
}

export type FoundDocument = Pick<DocumentRow, 'id' | 'family' | 'subject_id' | 'resource_id'>;

const columns = ['id', 'family', 'subject_id', 'resource_id'] as const;

/** Newest documents of a family from which it is told how frequent a word is. */
const sampled = 100;
/** As many of them, and the word is frequent. */
const frequentFrom = 5;
/** So many times the documents that have to be looked through where the others are as the newest. */
const margin = 1.5;

interface Scanned {
  readonly rows: readonly FoundDocument[];
  /** Families of which every document was looked at, or as many were found as were wanted. */
  readonly settled: ReadonlySet<string>;
}

/**
 * The newest documents that match, at most `limit`, the newest first. What it costs follows from the limit and not from how
 * many match. An index of texts makes all that match, however many (that of SQLite, where words are looked for by their
 * beginnings); so where the newest documents show that a word is frequent, they are looked through one by one instead.
 */
export async function newestOf(
  database: Database,
  clauses: readonly Clause[],
  wanted: Wanted,
  limit: number,
): Promise<readonly FoundDocument[]> {
  const { families } = wanted;
  // those that are narrowed to some repositories are code: long texts, and words that are rare in them
  if (wanted.repositories) return matched(database, clauses, wanted, limit);
  const sample = await scanned(database, clauses, wanted, { looked: () => sampled, limit: sampled + 1 });
  const hits = (family: string) => sample.rows.filter((row) => row.family === family).length;
  const frequent = families.filter((family) => !sample.settled.has(family) && hits(family) >= frequentFrom);
  const looked = (family: string) => Math.ceil((margin * limit * sampled) / hits(family));
  const scan = frequent.length
    ? await scanned(database, clauses, { ...wanted, families: frequent }, { looked, limit })
    : undefined;
  const left = families.filter((family) => !sample.settled.has(family) && !scan?.settled.has(family));
  const rows = [
    ...sample.rows.filter((row) => sample.settled.has(row.family)),
    ...(scan?.rows ?? []).filter((row) => scan!.settled.has(row.family)),
    ...(left.length ? await matched(database, clauses, { ...wanted, families: left }, limit) : []),
  ];
  return rows.sort((one, other) => other.id - one.id).slice(0, limit);
}

/** By the index of texts. */
async function matched(
  database: Database,
  clauses: readonly Clause[],
  { families, kind, repositoryId, repositories }: Wanted,
  limit: number,
): Promise<readonly FoundDocument[]> {
  const query = database
    .query(DocumentRow)
    .select(columns.map((column) => `search_document.${column}`))
    .limit(limit);
  if (kind !== undefined) void query.where('search_document.kind', kind);
  if (repositories) void query.whereIn('search_document.repository_id', repositories);
  if (database.engine === 'sqlite')
    void query
      .join('search_text', 'search_text.rowid', 'search_document.id')
      .whereRaw('search_text match ?', [forSqlite(clauses, { families, repositoryId })])
      .orderBy('search_text.rowid', 'desc');
  else {
    void query
      .whereIn('family', [...families])
      .whereRaw('match(title_terms, body_terms) against (? in boolean mode)', [forMySql(clauses)])
      .orderBy('search_document.id', 'desc');
    if (repositoryId !== undefined) void query.where('repository_id', repositoryId);
  }
  return query;
}

/** One by one, among the newest `looked` documents of each family; at most `limit` of each. */
async function scanned(
  database: Database,
  clauses: readonly Clause[],
  { families, kind, repositoryId }: Wanted,
  { looked, limit }: { looked(family: string): number; readonly limit: number },
): Promise<Scanned> {
  const isSqlite = database.engine === 'sqlite';
  const matches = scanOf(clauses, database.engine);
  const [index, place] =
    repositoryId === undefined
      ? ['search_document_of_family', '']
      : ['search_document_of_place', ' and repository_id = ?'];
  const ofKind = kind === undefined ? '' : ' and d.kind = ?';
  const newest =
    `select id from search_document ${isSqlite ? `indexed by ${index}` : `force index (${index})`}` +
    ` where family = ?${place} order by id desc`;
  const one =
    `select * from (select ${columns.map((column) => `d.${column}`).join(', ')} from (${newest} limit ?) n` +
    ` ${isSqlite ? 'cross join' : 'straight_join'} search_document d on d.id = n.id` +
    ` where ${matches.sql}${ofKind} order by n.id desc limit ?) found`;
  // the next after those that are looked at, where there is one
  const next = `select * from (select null as id, ? as family, id as subject_id, null as resource_id from (${newest} limit 1 offset ?) n) following`;
  const bindings = families.flatMap((family) => {
    const within = repositoryId === undefined ? [family] : [family, repositoryId];
    const most = looked(family);
    const last = kind === undefined ? [limit] : [kind, limit];
    return [...within, most, ...matches.bindings, ...last, family, ...within, most];
  });
  const sql = families.map(() => `${one} union all ${next}`).join(' union all ');
  const answer: unknown = await database.knex().raw(sql, bindings);
  const all = (isSqlite ? answer : (answer as unknown[])[0]) as (Omit<FoundDocument, 'id'> & { id: number | null })[];
  const rows = all.filter((row): row is FoundDocument => row.id !== null);
  const settled = families.filter(
    (family) =>
      !all.some((row) => row.id === null && row.family === family) ||
      rows.filter((row) => row.family === family).length === limit,
  );
  return { rows, settled: new Set(settled) };
}
