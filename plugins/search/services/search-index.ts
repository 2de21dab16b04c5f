import type { Events, PointReader, Database } from '@mortise/plugin-sdk';
import {
  documentsChanged,
  type SearchDocument,
  type SearchEngine,
  type SearchIndex,
  type TextSearches,
} from '../api.js';
import type { TextSearch } from '../contract/documents.js';
import { DocumentRow } from '../models/document.js';
import { recentFirst, type Wanted } from './recent-first.js';
import { clausesOf, subjectTypeTerm, repositoryTerm, termsOf } from './terms.js';

/** Newest documents that one search looks at. */
const maxDocuments = 5_000;
const rowsAtOnce = 50;

/** The index in the tables of the site. */
export class DatabaseIndex implements SearchIndex {
  constructor(
    private readonly deps: {
      readonly database: Database;
      readonly events: Events;
      readonly engine: PointReader<SearchEngine>;
    },
  ) {}

  put(documents: readonly SearchDocument[]): Promise<void> {
    return this.putRows(documents.map(rowOf));
  }

  /** The same with what was made outside of the transaction. */
  async putRows(rows: readonly ReturnType<typeof rowOf>[]): Promise<void> {
    const { database } = this.deps;
    const key = ['kind', 'resource_id'];
    if (rows.length === 1) await database.rows.upsertPipelined(DocumentRow, key, rows[0]!);
    else
      for (let at = 0; at < rows.length; at += rowsAtOnce)
        await database
          .knex()('search_document')
          .insert(rows.slice(at, at + rowsAtOnce))
          .onConflict(key)
          .merge();
    await this.#announce(
      rows.map((row) => ({ kind: row.kind, id: row.resource_id })),
      false,
    );
  }

  async remove(kind: string, ids: readonly number[]): Promise<void> {
    if (ids.length === 0) return;
    await this.deps.database
      .query(DocumentRow)
      .delete()
      .where('kind', kind)
      .whereIn('resource_id', [...ids]);
    await this.#announce(
      ids.map((id) => ({ kind, id })),
      true,
    );
  }

  async removeSubjects(subjectType: string, ids: readonly number[]): Promise<void> {
    if (ids.length === 0) return;
    const { database, engine } = this.deps;
    const theirs = () =>
      database
        .query(DocumentRow)
        .where('family', subjectType)
        .whereIn('subject_id', [...ids]);
    const rows = engine.list().length > 0 ? await theirs().select('kind', 'resource_id') : [];
    await theirs().delete();
    await this.#announce(
      rows.map((row) => ({ kind: row.kind, id: row.resource_id })),
      true,
    );
  }

  async find({ subjectType, ...search }: TextSearch): Promise<readonly number[]> {
    return (await this.findEach({ ...search, subjectTypes: [subjectType] })).get(subjectType) ?? [];
  }

  async findEach({
    subjectTypes,
    max = maxDocuments,
    ...search
  }: TextSearches): Promise<ReadonlyMap<string, number[]>> {
    const limit = Math.min(max, maxDocuments);
    const [engine] = this.deps.engine.list();
    const idsByType = new Map<string, number[]>();
    if (engine)
      for (const subjectType of subjectTypes)
        idsByType.set(subjectType, [...(await engine.find({ ...search, subjectType }, limit))]);
    else {
      for (const subjectType of subjectTypes) idsByType.set(subjectType, []);
      for (const row of await this.#recentFirst({ ...search, subjectTypes }, limit))
        idsByType.get(row.family)!.push(row.subject_id);
    }
    for (const [subjectType, ids] of idsByType)
      idsByType.set(subjectType, [...new Set(ids)].filter(Number.isSafeInteger));
    return idsByType;
  }

  async findDocuments(search: TextSearch & { readonly kind: string }): Promise<readonly number[]> {
    const [engine] = this.deps.engine.list();
    if (engine) return (await engine.findDocuments(search, maxDocuments)).filter(Number.isSafeInteger);
    const { subjectType, ...wanted } = search;
    return (await this.#recentFirst({ ...wanted, subjectTypes: [subjectType] }, maxDocuments)).map(
      (row) => row.resource_id,
    );
  }

  async #recentFirst({ text, ...wanted }: Wanted & { readonly text: string }, limit: number) {
    const clauses = clausesOf(text);
    const { database } = this.deps;
    return clauses.length ? database.readOnReplica(() => recentFirst(database, clauses, wanted, limit)) : [];
  }

  async #announce(documents: readonly { readonly kind: string; readonly id: number }[], isRemoved: boolean) {
    if (this.deps.engine.list().length === 0) return;
    const kinds = new Set(documents.map(({ kind }) => kind));
    for (const kind of kinds) {
      const ids = documents.filter((one) => one.kind === kind).map(({ id }) => id);
      await this.deps.events.emit(documentsChanged, { kind, ids, isRemoved });
    }
  }
}

export const rowOf = ({ kind, id, repositoryId, subjectType, subjectId, title = '', body }: SearchDocument) => ({
  kind,
  resource_id: id,
  repository_id: repositoryId,
  family: subjectType,
  subject_id: subjectId,
  scope: `${subjectTypeTerm(subjectType)} ${repositoryTerm(repositoryId)}`,
  title_terms: termsOf(title),
  body_terms: termsOf(body),
});
