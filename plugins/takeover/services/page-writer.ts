import {
  isMissingReference,
  isUniqueViolation,
  type BaseModel,
  type Database,
  type TargetRow,
} from '@mortise/plugin-sdk';
import { TakeoverRow, type TargetKey } from '../models/takeover-row.js';
import type { MappedRow } from './references.js';
import { PacketLimit } from './packet-limit.js';
import { lengthOf } from './row-length.js';

export const takenReason = 'another row has the same id or name';
const packetReason = 'it is larger than max_allowed_packet of the database';

/** Rows that one insert takes. */
const maxInserted = 100;
/** Characters that it takes, as far as several rows have them: MariaDB refuses statements of 16 MiB. */
const maxCharacters = 2 * 1024 * 1024;

/** The key of its row at the source, as text. */
export const sourceKeyText = (row: TakeoverRow): string => [Number(row.source_id), Number(row.second_id)].join();

/** Writes the rows of a page in one transaction; where one of them does not fit, each in its own. */
export class PageWriter {
  readonly #packetLimit: PacketLimit;

  constructor(private readonly database: Database) {
    this.#packetLimit = new PacketLimit(database);
  }

  /** Rows of the mapping that were taken over, from one key up to another, by key. */
  async stored(mappingId: string, from: number, upTo: number): Promise<Map<string, TakeoverRow>> {
    const rows = await this.database
      .query(TakeoverRow)
      .where('kind', mappingId)
      .where('source_id', '>=', from)
      .where('source_id', '<=', upTo);
    return new Map(rows.map((row) => [sourceKeyText(row), row]));
  }

  /** The next rows of the mapping behind a key, in its order. */
  async storedPage(
    mappingId: string,
    [first, second]: readonly [number, number],
    limit: number,
  ): Promise<TakeoverRow[]> {
    return this.database
      .query(TakeoverRow)
      .where('kind', mappingId)
      .where((query) =>
        query
          .where('source_id', '>', first)
          .orWhere((same) => same.where('source_id', first).where('second_id', '>', second)),
      )
      .orderBy(['source_id', 'second_id'])
      .limit(limit);
  }

  /**
   * New rows whose id belongs to another row of this site, which was not taken over. Looked up before files are copied:
   * they would overwrite those of that row, such as the folder of a repository.
   */
  async withTakenIds(
    rows: readonly MappedRow[],
    stored: ReadonlyMap<string, TakeoverRow>,
  ): Promise<ReadonlySet<MappedRow>> {
    const ids = new Map<string, Map<unknown, MappedRow>>();
    for (const row of rows) {
      const [first] = row.rows;
      if (!first || stored.has(row.key.join()) || first.model.idColumn !== 'id') continue;
      const ofTable = ids.get(first.model.tableName) ?? new Map<unknown, MappedRow>();
      ids.set(first.model.tableName, ofTable.set(first.values.id, row));
    }
    const taken = new Set<MappedRow>();
    for (const [table, byId] of ids) {
      const found = await this.database
        .knex()(table)
        .whereIn('id', [...byId.keys()] as number[])
        .pluck<number[]>('id');
      for (const id of found) taken.add(byId.get(Number(id))!);
    }
    return taken;
  }

  /** Gives how many were written; `refused` says which were not. */
  async write(
    mappingId: string,
    rows: readonly MappedRow[],
    stored: ReadonlyMap<string, TakeoverRow>,
    refused: (row: MappedRow, reason: string) => void,
  ): Promise<number> {
    const fitting: MappedRow[] = [];
    for (const row of rows)
      if (await this.#isTooLarge(row)) refused(row, packetReason);
      else fitting.push(row);
    return fitting.length === 0 ? 0 : this.#writeFitting(mappingId, fitting, stored, refused);
  }

  async #isTooLarge({ rows }: MappedRow): Promise<boolean> {
    try {
      for (const row of rows) if (await this.#packetLimit.excludes(databaseRow(row))) return true;
    } catch (error) {
      // it is refused where it is written
      if (!isRefusal(error)) throw error;
    }
    return false;
  }

  async #writeFitting(
    mappingId: string,
    rows: readonly MappedRow[],
    stored: ReadonlyMap<string, TakeoverRow>,
    refused: (row: MappedRow, reason: string) => void,
  ): Promise<number> {
    try {
      await this.#writeAll(mappingId, rows, stored);
      return rows.length;
    } catch (error) {
      if (!isRefusal(error)) throw error;
    }
    const failed = await this.#writeEach(mappingId, rows, stored);
    // a name is free once the row that had it has its new one
    const failedAgain = await this.#writeEach(mappingId, [...failed.keys()], stored);
    for (const [row, reason] of failedAgain) refused(row, reason);
    return rows.length - failedAgain.size;
  }

  /** Why the database refuses a row that was not taken over; undefined: it would not. Nothing is written. */
  async refusal(row: MappedRow): Promise<string | undefined> {
    if (await this.#isTooLarge(row)) return packetReason;
    try {
      await this.database.write(async () => {
        await this.#insert(row.rows);
        throw new Withdrawn();
      });
    } catch (error) {
      if (isRefusal(error)) return reasonOf(error);
      if (!(error instanceof Withdrawn)) throw error;
    }
    return undefined;
  }

  /** Each row in its own transaction; gives those that do not fit, and why. */
  async #writeEach(
    mappingId: string,
    rows: readonly MappedRow[],
    stored: ReadonlyMap<string, TakeoverRow>,
  ): Promise<Map<MappedRow, string>> {
    const failed = new Map<MappedRow, string>();
    for (const row of rows)
      try {
        await this.#writeAll(mappingId, [row], stored);
      } catch (error) {
        if (!isRefusal(error)) throw error;
        failed.set(row, reasonOf(error));
      }
    return failed;
  }

  /** Removes what was made of rows that are gone; gives how many. `refused`: what other rows name stays. */
  async remove(rows: readonly TakeoverRow[], refused: (row: TakeoverRow) => void): Promise<number> {
    if (rows.length === 0) return 0;
    try {
      await this.#removeAll(rows);
      return rows.length;
    } catch (error) {
      if (!isRefusal(error)) throw error;
    }
    let removed = 0;
    for (const row of rows)
      try {
        await this.#removeAll([row]);
        removed++;
      } catch (error) {
        if (!isRefusal(error)) throw error;
        refused(row);
      }
    return removed;
  }

  async #removeAll(rows: readonly TakeoverRow[]): Promise<void> {
    await this.database.write(async () => {
      for (const row of rows) {
        for (const target of [...row.targets].reverse()) await this.#delete(target);
        await this.database.query(TakeoverRow).findById([row.kind, row.source_id, row.second_id]).delete();
      }
    });
  }

  async #writeAll(
    mappingId: string,
    rows: readonly MappedRow[],
    stored: ReadonlyMap<string, TakeoverRow>,
  ): Promise<void> {
    await this.database.write(async () => {
      const inserted: TargetRow[] = [];
      for (const row of rows) {
        const before = stored.get(row.key.join());
        if (before) await this.#change(before, row);
        else inserted.push(...row.rows);
      }
      await this.#insert(inserted);
      const takeoverRows = rows.map((row) => takeoverRowOf(mappingId, row));
      for (let at = 0; at < takeoverRows.length; at += maxInserted)
        await this.database
          .knex()('takeover_row')
          .insert(takeoverRows.slice(at, at + maxInserted))
          .onConflict(['kind', 'source_id', 'second_id'])
          .merge(['digest', 'targets']);
    });
  }

  async #change(before: TakeoverRow, { rows }: MappedRow): Promise<void> {
    const now = rows.map((row) => JSON.stringify(targetOf(row)));
    const gone = before.targets.filter((target) => !now.includes(JSON.stringify(target)));
    for (const target of [...gone].reverse()) await this.#delete(target);
    const missing: TargetRow[] = [];
    const replaced = new Set<string>();
    for (const row of rows) {
      const { table, key } = targetOf(row);
      // several rows may have such a key
      if (Object.keys(key).length > 1) {
        const text = JSON.stringify({ table, key });
        if (!replaced.has(text)) await this.#delete({ table, key });
        replaced.add(text);
        missing.push(row);
        continue;
      }
      const found = await this.database.knex()(table).where(key).first(Object.keys(key));
      if (found) await this.database.knex()(table).where(key).update(databaseRow(row));
      else missing.push(row);
    }
    await this.#insert(missing);
  }

  /** In the order in which the tables come first: those that others name are before them. */
  async #insert(rows: readonly TargetRow[]): Promise<void> {
    const groups = new Map<string, { table: string; rows: Record<string, unknown>[] }>();
    for (const row of rows) {
      const values = databaseRow(row);
      const key = `${row.model.tableName} ${Object.keys(values).sort().join()}`;
      const group = groups.get(key) ?? { table: row.model.tableName, rows: [] };
      group.rows.push(values);
      groups.set(key, group);
    }
    for (const { table, rows: all } of groups.values())
      for (const some of insertsOf(all)) await this.database.knex()(table).insert(some);
  }

  async #delete({ table, key }: TargetKey): Promise<void> {
    await this.database.knex()(table).where(key).delete();
  }
}

/** Rows in the order given, as many at once as one insert takes. */
function* insertsOf(rows: readonly Record<string, unknown>[]): Generator<Record<string, unknown>[]> {
  let some: Record<string, unknown>[] = [];
  let characters = 0;
  for (const row of rows) {
    const length = lengthOf(row);
    if (some.length > 0 && (some.length === maxInserted || characters + length > maxCharacters)) {
      yield some;
      [some, characters] = [[], 0];
    }
    some.push(row);
    characters += length;
  }
  if (some.length > 0) yield some;
}

/** Rolls a transaction back that was only tried. */
class Withdrawn extends Error {}

const keyColumns = (model: typeof BaseModel): readonly string[] => [model.idColumn].flat();

export function targetOf({ model, values }: TargetRow): TargetKey {
  const key = keyColumns(model).map((column) => [column, values[column] as number | string] as const);
  return { table: model.tableName, key: Object.fromEntries(key) };
}

/** As the model writes it to the database: JSON as text. */
export const databaseRow = ({ model, values }: TargetRow): Record<string, unknown> =>
  new model().$formatDatabaseJson({ ...values });

const takeoverRowOf = (mappingId: string, { key, digest, rows }: MappedRow) => ({
  kind: mappingId,
  source_id: key[0],
  second_id: key[1],
  digest,
  targets: JSON.stringify(rows.map(targetOf)),
});

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

/** The row is at fault, not the database. */
const isRefusal = (error: unknown): boolean =>
  // JSON that is nested too deep to be written
  error instanceof RangeError ||
  isUniqueViolation(error) ||
  isMissingReference(error) ||
  /^(?:SQLITE_CONSTRAINT|ER_ROW_IS_REFERENCED|ER_DATA_TOO_LONG|ER_WARN_DATA_OUT_OF_RANGE|ER_BAD_NULL|ER_TRUNCATED|ER_CONSTRAINT_FAILED|SQLITE_TOOBIG)/.test(
    codeOf(error),
  );

function reasonOf(error: unknown): string {
  if (isUniqueViolation(error)) return takenReason;
  if (isMissingReference(error)) return 'it refers to a row that was not taken over';
  if (error instanceof RangeError) return 'it cannot be written as JSON';
  return `the database refuses it (${codeOf(error)})`;
}
