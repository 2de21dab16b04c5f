import { skippedRow, targetRow, type SourceRow, type TableMapping } from '@mortise/plugin-sdk';
import type { NamedList } from '../contract/branch-protection.js';
import { BranchProtectionRow, emptyColumns } from '../models/branch-protection.js';
import { TagProtectionRow } from '../models/tag-protection.js';

const references = { repository_id: 'repositories.repositories' };
const maxName = 191;

function idsOf(row: SourceRow, column: string): number[] {
  const ids = row.json(column);
  return Array.isArray(ids) ? ids.filter((id): id is number => Number.isSafeInteger(id)) : [];
}

/** Columns of lists there are called `whitelist_user_i_ds`, `allowlist_team_i_ds` and so on. */
const listOf = (row: SourceRow, prefix: string): NamedList => ({
  users: idsOf(row, `${prefix}_user_i_ds`),
  teams: idsOf(row, `${prefix}_team_i_ds`),
});

const branchProtections: TableMapping = {
  id: 'branch-protection.branch_protections',
  table: 'protected_branch',
  idTable: BranchProtectionRow,
  references,
  map(row) {
    const name = row.text('branch_name');
    if (name.length > maxName) return skippedRow('the name of the rule is too long');
    return targetRow(BranchProtectionRow, {
      id: row.number('id'),
      repository_id: row.number('repo_id'),
      rule_name: name,
      priority: row.number('priority'),
      enable_push: row.flag('can_push'),
      enable_push_allowlist: row.flag('enable_whitelist'),
      push_deploy_keys: row.flag('whitelist_deploy_keys'),
      push_list: listOf(row, 'whitelist'),
      enable_force_push: row.flag('can_force_push'),
      enable_force_push_allowlist: row.flag('enable_force_push_allowlist'),
      force_push_deploy_keys: row.flag('force_push_allowlist_deploy_keys'),
      force_push_list: listOf(row, 'force_push_allowlist'),
      enable_merge_allowlist: row.flag('enable_merge_whitelist'),
      merge_list: listOf(row, 'merge_whitelist'),
      enable_approvals_allowlist: row.flag('enable_approvals_whitelist'),
      approvals_list: listOf(row, 'approvals_whitelist'),
      required_approvals: row.number('required_approvals'),
      enable_bypass_allowlist: row.flag('enable_bypass_allowlist'),
      bypass_list: listOf(row, 'bypass_allowlist'),
      block_on_rejected_reviews: row.flag('block_on_rejected_reviews'),
      block_on_official_review_requests: row.flag('block_on_official_review_requests'),
      block_on_codeowner_reviews: row.flag('block_on_codeowner_reviews'),
      block_on_outdated_branch: row.flag('block_on_outdated_branch'),
      dismiss_stale_approvals: row.flag('dismiss_stale_approvals'),
      ignore_stale_approvals: row.flag('ignore_stale_approvals'),
      enable_status_check: row.flag('enable_status_check'),
      // never given is not the same as none
      status_check_contexts: row.json('status_check_contexts') ? row.texts('status_check_contexts') : null,
      require_signed_commits: row.flag('require_signed_commits'),
      protected_file_patterns: row.text('protected_file_patterns'),
      unprotected_file_patterns: row.text('unprotected_file_patterns'),
      // one branch of that server has it by another name
      block_admin_merge_override: row.flag('block_admin_merge_override') || row.flag('apply_to_admins'),
      options: null,
      created_at: row.time('created_unix'),
      updated_at: row.time('updated_unix'),
    });
  },
};

/** Ids in a text of Gogs: `3,7`. */
const idsIn = (text: string): number[] =>
  text
    .split(',')
    .map(Number)
    .filter((id) => Number.isSafeInteger(id) && id > 0);

/** Of Gogs: where a pull request is required, who is on the list may push all the same. */
const gogsProtections: TableMapping = {
  id: 'branch-protection.gogs_protections',
  table: 'protect_branch',
  idTable: BranchProtectionRow,
  references,
  filter: (row) => row.flag('protected'),
  map(row) {
    const name = row.text('name');
    if (name.length > maxName) return skippedRow('the name of the rule is too long');
    const isRestricted = row.flag('require_pull_request');
    const hasList = row.flag('enable_whitelist');
    return targetRow(BranchProtectionRow, {
      ...emptyColumns(),
      id: row.number('id'),
      repository_id: row.number('repo_id'),
      rule_name: name,
      priority: 0,
      enable_push: !isRestricted || hasList,
      enable_push_allowlist: isRestricted && hasList,
      push_list: { users: idsIn(row.text('whitelist_user_i_ds')), teams: idsIn(row.text('whitelist_team_i_ds')) },
      created_at: 0,
      updated_at: 0,
    });
  },
};

const tagProtections: TableMapping = {
  id: 'branch-protection.tag_protections',
  table: 'protected_tag',
  idTable: TagProtectionRow,
  references,
  map(row) {
    const pattern = row.text('name_pattern');
    if (pattern.length > maxName) return skippedRow('its pattern is too long');
    return targetRow(TagProtectionRow, {
      id: row.number('id'),
      repository_id: row.number('repo_id'),
      name_pattern: pattern,
      allowlist: listOf(row, 'allowlist'),
      created_at: row.time('created_unix'),
      updated_at: row.time('updated_unix'),
    });
  },
};

export const tables: readonly TableMapping[] = [branchProtections, gogsProtections, tagProtections];
