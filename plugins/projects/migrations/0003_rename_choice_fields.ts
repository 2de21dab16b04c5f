import type { Knex } from '@mortise/plugin-sdk';

/** The kind `choice` has the name that other hosts give it: `single_select`. */
export async function up(knex: Knex): Promise<void> {
  await knex('project_field').where('kind', 'choice').update({ kind: 'single_select' });
}

export async function down(knex: Knex): Promise<void> {
  await knex('project_field').where('kind', 'single_select').update({ kind: 'choice' });
}
