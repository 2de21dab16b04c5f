import type { BranchProtection } from '../contract/branch-protection.js';
import type { Flag } from '../models/branch-protection.js';
import type { RuleChanges } from './branch-rules.js';

/**
 * Resolves fields that depend on each other, as REST clients expect: an allowlist for pushes has no effect
 * while pushes are disabled, deploy keys have none without the allowlist, and the bypass list is cleared when it is switched
 * off. `before`: the rule that is changed; absent for a new one, which allows force pushes only where it allows pushes.
 */
export function resolvedChanges(changes: RuleChanges, before?: BranchProtection): RuleChanges {
  const resolved: RuleChanges = { ...changes };
  const holds = (flag: Flag, was: boolean | undefined) =>
    resolved[flag] === undefined ? (was ?? false) : resolved[flag];
  const clear = (...flags: Flag[]) => {
    for (const flag of flags) resolved[flag] = false;
  };
  const push = holds('enable_push', before?.enablePush);
  if (!push) clear('enable_push_allowlist', ...(before ? [] : (['enable_force_push'] as const)));
  if (!holds('enable_push_allowlist', before?.enablePushAllowlist)) clear('push_deploy_keys');
  if (!holds('enable_force_push', before?.enableForcePush)) clear('enable_force_push_allowlist');
  if (!holds('enable_force_push_allowlist', before?.enableForcePushAllowlist)) clear('force_push_deploy_keys');
  if (!holds('enable_bypass_allowlist', before?.enableBypassAllowlist)) resolved.bypass_list = { users: [], teams: [] };
  return resolved;
}
