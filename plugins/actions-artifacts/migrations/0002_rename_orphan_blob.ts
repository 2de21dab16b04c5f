import type { Knex } from '@mortise/plugin-sdk';

/** Its rows are stored blobs that nothing refers to any more. */
export async function up(knex: Knex): Promise<void> {
  await rename(knex, 'action_leftover', 'action_orphan_blob');
}

export async function down(knex: Knex): Promise<void> {
  await rename(knex, 'action_orphan_blob', 'action_leftover');
}

/** Does nothing where a migration that was interrupted has done it. */
async function rename(knex: Knex, from: string, to: string): Promise<void> {
  if (await knex.schema.hasTable(from)) await knex.schema.renameTable(from, to);
}
