import type { Knex } from '@mortise/plugin-sdk';

/** Entries about commits have the repository of the commit as their subject, so that what may not be seen is not counted. */
export async function up(knex: Knex): Promise<void> {
  await knex('timeline_entry')
    .where({ kind: 'commit_ref' })
    .update({ subject_id: knex.raw("coalesce(json_extract(data, '$.repositoryId'), 0)") });
}

export async function down(knex: Knex): Promise<void> {
  await knex('timeline_entry').where({ kind: 'commit_ref' }).update({ subject_id: 0 });
}
