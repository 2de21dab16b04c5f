import type { Knex } from '@mortise/plugin-sdk';

/**
 * Several accounts may claim an address, one holds it: the unique column is filled only where the address is in use. Of
 * addresses that are confirmed already nobody knows whether a mail was answered or an administrator typed them.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('email_address', (table) => {
    table.boolean('is_proven').notNullable().defaultTo(false);
    table.string('reserved_email', 255).nullable();
    table.dropUnique(['lower_email']);
  });
  const waiting = knex('user').select('id').where({ is_active: false, last_login_at: 0 });
  await knex('email_address')
    .whereIn('user_id', waiting)
    .where({ is_primary: true, is_confirmed: false })
    .update({ is_verified: false });
  await knex('email_address')
    .where('is_verified', true)
    .update({ reserved_email: knex.ref('lower_email') });
  await knex.schema.alterTable('email_address', (table) => {
    table.unique(['reserved_email']);
    table.unique(['lower_email', 'user_id']);
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.alterTable('email_address', (table) => {
    table.dropUnique(['lower_email', 'user_id']);
    table.dropUnique(['reserved_email']);
    table.unique(['lower_email']);
  });
  await knex.schema.alterTable('email_address', (table) => {
    table.dropColumn('reserved_email');
    table.dropColumn('is_proven');
  });
}
