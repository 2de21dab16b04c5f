import type { Knex } from 'knex';

/** Outbox of events, jobs, schedules and locks. The table `migration` is made by the migrator itself. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('event', (table) => {
    table.bigIncrements('id');
    table.string('name', 120).notNullable();
    table.text('payload', 'longtext').notNullable();
    table.bigInteger('emitted_at').notNullable().index();
  });
  // One row while a subscriber still has to get an event: a queue for each subscriber.
  await knex.schema.createTable('event_delivery', (table) => {
    table.string('subscriber', 160).notNullable();
    table.bigInteger('event_id').unsigned().notNullable().references('id').inTable('event').onDelete('CASCADE');
    table.integer('attempts').notNullable().defaultTo(0);
    table.bigInteger('run_at').notNullable().defaultTo(0);
    table.boolean('parked').notNullable().defaultTo(false);
    table.text('error');
    table.primary(['subscriber', 'event_id']);
    table.index(['parked', 'subscriber', 'event_id']);
    table.index('event_id');
  });
  await knex.schema.createTable('event_subscriber', (table) => {
    table.string('subscriber', 160).primary();
    table.string('lease_owner', 60);
    table.bigInteger('lease_until').notNullable().defaultTo(0);
  });
  await knex.schema.createTable('job', (table) => {
    table.bigIncrements('id');
    table.string('name', 120).notNullable();
    table.text('payload', 'longtext').notNullable();
    table.string('state', 10).notNullable();
    // Lowest first: the negated priority, so that one index serves the order of claiming.
    table.integer('rank').notNullable().defaultTo(0);
    table.bigInteger('run_at').notNullable();
    table.integer('attempts').notNullable().defaultTo(0);
    table.string('unique_key', 64).unique();
    table.string('lease_owner', 60);
    table.bigInteger('lease_until');
    table.bigInteger('created_at').notNullable();
    table.bigInteger('ended_at');
    table.integer('progress_done');
    table.integer('progress_total');
    table.string('progress_text', 250);
    table.text('error');
    table.index(['state', 'rank', 'run_at']);
    table.index(['state', 'run_at']);
    table.index(['state', 'lease_until']);
    table.index(['state', 'ended_at']);
  });
  await knex.schema.createTable('schedule', (table) => {
    table.string('name', 160).primary();
    table.string('cron', 120).notNullable();
    table.bigInteger('next_at').notNullable();
  });
  await knex.schema.createTable('lock', (table) => {
    table.string('name', 180).primary();
    table.string('owner', 60).notNullable();
    table.bigInteger('held_until').notNullable();
  });
}

export async function down(knex: Knex): Promise<void> {
  for (const table of ['lock', 'schedule', 'job', 'event_subscriber', 'event_delivery', 'event'])
    await knex.schema.dropTableIfExists(table);
}
