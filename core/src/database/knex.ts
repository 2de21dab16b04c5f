/** All of knex that the kernel uses: its dialects are files of it that it does not export by name. */
export { default as knexModule, type Knex } from 'knex';
export { default as Client, type QueryObject } from 'knex/lib/dialects/better-sqlite3/index.js';
export { default as SqliteQueryCompiler } from 'knex/lib/dialects/sqlite3/query/sqlite-querycompiler.js';
export { default as Runner } from 'knex/lib/execution/runner.js';
export { default as MysqlClient } from 'knex/lib/dialects/mysql2/index.js';
