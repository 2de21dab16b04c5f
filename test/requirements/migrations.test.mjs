// A12: what `up` of a migration makes `down` takes away, so that a plugin can be removed with its tables.
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { createHost } from '@mortise/core';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createConnection } from 'mysql2/promise';
import { pluginNames } from '../support/plugin-names.mjs';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const isMysql = process.env.MORTISE_TEST_ENGINE === 'mysql';
const name = `mortise_down_${process.pid}_${Date.now() % 1e9}`;

describe('A12: migrations of all plugins', { timeout: 600_000 }, () => {
  let host;
  let folder;
  let connection;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'mortise-down-'));
    let database = {};
    if (isMysql) {
      const url = new URL(process.env.MORTISE_TEST_MYSQL);
      connection = await createConnection({ host: url.hostname, port: Number(url.port), user: 'root' });
      await connection.query(`create database \`${name}\``);
      database = { DB_TYPE: 'mysql', HOST: url.host, NAME: name, USER: 'root' };
    }
    host = await createHost({
      workDir: folder,
      environment: {},
      plugins: pluginNames(),
      settings: { server: { HTTP_PORT: 0 }, security: { SECRET_KEY: 'ab'.repeat(32) }, database },
      logLevel: 'none',
    });
    await host.migrate();
  });
  after(async () => {
    await host?.stop();
    await connection?.query(`drop database \`${name}\``);
    await connection?.end();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Tables with everything that belongs to them, by name. */
  async function schema() {
    const knex = host.database.knex();
    if (!isMysql) {
      const rows = await knex.raw("select name, sql from sqlite_schema where name not like 'sqlite_%' order by name");
      return Object.fromEntries(rows.map((row) => [row.name, row.sql]));
    }
    const [tables] = await knex.raw('select table_name as t from information_schema.tables where table_schema = ?', [
      name,
    ]);
    const texts = {};
    for (const { t } of tables) {
      const [[shown]] = await knex.raw('show create table ??', [t]);
      texts[t] = shown['Create Table'].replace(/ AUTO_INCREMENT=\d+/, '');
    }
    return texts;
  }
  const own = (texts) =>
    Object.keys(texts).filter((table) => !table.startsWith('migration') && !/autoindex/.test(table));

  it('go up, down and up again, and leave the same tables', async () => {
    const first = await schema();
    expect(own(first).length).to.be.above(30);
    const sources = host.composition.declarations.migrations;
    for (const source of [...sources].reverse()) await host.database.revert(source);
    const kernel = Object.keys(await schema()).filter((table) => first[table]);
    await host.migrate();
    expect(await schema()).to.equal(first);
    // Of the plugins nothing stayed; the tables of the kernel did.
    const kernelOnly = [
      'event',
      'event_delivery',
      'event_subscriber',
      'job',
      'schedule',
      'lock',
      'data_version',
      'plugin_change',
      'plugin_fault',
      'plugin_node',
      'installation',
    ];
    const isKernels = (table) =>
      table.startsWith('migration') || kernelOnly.some((one) => table === one || table.startsWith(`${one}_`));
    expect(kernel.filter((table) => !isKernels(table))).to.equal([]);
  });
});
