import type { Knex } from '@mortise/plugin-sdk';

/** Jobs that wait name what they deliver an activity event, as the plugin that records them does now. */
export async function up(knex: Knex): Promise<void> {
  await knex('job')
    .where({ name: 'webhooks.hear' })
    .update({ payload: knex.raw('REPLACE(payload, ?, ?)', ['{"announcement":', '{"activityEvent":']) });
}

export async function down(knex: Knex): Promise<void> {
  await knex('job')
    .where({ name: 'webhooks.hear' })
    .update({ payload: knex.raw('REPLACE(payload, ?, ?)', ['{"activityEvent":', '{"announcement":']) });
}
