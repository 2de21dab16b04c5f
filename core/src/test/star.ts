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

/** A migration that makes its table. */
export const makeStar = `
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
