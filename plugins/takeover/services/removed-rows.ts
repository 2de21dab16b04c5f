import type { TakeoverKind } from '@mortise/plugin-sdk';
import type { TakeoverRow } from '../models/takeover-row.js';
import { sourceKey } from './page-reader.js';
import { keyOf, type PageWriter } from './page-writer.js';
import type { SourceDatabase } from './source-database.js';

const pageSize = 500;

/** Rows that have come and are gone from the source, in pages. */
export async function* removedRows(
  writer: PageWriter,
  source: SourceDatabase,
  kind: TakeoverKind,
): AsyncGenerator<TakeoverRow[]> {
  const key = kind.key ?? ['id'];
  const [first, ...rest] = key;
  // a table that cannot be read says nothing of its rows
  if (source.faultOf(kind.table, key)) return;
  let after: readonly [number, number] = [Number.MIN_SAFE_INTEGER, Number.MIN_SAFE_INTEGER];
  for (;;) {
    const stored = await writer.storedPage(kind.id, after, pageSize);
    if (stored.length === 0) return;
    const ids = [...new Set(stored.map((row) => Number(row.source_id)))];
    const rows = await source.rowsWith(kind.table, first, ids, rest);
    const there = new Set(rows.map((row) => sourceKey(row, key).join()));
    yield stored.filter((row) => !there.has(keyOf(row)));
    const last = stored.at(-1)!;
    after = [Number(last.source_id), Number(last.second_id)];
  }
}
