import type SqliteDatabase from 'better-sqlite3';
import { clearBeforeNextInput } from '@mortise/plugin-sdk';
import { CommitCounters, versionTable, type VersionRow } from './commit-counters.js';
import type { EngineDeps } from './engine.js';
import type { Statements } from './statements.js';
import type { Versions } from './versions.js';

type Connection = SqliteDatabase.Database;

/**
 * Knows what was committed: own commits at once, those of other processes by a look that costs microseconds, once
 * between two inputs. `PRAGMA data_version` of the connection that writes moves with the commits of all others; what
 * they changed is in the rows where processes count.
 */
export class SqliteVersions {
  readonly #reader: Connection;
  readonly #writer: Connection;
  readonly #versions: Versions;
  readonly #statements: Statements;
  readonly #commits = new CommitCounters();
  readonly #slot = this.#commits.take();
  readonly #elsewhere: SqliteDatabase.Statement<unknown[]>;
  #rows: SqliteDatabase.Statement<unknown[]> | undefined;
  #count: SqliteDatabase.Statement<unknown[]> | undefined;
  #seen: unknown;
  #hasLooked = false;
  readonly #forget = () => {
    this.#hasLooked = false;
  };

  constructor(writer: Connection, reader: Connection, { versions, statements }: EngineDeps) {
    this.#writer = writer;
    this.#reader = reader;
    this.#versions = versions;
    this.#statements = statements;
    this.#elsewhere = writer.prepare('pragma data_version').pluck();
    this.learnSchema();
  }

  look(): boolean {
    if (this.#hasLooked) return true;
    let changed: ReadonlySet<string> | undefined;
    try {
      const elsewhere = this.#elsewhere.get();
      if (elsewhere !== this.#seen)
        changed = this.#rows && this.#commits.takeChangedTables(this.#rows.all() as VersionRow[]);
      const isSame = elsewhere === this.#seen;
      this.#seen = elsewhere;
      this.#hasLooked = true;
      clearBeforeNextInput(this.#forget);
      if (isSame) return true;
    } catch {
      // The file is busy for a moment, for instance while another process recovers it.
      return false;
    }
    // A commit that nobody counted, of a program that is not Mortise or of one that changes the schema.
    this.#versions.moved(changed?.size ? changed : undefined);
    return true;
  }

  /** In the transaction, before its commit. */
  count(tables: ReadonlySet<string> | undefined): void {
    this.#count?.run(this.#commits.process, this.#slot.next(tables), Date.now());
  }

  committed(tables: ReadonlySet<string> | undefined): void {
    this.#slot.committed();
    this.#versions.moved(tables);
    this.#forget();
  }

  learnSchema(): void {
    const list = (sql: string) => this.#reader.prepare(sql).all() as Record<string, string>[];
    const tables = list("select name from sqlite_schema where type = 'table'").map(({ name }) => name!);
    const views = list("select name, sql from sqlite_schema where type = 'view'");
    const keys = list(
      `select "table" as parent, m.name as child, on_delete, on_update
       from sqlite_schema m, pragma_foreign_key_list(m.name) where m.type = 'table'`,
    );
    const acts = (rule: string | undefined) => rule !== 'NO ACTION' && rule !== 'RESTRICT';
    const triggers = list("select tbl_name, sql from sqlite_schema where type = 'trigger'");
    this.#statements.learn({
      tables,
      views: views.map(({ name, sql }) => ({ name: name!, sql: sql! })),
      cascades: keys.filter((key) => acts(key.on_delete)).map(({ parent, child }) => ({ from: parent!, to: child! })),
      triggers: [
        ...triggers.map(({ tbl_name, sql }) => ({ table: tbl_name!, sql: sql! })),
        ...keys.filter((key) => acts(key.on_update)).map(({ parent, child }) => ({ table: parent!, sql: child! })),
      ],
    });
    if (!tables.includes(versionTable)) return;
    this.#rows = this.#reader.prepare(`select process, slot, commits, recent from ${versionTable}`);
    this.#count = this.#writer.prepare(
      `insert into ${versionTable} (process, slot, commits, recent, touched_at) values (?, ${this.#slot.number}, 1, ?, ?)
       on conflict (process, slot) do update
       set commits = commits + 1, recent = excluded.recent, touched_at = excluded.touched_at`,
    );
    this.#commits.takeChangedTables(this.#rows.all() as VersionRow[]);
    this.#versions.moved(undefined);
  }
}
