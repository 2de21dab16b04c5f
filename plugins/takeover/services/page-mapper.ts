import type { TakeoverContext, TakeoverKind } from '@mortise/plugin-sdk';
import type { ReadRow } from './page-reader.js';
import type { MappedRow, References } from './references.js';

/** What the rows of a page become; `refused` gives why one does not come. */
export async function mapPage(
  { context, references }: { readonly context: TakeoverContext; readonly references: References },
  kind: TakeoverKind,
  rows: readonly ReadRow[],
  refused: (row: Pick<MappedRow, 'key'>, reason: string) => void,
): Promise<MappedRow[]> {
  const mapped: MappedRow[] = [];
  for (const { key, digest, row } of rows) {
    const result = await kind.map(row, context);
    if ('skipped' in result) refused({ key }, result.skipped);
    else mapped.push({ key, digest, rows: 'model' in result ? [result] : result });
  }
  return references.resolve(kind, mapped, refused);
}
