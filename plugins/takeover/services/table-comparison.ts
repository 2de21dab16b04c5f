import { isDeepStrictEqual } from 'node:util';
import type { Database, TargetRow, TableMapping } from '@mortise/plugin-sdk';
import type { TakeoverRow } from '../models/takeover-row.js';
import { ComparingContext } from './comparing-context.js';
import type { ComparisonReport, KindComparison } from './comparison-report.js';
import { mapPage } from './page-mapper.js';
import type { PageReader, ReadRow } from './page-reader.js';
import { databaseRow, takenReason, targetOf, type PageWriter } from './page-writer.js';
import type { MappedRow, References } from './references.js';
import type { SourceDatabase } from './source-database.js';
import type { SourceSettings } from './source-settings.js';

interface TableComparisonDeps {
  readonly database: Database;
  readonly writer: PageWriter;
  readonly settings: SourceSettings;
  readonly source: SourceDatabase;
  readonly reader: PageReader;
  readonly references: References;
  readonly report: ComparisonReport;
}

/** Keys that one query names at most. */
const maxKeys = 100;

/** Compares rows of the other server with what was made of them here. */
export class TableComparison {
  constructor(private readonly deps: TableComparisonDeps) {}

  async compare(mapping: TableMapping): Promise<KindComparison> {
    const { source, reader, writer, report } = this.deps;
    const comparison = report.begin(mapping.id);
    const fault = source.faultOf(mapping.table, mapping.key ?? ['id']);
    if (fault) {
      report.explain(comparison, fault);
      return comparison;
    }
    let from = Number.MIN_SAFE_INTEGER;
    for await (const { after, unnumbered, rowsOf } of reader.pages([mapping])) {
      const { rows } = await rowsOf(mapping);
      comparison.compared += rows.length + unnumbered;
      for (let at = 0; at < unnumbered; at++) report.explain(comparison, 'its key is not a whole number');
      const stored = await writer.stored(mapping.id, from, after[0]);
      from = after[0];
      await this.#comparePage(mapping, comparison, rows, stored);
    }
    return comparison;
  }

  async #comparePage(
    mapping: TableMapping,
    comparison: KindComparison,
    rows: readonly ReadRow[],
    stored: ReadonlyMap<string, TakeoverRow>,
  ): Promise<void> {
    const { references, report, settings, source, writer } = this.deps;
    const context = new ComparingContext(settings, source, {
      differ: () => undefined,
      report: (reason) => report.explain(comparison, reason),
    });
    const mapped = await mapPage({ context, references }, mapping, rows, (_row, reason) =>
      report.explain(comparison, reason),
    );
    const silent = new ComparingContext(settings, source, { differ: () => undefined, report: () => undefined });
    const again = await mapPage({ context: silent, references }, mapping, rows, () => undefined);
    const missing = mapped.filter(({ key }) => !stored.has(key.join()));
    const taken = await writer.withTakenIds(missing, stored);
    for (const row of missing) {
      const reason = taken.has(row) ? takenReason : await writer.refusal(row);
      if (reason === undefined) report.differ(comparison, 'not taken over yet', row.key.join());
      else report.explain(comparison, reason);
    }
    const changed = mapped.filter(({ key, digest }) => (stored.get(key.join())?.digest ?? digest) !== digest);
    for (const { key } of changed) report.differ(comparison, 'it has changed there since the last pass', key.join());
    const current = mapped.filter(({ key, digest }) => stored.get(key.join())?.digest === digest);
    await this.#compareRows(mapping, comparison, current, new Map(again.map((row) => [row.key.join(), row])));
    await this.#compareFiles(mapping, comparison, rows, new Set(current.map(({ key }) => key.join())));
  }

  /** A column whose value differs from one mapping to the next is encrypted, and tells nothing. */
  async #compareRows(
    { derived = [] }: TableMapping,
    comparison: KindComparison,
    rows: readonly MappedRow[],
    again: ReadonlyMap<string, MappedRow>,
  ): Promise<void> {
    const here = await this.#read(rows.flatMap((row) => row.rows));
    for (const { key, rows: targets } of rows)
      targets.forEach((target, at) => {
        const repeated = again.get(key.join())?.rows[at];
        const columns = Object.entries(databaseRow(target)).filter(
          ([column]) =>
            !derived.includes(column) && repeated && isDeepStrictEqual(target.values[column], repeated.values[column]),
        );
        // rows may share a key of several columns: one of them is this one
        const differing = (here.get(JSON.stringify(targetOf(target))) ?? []).map((row) =>
          columns.flatMap(([column, value]) =>
            isSame(value, row[column], target.model.json.includes(column)) ? [] : [column],
          ),
        );
        const table = target.model.tableName;
        if (differing.length === 0) this.deps.report.differ(comparison, `it is gone from ${table}`, key.join());
        const [least = []] = differing.sort((one, other) => one.length - other.length);
        for (const column of least) this.deps.report.differ(comparison, `${table}.${column}`, key.join());
      });
  }

  /** Rows of this site by table and key. */
  async #read(rows: readonly TargetRow[]): Promise<Map<string, Record<string, unknown>[]>> {
    const byTable = new Map<string, TargetRow[]>();
    for (const row of rows) byTable.set(row.model.tableName, [...(byTable.get(row.model.tableName) ?? []), row]);
    const read = new Map<string, Record<string, unknown>[]>();
    for (const [table, ofTable] of byTable) {
      const columns = Object.keys(targetOf(ofTable[0]!).key);
      const byText = new Map(ofTable.map((row) => [JSON.stringify(targetOf(row)), Object.values(targetOf(row).key)]));
      const keys = [...byText.values()];
      for (let at = 0; at < keys.length; at += maxKeys) {
        const found: Record<string, unknown>[] = await this.deps.database
          .knex()(table)
          .whereIn(columns, keys.slice(at, at + maxKeys))
          .select();
        for (const row of found) {
          const key = Object.fromEntries(columns.map((column) => [column, numberOrText(row[column])]));
          const text = JSON.stringify({ table, key });
          read.set(text, [...(read.get(text) ?? []), row]);
        }
      }
    }
    return read;
  }

  async #compareFiles(
    mapping: TableMapping,
    comparison: KindComparison,
    rows: readonly ReadRow[],
    current: ReadonlySet<string>,
  ): Promise<void> {
    if (!mapping.copyFiles) return;
    const { report, settings, source } = this.deps;
    for (const { key, row } of rows) {
      if (!current.has(key.join())) continue;
      const differ = (what: string): void => report.differ(comparison, what, key.join());
      const context = new ComparingContext(settings, source, {
        differ,
        report: (reason) => report.explain(comparison, reason),
      });
      try {
        if (mapping.compare) for (const what of await mapping.compare(row, context)) differ(what);
        else await mapping.copyFiles(row, context, true);
      } catch (error) {
        differ(`files cannot be compared: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  }
}

const numberOrText = (value: unknown): unknown => (typeof value === 'bigint' ? Number(value) : value);

/** As the database gives them: flags as numbers, JSON as text. */
function isSame(value: unknown, stored: unknown, isJson: boolean): boolean {
  if (value === null || value === undefined || stored === null || stored === undefined)
    return (value ?? null) === (stored ?? null);
  if (Buffer.isBuffer(value) || Buffer.isBuffer(stored)) return Buffer.from(value as Buffer).equals(stored as Buffer);
  if (isJson) return isDeepStrictEqual(parsed(value), parsed(stored));
  return plain(value) === plain(stored);
}

const parsed = (value: unknown): unknown => (typeof value === 'string' ? (JSON.parse(value) as unknown) : value);
const plain = (value: unknown): string => (typeof value === 'boolean' ? String(Number(value)) : String(value));
