/**
 * The contract of `branch-protection`: what rules say of branches and tags, for those who move them (the pulls plugin
 * most of all), and where teams come from.
 */
import { defineEvent, definePoint, defineService, type Actor, type Keyed, type Text } from '@mortise/plugin-sdk';
import type { RefChange, RefUpdate } from '@mortise/git/api';

/** Accounts and teams that a rule names. */
export interface NamedList {
  readonly users: readonly number[];
  readonly teams: readonly number[];
}

/** One rule for branches, with everything that was set. Times are milliseconds since 1970 UTC. */
export interface BranchProtection {
  readonly id: number;
  readonly repositoryId: number;
  /** Name of a branch, or a pattern: `*`, `**`, `?`, `[ab]`, `{a,b}`. */
  readonly ruleName: string;
  /** Of several rules that fit, the one with the lowest counts. */
  readonly priority: number;
  readonly enablePush: boolean;
  readonly enablePushAllowlist: boolean;
  readonly pushAllowlist: NamedList;
  readonly pushDeployKeys: boolean;
  readonly enableForcePush: boolean;
  readonly enableForcePushAllowlist: boolean;
  readonly forcePushAllowlist: NamedList;
  readonly forcePushDeployKeys: boolean;
  readonly enableMergeAllowlist: boolean;
  readonly mergeAllowlist: NamedList;
  readonly requiredApprovals: number;
  readonly enableApprovalsAllowlist: boolean;
  readonly approvalsAllowlist: NamedList;
  /** These may merge although requirements are not met, as administrators may. */
  readonly enableBypassAllowlist: boolean;
  readonly bypassAllowlist: NamedList;
  readonly blockOnRejectedReviews: boolean;
  readonly blockOnOfficialReviewRequests: boolean;
  readonly blockOnCodeownerReviews: boolean;
  readonly blockOnOutdatedBranch: boolean;
  readonly dismissStaleApprovals: boolean;
  readonly ignoreStaleApprovals: boolean;
  readonly enableStatusCheck: boolean;
  /** Patterns of contexts; see {@link ProtectionRule.checkState}. */
  /** Null where none were ever given. */
  readonly statusCheckContexts: readonly string[] | null;
  readonly requireSignedCommits: boolean;
  /** Separated by semicolons, as typed. */
  readonly protectedFilePatterns: string;
  readonly unprotectedFilePatterns: string;
  readonly blockAdminMergeOverride: boolean;
  /** By key, every {@link RuleOption} that there is. */
  readonly options: Readonly<Record<string, boolean | number>>;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** The rule that counts for a branch, with the questions that it answers. */
export interface ProtectionRule extends BranchProtection {
  /** May this actor, who may write, push here? Also asks teams. */
  canPush(actor: Actor): Promise<boolean>;
  canForcePush(actor: Actor): Promise<boolean>;
  /** May this actor, who may write, merge into this branch? */
  canMerge(actor: Actor): Promise<boolean>;
  /** May this actor merge though requirements are not met, by the list (administrators of the repository may too)? */
  mayBypass(actor: Actor): Promise<boolean>;
  /** Of these accounts, those whose approval counts by the list; all of them when there is none. Who may write is for the caller. */
  approversAmong(userIds: readonly number[]): Promise<ReadonlySet<number>>;
  /** Paths that are protected, of those given. */
  protectedFiles(paths: readonly string[]): string[];
  /** Whether every one of the paths may be pushed though the branch is closed. */
  onlyUnprotectedFiles(paths: readonly string[]): boolean;
  /**
   * What of the required contexts is not there yet. `given` is the newest of each context; a required pattern
   * needs at least one context that fits it, and all that fit must have ended well.
   */
  checkState(given: readonly { context: string; state: string }[]): RequiredChecks;
}

export interface RequiredChecks {
  /** All required ones together: `success`, `pending` (also when one is missing) or `failure`. */
  readonly state: 'success' | 'pending' | 'failure';
  /** Required patterns that nothing fits. */
  readonly missing: readonly string[];
}

export interface BranchProtections {
  /** The rule that counts; undefined: the branch is free. Hot, no query when nothing was committed meanwhile. */
  ruleFor(repositoryId: number, branch: string): Promise<ProtectionRule | undefined>;
  /** The same for many branches of one repository. */
  rulesFor(repositoryId: number, branches: readonly string[]): Promise<ReadonlyMap<string, ProtectionRule>>;
  /** All rules in the order in which they count. */
  list(repositoryId: number): Promise<readonly BranchProtection[]>;
}
export const branchProtections = defineService<BranchProtections>('branch-protection.branchProtections');

/** Rules for the branches of a repository have changed, in the transaction that changes them. */
export const branchRulesChanged = defineEvent<{ readonly repositoryId: number }>(
  'branch-protection.branchRulesChanged',
);

/** One rule for tags. */
export interface TagProtection {
  readonly id: number;
  readonly repositoryId: number;
  /** A glob, or a regular expression between slashes. */
  readonly namePattern: string;
  readonly allowlist: NamedList;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface TagProtections {
  list(repositoryId: number): Promise<readonly TagProtection[]>;
  /** May the actor, who may write, create, move and delete this tag? Hot as {@link BranchProtections.ruleFor}. */
  mayControl(repositoryId: number, tag: string, actor: Actor): Promise<boolean>;
}
export const tagProtections = defineService<TagProtections>('branch-protection.tagProtections');

/** Extension point: the teams that rules may name. One batch of queries for each call. */
export interface ProtectionTeams extends Keyed {
  /** Teams of the repository's owner by lower-case name. */
  byNames(ownerId: number, names: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** Names of teams that still exist. */
  names(teamIds: readonly number[]): Promise<ReadonlyMap<number, string>>;
  /** Of these accounts, the members of any of the teams. */
  membersAmong(teamIds: readonly number[], userIds: readonly number[]): Promise<ReadonlySet<number>>;
  /** All teams of an owner, for choosing. */
  ofOwner(ownerId: number): Promise<readonly { readonly id: number; readonly name: string }[]>;
}
export const protectionTeams = definePoint.keyed<ProtectionTeams>('branch-protection.teams');

/** Extension point: contexts of checks that the form of a rule offers. */
export interface CheckContexts extends Keyed {
  contexts(repositoryId: number): Promise<readonly string[]>;
}
export const checkContexts = definePoint.keyed<CheckContexts>('branch-protection.checkContexts');

/** Extension point: who carries out merges into protected branches, which follow other rules than pushes. */
export interface MergeVerdict extends Keyed {
  /**
   * Asked at the gate for each update of a branch with a rule, deletions aside. True: it is the merge of a pull request
   * that the plugin carries out at this moment, and it meets what the rule requires of one (approvals, reviews, checks),
   * or the actor may go past that. False: no merge of this plugin; then the rules for pushes apply. Throws a Problem for
   * a merge that lacks something. Whether the actor may merge into the branch at all ({@link ProtectionRule.canMerge})
   * and whether commits must be signed is asked besides, and needs no answer here.
   */
  verdict(change: RefChange, update: RefUpdate, rule: ProtectionRule): Promise<boolean>;
}
export const mergeVerdicts = definePoint.keyed<MergeVerdict>('branch-protection.mergeVerdicts');

/** Extension point: something more that a rule for branches says; a switch or a number. The rule keeps and copies it. */
export interface RuleOption extends Keyed {
  /** `key` is the name of its field in the REST surface and on the form, for instance `enable_merge_queue`. */
  readonly label: Text;
  readonly note?: Text;
  readonly order?: number;
  /** What a rule says that never said anything else. */
  readonly default: boolean | number;
  /** Of numbers. */
  readonly min?: number;
  readonly max?: number;
}
export const ruleOptions = definePoint.keyed<RuleOption>('branch-protection.ruleOptions');
