// Database: SQLite and MariaDB. What is shown is that a server on MariaDB or PostgreSQL comes as one on SQLite does.
// A small source on SQLite is copied into databases of both kinds, whose rows are then taken over each into a site of its
// own.
//
//   MORTISE_TEST_FULL=1   the work folder of a real server too, where it lies beside the project
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { startHost } from '@mortise/plugin-sdk/testing';
import { SourceFixture } from '../../plugins/takeover/dist/test/source.js';
import { startPostgres } from '../support/postgres.mjs';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const require = createRequire(new URL('../../plugins/takeover/package.json', import.meta.url));
const Sqlite = require(Number(process.versions.node.split('.')[0]) >= 22 ? 'better-sqlite3-13' : 'better-sqlite3');
const shared = new URL('../../../shared/takeover/', import.meta.url).pathname;
const mysqlUrl = process.env.MORTISE_TEST_MYSQL;
const rowsAtOnce = 100;

/** Types of a column of SQLite; flags are such there only by name. */
const typesOf = {
  postgres: (name, type) =>
    /^is_/.test(name)
      ? 'boolean'
      : /int/i.test(type) || (type === '' && /(?:^|_)u?id$/.test(name))
        ? 'bigint'
        : /blob/i.test(type)
          ? 'bytea'
          : 'text',
  mysql: (name, type) =>
    /^is_/.test(name) ? 'tinyint(1)' : /int/i.test(type) || /(^|_)(id|unix)$/.test(name) ? 'bigint' : 'longtext',
};

/** Copies tables with their rows. `target`: { type, quoted, run(sql, values), hasTables }. */
async function copyDatabase(file, target) {
  const source = new Sqlite(file, { readonly: true });
  const tables = source.prepare("select name from sqlite_master where type = 'table' and name not like 'sqlite_%'");
  for (const table of tables.pluck().all()) {
    const columns = source.prepare('select name, type from pragma_table_info(?)').all(table);
    const declared = columns.map(({ name, type }) => `${target.quoted(name)} ${typesOf[target.type](name, type)}`);
    const name = target.quoted(table);
    if (!target.hasTables) await target.run(`create table ${name} (${declared.join(', ')})`);
    const names = columns.map((column) => target.quoted(column.name)).join(', ');
    let pending = [];
    const flush = async () => {
      if (pending.length === 0) return;
      let at = 0;
      const tuple = () => `(${columns.map(() => target.placeholder(++at)).join(', ')})`;
      await target.run(`insert into ${name} (${names}) values ${pending.map(tuple).join(', ')}`, pending.flat());
      pending = [];
    };
    for (const row of source.prepare(`select * from "${table}"`).raw().iterate()) {
      pending.push(
        row.map((value, at) => target.value(value, typesOf[target.type](columns[at].name, columns[at].type))),
      );
      if (pending.length === rowsAtOnce) await flush();
    }
    await flush();
  }
  source.close();
}

async function mysqlTarget(name, { hasTables = false } = {}) {
  const { createConnection } = require('mysql2/promise');
  const { host, hostname, port } = new URL(mysqlUrl);
  const admin = await createConnection({ host: hostname, port: Number(port), user: 'root', multipleStatements: true });
  await admin.query(`create database \`${name}\` character set utf8mb4; use \`${name}\``);
  await admin.query("set sql_mode = 'NO_AUTO_VALUE_ON_ZERO', foreign_key_checks = 0");
  return {
    type: 'mysql',
    hasTables,
    settings: `DB_TYPE = mysql\nHOST = ${host}\nNAME = ${name}\nUSER = root\nPASSWD =\n`,
    quoted: (text) => `\`${text}\``,
    placeholder: () => '?',
    value: (value) => value,
    run: (sql, values) => admin.query(sql, values),
    async close() {
      await admin.query(`drop database \`${name}\``);
      await admin.end();
    },
  };
}

async function postgresTarget(name, port) {
  const pg = require('pg');
  const admin = new pg.Client({ host: '127.0.0.1', port, user: 'postgres', database: 'postgres' });
  await admin.connect();
  await admin.query(`create database ${name}`);
  await admin.end();
  const client = new pg.Client({ host: '127.0.0.1', port, user: 'postgres', database: name });
  await client.connect();
  return {
    type: 'postgres',
    settings: `DB_TYPE = postgres\nHOST = 127.0.0.1:${port}\nNAME = ${name}\nUSER = postgres\nPASSWD =\nSSL_MODE = disable\n`,
    quoted: (text) => `"${text}"`,
    placeholder: (at) => `$${at}`,
    value: (value, type) =>
      value === null
        ? null
        : type === 'boolean'
          ? Boolean(value)
          : typeof value === 'string'
            ? value.replaceAll('\0', '')
            : value,
    run: (sql, values) => client.query(sql, values),
    close: () => client.end(),
  };
}

/** A copy of the work folder whose app.ini names the database. */
function folderOn(folder, { settings }) {
  const copy = mkdtempSync(join(tmpdir(), 'mortise-source-'));
  cpSync(join(folder, 'custom'), join(copy, 'custom'), { recursive: true });
  const file = join(copy, 'custom', 'conf', 'app.ini');
  const text = readFileSync(file, 'utf8').replace(/\[database\]\n(?:(?!\[).*\n)*/, `[database]\n${settings}\n`);
  writeFileSync(file, text);
  return copy;
}

const plugins = ['takeover', 'organizations', 'stars', 'auth-token', 'issues'];

/** What came: the report, and the rows of some tables. */
async function takeFrom(folder) {
  const host = await startHost({ plugins });
  try {
    const lines = await host.command('takeover', { from: folder });
    const second = await host.command('takeover', { from: folder });
    const rows = {};
    for (const table of ['user', 'email_address', 'team', 'repository', 'issue', 'label'])
      if (await host.database.knex().schema.hasTable(table))
        rows[table] = await host.database.knex()(table).select().orderBy('id');
    const counted = (all) => all.filter((line) => / read, /.test(line));
    return { report: counted(lines), second: counted(second), rows };
  } finally {
    await host.close();
  }
}

describe('issue 28: a server to take over on another database', { timeout: 1_800_000 }, () => {
  let postgres;
  let source;
  before(async () => {
    postgres = await startPostgres();
    source = new SourceFixture();
    const user = { type: 0, passwd: '', is_active: 1, is_admin: 0, created_unix: 1700000000 };
    for (let id = 1; id <= 600; id++)
      source.rows('user', {
        id,
        name: `Uſer${id}é`.replace('ſ', 's').replace('é', ''),
        lower_name: `user${id}`,
        full_name: `Ü 你好 ${id}`,
        ...user,
      });
    source.rows('email_address', {
      id: 1,
      uid: 1,
      email: 'a@example.com',
      lower_email: 'a@example.com',
      is_activated: 1,
      is_primary: 1,
    });
    source.rows('follow', { id: 1, user_id: 1, follow_id: 600, created_unix: 1700000000 });
  });
  after(async () => {
    source.close();
    await postgres?.close();
  });

  const compare = async (folder, file, target) => {
    const expected = await takeFrom(folder);
    let copy;
    try {
      await copyDatabase(file, target);
      copy = folderOn(folder, target);
      for (const name of ['data/gitea-repositories', 'data/avatars'])
        if (existsSync(join(folder, name))) cpSync(join(folder, name), join(copy, name), { recursive: true });
      const taken = await takeFrom(copy);
      expect(taken.report).to.equal(expected.report);
      for (const line of taken.second) expect(line).to.match(/, 0 written, .*, 0 removed/);
      for (const [table, rows] of Object.entries(expected.rows)) expect(taken.rows[table], table).to.equal(rows);
    } finally {
      if (copy) rmSync(copy, { recursive: true });
      await target.close();
    }
  };
  const fileOf = (folder) => join(folder, 'data', 'gitea.db');

  it('comes from MariaDB as from SQLite', { skip: !mysqlUrl }, async () => {
    await compare(source.folder, fileOf(source.folder), await mysqlTarget(`mortise_source_${process.pid}`));
  });

  it('comes from PostgreSQL as from SQLite', async () => {
    if (!postgres) return console.log('left out: there is no PostgreSQL');
    await compare(source.folder, fileOf(source.folder), await postgresTarget('small', postgres.port));
  });

  it('is read in one snapshot of PostgreSQL, and nothing is written to it', async () => {
    if (!postgres) return;
    const { SourceDatabase } = await import('../../plugins/takeover/dist/services/source-database.js');
    const { SourceSettings } = await import('../../plugins/takeover/dist/services/source-settings.js');
    const target = await postgresTarget('snapshot', postgres.port);
    await copyDatabase(fileOf(source.folder), target);
    const copy = folderOn(source.folder, target);
    const opened = await SourceDatabase.open(SourceSettings.open(copy));
    try {
      expect(await opened.count('user')).to.equal(600);
      await target.run('delete from "user" where id > 10');
      expect(await opened.count('user')).to.equal(600);
      expect(opened.schemaVersion).to.equal(299);
    } finally {
      await opened.close();
      await target.close();
      rmSync(copy, { recursive: true });
    }
  });

  const lastIds = async (target, create) => {
    const { SourceDatabase } = await import('../../plugins/takeover/dist/services/source-database.js');
    const { SourceSettings } = await import('../../plugins/takeover/dist/services/source-settings.js');
    const copy = folderOn(source.folder, target);
    try {
      for (const table of ['user', 'repository', 'label']) await target.run(create(target.quoted(table)));
      await target.run(`insert into ${target.quoted('user')} (name) values ('a'), ('b'), ('c')`);
      await target.run(`delete from ${target.quoted('user')} where name <> 'a'`);
      await target.run(`insert into ${target.quoted('repository')} (id, name) values (70, 'above its counter')`);
      const opened = await SourceDatabase.open(SourceSettings.open(copy));
      const ids = [await opened.lastId('user'), await opened.lastId('repository'), await opened.lastId('label')];
      await opened.close();
      return ids;
    } finally {
      await target.close();
      rmSync(copy, { recursive: true });
    }
  };

  it('tells the last ids of MariaDB, also of rows that are gone', { skip: !mysqlUrl }, async () => {
    const target = await mysqlTarget(`mortise_ids_${process.pid}`);
    expect(
      await lastIds(target, (name) => `create table ${name} (id bigint primary key auto_increment, name text)`),
    ).to.equal([3, 70, 0]);
  });

  it('tells the last ids of PostgreSQL, also of rows that are gone', async () => {
    if (!postgres) return;
    const target = await postgresTarget('ids', postgres.port);
    expect(await lastIds(target, (name) => `create table ${name} (id bigserial primary key, name text)`)).to.equal([
      3, 70, 0,
    ]);
  });

  const archive = join(shared, 'sqlite.tar.xz');
  const isFull = Boolean(process.env.MORTISE_TEST_FULL) && existsSync(archive);
  it('comes whole where it is a real one, from MariaDB and PostgreSQL', { skip: !isFull }, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mortise-source-'));
    const wanted = ['custom', 'data/gitea.db', 'data/avatars', 'data/gitea-repositories'];
    try {
      execFileSync('tar', ['xf', archive, '-C', folder, ...wanted]);
      if (mysqlUrl) {
        const target = await mysqlTarget(`mortise_real_${process.pid}`, { hasTables: true });
        const schema = spawnSync('xz', ['-dc', join(shared, 'mariadb-schema.sql.xz')], { encoding: 'utf8' }).stdout;
        await target.run(schema);
        await target.run("set sql_mode = 'NO_AUTO_VALUE_ON_ZERO', foreign_key_checks = 0");
        await compare(folder, fileOf(folder), target);
      }
      if (postgres) await compare(folder, fileOf(folder), await postgresTarget('real', postgres.port));
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
