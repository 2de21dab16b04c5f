import type { Knex } from '@mortise/plugin-sdk';

/** Stars of repositories that everybody may see: only these are counted for others. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('star', (table) => {
    table.boolean('is_public').notNullable().defaultTo(false);
  });
  const open = knex('repository').select('id').where({ is_private: false, owner_visibility: 'public' });
  await knex('star').whereIn('repository_id', open).update({ is_public: true });
  const counted = knex('star').count('*').where('is_public', true).whereRaw('?? = ??', ['star.user_id', 'user.id']);
  await knex('user')
    .whereIn('id', knex('star').select('user_id').where('is_public', true))
    .update({ public_starred_count: counted as unknown as number });
}

export async function down(knex: Knex): Promise<void> {
  await knex('user').update({ public_starred_count: 0 });
  await knex.schema.alterTable('star', (table) => {
    table.dropColumn('is_public');
  });
}
