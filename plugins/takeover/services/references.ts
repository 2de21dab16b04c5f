import type { Database, TakenRow, TakeoverKind } from '@mortise/plugin-sdk';
import { TakeoverRow } from '../models/takeover-row.js';
import type { ReadRow } from './page-reader.js';
import type { SourceDatabase } from './source-database.js';

/** What a row of the source became. */
export interface MappedRow extends Pick<ReadRow, 'key' | 'digest'> {
  readonly rows: readonly TakenRow[];
}

type Reference = NonNullable<TakeoverKind['references']>[string];
type Refuse = (row: MappedRow, reason: string) => void;
const kindOf = (reference: Reference): string => (typeof reference === 'string' ? reference : reference.kind);

/** Which rows of other kinds have come; in a dry run: which would. */
export class References {
  constructor(
    private readonly database: Database,
    private readonly source: SourceDatabase,
    private readonly kinds: ReadonlyMap<string, TakeoverKind>,
    private readonly isDryRun: boolean,
  ) {}

  /**
   * Sets what names nothing to what the kind says instead; `refused` gives why a row cannot come. Rows of the page that
   * others of the page name come before them.
   */
  async resolve(kind: TakeoverKind, mapped: readonly MappedRow[], refused: Refuse): Promise<MappedRow[]> {
    const references = Object.entries(kind.references ?? {});
    if (references.length === 0) return [...mapped];
    const known = new Map<string, ReadonlySet<number>>();
    for (const [column, reference] of references) {
      const ids = mapped.flatMap(({ rows }) => rows.map(({ values }) => values[column])).filter(isId);
      known.set(column, await this.#known(kindOf(reference), [...new Set(ids)]));
    }
    const own = references.filter(([, reference]) => kindOf(reference) === kind.id).map(([column]) => column);
    let coming = mapped;
    for (;;) {
      const ofPage = new Set(coming.map(({ key }) => key[0]));
      const isKnown = (column: string, id: number) =>
        known.get(column)?.has(id) === true || (own.includes(column) && ofPage.has(id));
      const checked = coming.map((row) => ({ row, ...checkedRow(row, references, isKnown) }));
      for (const { row, reason } of checked) if (reason !== undefined) refused(row, reason);
      const complete = checked.filter(({ reason }) => reason === undefined);
      // a row that is refused may be named by others of the page
      if (complete.length < coming.length && own.length > 0) coming = complete.map(({ row }) => row);
      else
        return inReferenceOrder(
          complete.map(({ resolved }) => resolved),
          own,
        );
    }
  }

  async #known(kindId: string, ids: readonly number[]): Promise<ReadonlySet<number>> {
    const kind = this.kinds.get(kindId);
    if (!kind || ids.length === 0) return new Set();
    if (this.isDryRun) {
      const [key = 'id'] = kind.key ?? [];
      return new Set((await this.source.rowsWith(kind.table, key, ids, [])).map((row) => Number(row[key])));
    }
    const found = await this.database
      .query(TakeoverRow)
      .select('source_id')
      .where('kind', kindId)
      .whereIn('source_id', [...ids]);
    return new Set(found.map((row) => Number(row.source_id)));
  }
}

const isId = (value: unknown): value is number => typeof value === 'number';

/** The row with its references set, and why it cannot come. */
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
      else changes[column] = reference.otherwise;
    }
    return { ...target, values: { ...target.values, ...changes } };
  });
  return { resolved: { ...row, rows }, reason };
}

/** Rows that others name through one of the columns before these; otherwise in their order. */
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
