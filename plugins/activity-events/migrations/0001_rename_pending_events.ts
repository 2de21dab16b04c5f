import { adoptState, type Knex } from '@mortise/plugin-sdk';

/** The plugin was called `announcements` until 1.1: what waits in the outbox is renamed, so that its subscribers hear it. */
export async function up(knex: Knex): Promise<void> {
  const from = 'announcements.announced';
  await knex('event')
    .where({ name: from })
    .update({ payload: knex.raw('REPLACE(payload, ?, ?)', ['{"announcements":', '{"activityEvents":']) });
  await adoptState(knex, { events: { [from]: 'activity-events.recorded' } });
}

/** Nothing to take back: there are no tables. */
export const down = (): Promise<void> => Promise.resolve();
