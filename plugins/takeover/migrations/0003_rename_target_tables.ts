import type { Knex } from '@mortise/plugin-sdk';

/** Tables that other plugins have renamed, with the mappings whose rows name them as targets. */
const renamed = [
  ['notifications.mail_choices', 'notification_choice', 'notification_mail_choice'],
  ['actions.runners', 'action_runner_use', 'action_runner_activity'],
  ['actions.disabled_workflows', 'action_workflow_switch', 'action_disabled_workflow'],
] as const;

/** So that the next pass still reaches what an earlier one wrote to these tables. */
export async function up(knex: Knex): Promise<void> {
  for (const [mapping, before, after] of renamed) await rename(knex, mapping, before, after);
}

export async function down(knex: Knex): Promise<void> {
  for (const [mapping, before, after] of renamed) await rename(knex, mapping, after, before);
}

async function rename(knex: Knex, mapping: string, from: string, to: string): Promise<void> {
  const table = (name: string) => JSON.stringify({ table: name }).slice(1, -1);
  await knex('takeover_row')
    .where('kind', mapping)
    .update({ targets: knex.raw('replace(??, ?, ?)', ['targets', table(from), table(to)]) });
}
