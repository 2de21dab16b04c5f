import { setImmediate as turn } from 'node:timers/promises';
import type { Database, Knex } from '@mortise/plugin-sdk';
import type { TextSearch } from '../contract/documents.js';
import { DocumentRow } from '../models/document.js';
import { forMySql, forSqlite, phrasesOf, scanOf, type Clause } from './terms.js';

export interface Wanted extends Pick<TextSearch, 'repositoryId' | 'repositories' | 'among'> {
  readonly subjectTypes: readonly string[];
  readonly kind?: string;
}

type FoundDocument = Pick<DocumentRow, 'id' | 'family' | 'subject_id' | 'resource_id'>;

const columns = ['id', 'family', 'subject_id', 'resource_id'] as const;

/** Newest documents of a type of subject from which it is told how frequent a word is. */
const sampled = 100;
/** As many of them, and the word is frequent. */
const frequentFrom = 5;
/** So many times the documents that have to be looked through where the others are as the newest. */
const margin = 1.5;
/** Documents of a type of subject that a search looks through at most; where more were needed, the index of texts is faster. */
const maxLooked = 7_500;
/** Phrases that are looked for one by one at most. */
const maxPhrases = 6;
/**
 * SQLite looks through them in the process of the server. Bytes of terms that it sees for one phrase between two turns of the
 * event loop, and in one search; for several phrases accordingly fewer.
 */
const sliceBytes = 4 << 20;
const maxBytes = 32 << 20;
/** Bytes of a document that is looked at in the sample. */
const maxSampleBytes = 16 << 10;

interface Scanned {
  readonly rows: readonly FoundDocument[];
  /** Families of which every document was looked at, or as many were found as were wanted. */
  readonly complete: ReadonlySet<string>;
}

/**
 * The newest documents that match, at most `limit`, the newest first. What it costs follows from the limit and not from how
 * many match. An index of texts makes all that match, however many (that of SQLite, where words are looked for by their
 * beginnings); so where the newest documents show that a word is frequent, they are looked through one by one instead, as
 * far as bounds of number and bytes allow.
 */
export async function recentFirst(
  database: Database,
  clauses: readonly Clause[],
  wanted: Wanted,
  limit: number,
): Promise<readonly FoundDocument[]> {
  const { subjectTypes } = wanted;
  // those that are narrowed to some repositories are code: long texts, and words that are rare in them
  if (wanted.repositories || phrasesOf(clauses) > maxPhrases) return matched(database, clauses, wanted, limit);
  const sample = await sampleOf(database, clauses, wanted);
  const complete = new Set(sample.complete);
  const rows = sample.rows.filter((row) => complete.has(row.family));
  for (const subjectType of subjectTypes) {
    const hits = sample.rows.filter((row) => row.family === subjectType).length;
    const looked = Math.ceil((margin * limit * sampled) / hits);
    if (complete.has(subjectType) || hits < frequentFrom || looked > maxLooked) continue;
    const scan = await scanned(database, clauses, { ...wanted, subjectType }, { looked, limit, rate: hits / sampled });
    if (!scan) continue;
    complete.add(subjectType);
    rows.push(...scan);
  }
  const left = subjectTypes.filter((subjectType) => !complete.has(subjectType));
  if (left.length) rows.push(...(await matched(database, clauses, { ...wanted, subjectTypes: left }, limit)));
  return rows.sort((one, other) => other.id - one.id).slice(0, limit);
}

const columnsOf = (table: string) => ({ family: `${table}.family`, subject: `${table}.subject_id` });

type Bindings = readonly (string | number | Knex.QueryBuilder)[];

/** What else is asked of a document that matches, with what is bound in it. */
function alsoOf(database: Database, { kind, among }: Pick<Wanted, 'kind' | 'among'>, table: string) {
  return {
    sql: `${kind === undefined ? '' : ` and ${table}.kind = ?`}${among ? ' and exists ?' : ''}`,
    bindings: (): Bindings => [
      ...(kind === undefined ? [] : [kind]),
      ...(among ? [among(columnsOf(table)).transacting(database.knex()).toKnexQuery() as Knex.QueryBuilder] : []),
    ],
  };
}

/** By the index of texts. */
async function matched(
  database: Database,
  clauses: readonly Clause[],
  { subjectTypes, kind, repositoryId, repositories, among }: Wanted,
  limit: number,
): Promise<readonly FoundDocument[]> {
  const query = database
    .query(DocumentRow)
    .select(columns.map((column) => `search_document.${column}`))
    .limit(limit);
  if (kind !== undefined) void query.where('search_document.kind', kind);
  if (repositories) void query.whereIn('search_document.repository_id', repositories);
  if (among) void query.whereExists(among(columnsOf('search_document')));
  if (database.engine === 'sqlite')
    void query
      .join('search_text', 'search_text.rowid', 'search_document.id')
      .whereRaw('search_text match ?', [forSqlite(clauses, { subjectTypes, repositoryId })])
      .orderBy('search_text.rowid', 'desc');
  else {
    void query
      .whereIn('family', [...subjectTypes])
      .whereRaw('match(title_terms, body_terms) against (? in boolean mode)', [forMySql(clauses)])
      .orderBy('search_document.id', 'desc');
    if (repositoryId !== undefined) void query.where('repository_id', repositoryId);
  }
  return query;
}

/** The documents of a type of subject, in a repository or everywhere, by an index that has them in the order of their ids. */
function documentsOf(database: Database, repositoryId: number | undefined) {
  const [index, place] =
    repositoryId === undefined
      ? ['search_document_of_family', '']
      : ['search_document_of_place', ' and repository_id = ?'];
  const by = database.engine === 'sqlite' ? `indexed by ${index}` : `force index (${index})`;
  return {
    sql: `search_document ${by} where family = ?${place}`,
    bindings: (subjectType: string) => (repositoryId === undefined ? [subjectType] : [subjectType, repositoryId]),
  };
}

async function rowsOf<T>(database: Database, sql: string, bindings: Bindings): Promise<T[]> {
  const answer: unknown = await database.knex().raw(sql, [...bindings]);
  return (database.engine === 'sqlite' ? answer : (answer as unknown[])[0]) as T[];
}

/** Bytes of the terms of a document. */
const bytes = 'octet_length(title_terms) + octet_length(body_terms)';

/** What matches among the newest of each type, in one statement. Long ones are left out, and nothing is complete then. */
async function sampleOf(
  database: Database,
  clauses: readonly Clause[],
  { subjectTypes, repositoryId, ...narrowed }: Wanted,
): Promise<Scanned> {
  const isSqlite = database.engine === 'sqlite';
  const matches = scanOf(clauses, database.engine);
  const documents = documentsOf(database, repositoryId);
  const newest = `select id from ${documents.sql} order by id desc`;
  const isShort = isSqlite ? `${bytes} <= ${maxSampleBytes}` : '1 = 1';
  const also = alsoOf(database, narrowed, 'd');
  const own = columns.map((column) => `d.${column}`).join(', ');
  const one =
    `select * from (select ${own}, case when ${isShort} then 0 else 1 end as more from (${newest} limit ${sampled}) n` +
    ` ${isSqlite ? 'cross join' : 'straight_join'} search_document d on d.id = n.id` +
    ` where case when ${isShort} then (${matches.sql}) else 1 end${also.sql}) found`;
  // the next after those that are looked at, where there is one
  const next =
    `select * from (select id, ? as family, id as subject_id, id as resource_id, 1 as more` +
    ` from (${newest} limit 1 offset ${sampled}) n) following`;
  const bindings = subjectTypes.flatMap((subjectType): Bindings => {
    const within = documents.bindings(subjectType);
    return [...within, ...matches.bindings, ...also.bindings(), subjectType, ...within];
  });
  const sql = subjectTypes.map(() => `${one} union all ${next}`).join(' union all ');
  const all = await rowsOf<FoundDocument & { readonly more: number }>(database, sql, bindings);
  const incomplete = new Set(all.filter(({ more }) => Number(more)).map(({ family }) => family));
  return {
    rows: all.filter(({ more }) => !Number(more)),
    complete: new Set(subjectTypes.filter((subjectType) => !incomplete.has(subjectType))),
  };
}

/**
 * One by one, among the newest `looked` documents of a type; at most `limit`. Undefined where it is not known that there
 * are no more of them: they are rarer than the sample promised (`rate`: those that match of all), or there is too much text.
 */
async function scanned(
  database: Database,
  clauses: readonly Clause[],
  { subjectType, repositoryId, ...narrowed }: Wanted & { readonly subjectType: string },
  { looked, limit, rate }: { readonly looked: number; readonly limit: number; readonly rate: number },
): Promise<FoundDocument[] | undefined> {
  const matches = scanOf(clauses, database.engine);
  const documents = documentsOf(database, repositoryId);
  const size = database.engine === 'sqlite' ? bytes : '0';
  const newest = await rowsOf<Sized>(
    database,
    `select id, ${size} as bytes from ${documents.sql} order by id desc limit ?`,
    [...documents.bindings(subjectType), looked + 1],
  );
  const also = alsoOf(database, narrowed, 'search_document');
  const sql =
    `select ${columns.join(', ')} from ${documents.sql} and id between ? and ? and (${matches.sql})${also.sql}` +
    ' order by id desc limit ?';
  const rows: FoundDocument[] = [];
  let done = 0;
  for (const slice of slicesOf(newest.slice(0, looked), phrasesOf(clauses))) {
    // fewer than a third of what was promised
    if (rows.length < (done * rate) / 3) return undefined;
    if (done) await turn();
    const found = await rowsOf<FoundDocument>(database, sql, [
      ...documents.bindings(subjectType),
      slice.at(-1)!.id,
      slice[0]!.id,
      ...matches.bindings,
      ...also.bindings(),
      limit - rows.length,
    ]);
    rows.push(...found);
    if (rows.length === limit) return rows;
    done += slice.length;
  }
  return done === newest.length ? rows : undefined;
}

interface Sized {
  readonly id: number;
  readonly bytes: number;
}

/** What is looked through at once, as far as it is not too much altogether. */
export function slicesOf(documents: readonly Sized[], phrases: number): Sized[][] {
  const slices: Sized[][] = [];
  let [inSlice, inAll] = [0, 0];
  for (const one of documents) {
    const cost = Number(one.bytes) * phrases;
    inAll += cost;
    if (inAll > maxBytes) break;
    if (slices.length === 0 || inSlice + cost > sliceBytes) {
      slices.push([]);
      inSlice = 0;
    }
    slices.at(-1)!.push(one);
    inSlice += cost;
  }
  return slices;
}
