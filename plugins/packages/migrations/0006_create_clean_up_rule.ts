import type { Knex } from '@mortise/plugin-sdk';

/** Which versions of an owner's packages the nightly clean-up removes. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('package_clean_up_rule', (table) => {
    table.increments('id');
    table.integer('owner_id').unsigned().notNullable();
    table.string('type', 32).notNullable();
    table.boolean('is_enabled').notNullable();
    table.integer('keep_count').notNullable();
    table.string('keep_pattern', 255).notNullable();
    table.integer('remove_days').notNullable();
    table.string('remove_pattern', 255).notNullable();
    table.boolean('match_full_name').notNullable();
    table.unique(['owner_id', 'type']);
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTableIfExists('package_clean_up_rule');
}
