import { adoptState, type Knex } from '@mortise/plugin-sdk';

/** Until `git-hooks` was split from `repositories`, that one made the table: a database of that time has it. */
export async function up(knex: Knex): Promise<void> {
  await adoptState(knex, { subscribers: { 'repositories/git-hooks': 'git-hooks/post-receive' } });
  if (await knex.schema.hasTable('git_hook')) return;
  await knex.schema.createTable('git_hook', (table) => {
    table.increments('id');
    table.integer('repository_id').unsigned().notNullable().references('id').inTable('repository').onDelete('CASCADE');
    table.string('name', 32).notNullable();
    table.text('content', 'mediumtext').notNullable();
    table.unique(['repository_id', 'name']);
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTableIfExists('git_hook');
}
