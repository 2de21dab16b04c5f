import type { Knex } from '@mortise/plugin-sdk';

/** The newest documents are looked through where a word is frequent; these indexes end with the id, on both engines. */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('search_document', (table) => {
    table.index(['family'], 'search_document_of_family');
    table.index(['repository_id', 'family'], 'search_document_of_place');
  });
  // the one with the family begins in the same way
  await knex.schema.alterTable('search_document', (table) => {
    table.dropIndex(['repository_id'], 'search_document_of_repository');
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.alterTable('search_document', (table) => {
    table.index(['repository_id'], 'search_document_of_repository');
  });
  await knex.schema.alterTable('search_document', (table) => {
    table.dropIndex(['repository_id', 'family'], 'search_document_of_place');
    table.dropIndex(['family'], 'search_document_of_family');
  });
}
