/** Tables as both engines understand them, and values on their way from one engine to the other. */
import type { BackupRows } from '@mortise/plugin-sdk';

/** Tables that say something about processes and their machine, not about data: a restored site begins without. */
export const excludedTables: readonly string[] = [
  'lock',
  'data_version',
  'migration_lock',
  'migration_step',
  'plugin_change',
  'plugin_fault',
  'plugin_node',
];

type ColumnKind = 'integer' | 'real' | 'decimal' | 'text' | 'bytes' | 'datetime' | 'date';

export interface Column {
  readonly name: string;
  readonly kind: ColumnKind;
}

export interface Table {
  readonly name: string;
  /** Without generated ones, in the order of the table. */
  readonly columns: readonly Column[];
  readonly primaryKey: readonly string[];
  /** Tables that its foreign keys name. */
  readonly references: readonly string[];
}

/** Reads the database as it was when this was opened, however long that takes. */
export interface RowSource {
  readonly engine: 'sqlite' | 'mysql';
  tables(): Promise<Table[]>;
  /** Rows by primary key, as arrays in the order of `columns`. */
  rows(table: Table, columns?: readonly string[]): AsyncIterable<readonly unknown[]>;
  /** Next value of the automatic id. */
  sequence(table: Table): Promise<number | undefined>;
  /** Foreign keys that name rows which are not there, in words. */
  brokenReferences(): Promise<string[]>;
  close(): Promise<void>;
}

/** Fills a database whose tables are there and empty. */
export interface RowTarget {
  tables(): Promise<Table[]>;
  isEmpty(table: Table): Promise<boolean>;
  clear(tables: readonly Table[]): Promise<void>;
  insert(table: Table, columns: readonly Column[], rows: readonly (readonly unknown[])[]): Promise<void>;
  setSequence(table: Table, next: number): Promise<void>;
  /** Foreign keys that name rows which are not there, in words. */
  brokenReferences(): Promise<string[]>;
  /** Makes everything permanent, or undoes what can be undone. */
  end(how: 'keep' | 'undo'): Promise<void>;
}

export const brokenText = (table: string, parent: string, count: number | bigint): string =>
  `${count} ${Number(count) === 1 ? 'row' : 'rows'} of ${table} ${Number(count) === 1 ? 'names a row' : 'name rows'} of ${parent} that ${Number(count) === 1 ? 'is' : 'are'} not there`;

/** The kind of a declared type of SQLite, MySQL or MariaDB. */
export function kindOf(declared: string): ColumnKind {
  const type = declared.toLowerCase();
  if (/^(datetime|timestamp)/.test(type)) return 'datetime';
  if (/^date/.test(type)) return 'date';
  if (/int|^bool|^bit|^year/.test(type)) return 'integer';
  if (/blob|binary/.test(type)) return 'bytes';
  if (/^(dec|numeric|fixed)/.test(type)) return 'decimal';
  if (/real|floa|doub/.test(type)) return 'real';
  return 'text';
}

/** Each table after those that it refers to; circles are cut where they are met. */
export function orderByReferences(tables: readonly Table[]): Table[] {
  const byName = new Map(tables.map((table) => [table.name, table]));
  const placed = new Set<string>();
  const result: Table[] = [];
  const place = (table: Table): void => {
    if (placed.has(table.name)) return;
    placed.add(table.name);
    for (const name of [...table.references].sort()) {
      const before = byName.get(name);
      if (before) place(before);
    }
    result.push(table);
  };
  for (const table of [...tables].sort((a, b) => (a.name < b.name ? -1 : 1))) place(table);
  return result;
}

type Encoded = null | string | number | { readonly $int: string } | { readonly $base64: string };

const isSafe = (value: bigint) => value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER;

/** A driver's value as JSON. Integers that JSON numbers cannot hold and bytes are marked. */
export function encode(value: unknown, { kind, name }: Column): Encoded {
  if (value === null || value === undefined) return null;
  if (Buffer.isBuffer(value)) return { $base64: value.toString('base64') };
  if (typeof value === 'bigint') return isSafe(value) ? Number(value) : { $int: String(value) };
  if (typeof value === 'string') return kind === 'integer' && /^-?\d+$/.test(value) ? encodeInteger(value) : value;
  if (typeof value === 'number') return value;
  throw new Error(`column ${name} holds a ${typeof value}, which cannot be backed up`);
}

const encodeInteger = (text: string): Encoded => encode(BigInt(text), { kind: 'integer', name: '' });

/** What `encode` made, for the driver of the target: integers as bigint. */
export function decode(value: Encoded, from: Column, to: Column): unknown {
  if (value === null) return null;
  if (typeof value === 'object')
    return '$int' in value ? BigInt(value.$int) : fitting(Buffer.from(value.$base64, 'base64'), to);
  if (typeof value === 'number' && isTime(to) && !isTime(from)) return value;
  // SQLite keeps times that the program gives it as milliseconds; the other engines have a type for them.
  if (typeof value === 'number' && isTime(to)) return timeText(value, to.kind);
  if (typeof value === 'number' && Number.isInteger(value) && to.kind === 'integer') return BigInt(value);
  if (typeof value === 'string' && to.kind === 'bytes') return Buffer.from(value);
  return value;
}

const isTime = ({ kind }: Column) => kind === 'datetime' || kind === 'date';
const fitting = (bytes: Buffer, { kind }: Column) => (kind === 'text' ? bytes.toString() : bytes);

function timeText(ms: number, kind: ColumnKind): string {
  const text = new Date(ms).toISOString().replace('T', ' ').replace('Z', '');
  return kind === 'date' ? text.slice(0, 10) : text;
}

/** Rows for those who know the tables. */
export function rowsOf(source: RowSource): BackupRows {
  return {
    async *rows(name, columns) {
      const table = (await source.tables()).find((one) => one.name === name);
      if (table) yield* source.rows(table, columns);
    },
  };
}
