import type { Knex } from '@mortise/plugin-sdk';

/** Who was invited to a team by mail. Of the link's secret only what it hashes to is kept. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('team_invitation', (table) => {
    const of = (column: string, other: string) =>
      table.integer(column).unsigned().notNullable().references('id').inTable(other).onDelete('CASCADE');
    table.increments('id');
    of('team_id', 'team');
    of('inviter_id', 'user');
    table.string('email', 254).notNullable();
    table.string('lower_email', 254).notNullable();
    table.string('token_hash', 64).notNullable().unique();
    table.bigInteger('created_at').notNullable();
    table.bigInteger('expires_at').notNullable();
    table.unique(['team_id', 'lower_email']);
    table.index(['inviter_id']);
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTableIfExists('team_invitation');
}
