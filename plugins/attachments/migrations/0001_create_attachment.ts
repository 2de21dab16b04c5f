import { adoptState, type Knex } from '@mortise/plugin-sdk';

const same = 'id repository_id uploader_id uuid name size sha256 external_url download_count created_at'.split(' ');

/** Until `attachments` was split from `releases`, files of releases were in a table of that one: they move here. */
export async function up(knex: Knex): Promise<void> {
  await adoptState(knex, {
    jobs: { 'releases.removeFiles': 'attachments.removeContents' },
  });
  await knex.schema.createTable('attachment', (table) => {
    table.increments('id');
    // What it belongs to: a kind, as plugins contribute them, and the number of one of that kind.
    table.string('kind', 32).notNullable();
    table.integer('owner_id').unsigned().notNullable();
    table.integer('repository_id').unsigned().notNullable().references('id').inTable('repository').onDelete('CASCADE');
    table.integer('uploader_id').notNullable();
    table.string('uuid', 36).notNullable().unique();
    table.string('name', 255).notNullable();
    table.bigInteger('size').notNullable();
    table.string('sha256', 64).notNullable();
    table.text('external_url').notNullable();
    table.integer('download_count').notNullable().defaultTo(0);
    table.bigInteger('created_at').notNullable();
    table.index(['kind', 'owner_id', 'id']);
    table.index(['repository_id']);
  });
  if (!(await knex.schema.hasTable('release_asset'))) return;
  await knex
    .into(
      knex.raw(`?? (${['kind', 'owner_id', ...same].map(() => '??').join(', ')})`, [
        'attachment',
        'kind',
        'owner_id',
        ...same,
      ]),
    )
    .insert(
      knex('release_asset')
        .whereIn('repository_id', knex('repository').select('id'))
        .select(knex.raw('?', ['releases']), 'release_id', ...same),
    );
  await knex.schema.dropTable('release_asset');
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTableIfExists('attachment');
}
