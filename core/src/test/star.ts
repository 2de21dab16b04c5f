import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { BaseModel } from '@mortise/plugin-sdk';

/** What the tests of the database store. */
export class Star extends BaseModel {
  static override tableName = 'star';
  static override booleans = ['is_private'];
  static override json = ['topics'];
  declare id: number;
  declare name: string;
  declare is_private: boolean;
  declare topics: string[];
  declare made_at: number;
  declare count: number;
}

const makeStar = `
export async function up(knex) {
  await knex.schema.createTable('star', (table) => {
    table.increments('id');
    table.string('name', 100).notNullable().unique();
    table.boolean('is_private').notNullable().defaultTo(false);
    table.text('topics');
    table.bigInteger('made_at').notNullable().defaultTo(0);
    table.integer('count').notNullable().defaultTo(0);
  });
}
export async function down(knex) { await knex.schema.dropTable('star'); }
`;

/** The migration that makes its table, in a folder of its own. */
export async function starMigrations() {
  const folder = await mkdtemp(join(tmpdir(), 'mortise-migrations-'));
  await writeFile(join(folder, '0001_star.js'), makeStar);
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  return {
    sources: [{ owner: 'stars', folder: pathToFileURL(`${folder}/`) }],
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
