import type { Knex } from '@mortise/plugin-sdk';

/** Names become free with their accounts, and then belong to others; ids do not. */
export async function up(knex: Knex): Promise<void> {
  if (!(await knex.schema.hasTable('action_served_owner')))
    await knex.schema.createTable('action_served_owner', (table) => {
      // 0: every repository
      table.integer('owner_id').unsigned().notNullable().primary();
      table.bigInteger('started_at').notNullable();
    });
  const old = (await knex('action_own_runner').first()) as { serves: string; started_at: number } | undefined;
  const names = old ? (JSON.parse(old.serves) as string[]).map((name) => name.toLowerCase()) : [];
  const known = names.includes('all')
    ? [{ id: 0 }]
    : ((await knex('user').select('id').whereIn('lower_name', names)) as { id: number }[]);
  await knex('action_served_owner').delete();
  for (const { id } of known) await knex('action_served_owner').insert({ owner_id: id, started_at: old?.started_at });
  await knex.schema.dropTable('action_own_runner');
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.createTable('action_own_runner', (table) => {
    table.integer('id').unsigned().notNullable().primary();
    table.text('serves').notNullable();
    table.bigInteger('started_at').notNullable();
  });
  await knex.schema.dropTableIfExists('action_served_owner');
}
