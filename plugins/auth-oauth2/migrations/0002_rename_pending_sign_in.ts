import type { Knex } from '@mortise/plugin-sdk';

/** Its rows are sign-ins that wait for an account to be chosen or made. */
export async function up(knex: Knex): Promise<void> {
  await rename(knex, 'oauth2_arrival', 'oauth2_pending_sign_in');
}

export async function down(knex: Knex): Promise<void> {
  await rename(knex, 'oauth2_pending_sign_in', 'oauth2_arrival');
}

/** Does nothing where a migration that was interrupted has done it. */
async function rename(knex: Knex, from: string, to: string): Promise<void> {
  if (await knex.schema.hasTable(from)) await knex.schema.renameTable(from, to);
}
