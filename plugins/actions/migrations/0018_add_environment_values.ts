import type { Knex } from '@mortise/plugin-sdk';

const tables = ['action_secret', 'action_variable'] as const;

export async function up(knex: Knex): Promise<void> {
  for (const name of tables)
    await knex.schema.alterTable(name, (table) => {
      // 0: of all jobs of the scope
      table.integer('environment_id').unsigned().notNullable().defaultTo(0);
      table.dropUnique(['owner_id', 'repository_id', 'name'], `${name}_by_name`);
      table.unique(['owner_id', 'repository_id', 'environment_id', 'name'], { indexName: `${name}_in_scope` });
      table.index(['environment_id'], `${name}_of_environment`);
    });
}

export async function down(knex: Knex): Promise<void> {
  for (const name of tables) {
    await knex(name).delete().where('environment_id', '>', 0);
    await knex.schema.alterTable(name, (table) => {
      table.dropIndex(['environment_id'], `${name}_of_environment`);
      table.dropUnique(['owner_id', 'repository_id', 'environment_id', 'name'], `${name}_in_scope`);
      table.dropColumn('environment_id');
      table.unique(['owner_id', 'repository_id', 'name'], { indexName: `${name}_by_name` });
    });
  }
}
