import type { TableMapping } from '@mortise/plugin-sdk';
import type { TakeoverRow } from '../models/takeover-row.js';
import { sourceKey } from './page-reader.js';
import { sourceKeyText, type PageWriter } from './page-writer.js';
import type { SourceDatabase } from './source-database.js';

const pageSize = 500;

/** Rows that were taken over and that the source has no longer, in pages. */
export async function* removedRows(
  writer: PageWriter,
  source: SourceDatabase,
  mapping: TableMapping,
): AsyncGenerator<TakeoverRow[]> {
  const key = mapping.key ?? ['id'];
  const [first, ...rest] = key;
  // of a table that cannot be read, it is unknown which rows are gone
  if (source.faultOf(mapping.table, key)) return;
  let after: readonly [number, number] = [Number.MIN_SAFE_INTEGER, Number.MIN_SAFE_INTEGER];
  for (;;) {
    const stored = await writer.storedPage(mapping.id, after, pageSize);
    if (stored.length === 0) return;
    const ids = [...new Set(stored.map((row) => Number(row.source_id)))];
    const rows = await source.rowsWith(mapping.table, first, ids, rest);
    const there = new Set(rows.map((row) => sourceKey(row, key).join()));
    yield stored.filter((row) => !there.has(sourceKeyText(row)));
    const last = stored.at(-1)!;
    after = [Number(last.source_id), Number(last.second_id)];
  }
}
