import type { Knex } from '@mortise/plugin-sdk';

const isMySql = (knex: Knex): boolean => (knex.client as { dialect: string }).dialect === 'mysql';

/** A `text` of MariaDB and MySQL has 65,535 bytes; descriptions have up to 100,000 characters. */
export async function up(knex: Knex): Promise<void> {
  if (isMySql(knex)) await knex.raw('alter table project modify description mediumtext not null');
}

/** The wider column holds all that the narrower one held. */
export async function down(): Promise<void> {}
