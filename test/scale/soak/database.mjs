// A look at the database of the server from outside.
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';

/** Gives { run(sql), all(sql), quote(name), counts(), close() }. */
export async function openDatabase(server, engine) {
  const database = engine === 'mariadb' ? await openMysql(server.env) : openSqlite(server.env.MORTISE_WORK_DIR);
  return {
    ...database,
    /** Table → its rows. */
    async counts() {
      const names = await database.tables();
      const parts = names.map((name) => `select '${name}' as name, count(*) as count from ${database.quote(name)}`);
      const counts = {};
      // SQLite takes 500 parts at most
      for (let at = 0; at < parts.length; at += 100)
        for (const { name, count } of await database.all(parts.slice(at, at + 100).join(' union all ')))
          counts[name] = Number(count);
      return counts;
    },
  };
}

function openSqlite(workDir) {
  const file = new Sqlite(join(workDir, 'data/mortise.db'), { timeout: 20_000 });
  const all = async (sql) => file.prepare(sql).all();
  return {
    all,
    run: async (sql) => file.prepare(sql).run(),
    quote: (name) => `"${name}"`,
    tables: async () =>
      (await all("select name from pragma_table_list where schema = 'main' and type = 'table'"))
        .map(({ name }) => name)
        .filter((name) => !name.startsWith('sqlite_'))
        .sort(),
    close: async () => file.close(),
  };
}

async function openMysql(env) {
  const { createConnection } = await import('mysql2/promise');
  const [host, port] = env.MORTISE__database__HOST.split(':');
  const connection = await createConnection({
    host,
    port: Number(port),
    user: env.MORTISE__database__USER,
    database: env.MORTISE__database__NAME,
  });
  const all = async (sql) => (await connection.query(sql))[0];
  return {
    all,
    run: all,
    quote: (name) => `\`${name}\``,
    tables: async () =>
      (
        await all(
          "select table_name as name from information_schema.tables where table_schema = database() and table_type = 'BASE TABLE' order by 1",
        )
      ).map(({ name }) => name),
    close: () => connection.end(),
  };
}
