import type { Database, TakenRow, TakeoverKind } from '@mortise/plugin-sdk';
import { TakeoverRow } from '../models/takeover-row.js';
import type { ReadRow } from './page-reader.js';
import type { SourceDatabase } from './source-database.js';

/** What a row of the source became. */
export interface MappedRow extends Pick<ReadRow, 'key' | 'digest'> {
  readonly rows: readonly TakenRow[];
}

type Reference = NonNullable<TakeoverKind['references']>[string];
const kindOf = (reference: Reference): string => (typeof reference === 'string' ? reference : reference.kind);

/** Which rows of other kinds have come; in a dry run: which would. */
export class References {
  constructor(
    private readonly database: Database,
    private readonly source: SourceDatabase,
    private readonly kinds: ReadonlyMap<string, TakeoverKind>,
    private readonly isDryRun: boolean,
  ) {}

  /** Sets what names nothing to what the kind says instead; `refused` gives why a row cannot come. */
  async resolve(
    kind: TakeoverKind,
    mapped: readonly MappedRow[],
    refused: (row: MappedRow, reason: string) => void,
  ): Promise<MappedRow[]> {
    const references = Object.entries(kind.references ?? {});
    if (references.length === 0) return [...mapped];
    const known = new Map<string, ReadonlySet<number>>();
    for (const [column, reference] of references) {
      const ids = mapped.flatMap(({ rows }) => rows.map(({ values }) => values[column])).filter(isId);
      known.set(column, await this.#known(kindOf(reference), [...new Set(ids)]));
    }
    return mapped.flatMap((one) => {
      const rows = one.rows.map((row) => checked(row, references, known));
      const broken = rows.find((row) => typeof row === 'string');
      if (broken === undefined) return [{ ...one, rows: rows.filter((row) => typeof row !== 'string') }];
      refused(one, broken);
      return [];
    });
  }

  async #known(kindId: string, ids: readonly number[]): Promise<ReadonlySet<number>> {
    const kind = this.kinds.get(kindId);
    if (!kind || ids.length === 0) return new Set();
    if (this.isDryRun) {
      const [key = 'id'] = kind.key ?? [];
      return new Set((await this.source.rowsWith(kind.table, key, ids)).map((row) => Number(row[key])));
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

/** The row, or why it cannot come. */
function checked(
  row: TakenRow,
  references: readonly (readonly [string, Reference])[],
  known: ReadonlyMap<string, ReadonlySet<number>>,
): TakenRow | string {
  const changes: Record<string, unknown> = {};
  for (const [column, reference] of references) {
    const value = row.values[column];
    if (value === undefined || value === null || (isId(value) && known.get(column)?.has(value))) continue;
    // accounts of the system have negative ids, the same here
    if (typeof reference !== 'string' && isId(value) && value < 0) continue;
    if (typeof reference === 'string') return `${column} names a row of ${reference} that has not come`;
    changes[column] = reference.otherwise;
  }
  return { ...row, values: { ...row.values, ...changes } };
}
