import { createHash } from 'node:crypto';
import type { TableMapping } from '@mortise/plugin-sdk';
import type { RawRow, SourceDatabase } from './source-database.js';
import { lengthOf } from './row-length.js';
import { TableRow } from './source-row.js';
import type { TableGroup } from './table-order.js';

/** A row of a page with its key and its digest. */
export interface ReadRow {
  readonly key: readonly [number, number];
  readonly row: TableRow;
  readonly digest: string;
}

/** What a mapping makes of a page. */
interface MappingPage {
  readonly rows: readonly ReadRow[];
  /** Keys of rows that the filter of the mapping excludes: what was made of them before is removed. */
  readonly excluded: readonly ReadRow['key'][];
}

interface Page {
  /** Key of its last row. */
  readonly after: ReadRow['key'];
  /** Rows whose key is not a whole number, which only SQLite allows. */
  readonly unnumbered: number;
  /** With their related rows, for one of the mappings for which the page is read. */
  rowsOf(mapping: TableMapping): Promise<MappingPage>;
}

const maxRows = 500;
/** Rows of the first page, before the length of rows is known. */
const firstRows = 100;
/** Characters of a page, where its rows are about as long as those of the page before. */
const maxCharacters = 4 * 1024 * 1024;

/** Reads rows in pages, together with their related rows, and records which columns the mappings read. */
export class PageReader {
  readonly #columns = new Map<string, Set<string>>();

  constructor(private readonly source: SourceDatabase) {}

  /** Of one table, once for all of the mappings. */
  async *pages(group: TableGroup): AsyncGenerator<Page> {
    const [{ table, key = ['id'] }] = group;
    let after: ReadRow['key'] = [Number.MIN_SAFE_INTEGER, Number.MIN_SAFE_INTEGER];
    for (let limit = firstRows; ;) {
      const raw = await this.source.page(table, key, after, limit);
      if (raw.length === 0) return;
      const numbered = raw.filter((row) => sourceKey(row, key).every(Number.isSafeInteger));
      const last = numbered.at(-1);
      if (last) after = sourceKey(last, key);
      yield {
        after,
        unnumbered: raw.length - numbered.length,
        rowsOf: (mapping) => this.#pageOf(mapping, numbered),
      };
      // a page without a number leads to no other
      if (raw.length < limit || !last) return;
      limit = limitAfter(raw, limit);
    }
  }

  async #pageOf(mapping: TableMapping, numbered: readonly RawRow[]): Promise<MappingPage> {
    const { key = ['id'] } = mapping;
    const rows = await this.#rows(mapping, numbered);
    const isExcluded = (row: TableRow) => mapping.filter?.(row) === false;
    return {
      excluded: rows.filter(isExcluded).map((row) => sourceKey(row.raw, key)),
      rows: rows
        .filter((row) => !isExcluded(row))
        .map((row) => ({ key: sourceKey(row.raw, key), row, digest: digestOf(mapping, row) })),
    };
  }

  /** Columns of the source that no mapping read, of tables of which at least one row was mapped. */
  unknownColumns(mappings: readonly TableMapping[]): { table: string; columns: string[] }[] {
    return [...this.#columns].flatMap(([table, asked]) => {
      if (asked.size === 0) return [];
      const ofTable = mappings.filter((mapping) => mapping.table === table);
      if (ofTable.length === 0) return [];
      const known = new Set([...asked, ...ofTable.flatMap(({ key = ['id'], ignored = [] }) => [...key, ...ignored])]);
      for (const mapping of ofTable)
        for (const { localColumn = 'id', via } of Object.values(mapping.related ?? {}))
          if (via === undefined) known.add(localColumn);
      const related = mappings.flatMap((mapping) => Object.values(mapping.related ?? {}));
      for (const relation of related) if (relation.table === table) known.add(relation.column);
      const columns = (this.source.tables.get(table) ?? []).filter((column) => !known.has(column));
      return columns.length > 0 ? [{ table, columns }] : [];
    });
  }

  #asked(table: string): Set<string> {
    let asked = this.#columns.get(table);
    if (!asked) this.#columns.set(table, (asked = new Set()));
    return asked;
  }

  async #rows(mapping: TableMapping, raw: readonly RawRow[]): Promise<TableRow[]> {
    const rows = raw.map((row) => new TableRow(row, this.#asked(mapping.table)));
    for (const [name, { table, column, localColumn = 'id', via, columns }] of Object.entries(mapping.related ?? {})) {
      const valuesOf = (row: TableRow) =>
        (via === undefined ? [row] : row.related(via)).map((local) => local.raw[localColumn]);
      const values = [...new Set(rows.flatMap(valuesOf))].filter(isKeyValue);
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
          [...new Set(valuesOf(row).map(String))].flatMap((value) => byValue.get(value) ?? []),
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

/** The key of a row of the source; its second number is 0 where the key has one column. */
export const sourceKey = (row: RawRow, [first, second]: readonly string[]): ReadRow['key'] => [
  Number(row[first!]),
  second === undefined ? 0 : Number(row[second]),
];

const digestOf = ({ version = 1 }: TableMapping, row: TableRow): string =>
  createHash('sha256')
    .update(JSON.stringify([version, row.content]))
    .digest('base64url');
