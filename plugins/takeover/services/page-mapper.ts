import { Problem, skippedRow, type TakeoverContext, type TableMapping } from '@mortise/plugin-sdk';
import type { ReadRow } from './page-reader.js';
import type { MappedRow, References } from './references.js';

/** Maps the rows of a page; `refused` is called with the reason for each row that is skipped. */
export async function mapPage(
  { context, references }: { readonly context: TakeoverContext; readonly references: References },
  mapping: TableMapping,
  rows: readonly ReadRow[],
  refused: (row: Pick<MappedRow, 'key'>, reason: string) => void,
): Promise<MappedRow[]> {
  const mapped: MappedRow[] = [];
  if (rows.length > 0)
    await mapping.preparePage?.(
      rows.map(({ row }) => row),
      context,
    );
  for (const { key, digest, row } of rows) {
    const result = await mapRow(mapping, row, context);
    if ('skipped' in result) refused({ key }, result.skipped);
    else mapped.push({ key, digest, rows: 'model' in result ? [result] : result });
  }
  return references.resolve(mapping, mapped, refused);
}

/** A row that its mapping cannot read is skipped and must not end the pass. Other errors are not the fault of the row. */
export async function mapRow(
  mapping: TableMapping,
  row: ReadRow['row'],
  context: TakeoverContext,
): Promise<Awaited<ReturnType<TableMapping['map']>>> {
  try {
    return await mapping.map(row, context);
  } catch (error) {
    if (Problem.is(error) || rowFaults.some((type) => error instanceof type))
      return skippedRow('its values have types that cannot be read');
    throw error;
  }
}

/** Errors that values of another type, nested too deep or badly written, lead to. */
const rowFaults = [TypeError, RangeError, SyntaxError, URIError] as const;
