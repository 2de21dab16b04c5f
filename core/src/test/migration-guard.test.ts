import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import { definitionTargets } from '../database/table-targets.js';
import { engines, kernelSource, type TestDatabase } from './data-kit.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const victim = `
export async function up(knex) {
  await knex.schema.createTable('harbour', (table) => {
    table.increments('id');
    table.string('name', 50).notNullable();
  });
  await knex('harbour').insert([{ name: 'north' }, { name: 'south' }]);
}
export const down = (knex) => knex.schema.dropTable('harbour');`;

const migration = (up: string, down = '') =>
  `export async function up(knex) { ${up} }\nexport async function down(knex) { ${down} }`;
const own = `await knex.schema.createTable('pirate', (table) => void table.increments('id'));`;

const attacks: Record<string, string> = {
  'drops it': `await knex.schema.dropTable('harbour');`,
  'drops it in raw SQL': 'await knex.raw("drop table if exists harbour");',
  'renames it': `await knex.schema.renameTable('harbour', 'port');`,
  'adds a column': `await knex.schema.alterTable('harbour', (table) => table.integer('depth').notNullable().defaultTo(1));`,
  'drops a column': `await knex.schema.alterTable('harbour', (table) => table.dropColumn('name'));`,
  'adds an index': `await knex.schema.alterTable('harbour', (table) => table.index(['name'], 'harbour_name'));`,
  'drops a table of the kernel': `await knex.schema.dropTable('plugin_fault');`,
  'drops the ledger': `await knex.raw('drop table migration_step');`,
};

for (const engine of engines) {
  describe(`P4: a migration leaves tables of others alone, on ${engine.name}`, () => {
    let test: TestDatabase;
    const folders: string[] = [];
    const folderOf = async (files: Readonly<Record<string, string>>): Promise<URL> => {
      const folder = await mkdtemp(join(tmpdir(), 'mortise-guard-'));
      folders.push(folder);
      await writeFile(join(folder, 'package.json'), '{"type":"module"}');
      for (const [name, text] of Object.entries(files)) await writeFile(join(folder, `${name}.js`), text);
      return pathToFileURL(`${folder}/`);
    };
    let sources: { owner: string; folder: URL; isBuiltIn?: boolean }[];
    before(async () => {
      test = await engine.open();
      sources = [
        { ...kernelSource[0]!, isBuiltIn: true },
        { owner: 'port', folder: await folderOf({ '0001_harbour': victim }) },
      ];
      await test.database.migrate(sources);
    });
    after(async () => {
      await test.close();
      for (const folder of folders) await rm(folder, { recursive: true, force: true });
    });

    const state = async () => {
      const knex = test.database.knex();
      return {
        rows: await knex('harbour').orderBy('id').select('*'),
        pirate: await knex.schema.hasTable('pirate'),
        faults: await knex.schema.hasTable('plugin_fault'),
        steps: await knex('migration_step').pluck('step'),
      };
    };
    const whole = {
      rows: [
        { id: 1, name: 'north' },
        { id: 2, name: 'south' },
      ],
      pirate: false,
      faults: true,
      steps: [],
    };

    for (const [what, code] of Object.entries(attacks)) {
      it(`${what}: refused with its owner, and everything is as before`, async () => {
        const bad = { owner: 'pirates', folder: await folderOf({ '0001_raid': migration(own + code) }) };
        const refused = (await expect(test.database.migrate([...sources, bad])).to.reject()) as Error & {
          plugin: string;
        };
        expect(refused.plugin).to.equal('pirates');
        expect(refused.message).to.match(
          /migration pirates\/0001_raid failed: (.* - )?it (would change|drops or renames|changes) the table \w+, which belongs to (port|the kernel)\./,
        );
        expect(await state()).to.equal(whole);
        // tried again, it is refused again, and does not go on where it was stopped
        await expect(test.database.migrate([...sources, bad])).to.reject(/belongs to/);
        expect(await state()).to.equal(whole);
        expect(await test.database.pendingMigrations([...sources, bad])).to.equal(['pirates/0001_raid']);
      });
    }

    it('its own tables it may alter, rename, refer from and drop, also those whose names its code computes', async () => {
      const folder = await folderOf({
        '0001_ships': migration(
          `for (const name of ['sloop', 'brig']) await knex.schema.createTable('ship_' + name, (table) => {
             table.increments('id');
             table.integer('harbour_id').unsigned().references('id').inTable('harbour').onDelete('CASCADE');
           });`,
          `for (const name of ['sloop']) await knex.schema.dropTable('ship_' + name);`,
        ),
        '0002_refit': migration(
          `const name = 'ship_'; await knex.schema.alterTable(name + 'sloop', (table) => table.integer('harbour').nullable());
           await knex.schema.renameTable(name + 'brig', name + 'bark');
           await knex.schema.dropTable(name + 'bark');`,
        ),
      });
      const fleet = { owner: 'fleet', folder };
      expect(await test.database.migrate([...sources, fleet])).to.have.length(2);
      expect(await test.database.knex().schema.hasColumn('ship_sloop', 'harbour')).to.be.true();
      await test.database.revert(fleet, sources);
      expect(await test.database.knex().schema.hasTable('ship_sloop')).to.be.false();
      expect(await state()).to.equal(whole);
    });

    it('P1: undoing its migrations may not touch others either, and is refused by a version older than the tables', async () => {
      const folder = await folderOf({
        '0001_raid': migration(own, `await knex.raw('drop table harbour');`),
        '0002_more': migration(`await knex.schema.alterTable('pirate', (table) => table.integer('gold').nullable());`),
      });
      const newer = { owner: 'corsairs', version: '1.1.0', folder };
      const older = {
        owner: 'corsairs',
        version: '1.0.0',
        folder: await folderOf({ '0001_raid': migration(own, `await knex.schema.dropTable('pirate');`) }),
      };
      await test.database.migrate([...sources, newer]);
      await expect(test.database.revert(older, sources)).to.reject(
        /the tables are newer than the plugin corsairs 1\.0\.0/,
      );
      await expect(test.database.revert(newer, sources)).to.reject(/the table harbour, which belongs to port/);
      expect((await state()).rows).to.equal(whole.rows);
    });
  });
}

describe('P4: tables that statements of MariaDB define anew', () => {
  const cases: [sql: string, tables: string[]][] = [
    ['ALTER TABLE `issue` ADD COLUMN `a b` int', ['issue']],
    ['alter table `mortise`.`issue` rename to x', ['issue']],
    ['/* a */ drop /*! TABLE */ if exists `one`, two -- three\n', ['one', 'two']],
    ['rename table one to two, `three` to four', ['one', 'three']],
    ['select 1; truncate issue', ['issue']],
    ['create table mine (issue int references issue (id))', []],
    ['create table mine as select * from issue', []],
    ["insert into mine values ('; drop table issue; ')", []],
    ['create or replace table issue (id int)', ['issue']],
    ['create unique index i using btree on issue (title)', ['issue']],
    ['drop index i on issue', ['issue']],
    ['create trigger t after insert on issue for each row set @a = 1', ['issue']],
    ['alter table mine exchange partition p with table issue', ['mine', 'issue']],
  ];
  for (const [sql, tables] of cases) it(sql.trim(), () => void expect(definitionTargets(sql).tables).to.equal(tables));

  for (const sql of ['call clean_up()', "execute immediate 'drop table issue'", 'drop database mortise'])
    it(`nobody can look through: ${sql}`, () => void expect(definitionTargets(sql).opaque).to.exist());
});
