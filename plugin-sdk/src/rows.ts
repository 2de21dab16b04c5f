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
type Connection = Pick<Database, 'engine' | 'statement' | 'pipelined'>;

/**
 * Statements on rows by equal columns, for the paths that every write takes. Their text is put together once and kept;
 * the query builder, which makes it anew each time, takes 50 to 140 µs where these take a few.
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

/** The rows that a statement of one's own finds; `?` stands for a value. */
export async function selectRows<T>(database: Connection, sql: string, values: readonly unknown[]): Promise<T[]> {
  return (await database.statement(sql, values)).rows as T[];
}

/** Inserts one row; gives its id where the table numbers them. */
export async function insertRow(database: Connection, table: Table, columns: Columns): Promise<number> {
  const { sql, values } = inserting(database, table, [columns]);
  return (await database.statement(sql, values)).insertId;
}

/** The column of a row of {@link insertWith} that names the row before. */
interface Following {
  readonly table: Table;
  /** Few, since each number of them makes a text of its own; all have the same columns. */
  readonly rows: readonly Columns[];
  readonly column: string;
}

/**
 * In a transaction: inserts one row, which the table numbers, and others that name it by its number. Nobody waits for
 * them ({@link Database.pipelined}).
 */
export async function insertWith(
  database: Connection,
  table: Table,
  columns: Columns,
  { table: other, rows, column }: Following,
): Promise<void> {
  if (database.engine !== 'mysql') {
    const id = await insertRow(database, table, columns);
    if (rows.length === 0) return;
    const { sql, values } = inserting(
      database,
      other,
      rows.map((row) => ({ ...row, [column]: id })),
    );
    await database.statement(sql, values);
    return;
  }
  const statements = [inserting(database, table, [columns])];
  if (rows.length > 0) statements.push(inserting(database, other, rows, undefined, column));
  // at once: a row that others insert in between would be the last
  await Promise.all(statements.map(({ sql, values }) => database.pipelined(sql, values)));
}

/**
 * In a transaction: inserts one row, or where the `key` is taken sets the other columns of that row. Nobody waits for it
 * ({@link Database.pipelined}).
 */
export async function upsertRowPipelined(
  database: Connection,
  table: Table,
  key: readonly string[],
  columns: Columns,
): Promise<void> {
  const { sql, values } = inserting(database, table, [columns], key);
  await database.pipelined(sql, values);
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

/** `numbered`: this column too, with the number of the row that was inserted last, on MySQL. */
function inserting(
  database: Connection,
  table: Table,
  rows: readonly Columns[],
  key?: readonly string[],
  numbered?: string,
): { sql: string; values: unknown[] } {
  const names = Object.keys(rows[0]!);
  const taken = key ? `${database.engine} ${key.join()}` : '';
  const sql = textOf(`insert ${table.tableName} ${rows.length} ${names.join()} ${taken} ${numbered ?? ''}`, () => {
    const all = numbered === undefined ? names : [...names, numbered];
    const row = `(${all.map((name) => (name === numbered ? 'last_insert_id()' : '?')).join(', ')})`;
    const list = rows.map(() => row).join(', ');
    return `insert into ${quoted(table.tableName)} (${all.map(quoted).join(', ')}) values ${list}${key ? onTaken(database, key, names) : ''}`;
  });
  return { sql, values: rows.flatMap((row) => valuesOf(table, row)) };
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
  const { rows } = await database.statement(sql, Object.values(where));
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

interface Changes {
  readonly set?: Columns;
  readonly add?: Readonly<Record<string, number>>;
}

function changing(table: Table, where: Columns, { set = {}, add = {} }: Changes): { sql: string; values: unknown[] } {
  const [to, by, names] = [set, add, where].map(Object.keys) as [string[], string[], string[]];
  const sql = textOf(`update ${table.tableName} ${to.join()} + ${by.join()} ${names.join()}`, () => {
    const changes = [...equal(to), ...by.map((name) => `${quoted(name)} = ${quoted(name)} + ?`)];
    return `update ${quoted(table.tableName)} set ${changes.join(', ')} where ${equal(names).join(' and ')}`;
  });
  return { sql, values: [...valuesOf(table, set), ...Object.values(add), ...Object.values(where)] };
}

/**
 * Sets columns of the rows with these values, none of which is null, and adds to others. Gives the number of rows that
 * were found.
 */
export async function changeRows(
  database: Connection,
  table: Table,
  where: Columns,
  changes: Changes,
): Promise<number> {
  const { sql, values } = changing(table, where, changes);
  return (await database.statement(sql, values)).changes;
}

/** In a transaction: the same, and nobody waits for it ({@link Database.pipelined}). */
export async function changeRowsPipelined(
  database: Connection,
  table: Table,
  where: Columns,
  changes: Changes,
): Promise<void> {
  const { sql, values } = changing(table, where, changes);
  await database.pipelined(sql, values);
}

/** Adds one to a column of the row with these values; gives what it is then, undefined where there is no such row. */
export async function increment(
  database: Connection,
  table: Table,
  where: Columns,
  column: string,
): Promise<number | undefined> {
  const names = Object.keys(where);
  const isMysql = database.engine === 'mysql';
  const sql = textOf(`count ${table.tableName} ${column} ${names.join()} ${database.engine}`, () => {
    const next = `${quoted(column)} + 1`;
    const set = `update ${quoted(table.tableName)} set ${quoted(column)} = ${isMysql ? `last_insert_id(${next})` : next}`;
    return `${set} where ${equal(names).join(' and ')}${isMysql ? '' : ` returning ${quoted(column)}`}`;
  });
  const { rows, changes, insertId } = await database.statement(sql, Object.values(where));
  if (isMysql) return changes > 0 ? insertId : undefined;
  return (rows[0] as Record<string, number> | undefined)?.[column];
}
