import type { Knex } from 'knex';

/** Where a repository was moved to, for nodes whose network file system still remembers the link that was there before. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('git_generation', (table) => {
    table.string('place', 100);
    /** Milliseconds since 1970 UTC. */
    table.bigInteger('placed_at');
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.alterTable('git_generation', (table) => {
    table.dropColumn('place');
    table.dropColumn('placed_at');
  });
}
