import { BaseModel } from '@mortise/plugin-sdk';
import type { Pojo } from 'objection';
import type { BranchProtection, NamedList } from '../contract/branch-protection.js';

const flags = [
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
] as const;

export type Flag = (typeof flags)[number];

export const lists = ['push_list', 'force_push_list', 'merge_list', 'approvals_list', 'bypass_list'] as const;

export type List = (typeof lists)[number];

export class BranchProtectionRow extends BaseModel {
  static override tableName = 'branch_protection';
  static override booleans = flags;
  static override json = [...lists, 'status_check_contexts', 'options'];
  declare id: number;
  declare repository_id: number;
  declare rule_name: string;
  declare priority: number;
  declare enable_push: boolean;
  declare enable_push_allowlist: boolean;
  declare push_deploy_keys: boolean;
  declare enable_force_push: boolean;
  declare enable_force_push_allowlist: boolean;
  declare force_push_deploy_keys: boolean;
  declare enable_merge_allowlist: boolean;
  declare enable_approvals_allowlist: boolean;
  declare enable_bypass_allowlist: boolean;
  declare block_on_rejected_reviews: boolean;
  declare block_on_official_review_requests: boolean;
  declare block_on_codeowner_reviews: boolean;
  declare block_on_outdated_branch: boolean;
  declare dismiss_stale_approvals: boolean;
  declare ignore_stale_approvals: boolean;
  declare enable_status_check: boolean;
  declare require_signed_commits: boolean;
  declare block_admin_merge_override: boolean;
  declare push_list: NamedList;
  declare force_push_list: NamedList;
  declare merge_list: NamedList;
  declare approvals_list: NamedList;
  declare bypass_list: NamedList;
  declare required_approvals: number;
  declare status_check_contexts: string[] | null;
  declare protected_file_patterns: string;
  declare unprotected_file_patterns: string;
  declare options: Readonly<Record<string, boolean | number>> | null;
  declare created_at: number;
  declare updated_at: number;

  /** The column takes no NULL: contexts that were never given are stored as JSON null. */
  override $formatDatabaseJson(json: Pojo): Pojo {
    const row = super.$formatDatabaseJson(json);
    if (row.status_check_contexts === null) row.status_check_contexts = 'null';
    return row;
  }
}

/** What a rule says, in columns. */
export type RuleColumns = Pick<
  BranchProtectionRow,
  | Flag
  | List
  | 'rule_name'
  | 'priority'
  | 'required_approvals'
  | 'status_check_contexts'
  | 'protected_file_patterns'
  | 'unprotected_file_patterns'
  | 'options'
>;

const nobody: NamedList = { users: [], teams: [] };

/** What a rule says when nothing was chosen: closed for pushes, nothing else asked. */
export const emptyColumns = (): Omit<RuleColumns, 'rule_name' | 'priority'> => ({
  ...(Object.fromEntries(flags.map((flag) => [flag, false])) as Record<Flag, boolean>),
  ...(Object.fromEntries(lists.map((list) => [list, nobody])) as Record<List, NamedList>),
  required_approvals: 0,
  status_check_contexts: null,
  protected_file_patterns: '',
  unprotected_file_patterns: '',
  options: null,
});

export const protectionOf = (row: BranchProtectionRow): BranchProtection => ({
  id: row.id,
  repositoryId: row.repository_id,
  ruleName: row.rule_name,
  priority: row.priority,
  enablePush: row.enable_push,
  enablePushAllowlist: row.enable_push_allowlist,
  pushAllowlist: row.push_list,
  pushDeployKeys: row.push_deploy_keys,
  enableForcePush: row.enable_force_push,
  enableForcePushAllowlist: row.enable_force_push_allowlist,
  forcePushAllowlist: row.force_push_list,
  forcePushDeployKeys: row.force_push_deploy_keys,
  enableMergeAllowlist: row.enable_merge_allowlist,
  mergeAllowlist: row.merge_list,
  requiredApprovals: row.required_approvals,
  enableApprovalsAllowlist: row.enable_approvals_allowlist,
  approvalsAllowlist: row.approvals_list,
  enableBypassAllowlist: row.enable_bypass_allowlist,
  bypassAllowlist: row.bypass_list,
  blockOnRejectedReviews: row.block_on_rejected_reviews,
  blockOnOfficialReviewRequests: row.block_on_official_review_requests,
  blockOnCodeownerReviews: row.block_on_codeowner_reviews,
  blockOnOutdatedBranch: row.block_on_outdated_branch,
  dismissStaleApprovals: row.dismiss_stale_approvals,
  ignoreStaleApprovals: row.ignore_stale_approvals,
  enableStatusCheck: row.enable_status_check,
  statusCheckContexts: row.status_check_contexts,
  requireSignedCommits: row.require_signed_commits,
  protectedFilePatterns: row.protected_file_patterns,
  unprotectedFilePatterns: row.unprotected_file_patterns,
  blockAdminMergeOverride: row.block_admin_merge_override,
  options: row.options ?? {},
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});
