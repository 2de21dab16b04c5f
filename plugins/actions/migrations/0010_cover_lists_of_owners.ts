import type { Knex } from '@mortise/plugin-sdk';

const tables = [
  ['action_run', 'action_run_of_owner'],
  ['action_job', 'action_job_of_owner'],
] as const;
const covering = ['owner_id', 'id', 'repository_id'];

async function replace(knex: Knex, columns: readonly [string[], string[]], names: (old: string) => [string, string]) {
  for (const [table, old] of tables) {
    const [made, dropped] = names(old);
    await knex.schema.alterTable(table, (one) => void one.index(columns[0], made));
    await knex.schema.alterTable(table, (one) => void one.dropIndex(columns[1], dropped));
  }
}

/** Those of an owner, without the ones of hidden repositories, are listed and counted in the index alone. */
export async function up(knex: Knex): Promise<void> {
  await replace(knex, [covering, ['owner_id', 'id']], (old) => [`${old}_covering`, old]);
  // somebody has counted rows for the planner of SQLite: it knows nothing of new indexes then, and likes them too much
  if (await knex.schema.hasTable('sqlite_stat1')) for (const [table] of tables) await knex.raw(`analyze ${table}`);
}

export async function down(knex: Knex): Promise<void> {
  await replace(knex, [['owner_id', 'id'], covering], (old) => [old, `${old}_covering`]);
}
