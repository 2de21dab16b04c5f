import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import { engines, type TestDatabase } from './data-kit.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

/** Changes of tables and rows in turn; the statement of the given number fails, after those before were made. */
const steps = `
let left = Infinity;
export const failAt = (number) => void (left = number);
const step = async (work) => {
  if (left-- === 0) throw new Error('the power is gone');
  return work();
};
export async function up(knex) {
  await step(() => knex.schema.createTable('mast', (table) => {
    table.increments('id');
    table.string('name', 50).notNullable().unique();
  }));
  await step(() => knex('mast').insert([{ name: 'fore' }, { name: 'main' }]));
  await step(() => knex.schema.createTable('sail', (table) => {
    table.increments('id');
    table.integer('mast_id').unsigned().notNullable().references('id').inTable('mast').onDelete('CASCADE');
    table.index('mast_id');
  }));
  await step(() => knex('mast').insert({ name: 'mizzen' }));
  await step(() => knex.raw('insert into sail (mast_id) select id from mast'));
  await step(() => knex.schema.alterTable('sail', (table) => table.integer('area').notNullable().defaultTo(1)));
  await step(() => knex('sail').update({ area: knex.raw('area * 2') }));
  await step(() => undefined);
}
export async function down(knex) {
  await step(() => knex.schema.dropTable('sail'));
  await step(() => knex.schema.dropTable('mast'));
}`;
const numberOfSteps = 8;

for (const engine of engines) {
  describe(`F10: migrations on ${engine.name}`, () => {
    let test: TestDatabase;
    let folders: string[] = [];
    before(async () => {
      test = await engine.open();
    });
    after(async () => {
      await test.close();
      for (const folder of folders) await rm(folder, { recursive: true, force: true });
      folders = [];
    });

    async function folderOf(files: Readonly<Record<string, string>>): Promise<URL> {
      const folder = await mkdtemp(join(tmpdir(), 'mortise-migrations-'));
      folders.push(folder);
      await writeFile(join(folder, 'package.json'), '{"type":"module"}');
      for (const [name, text] of Object.entries(files)) await writeFile(join(folder, `${name}.js`), text);
      return pathToFileURL(`${folder}/`);
    }

    it('one that failed at any step is made whole by the next start, and undone likewise', async () => {
      const { database } = test;
      const folder = await folderOf({ '0001_rig': steps });
      const sources = [{ owner: 'rig', folder }];
      const { failAt } = (await import(new URL('0001_rig.js', folder).href)) as { failAt(number: number): void };
      const areas = () => database.knex()('sail').orderBy('id').pluck<number[]>('area');
      for (let at = 0; at < numberOfSteps; at++) {
        failAt(at);
        await expect(database.migrate(sources)).to.reject('migration rig/0001_rig failed: the power is gone');
        expect(await database.pendingMigrations(sources)).to.equal(['rig/0001_rig']);
        failAt(Infinity);
        expect(await database.migrate(sources), `after failing at ${at}`).to.equal(['rig/0001_rig']);
        expect(await areas(), `after failing at ${at}`).to.equal([2, 2, 2]);
        expect(await database.knex()('mast').orderBy('id').pluck('name')).to.equal(['fore', 'main', 'mizzen']);
        expect(await database.knex()('migration_step').pluck('step')).to.equal([]);
        failAt(1);
        await expect(database.revert(sources[0]!)).to.reject('the power is gone');
        failAt(Infinity);
        await database.revert(sources[0]!);
        expect(await database.knex().schema.hasTable('mast')).to.be.false();
      }
    });

    it('takes a change as made when the process died before it could write that down', async () => {
      const { database } = test;
      const sources = [{ owner: 'rope', folder: await folderOf({ '0001_rope': ropes }) }];
      if (database.engine === 'mysql') {
        // What such a death leaves: the migration has begun, and the table is there.
        await database.write(async () => {
          await database.knex()('migration_step').insert({ migration: 'rope/0001_rope', step: '' });
          await database.knex().schema.createTable('rope', (table) => void table.increments('id'));
        });
      }
      expect(await database.migrate(sources)).to.equal(['rope/0001_rope']);
      expect(await database.knex()('rope').pluck('id')).to.equal([]);
    });

    it('refuses tables that are newer than the plugin, and names it and both versions', async () => {
      const { database } = test;
      const newer = { owner: 'hull', version: '1.4.0', folder: await folderOf({ '0001_a': empty, '0002_b': empty }) };
      const older = { owner: 'hull', version: '1.3.0', folder: await folderOf({ '0001_a': empty }) };
      await database.migrate([newer]);
      const refused = (await expect(database.migrate([older])).to.reject()) as Error & { plugin: string };
      expect(refused.message).to.equal(
        'the tables are newer than the plugin hull 1.3.0: version 1.4.0 applied hull/0002_b, which this version does not ' +
          'know. Install version 1.4.0 or a later one, or restore a back-up from before it',
      );
      expect(refused.plugin).to.equal('hull');
      await database.migrate([newer]);
      // Tables of a plugin that is not there are nobody's business.
      await database.migrate([]);
    });
  });
}

const ropes = `
export async function up(knex) {
  await knex.schema.createTable('rope', (table) => void table.increments('id'));
}
export async function down() {}`;
const empty = `
export async function up() {}
export async function down() {}`;
