// Hosts of a run share the tables that the first of them made.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { definePlugin } from '@mortise/plugin-sdk';
import { startHost } from '@mortise/plugin-sdk/testing';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const isMysql = process.env.MORTISE_TEST_ENGINE === 'mysql';
const plugins = ['pulls', 'search', 'packages'];

describe('kept tables', { timeout: 600_000 }, () => {
  const outer = process.env.MORTISE_TEST_TABLES;
  let folder;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'mortise-kept-'));
  });
  after(() => {
    if (outer === undefined) delete process.env.MORTISE_TEST_TABLES;
    else process.env.MORTISE_TEST_TABLES = outer;
    rmSync(folder, { recursive: true, force: true });
  });

  /** Name of each table, index and trigger → what it is made of, and how many rows it has. */
  async function tablesOf(host) {
    const knex = host.database.knex();
    if (!isMysql) {
      const made = await knex('sqlite_master').orderBy('name').select('name', 'type', 'sql');
      for (const one of made) if (one.type === 'table') one.rows = (await knex(one.name).count('* as n'))[0].n;
      return made;
    }
    const made = [];
    for (const row of (await knex.raw('show tables'))[0]) {
      const [name] = Object.values(row);
      const [[{ 'Create Table': sql }]] = await knex.raw('show create table ??', [name]);
      made.push({
        name,
        sql: sql.replace(/ AUTO_INCREMENT=\d+/, ''),
        // a process counts its own commits there
        rows: name === 'data_version' ? 0 : (await knex(name).count('* as n'))[0].n,
      });
    }
    return made;
  }
  /** Caches go by it. */
  async function countsCommits(host) {
    const knex = host.database.knex();
    const commits = async () => Number((await knex('data_version').sum('commits as n'))[0].n ?? 0);
    const before = await commits();
    await host.database.write(async () => void (await host.database.knex()('migration').update({ applied_at: 1 })));
    return (await commits()) > before;
  }
  async function lookAt(options, look) {
    const host = await startHost(options);
    try {
      return await look(host);
    } finally {
      await host.close();
    }
  }

  it('are those that a host makes by itself, also after a restart', async () => {
    delete process.env.MORTISE_TEST_TABLES;
    const own = await lookAt({ plugins }, tablesOf);
    expect(own.length).to.be.above(60);
    process.env.MORTISE_TEST_TABLES = folder;
    const first = await lookAt({ plugins }, tablesOf);
    expect(await lookAt({ plugins }, countsCommits)).to.be.true();
    const [kept] = readdirSync(folder);
    expect([readdirSync(folder).length, kept.startsWith(isMysql ? 'mysql-' : 'sqlite-')]).to.equal([1, true]);
    const later = await lookAt({ plugins: [...plugins].reverse() }, async (host) => {
      const again = await host.restart();
      try {
        return await tablesOf(again);
      } finally {
        await again.close();
      }
    });
    expect(readdirSync(folder)).to.equal([kept]);
    expect(first).to.equal(own);
    expect(later).to.equal(own);
  });

  it('are of these plugins alone, and not of definitions', async () => {
    process.env.MORTISE_TEST_TABLES = folder;
    const before = readdirSync(folder);
    const few = await lookAt({ plugins: ['stars'] }, tablesOf);
    expect(few.some(({ name }) => name === 'pull_request')).to.be.false();
    expect(readdirSync(folder).length).to.equal(before.length + 1);
    // tables of definitions are kept for nobody
    const migrations = pathToFileURL(join(folder, 'own'));
    mkdirSync(migrations);
    writeFileSync(join(folder, 'own/package.json'), '{ "type": "module" }');
    writeFileSync(
      join(folder, 'own/0001_create_own.js'),
      "export const up = (knex) => knex.schema.createTable('own', (table) => table.increments());\nexport const down = async () => undefined;\n",
    );
    const own = definePlugin({
      name: 'own',
      version: '1.0.0',
      description: 'Own',
      sdk: '^1.0.0',
      register: (host) => host.migrations(migrations),
    });
    const kept = readdirSync(folder).length;
    const names = async (host) => (await tablesOf(host)).map(({ name }) => name);
    for (const some of [['stars'], ['time-tracking']])
      expect(await lookAt({ plugins: [...some, own] }, names)).to.include('own');
    expect(readdirSync(folder).length).to.equal(kept);
    expect(await lookAt({ plugins: ['stars'] }, names)).to.not.include('own');
  });
});
