import type { Database, Events, PointReader } from '@mortise/plugin-sdk';
import { documentsChanged, type SearchDocument, type SearchEngine, type SearchIndex, type TextSearch } from '../api.js';
import { DocumentRow } from '../models/document.js';
import { clausesOf, familyTerm, forMySql, forSqlite, repositoryTerm, termsOf } from './terms.js';

/** Newest documents that one search looks at. */
const maxDocuments = 5_000;
const rowsAtOnce = 50;

/** The index in the tables of the site. */
export class DatabaseIndex implements SearchIndex {
  constructor(
    private readonly parts: {
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
    const { database } = this.parts;
    for (let at = 0; at < rows.length; at += rowsAtOnce)
      await database
        .knex()('search_document')
        .insert(rows.slice(at, at + rowsAtOnce))
        .onConflict(['kind', 'resource_id'])
        .merge();
    await this.#announce(
      rows.map((row) => ({ kind: row.kind, id: row.resource_id })),
      false,
    );
  }

  async remove(kind: string, ids: readonly number[]): Promise<void> {
    if (ids.length === 0) return;
    await this.parts.database
      .query(DocumentRow)
      .delete()
      .where('kind', kind)
      .whereIn('resource_id', [...ids]);
    await this.#announce(
      ids.map((id) => ({ kind, id })),
      true,
    );
  }

  async removeSubjects(family: string, ids: readonly number[]): Promise<void> {
    if (ids.length === 0) return;
    const { database, engine } = this.parts;
    const theirs = () =>
      database
        .query(DocumentRow)
        .where('family', family)
        .whereIn('subject_id', [...ids]);
    const rows = engine.list().length > 0 ? await theirs().select('kind', 'resource_id') : [];
    await theirs().delete();
    await this.#announce(
      rows.map((row) => ({ kind: row.kind, id: row.resource_id })),
      true,
    );
  }

  async find(search: TextSearch): Promise<readonly number[]> {
    const [engine] = this.parts.engine.list();
    const found = engine
      ? await engine.find(search, maxDocuments)
      : (await this.#newest(search)).map((row) => row.subject_id);
    return [...new Set(found)].filter(Number.isSafeInteger);
  }

  async findDocuments(search: TextSearch & { readonly kind: string }): Promise<readonly number[]> {
    const [engine] = this.parts.engine.list();
    if (engine) return (await engine.findDocuments(search, maxDocuments)).filter(Number.isSafeInteger);
    return (await this.#newest(search)).map((row) => row.resource_id);
  }

  async #newest({ text, kind, ...within }: TextSearch & { readonly kind?: string }): Promise<readonly DocumentRow[]> {
    const { family, repositoryId, repositories } = within;
    const clauses = clausesOf(text);
    if (clauses.length === 0) return [];
    const { database } = this.parts;
    const query = database
      .query(DocumentRow)
      .select('search_document.subject_id', 'search_document.resource_id')
      .limit(maxDocuments);
    if (kind !== undefined) void query.where('search_document.kind', kind);
    if (repositories) void query.whereIn('search_document.repository_id', repositories);
    if (database.engine === 'sqlite')
      void query
        .join('search_text', 'search_text.rowid', 'search_document.id')
        .whereRaw('search_text match ?', [forSqlite(clauses, within)])
        .orderBy('search_text.rowid', 'desc');
    else {
      void query
        .where('family', family)
        .whereRaw('match(title_terms, body_terms) against (? in boolean mode)', [forMySql(clauses)])
        .orderBy('search_document.id', 'desc');
      if (repositoryId !== undefined) void query.where('repository_id', repositoryId);
    }
    return query;
  }

  async #announce(documents: readonly { readonly kind: string; readonly id: number }[], isRemoved: boolean) {
    if (this.parts.engine.list().length === 0) return;
    const kinds = new Set(documents.map(({ kind }) => kind));
    for (const kind of kinds) {
      const ids = documents.filter((one) => one.kind === kind).map(({ id }) => id);
      await this.parts.events.emit(documentsChanged, { kind, ids, isRemoved });
    }
  }
}

export const rowOf = ({ kind, id, repositoryId, family, subjectId, title = '', body }: SearchDocument) => ({
  kind,
  resource_id: id,
  repository_id: repositoryId,
  family,
  subject_id: subjectId,
  scope: `${familyTerm(family)} ${repositoryTerm(repositoryId)}`,
  title_terms: termsOf(title),
  body_terms: termsOf(body),
});
