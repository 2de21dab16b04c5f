import { Invalid } from '@mortise/plugin-sdk';
import type { SourceSettings } from './source-settings.js';

export type RawRow = Readonly<Record<string, unknown>>;

/** The database of the server that is taken over, as it was at one moment; nothing is written to it. */
export interface SourceConnection {
  query(sql: string, values: readonly (number | string)[]): Promise<RawRow[]>;
  quoted(name: string): string;
  /** Columns by table. */
  tables(): Promise<Map<string, readonly string[]>>;
  /** The last value that the counter of `id` of the table has given; 0 where it has given none, or there is none. */
  lastCounted(table: string): Promise<number>;
  close(): Promise<void>;
}

async function connectSource(settings: SourceSettings): Promise<SourceConnection> {
  const type = settings.text('database', 'DB_TYPE')?.toLowerCase() ?? 'sqlite3';
  if (type === 'sqlite3' || type === 'sqlite')
    return (await import('./sqlite-source.js')).openSqliteSource(settings.databaseFile);
  if (type === 'mysql' || type === 'mariadb') return (await import('./mysql-source.js')).openMysqlSource(settings);
  if (type === 'postgres' || type === 'postgresql')
    return (await import('./postgres-source.js')).openPostgresSource(settings);
  throw Invalid(`[database] DB_TYPE = ${type} of ${settings.file}: sqlite3, mysql and postgres can be taken over.`);
}

/** Values that one query names at most. */
const maxNames = 500;

/** Reads tables page by page, by key. */
export class SourceDatabase {
  private constructor(
    private readonly connection: SourceConnection,
    readonly tables: ReadonlyMap<string, readonly string[]>,
    /** Of its schema; 0: unknown. */
    readonly schemaVersion: number,
    /** What Forgejo counts besides; 0: another server. */
    readonly forgejoVersion: number,
  ) {}

  static async open(settings: SourceSettings): Promise<SourceDatabase> {
    const connection = await connectSource(settings);
    const tables = await connection.tables();
    if (!tables.has('user') || !tables.has('repository')) {
      await connection.close();
      throw Invalid(`The database of ${settings.file} has no tables of a server that can be taken over.`);
    }
    const versionIn = async (table: string) => {
      if (!tables.has(table)) return 0;
      const [row] = await connection.query(`select * from ${connection.quoted(table)} limit 1`, []);
      return Number(row?.version ?? 0);
    };
    return new SourceDatabase(connection, tables, await versionIn('version'), await versionIn('forgejo_version'));
  }

  /**
   * Recovery codes have a table of their own in Gogs alone, since version 0.11. A Gitea that was a Gogs once has it still,
   * and units beside it.
   */
  get isGogs(): boolean {
    return this.tables.has('two_factor_recovery_code') && !this.tables.has('repo_unit');
  }

  /** Why the rows of a table cannot be read by this key; undefined: they can. */
  faultOf(table: string, key: readonly string[]): string | undefined {
    const columns = this.tables.get(table);
    if (!columns) return `the source has no table ${table}`;
    // SQLite takes the quoted name of a missing column for a text
    const missing = key.find((name) => !columns.includes(name));
    return missing && `the table ${table} of the source has no column ${missing}`;
  }

  async count(table: string): Promise<number> {
    const [row] = await this.connection.query(`select count(*) as n from ${this.connection.quoted(table)}`, []);
    return Number(row?.n ?? 0);
  }

  /** The highest id that a table with the column `id` has given, also to a row that is gone; 0: none. */
  async lastId(table: string): Promise<number> {
    const sql = `select max(${this.connection.quoted('id')}) as n from ${this.connection.quoted(table)}`;
    const [row] = await this.connection.query(sql, []);
    const ids = [Number(row?.n ?? 0), await this.connection.lastCounted(table)];
    return Math.max(0, ...ids.filter(Number.isSafeInteger));
  }

  /** The next rows behind a key, in its order. */
  page(table: string, key: readonly string[], after: readonly number[], limit: number): Promise<RawRow[]> {
    const [first, second] = key.map((name) => this.connection.quoted(name));
    const from = `select * from ${this.connection.quoted(table)} where`;
    if (second === undefined)
      return this.connection.query(`${from} ${first} > ? order by ${first} limit ${limit}`, [after[0]!]);
    return this.connection.query(
      `${from} ${first} > ? or (${first} = ? and ${second} > ?) order by ${first}, ${second} limit ${limit}`,
      [after[0]!, after[0]!, after[1]!],
    );
  }

  /** Rows whose column has one of these values, by id where the table has one; with these columns, as far as it has them. */
  async rowsWith(
    table: string,
    column: string,
    values: readonly (number | string)[],
    wanted?: readonly string[],
  ): Promise<RawRow[]> {
    const columns = this.tables.get(table);
    if (!columns?.includes(column)) return [];
    const list = wanted
      ? columns.filter((name) => name === column || wanted.includes(name)).map((name) => this.connection.quoted(name))
      : ['*'];
    const order = columns.includes('id') ? ` order by ${this.connection.quoted('id')}` : '';
    const found: RawRow[] = [];
    for (let at = 0; at < values.length; at += maxNames) {
      const some = values.slice(at, at + maxNames);
      const names = some.map(() => '?').join(', ');
      const sql = `select ${list.join(', ')} from ${this.connection.quoted(table)} where ${this.connection.quoted(column)} in (${names})${order}`;
      found.push(...(await this.connection.query(sql, some)));
    }
    return found;
  }

  close(): Promise<void> {
    return this.connection.close();
  }
}
