import type { Knex } from '@mortise/plugin-sdk';

/** Its rows are subscriptions of accounts to boards. */
export async function up(knex: Knex): Promise<void> {
  await rename(knex, 'project_follower', 'project_subscription');
}

export async function down(knex: Knex): Promise<void> {
  await rename(knex, 'project_subscription', 'project_follower');
}

/** Does nothing where a migration that was interrupted has done it. */
async function rename(knex: Knex, from: string, to: string): Promise<void> {
  if (await knex.schema.hasTable(from)) await knex.schema.renameTable(from, to);
}
