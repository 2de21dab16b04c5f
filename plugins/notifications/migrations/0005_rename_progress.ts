import type { Knex } from '@mortise/plugin-sdk';

/** The former names, `notification_told (what, told_at)`, did not say what the table holds. */
export async function up(knex: Knex): Promise<void> {
  await rename(knex, 'notification_told', 'notification_progress', { what: 'event_key', told_at: 'updated_at' });
}

export async function down(knex: Knex): Promise<void> {
  await rename(knex, 'notification_progress', 'notification_told', { event_key: 'what', updated_at: 'told_at' });
}

async function rename(knex: Knex, from: string, to: string, columns: Record<string, string>): Promise<void> {
  if (await knex.schema.hasTable(from)) await knex.schema.renameTable(from, to);
  for (const [old, name] of Object.entries(columns))
    if (await knex.schema.hasColumn(to, old))
      await knex.schema.alterTable(to, (table) => table.renameColumn(old, name));
}
