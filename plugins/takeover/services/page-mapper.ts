import { Problem, skippedRow, type TakeoverContext, type TakeoverKind } from '@mortise/plugin-sdk';
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
    const result = await mapRow(kind, row, context);
    if ('skipped' in result) refused({ key }, result.skipped);
    else mapped.push({ key, digest, rows: 'model' in result ? [result] : result });
  }
  return references.resolve(kind, mapped, refused);
}

/** A row that its kind cannot read is one that does not come: it must not end the pass. Other errors are not the row's. */
async function mapRow(kind: TakeoverKind, row: ReadRow['row'], context: TakeoverContext) {
  try {
    return await kind.map(row, context);
  } catch (error) {
    if (Problem.is(error) || rowFaults.some((type) => error instanceof type))
      return skippedRow('it is not such a row as its kind can read');
    throw error;
  }
}

/** What values lead to that are of another type, nested too deep or badly written. */
const rowFaults = [TypeError, RangeError, SyntaxError, URIError] as const;
