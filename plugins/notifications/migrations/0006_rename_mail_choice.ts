import type { Knex } from '@mortise/plugin-sdk';

/** Its rows are what accounts chose for mail. */
export async function up(knex: Knex): Promise<void> {
  await rename(knex, 'notification_choice', 'notification_mail_choice');
}

export async function down(knex: Knex): Promise<void> {
  await rename(knex, 'notification_mail_choice', 'notification_choice');
}

/** Does nothing where a migration that was interrupted has done it. */
async function rename(knex: Knex, from: string, to: string): Promise<void> {
  if (await knex.schema.hasTable(from)) await knex.schema.renameTable(from, to);
}
