import type { BranchProtection } from '../api.js';
import type { Flag } from '../models/protections.js';
import type { RuleChanges } from './branch-rules.js';

/**
 * What clients of the REST surface know of fields that hang on each other: a list of those who may push says nothing
 * while nobody may, keys say nothing without their list, and the list of those who may pass goes when it is switched
 * off. `before`: the rule that is changed; absent for a new one, which lets nobody force unless it lets push.
 */
export function settled(changes: RuleChanges, before?: BranchProtection): RuleChanges {
  const found: RuleChanges = { ...changes };
  const holds = (flag: Flag, was: boolean | undefined) => (found[flag] === undefined ? (was ?? false) : found[flag]);
  const clear = (...flags: Flag[]) => {
    for (const flag of flags) found[flag] = false;
  };
  const push = holds('enable_push', before?.enablePush);
  if (!push) clear('enable_push_allowlist', ...(before ? [] : (['enable_force_push'] as const)));
  if (!holds('enable_push_allowlist', before?.enablePushAllowlist)) clear('push_deploy_keys');
  if (!holds('enable_force_push', before?.enableForcePush)) clear('enable_force_push_allowlist');
  if (!holds('enable_force_push_allowlist', before?.enableForcePushAllowlist)) clear('force_push_deploy_keys');
  if (!holds('enable_bypass_allowlist', before?.enableBypassAllowlist)) found.bypass_list = { users: [], teams: [] };
  return found;
}
