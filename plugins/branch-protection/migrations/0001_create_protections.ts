import type { Knex } from '@mortise/plugin-sdk';

export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('branch_protection', (table) => {
    table.increments('id');
    table.integer('repository_id').unsigned().notNullable().references('id').inTable('repository').onDelete('CASCADE');
    table.string('rule_name', 191).notNullable();
    table.integer('priority').notNullable();
    for (const flag of [
      'enable_push',
      'enable_push_allowlist',
      'push_deploy_keys',
      'enable_force_push',
      'enable_force_push_allowlist',
      'force_push_deploy_keys',
      'enable_merge_allowlist',
      'enable_approvals_allowlist',
      'enable_bypass_allowlist',
      'block_on_rejected_reviews',
      'block_on_official_review_requests',
      'block_on_codeowner_reviews',
      'block_on_outdated_branch',
      'dismiss_stale_approvals',
      'ignore_stale_approvals',
      'enable_status_check',
      'require_signed_commits',
      'block_admin_merge_override',
    ])
      table.boolean(flag).notNullable().defaultTo(false);
    for (const list of ['push_list', 'force_push_list', 'merge_list', 'approvals_list', 'bypass_list'])
      table.text(list).notNullable();
    table.integer('required_approvals').notNullable().defaultTo(0);
    table.text('status_check_contexts').notNullable();
    table.text('protected_file_patterns').notNullable();
    table.text('unprotected_file_patterns').notNullable();
    table.bigInteger('created_at').notNullable();
    table.bigInteger('updated_at').notNullable();
    table.unique(['repository_id', 'rule_name']);
    table.index(['repository_id', 'priority', 'id']);
  });
  await knex.schema.createTable('tag_protection', (table) => {
    table.increments('id');
    table.integer('repository_id').unsigned().notNullable().references('id').inTable('repository').onDelete('CASCADE');
    table.string('name_pattern', 191).notNullable();
    table.text('allowlist').notNullable();
    table.bigInteger('created_at').notNullable();
    table.bigInteger('updated_at').notNullable();
    table.unique(['repository_id', 'name_pattern']);
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTableIfExists('tag_protection');
  await knex.schema.dropTableIfExists('branch_protection');
}
