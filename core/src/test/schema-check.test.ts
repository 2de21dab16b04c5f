import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import type { MigrationSource } from '../contracts.js';
import { findSchemaProblems } from '../database/schema-check.js';
import { engines, kernelSource, type TestDatabase } from './data-kit.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const harbour = `await knex.schema.createTable('harbour', (table) => void table.increments('id'));`;
const drop = `await knex.schema.dropTable('star');`;

for (const engine of engines) {
  describe(`P4: missing tables are found whatever a pending migration would do, on ${engine.name}`, () => {
    let test: TestDatabase;
    const folders: string[] = [];
    const sourceOf = async (owner: string, migrations: Readonly<Record<string, string>>): Promise<MigrationSource> => {
      const folder = await mkdtemp(join(tmpdir(), 'mortise-schema-'));
      folders.push(folder);
      await writeFile(join(folder, 'package.json'), '{"type":"module"}');
      for (const [name, up] of Object.entries(migrations))
        await writeFile(join(folder, `${name}.js`), `export async function up(knex) { ${up} }`);
      return { owner, folder: pathToFileURL(`${folder}/`) };
    };
    let kernel: MigrationSource;
    before(async () => {
      test = await engine.open();
      kernel = { ...kernelSource[0]!, isBuiltIn: true };
    });
    after(async () => {
      await test.close();
      for (const folder of folders) await rm(folder, { recursive: true, force: true });
    });

    it('a plugin of which nothing was applied has no faults, and its migrations are not run', async () => {
      const raid = await sourceOf('raid', { '0001_raid': drop });
      expect(await findSchemaProblems(test.database, [raid, kernel], new Set(['raid']))).to.equal([]);
      expect(await findSchemaProblems(test.database, [raid, kernel])).to.equal([]);
    });

    it('a pending migration that fails hides no table that is missing', async () => {
      await test.database.migrate([kernel, await sourceOf('port', { '0001_harbour': harbour })]);
      const upgraded = await sourceOf('port', { '0001_harbour': harbour, '0002_raid': drop });
      expect(await findSchemaProblems(test.database, [kernel, upgraded])).to.equal([]);
      await test.database.write(async () => test.database.knex().schema.dropTable('harbour'));
      expect(await findSchemaProblems(test.database, [kernel, upgraded])).to.equal([
        {
          owner: 'port',
          text: 'the table harbour, which the migration port/0001_harbour made, is missing',
          isForgettable: true,
        },
      ]);
    });
  });
}
