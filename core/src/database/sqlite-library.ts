import { createRequire } from 'node:module';
import type BetterSqlite3 from 'better-sqlite3';

/** The major version of Node.js that runs. */
const node = Number(process.versions.node.split('.')[0]);

/**
 * better-sqlite3 for this Node.js. Version 12 is the last that runs on Node 20, and from Node 24.19 on it aborts the
 * process when a prepared statement is collected; version 13 needs Node 22. The two speak the same.
 */
const name = node >= 22 ? 'better-sqlite3-13' : 'better-sqlite3';

let library: typeof BetterSqlite3 | undefined;

/** Opens a database file; throws with what to do when the library is missing. */
export function openFile(file: string, options: BetterSqlite3.Options): BetterSqlite3.Database {
  try {
    library ??= createRequire(import.meta.url)(name) as typeof BetterSqlite3;
  } catch (error) {
    throw new Error(
      `SQLite cannot be used: ${name} is not installed, or was not compiled for Node.js ${process.versions.node}. Run npm install again with a C++ compiler at hand, or set [database] DB_TYPE = mysql.`,
      { cause: error },
    );
  }
  return new library(file, options);
}
