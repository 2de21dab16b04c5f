import type { Knex } from '@mortise/plugin-sdk';

const isMySql = (knex: Knex): boolean => (knex.client as { dialect: string }).dialect === 'mysql';

/** Entries about what an account owns without a repository, such as its project boards. */
export async function up(knex: Knex): Promise<void> {
  await requireRepository(knex, false);
  await knex.schema.alterTable('activity', (table) => {
    table.integer('owner_id').unsigned().nullable().references('id').inTable('user').onDelete('CASCADE');
    table.index(['owner_id', 'created_at', 'id'], 'activity_of_owner');
  });
  // As the number of the repository, which is 0 there: repeats what feeds are filtered by.
  await knex.schema.alterTable('activity_receiver', (table) => {
    table.integer('owner_id').unsigned().notNullable().defaultTo(0);
    table.index(['user_id', 'owner_id'], 'activity_receiver_owner');
    table.index(['owner_id'], 'activity_receiver_of_owner');
  });
}

/** Without accounts there is no room for their entries. */
export async function down(knex: Knex): Promise<void> {
  await knex('activity_receiver').where('repository_id', 0).delete();
  await knex('activity').whereNull('repository_id').delete();
  await knex.schema.alterTable('activity_receiver', (table) => {
    table.dropIndex([], 'activity_receiver_owner');
    table.dropIndex([], 'activity_receiver_of_owner');
  });
  await knex.schema.alterTable('activity_receiver', (table) => table.dropColumn('owner_id'));
  await knex.schema.alterTable('activity', (table) => table.dropForeign('owner_id'));
  await knex.schema.alterTable('activity', (table) => table.dropIndex([], 'activity_of_owner'));
  await knex.schema.alterTable('activity', (table) => table.dropColumn('owner_id'));
  await requireRepository(knex, true);
}

/** Knex forgets on MySQL that the column is unsigned, which its foreign key needs. */
async function requireRepository(knex: Knex, isRequired: boolean): Promise<void> {
  if (isMySql(knex))
    await knex.raw(`alter table activity modify repository_id int unsigned ${isRequired ? 'not null' : 'null'}`);
  else
    await knex.schema.alterTable('activity', (table) => {
      if (isRequired) table.dropNullable('repository_id');
      else table.setNullable('repository_id');
    });
}
