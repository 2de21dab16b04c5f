import type { Knex } from 'knex';

/** Names that the kernel stores in its tables, old → new, in full. */
interface AdoptedNames {
  /** Durable subscribers, `plugin/id`. */
  readonly subscribers?: Readonly<Record<string, string>>;
  /** Ids of events. */
  readonly events?: Readonly<Record<string, string>>;
  /** Ids of jobs. */
  readonly jobs?: Readonly<Record<string, string>>;
  /** Schedules, `plugin/id`. */
  readonly schedules?: Readonly<Record<string, string>>;
  /** Migrations, `plugin/NNNN_name`, of a plugin that no longer exists: their tables belong to this one now. */
  readonly migrations?: readonly string[];
}

/**
 * For the first migration of a plugin that was split from another one or renamed: undelivered events, waiting jobs and
 * times of schedules are moved from the old names to the new ones. Does nothing on a fresh database.
 */
export async function adoptState(knex: Knex, names: AdoptedNames): Promise<void> {
  const entries = (of: Readonly<Record<string, string>> | undefined) => Object.entries(of ?? {});
  for (const [from, to] of entries(names.subscribers)) {
    if (!(await knex('event_subscriber').where({ subscriber: from }).first())) continue;
    await knex('event_subscriber').insert({ subscriber: to, lease_until: 0 }).onConflict('subscriber').ignore();
    await knex('event_delivery').where({ subscriber: from }).update({ subscriber: to });
    await knex('event_subscriber').where({ subscriber: from }).delete();
  }
  for (const [from, to] of entries(names.events)) await knex('event').where({ name: from }).update({ name: to });
  for (const [from, to] of entries(names.jobs)) await knex('job').where({ name: from }).update({ name: to });
  for (const migration of names.migrations ?? []) {
    const [owner = '', name = ''] = migration.split('/');
    await knex('migration').where({ owner, name }).delete();
  }
  for (const [from, to] of entries(names.schedules)) {
    if (!(await knex('schedule').where({ name: to }).first()))
      await knex('schedule').where({ name: from }).update({ name: to });
    await knex('schedule').where({ name: from }).delete();
  }
}
