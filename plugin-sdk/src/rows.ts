import type { BaseModel } from './model.js';
import type { Database } from './services.js';

/** Columns by name; the names come from code, never from a request. */
type Columns = Readonly<Record<string, unknown>>;
/** A class of a model, or no more of it than these functions need. */
interface Table {
  readonly tableName: string;
  readonly json?: readonly string[];
}
type ModelOf<M extends BaseModel> = Table & {
  new (): M;
  fromDatabaseJson(json: object): BaseModel;
};
type Connection = Pick<Database, 'engine' | 'knex'>;

/**
 * Statements on rows by equal columns, for the paths that every write takes. Their text is put together once and kept;
 * the query builder, which makes it anew each time, takes 50 to 140 µs where these take 6 to 10.
 */
const texts = new Map<string, string>();
const maxTexts = 1000;

function textOf(key: string, make: () => string): string {
  const known = texts.get(key);
  if (known !== undefined) return known;
  if (texts.size >= maxTexts) texts.clear();
  const made = make();
  texts.set(key, made);
  return made;
}

const quoted = (name: string) => `\`${name}\``;
const equal = (names: readonly string[]) => names.map((name) => `${quoted(name)} = ?`);

function valuesOf({ json = [] }: Table, columns: Columns): unknown[] {
  return Object.entries(columns).map(([name, value]) =>
    json.includes(name) && value !== null ? JSON.stringify(value) : value,
  );
}

interface Done {
  readonly changes?: number;
  readonly lastInsertRowid?: number | bigint;
  readonly affectedRows?: number;
  readonly insertId?: number;
}

async function run(database: Connection, sql: string, values: readonly unknown[]): Promise<unknown> {
  const answer: unknown = await database.knex().raw(sql, values as never);
  return database.engine === 'mysql' ? (answer as readonly unknown[])[0] : answer;
}

/** The rows that a statement of one's own finds; `?` stands for a value. */
export async function selectRows<T>(database: Connection, sql: string, values: readonly unknown[]): Promise<T[]> {
  return (await run(database, sql, values)) as T[];
}

/** Inserts one row; gives its id where the table numbers them. */
export async function insertRow(database: Connection, table: Table, columns: Columns): Promise<number> {
  const done = (await insert(database, table, [columns])) as Done;
  return Number(done.insertId ?? done.lastInsertRowid);
}

/** Inserts rows of the same columns by one statement; a few at a time, since each number of them is a text of its own. */
export async function insertRows(database: Connection, table: Table, rows: readonly Columns[]): Promise<void> {
  if (rows.length > 0) await insert(database, table, rows);
}

/** Inserts one row, or where the `key` is taken sets the other columns of that row. */
export async function putRow(
  database: Connection,
  table: Table,
  key: readonly string[],
  columns: Columns,
): Promise<void> {
  await insert(database, table, [columns], key);
}

/** What a statement does where the key is taken. */
function onTaken(database: Connection, key: readonly string[], names: readonly string[]): string {
  const others = names.filter((name) => !key.includes(name));
  const set = (value: (name: string) => string) =>
    others.map((name) => `${quoted(name)} = ${value(quoted(name))}`).join(', ');
  return database.engine === 'mysql'
    ? ` on duplicate key update ${set((name) => `values(${name})`)}`
    : ` on conflict (${key.map(quoted).join(', ')}) do update set ${set((name) => `excluded.${name}`)}`;
}

function insert(
  database: Connection,
  table: Table,
  rows: readonly Columns[],
  key?: readonly string[],
): Promise<unknown> {
  const names = Object.keys(rows[0]!);
  const taken = key ? `${database.engine} ${key.join()}` : '';
  const sql = textOf(`insert ${table.tableName} ${rows.length} ${names.join()} ${taken}`, () => {
    const row = `(${names.map(() => '?').join(', ')})`;
    const all = rows.map(() => row).join(', ');
    return `insert into ${quoted(table.tableName)} (${names.map(quoted).join(', ')}) values ${all}${key ? onTaken(database, key, names) : ''}`;
  });
  return run(
    database,
    sql,
    rows.flatMap((row) => valuesOf(table, row)),
  );
}

interface ReadOptions {
  /** Nobody else changes them until the commit. */
  readonly isLocked?: boolean;
  /** Default: all. */
  readonly columns?: readonly string[];
}

/** The rows with these values, none of which is null; in no order. */
export async function rowsWith<M extends BaseModel>(
  database: Connection,
  model: ModelOf<M>,
  where: Columns,
  { isLocked = false, columns }: ReadOptions = {},
): Promise<M[]> {
  const names = Object.keys(where);
  const lock = isLocked && database.engine === 'mysql' ? ' for update' : '';
  const sql = textOf(
    `select ${columns?.join() ?? '*'} ${model.tableName} ${names.join()}${lock}`,
    () =>
      `select ${columns?.map(quoted).join(', ') ?? '*'} from ${quoted(model.tableName)} where ${equal(names).join(' and ')}${lock}`,
  );
  const rows = (await run(database, sql, Object.values(where))) as object[];
  return rows.map((row) => model.fromDatabaseJson(row) as M);
}

/** Of rows of which there is one at most. */
export async function rowWith<M extends BaseModel>(
  database: Connection,
  model: ModelOf<M>,
  where: Columns,
  options?: ReadOptions,
): Promise<M | undefined> {
  return (await rowsWith(database, model, where, options))[0];
}

/** The rows with these ids; in no order. */
export async function rowsOf<M extends BaseModel>(
  database: Connection & Pick<Database, 'query'>,
  model: ModelOf<M>,
  ids: readonly number[],
): Promise<M[]> {
  if (ids.length === 0) return [];
  if (ids.length === 1) return rowsWith(database, model, { id: ids[0] });
  return (await database.query(model as never).whereIn('id', [...ids])) as unknown as M[];
}

/**
 * Sets columns of the rows with these values, none of which is null, and adds to others. Gives the number of rows that
 * were found.
 */
export async function changeRows(
  database: Connection,
  table: Table,
  where: Columns,
  { set = {}, add = {} }: { readonly set?: Columns; readonly add?: Readonly<Record<string, number>> },
): Promise<number> {
  const [to, by, names] = [set, add, where].map(Object.keys) as [string[], string[], string[]];
  const sql = textOf(`update ${table.tableName} ${to.join()} + ${by.join()} ${names.join()}`, () => {
    const changes = [...equal(to), ...by.map((name) => `${quoted(name)} = ${quoted(name)} + ?`)];
    return `update ${quoted(table.tableName)} set ${changes.join(', ')} where ${equal(names).join(' and ')}`;
  });
  const values = [...valuesOf(table, set), ...Object.values(add), ...Object.values(where)];
  const done = (await run(database, sql, values)) as Done;
  return done.affectedRows ?? done.changes ?? 0;
}
