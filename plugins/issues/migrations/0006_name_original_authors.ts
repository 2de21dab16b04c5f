import type { Knex } from '@mortise/plugin-sdk';

/** What was imported names who wrote it at the source; of reactions, two of the same kind may be by two who have no account here. */
export async function up(knex: Knex): Promise<void> {
  for (const name of ['issue', 'timeline_entry'])
    await knex.schema.alterTable(name, (table) => {
      table.string('original_author', 255).notNullable().defaultTo('');
      table.bigInteger('original_author_id').notNullable().defaultTo(0);
    });
  await knex.schema.alterTable('reaction', (table) => {
    table.string('original_author', 255).notNullable().defaultTo('');
  });
  await knex.schema.alterTable('reaction', (table) => {
    table.unique(['issue_id', 'entry_id', 'user_id', 'content', 'original_author'], {
      indexName: 'reaction_of_author',
    });
  });
  await knex.schema.alterTable('reaction', (table) => {
    table.dropUnique(['issue_id', 'entry_id', 'user_id', 'content']);
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex('reaction').whereNot('original_author', '').delete();
  await knex.schema.alterTable('reaction', (table) => {
    table.unique(['issue_id', 'entry_id', 'user_id', 'content']);
  });
  await knex.schema.alterTable('reaction', (table) => {
    table.dropUnique(['issue_id', 'entry_id', 'user_id', 'content', 'original_author'], 'reaction_of_author');
  });
  await knex.schema.alterTable('reaction', (table) => table.dropColumn('original_author'));
  for (const name of ['issue', 'timeline_entry'])
    await knex.schema.alterTable(name, (table) => table.dropColumns('original_author', 'original_author_id'));
}
