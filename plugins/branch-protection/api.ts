/**
 * The contract of `branch-protection`: what rules say of branches and tags, for those who move them (the pulls plugin
 * most of all), and where teams come from.
 */
export {
  type ProtectionRule,
  type BranchProtections,
  branchProtections,
  branchRulesChanged,
  type ProtectionTeams,
  protectionTeams,
  type CheckContexts,
  checkContexts,
  type MergeVerdict,
  mergeVerdicts,
  ruleOptions,
} from './contract/branch-protection.js';
