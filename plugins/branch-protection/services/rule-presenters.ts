import { apiTime, isGlob } from '@mortise/plugin-sdk';
import type { BranchProtection, TagProtection } from '../contract/branch-protection.js';
import { listFields, type AllowlistNames } from './rule-fields.js';

/** Model `BranchProtection` of the REST surface; one batch of look-ups however many. */
export async function presentBranchRules(
  names: AllowlistNames,
  rules: readonly BranchProtection[],
): Promise<Record<string, unknown>[]> {
  const show = await names.show(rules.flatMap((rule) => listFields.map(({ property }) => rule[property])));
  return rules.map((rule) => {
    const lists: Record<string, string[]> = {};
    for (const { users, teams, property } of listFields) {
      const shown = show(rule[property]);
      lists[users] = shown.users;
      lists[teams] = shown.teams;
    }
    return {
      // an older name for rules of one branch
      branch_name: isGlob(rule.ruleName) ? '' : rule.ruleName,
      rule_name: rule.ruleName,
      priority: rule.priority,
      enable_push: rule.enablePush,
      enable_push_whitelist: rule.enablePushAllowlist,
      push_whitelist_deploy_keys: rule.pushDeployKeys,
      enable_force_push: rule.enableForcePush,
      enable_force_push_allowlist: rule.enableForcePushAllowlist,
      force_push_allowlist_deploy_keys: rule.forcePushDeployKeys,
      enable_merge_whitelist: rule.enableMergeAllowlist,
      enable_status_check: rule.enableStatusCheck,
      status_check_contexts: rule.statusCheckContexts,
      required_approvals: rule.requiredApprovals,
      enable_approvals_whitelist: rule.enableApprovalsAllowlist,
      enable_bypass_allowlist: rule.enableBypassAllowlist,
      block_on_rejected_reviews: rule.blockOnRejectedReviews,
      block_on_official_review_requests: rule.blockOnOfficialReviewRequests,
      block_on_codeowner_reviews: rule.blockOnCodeownerReviews,
      block_on_outdated_branch: rule.blockOnOutdatedBranch,
      dismiss_stale_approvals: rule.dismissStaleApprovals,
      ignore_stale_approvals: rule.ignoreStaleApprovals,
      require_signed_commits: rule.requireSignedCommits,
      protected_file_patterns: rule.protectedFilePatterns,
      unprotected_file_patterns: rule.unprotectedFilePatterns,
      block_admin_merge_override: rule.blockAdminMergeOverride,
      ...names.options.of(rule.options),
      ...lists,
      created_at: apiTime(rule.createdAt),
      updated_at: apiTime(rule.updatedAt),
    };
  });
}

/** Model `TagProtection` of the REST surface. */
export async function presentTagRules(
  names: AllowlistNames,
  rules: readonly TagProtection[],
): Promise<Record<string, unknown>[]> {
  const show = await names.show(rules.map(({ allowlist }) => allowlist));
  return rules.map((rule) => {
    const { users, teams } = show(rule.allowlist);
    return {
      id: rule.id,
      name_pattern: rule.namePattern,
      whitelist_usernames: users,
      whitelist_teams: teams,
      created_at: apiTime(rule.createdAt),
      updated_at: apiTime(rule.updatedAt),
    };
  });
}
