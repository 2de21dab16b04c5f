import type { Knex } from '@mortise/plugin-sdk';

const isMySql = (knex: Knex): boolean => (knex.client as { dialect: string }).dialect === 'mysql';

/** Threads about things outside of repositories, such as the project boards of an organization. */
export async function up(knex: Knex): Promise<void> {
  await requireRepository(knex, false);
}

/** Without those threads: there is no room for them. */
export async function down(knex: Knex): Promise<void> {
  await knex('notification').whereNull('repository_id').delete();
  await requireRepository(knex, true);
}

/** Knex forgets on MySQL that the column is unsigned, which its foreign key needs. */
async function requireRepository(knex: Knex, isRequired: boolean): Promise<void> {
  if (isMySql(knex))
    await knex.raw(`alter table notification modify repository_id int unsigned ${isRequired ? 'not null' : 'null'}`);
  else
    await knex.schema.alterTable('notification', (table) => {
      if (isRequired) table.dropNullable('repository_id');
      else table.setNullable('repository_id');
    });
}
