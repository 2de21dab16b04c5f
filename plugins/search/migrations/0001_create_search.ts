import type { Knex } from '@mortise/plugin-sdk';

const columns = ['scope', 'title_terms', 'body_terms'];
const list = columns.join(', ');
const of = (row: 'old' | 'new') => columns.map((column) => `${row}.${column}`).join(', ');
const isMySql = (knex: Knex): boolean => (knex.client as { dialect: string }).dialect === 'mysql';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('search_source', (table) => {
    table.string('kind', 40).primary();
    table.integer('version').notNullable();
    table.integer('last_id').notNullable();
    table.boolean('is_complete').notNullable();
  });
  await knex.schema.createTable('search_document', (table) => {
    table.increments('id');
    table.string('kind', 40).notNullable();
    table.integer('resource_id').notNullable();
    table.integer('repository_id').unsigned().notNullable().references('id').inTable('repository').onDelete('CASCADE');
    table.string('family', 40).notNullable();
    table.integer('subject_id').notNullable();
    table.string('scope', 120).notNullable();
    table.text('title_terms', 'longtext').notNullable();
    table.text('body_terms', 'longtext').notNullable();
    table.unique(['kind', 'resource_id']);
    table.index(['family', 'subject_id'], 'search_document_of_subject');
    table.index(['repository_id'], 'search_document_of_repository');
  });
  if (isMySql(knex)) {
    for (const column of ['title_terms', 'body_terms'])
      await knex.schema.raw(
        `alter table search_document modify ${column} longtext character set utf8mb4 collate utf8mb4_bin not null`,
      );
    await knex.schema.raw(
      'alter table search_document add fulltext index search_document_text (title_terms, body_terms)',
    );
    return;
  }
  await knex.schema.raw(
    `create virtual table search_text using fts5(${list}, content='search_document', content_rowid='id', tokenize='unicode61 remove_diacritics 0', prefix='3 4 5')`,
  );
  const forget = `insert into search_text (search_text, rowid, ${list}) values ('delete', old.id, ${of('old')});`;
  const learn = `insert into search_text (rowid, ${list}) values (new.id, ${of('new')});`;
  await knex.schema.raw(`create trigger search_document_added after insert on search_document begin ${learn} end`);
  await knex.schema.raw(`create trigger search_document_removed after delete on search_document begin ${forget} end`);
  await knex.schema.raw(
    `create trigger search_document_changed after update on search_document begin ${forget} ${learn} end`,
  );
}

export async function down(knex: Knex): Promise<void> {
  if (!isMySql(knex)) await knex.schema.raw('drop table if exists search_text');
  await knex.schema.dropTableIfExists('search_document');
  await knex.schema.dropTableIfExists('search_source');
}
