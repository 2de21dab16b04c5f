import type { Knex } from '@mortise/plugin-sdk';

const renamed = [
  ['action_runner_use', 'action_runner_activity'],
  ['action_workflow_switch', 'action_disabled_workflow'],
] as const;

/** Their rows are when runners were last heard of, and workflows that are switched off. */
export async function up(knex: Knex): Promise<void> {
  for (const [before, after] of renamed) await rename(knex, before, after);
}

export async function down(knex: Knex): Promise<void> {
  for (const [before, after] of renamed) await rename(knex, after, before);
}

/** Does nothing where a migration that was interrupted has done it. */
async function rename(knex: Knex, from: string, to: string): Promise<void> {
  if (await knex.schema.hasTable(from)) await knex.schema.renameTable(from, to);
}
