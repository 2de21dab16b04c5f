import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type BetterSqlite3 from 'better-sqlite3';

type Row = Readonly<Record<string, number | string | null>>;

const library = Number(process.versions.node.split('.')[0]) >= 22 ? 'better-sqlite3-13' : 'better-sqlite3';

/** A small server to take over: a work folder with an app.ini and a database of the given tables. */
export class SourceFixture {
  readonly folder = mkdtempSync(join(tmpdir(), 'mortise-source-'));
  readonly #file: BetterSqlite3.Database;

  constructor(settings = '') {
    mkdirSync(join(this.folder, 'custom', 'conf'), { recursive: true });
    mkdirSync(join(this.folder, 'data'));
    writeFileSync(
      join(this.folder, 'custom', 'conf', 'app.ini'),
      `WORK_PATH = @WORK@\n[database]\nDB_TYPE = sqlite3\nPATH = @WORK@/data/gitea.db\n[security]\nSECRET_KEY = key\n${settings}`,
    );
    const Database = createRequire(import.meta.url)(library) as typeof BetterSqlite3;
    this.#file = new Database(join(this.folder, 'data', 'gitea.db'));
    this.#file.pragma('journal_mode = WAL');
    this.rows('version', { id: 1, version: 299 });
    this.table('user', ['id', 'lower_name', 'name', 'type']);
    this.table('repository', ['id', 'owner_id', 'lower_name', 'name']);
  }

  table(name: string, columns: readonly string[]): void {
    const list = columns.map((column) => `"${column}"${column === 'id' ? ' integer primary key' : ''}`).join(', ');
    this.#file.exec(`create table if not exists "${name}" (${list})`);
  }

  /** Adds rows; columns that the table lacks are added first. */
  rows(table: string, ...rows: readonly Row[]): void {
    for (const row of rows) {
      const names = Object.keys(row);
      this.table(table, names);
      const there = this.#file.prepare('select name from pragma_table_info(?)').pluck().all(table);
      for (const name of names) if (!there.includes(name)) this.#file.exec(`alter table "${table}" add "${name}"`);
      this.#file
        .prepare(
          `insert into "${table}" (${names.map((one) => `"${one}"`).join()}) values (${names.map(() => '?').join()})`,
        )
        .run(...Object.values(row));
    }
  }

  run(sql: string): void {
    this.#file.exec(sql);
  }

  close(): void {
    this.#file.close();
    rmSync(this.folder, { recursive: true });
  }
}
