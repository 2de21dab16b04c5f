import type { BranchRule, BranchRules } from '@mortise/refs/api';
import type { BranchRuleService } from './branch-rules.js';

/** Rules as branches show them. */
export const branchRuleStatus = (branchRules: BranchRuleService): BranchRules => ({
  key: 'protection',
  async rules(context, actor, branches) {
    const { repository } = context;
    const mayWrite = context.may('write', 'code') && !repository.isArchived;
    const statuses = new Map<string, BranchRule>();
    for (const [branch, rule] of await branchRules.rulesFor(repository.id, branches)) {
      statuses.set(branch, {
        ruleName: rule.ruleName,
        requiredApprovals: rule.requiredApprovals,
        enableStatusCheck: rule.enableStatusCheck,
        statusCheckContexts: rule.statusCheckContexts,
        userCanPush: mayWrite && (await rule.canPush(actor)),
        userCanMerge: mayWrite && (await rule.canMerge(actor)),
      });
    }
    return statuses;
  },
});
