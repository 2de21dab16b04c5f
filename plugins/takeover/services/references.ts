import type { Database, TargetRow, TableMapping } from '@mortise/plugin-sdk';
import { TakeoverRow } from '../models/takeover-row.js';
import type { ReadRow } from './page-reader.js';
import type { SourceDatabase } from './source-database.js';

/** The rows that a row of the source was mapped to. */
export interface MappedRow extends Pick<ReadRow, 'key' | 'digest'> {
  readonly rows: readonly TargetRow[];
}

type Reference = NonNullable<TableMapping['references']>[string];
type Refuse = (row: MappedRow, reason: string) => void;
const targetMapping = (reference: Reference): string => (typeof reference === 'string' ? reference : reference.to);

/** Resolves references to rows that were taken over; in a dry run: to rows that would be. */
export class References {
  constructor(
    private readonly database: Database,
    private readonly source: SourceDatabase,
    private readonly mappings: ReadonlyMap<string, TableMapping>,
    private readonly isDryRun: boolean,
  ) {}

  /**
   * Sets references to missing rows to their fallback; `refused` is called with the reason for each row that has none.
   * Rows of the page are ordered so that referenced rows come first.
   */
  async resolve(mapping: TableMapping, mapped: readonly MappedRow[], refused: Refuse): Promise<MappedRow[]> {
    const references = Object.entries(mapping.references ?? {});
    if (references.length === 0) return [...mapped];
    const known = new Map<string, ReadonlySet<number>>();
    for (const [column, reference] of references) {
      const ids = mapped.flatMap(({ rows }) => rows.map(({ values }) => values[column])).filter(isId);
      known.set(column, await this.#known(targetMapping(reference), [...new Set(ids)]));
    }
    const own = references.filter(([, reference]) => targetMapping(reference) === mapping.id).map(([column]) => column);
    let coming = mapped;
    for (;;) {
      const ofPage = new Set(coming.map(({ key }) => key[0]));
      const isKnown = (column: string, id: number) =>
        known.get(column)?.has(id) === true || (own.includes(column) && ofPage.has(id));
      const checked = coming.map((row) => ({ row, ...checkedRow(row, references, isKnown) }));
      for (const { row, reason } of checked) if (reason !== undefined) refused(row, reason);
      const complete = checked.filter(({ reason }) => reason === undefined);
      // other rows of the page may refer to a refused one
      if (complete.length < coming.length && own.length > 0) coming = complete.map(({ row }) => row);
      else
        return inReferenceOrder(
          complete.map(({ resolved }) => resolved),
          own,
        );
    }
  }

  async #known(mappingId: string, ids: readonly number[]): Promise<ReadonlySet<number>> {
    const mapping = this.mappings.get(mappingId);
    if (!mapping || ids.length === 0) return new Set();
    if (this.isDryRun) {
      const [key = 'id'] = mapping.key ?? [];
      return new Set((await this.source.rowsWith(mapping.table, key, ids, [])).map((row) => Number(row[key])));
    }
    const found = await this.database
      .query(TakeoverRow)
      .select('source_id')
      .where('kind', mappingId)
      .whereIn('source_id', [...ids]);
    return new Set(found.map((row) => Number(row.source_id)));
  }
}

const isId = (value: unknown): value is number => typeof value === 'number';

/** The row with its references resolved, or the reason why it is skipped. */
function checkedRow(
  row: MappedRow,
  references: readonly (readonly [string, Reference])[],
  isKnown: (column: string, id: number) => boolean,
): { resolved: MappedRow; reason: string | undefined } {
  let reason: string | undefined;
  const rows = row.rows.map((target) => {
    const changes: Record<string, unknown> = {};
    for (const [column, reference] of references) {
      const value = target.values[column];
      if (value === undefined || value === null || (isId(value) && isKnown(column, value))) continue;
      // accounts of the system have negative ids, the same here
      if (typeof reference !== 'string' && isId(value) && value < 0) continue;
      if (typeof reference === 'string') reason ??= `${column} refers to a row of ${reference} that was not taken over`;
      else changes[column] = reference.fallback;
    }
    return { ...target, values: { ...target.values, ...changes } };
  });
  return { resolved: { ...row, rows }, reason };
}

/** Rows that others refer to through one of the columns come before them; otherwise the order stays. */
function inReferenceOrder(rows: readonly MappedRow[], columns: readonly string[]): MappedRow[] {
  if (columns.length === 0) return [...rows];
  const byId = new Map(rows.map((row) => [row.key[0], row]));
  const ordered = new Set<MappedRow>();
  for (const start of rows) {
    // without recursion: a chain may be as long as the page
    const chain = [start];
    while (chain.length > 0) {
      const row = chain.at(-1)!;
      const before = ordered.has(row)
        ? undefined
        : columns
            .flatMap((column) => row.rows.map(({ values }) => byId.get(Number(values[column]))))
            .find((named) => named && !ordered.has(named) && !chain.includes(named));
      if (before) chain.push(before);
      else ordered.add(chain.pop()!);
    }
  }
  return [...ordered];
}
