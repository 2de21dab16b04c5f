import type { Actor } from '@mortise/plugin-sdk';
import type { BranchProtection, ProtectionRule, RequiredChecks } from '../contract/branch-protection.js';
import type { Membership } from './membership.js';
import type { Patterns } from './patterns.js';

/** A rule with its answers. */
export function ruleOf(protection: BranchProtection, patterns: Patterns, membership: Membership): ProtectionRule {
  const canPush = async (actor: Actor): Promise<boolean> => {
    if (!protection.enablePush) return false;
    if (!protection.enablePushAllowlist) return true;
    if (actor.kind === 'deploy-key') return protection.pushDeployKeys;
    return membership.has(protection.pushAllowlist, actor);
  };
  return {
    ...protection,
    canPush,
    async canForcePush(actor) {
      if (!protection.enableForcePush || !(await canPush(actor))) return false;
      if (!protection.enableForcePushAllowlist) return true;
      if (actor.kind === 'deploy-key') return protection.forcePushDeployKeys;
      return membership.has(protection.forcePushAllowlist, actor);
    },
    canMerge: async (actor) =>
      !protection.enableMergeAllowlist || (await membership.has(protection.mergeAllowlist, actor)),
    mayBypass: async (actor) =>
      protection.enableBypassAllowlist && (await membership.has(protection.bypassAllowlist, actor)),
    approversAmong: async (userIds) =>
      protection.enableApprovalsAllowlist
        ? membership.membersAmong(protection.approvalsAllowlist, userIds)
        : new Set(userIds),
    protectedFiles(paths) {
      if (!protection.protectedFilePatterns.trim()) return [];
      const files = patterns.files(protection.protectedFilePatterns);
      return paths.filter((path) => files.matches(path));
    },
    onlyUnprotectedFiles(paths) {
      if (!protection.unprotectedFilePatterns.trim()) return false;
      const files = patterns.files(protection.unprotectedFilePatterns);
      return paths.length > 0 && paths.every((path) => files.matches(path));
    },
    checkState: (given) => requiredChecks(protection, given, patterns),
  };
}

/** Every required pattern needs a context that fits it, and all that fit must have ended well. */
function requiredChecks(
  protection: BranchProtection,
  given: readonly { context: string; state: string }[],
  patterns: Patterns,
): RequiredChecks {
  if (!protection.enableStatusCheck) return { state: 'success', missing: [] };
  const missing: string[] = [];
  const states = new Set<string>();
  for (const required of protection.statusCheckContexts ?? []) {
    const pattern = patterns.context(required);
    const fitting = given.filter(({ context }) => pattern.matches(context));
    if (fitting.length === 0) missing.push(required);
    for (const { state } of fitting) states.add(state);
  }
  if (states.has('failure') || states.has('error')) return { state: 'failure', missing };
  return { state: missing.length > 0 || states.has('pending') ? 'pending' : 'success', missing };
}
