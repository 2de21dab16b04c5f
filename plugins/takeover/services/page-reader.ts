import { createHash } from 'node:crypto';
import type { TakeoverKind } from '@mortise/plugin-sdk';
import type { RawRow, SourceDatabase } from './source-database.js';
import { lengthOf } from './row-length.js';
import { TableRow } from './source-row.js';

/** A row of a page, with its key and what it comes to. */
export interface ReadRow {
  readonly key: readonly [number, number];
  readonly row: TableRow;
  readonly digest: string;
}

interface Page {
  readonly rows: ReadRow[];
  /** Keys of rows that do not belong to the kind: one that did before is removed. */
  readonly excluded: readonly ReadRow['key'][];
  /** Key of its last row. */
  readonly after: ReadRow['key'];
  /** Rows whose key is no whole number, which only SQLite lets be. */
  readonly unnumbered: number;
}

const maxRows = 500;
/** Rows of the first page, whose length nobody knows yet. */
const firstRows = 100;
/** Characters of a page, where its rows are about as long as those of the page before. */
const maxCharacters = 4 * 1024 * 1024;

/** Reads the rows of kinds in pages, with the rows beside them, and remembers which columns were asked for. */
export class PageReader {
  readonly #columns = new Map<string, Set<string>>();

  constructor(private readonly source: SourceDatabase) {}

  async *pages(kind: TakeoverKind): AsyncGenerator<Page> {
    const key = kind.key ?? ['id'];
    let after: ReadRow['key'] = [Number.MIN_SAFE_INTEGER, Number.MIN_SAFE_INTEGER];
    for (let limit = firstRows; ;) {
      const raw = await this.source.page(kind.table, key, after, limit);
      if (raw.length === 0) return;
      const numbered = raw.filter((row) => sourceKey(row, key).every(Number.isSafeInteger));
      const last = numbered.at(-1);
      if (last) after = sourceKey(last, key);
      const rows = await this.#rows(kind, numbered);
      const isOther = (row: TableRow) => kind.belongs?.(row) === false;
      yield {
        excluded: rows.filter(isOther).map((row) => sourceKey(row.raw, key)),
        rows: rows
          .filter((row) => !isOther(row))
          .map((row) => ({ key: sourceKey(row.raw, key), row, digest: digestOf(kind, row) })),
        after,
        unnumbered: raw.length - numbered.length,
      };
      // a page without a number leads to no other
      if (raw.length < limit || !last) return;
      limit = limitAfter(raw, limit);
    }
  }

  /** Columns that the source has and no kind asked for, of tables of which some row was read anew. */
  unknownColumns(kinds: readonly TakeoverKind[]): { table: string; columns: string[] }[] {
    return [...this.#columns].flatMap(([table, asked]) => {
      if (asked.size === 0) return [];
      const of = kinds.filter((kind) => kind.table === table);
      if (of.length === 0) return [];
      const known = new Set([...asked, ...of.flatMap(({ key = ['id'], ignored = [] }) => [...key, ...ignored])]);
      for (const kind of of)
        for (const { of: column = 'id', from } of Object.values(kind.related ?? {}))
          if (from === undefined) known.add(column);
      const related = kinds.flatMap((kind) => Object.values(kind.related ?? {}));
      for (const one of related) if (one.table === table) known.add(one.column);
      const columns = (this.source.tables.get(table) ?? []).filter((column) => !known.has(column));
      return columns.length > 0 ? [{ table, columns }] : [];
    });
  }

  #asked(table: string): Set<string> {
    let asked = this.#columns.get(table);
    if (!asked) this.#columns.set(table, (asked = new Set()));
    return asked;
  }

  async #rows(kind: TakeoverKind, raw: readonly RawRow[]): Promise<TableRow[]> {
    const rows = raw.map((row) => new TableRow(row, this.#asked(kind.table)));
    for (const [name, { table, column, of = 'id', from, columns }] of Object.entries(kind.related ?? {})) {
      const namedBy = (row: TableRow) => (from === undefined ? [row] : row.related(from)).map((one) => one.raw[of]);
      const values = [...new Set(rows.flatMap(namedBy))].filter(isKeyValue);
      const byValue = new Map<string, TableRow[]>();
      for (const row of await this.source.rowsWith(table, column, values, columns)) {
        const value = String(row[column]);
        const same = byValue.get(value) ?? [];
        same.push(new TableRow(row, this.#asked(table)));
        byValue.set(value, same);
      }
      for (const row of rows)
        row.relate(
          name,
          [...new Set(namedBy(row).map(String))].flatMap((value) => byValue.get(value) ?? []),
        );
    }
    return rows;
  }
}

/** Rows of the next page: never many more than before, since long rows may stand behind short ones. */
function limitAfter(raw: readonly RawRow[], limit: number): number {
  const characters = raw.reduce((sum, row) => sum + lengthOf(row), 0);
  const fitting = Math.floor(maxCharacters / (characters / raw.length));
  return Math.max(1, Math.min(fitting, limit * 2, maxRows));
}

/** 0 names nothing: rows of the other table that have it too do not belong to this one, and may be nearly all. */
const isKeyValue = (value: unknown): value is number | string =>
  typeof value === 'number' ? value !== 0 : typeof value === 'string' && value !== '' && value !== '0';

/** Of a row of the source, by the columns of its key; 0 for a second one that there is not. */
export const sourceKey = (row: RawRow, [first, second]: readonly string[]): ReadRow['key'] => [
  Number(row[first!]),
  second === undefined ? 0 : Number(row[second]),
];

const digestOf = ({ version = 1 }: TakeoverKind, row: TableRow): string =>
  createHash('sha256')
    .update(JSON.stringify([version, row.content]))
    .digest('base64url');
