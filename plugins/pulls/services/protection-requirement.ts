import { definePoint, type Actor } from '@mortise/plugin-sdk';
import type { BranchProtections, MergeVerdict, ProtectionRule } from '@mortise/branch-protection/api';
import type { CommitStatuses } from '@mortise/commit-status/api';
import type { MergeBlocker, MergeRequirement, PullContext } from '../api.js';
import type { PullMerger } from './pull-merger.js';
import type { MergeRights } from './mergeability.js';
import type { PullRanges } from './pull-ranges.js';
import { t } from '../texts/index.js';

/** Where rules of branches and statuses of commits come from, where there are such plugins; not part of the contract. */
export const protectionSource = definePoint.one<BranchProtections>('pulls.protectionSource');
export const statusSource = definePoint.one<CommitStatuses>('pulls.statusSource');

/** Who may merge: those who may write the code of the base, and the rule of the branch lets; owners may pass over it. */
export const rightsBy =
  (protections: BranchProtections | undefined) =>
  async ({ context, pull }: PullContext, actor: Actor): Promise<MergeRights> => {
    const mayWrite = context.may('write', 'code');
    const rule = await protections?.ruleFor(pull.repositoryId, pull.baseBranch);
    if (!rule) return { mayMerge: mayWrite, mayForce: context.may('admin') };
    const mayMerge = mayWrite && (await rule.canMerge(actor));
    const isOwner = context.may('admin') && !rule.blockAdminMergeOverride;
    return { mayMerge, mayForce: mayMerge && (isOwner || (await rule.mayBypass(actor))) };
  };

/** What the rule of the base branch asks of the commits. Reviews are asked for by their plugin. */
export class ProtectionRequirement implements MergeRequirement {
  readonly key = 'protection';
  readonly order = 30;

  constructor(
    private readonly deps: {
      readonly protections: BranchProtections;
      readonly statuses: () => CommitStatuses | undefined;
      readonly ranges: PullRanges;
    },
  ) {}

  async blockers(context: PullContext): Promise<readonly MergeBlocker[]> {
    const { pull } = context;
    const rule = await this.deps.protections.ruleFor(pull.repositoryId, pull.baseBranch);
    if (!rule) return [];
    const blockers: MergeBlocker[] = [];
    if (await this.#lacksChecks(rule, context))
      blockers.push({
        code: 'checks',
        message: t.later('obstacle.checks'),
        isRequirement: true,
        link: { path: '/checks', label: t.later('obstacle.checks.show') },
      });
    if (rule.blockOnOutdatedBranch && (await this.#isBehind(context)))
      blockers.push({ code: 'outdated', message: t.later('obstacle.outdated'), isRequirement: true });
    const files = await this.#protectedFiles(rule, context);
    if (files.length)
      blockers.push({
        code: 'files',
        // names of files are code
        message: context.context.may('read', 'code')
          ? t.later('obstacle.files', { files: files.slice(0, 5).join(', ') + (files.length > 5 ? ', …' : '') })
          : t.later('obstacle.filesHidden'),
        isRequirement: true,
        link: { path: '/files', label: t.later('obstacle.files.show') },
      });
    return blockers;
  }

  async #lacksChecks(rule: ProtectionRule, { pull }: PullContext): Promise<boolean> {
    const statuses = this.deps.statuses();
    if (!rule.enableStatusCheck || !statuses) return false;
    const given = (await statuses.latest(pull.repositoryId, [pull.headOid])).get(pull.headOid) ?? [];
    return rule.checkState(given).state !== 'success';
  }

  async #isBehind({ pull }: PullContext): Promise<boolean> {
    const { git } = await this.deps.ranges.of(pull);
    const base = await git.branch(pull.baseBranch);
    return base !== undefined && !(await git.isAncestor(base.oid, pull.headOid));
  }

  async #protectedFiles(rule: ProtectionRule, { pull }: PullContext): Promise<readonly string[]> {
    if (!rule.protectedFilePatterns.trim()) return [];
    const changes = await this.deps.ranges.changes(pull);
    return rule.protectedFiles(changes.flatMap(({ path, oldPath }) => (oldPath ? [path, oldPath] : [path])));
  }
}

/** Merges that are carried out here were looked at under the lock, just before. */
export const mergeVerdict = (merger: PullMerger): MergeVerdict => ({
  key: 'pulls',
  verdict: (change) => Promise.resolve(merger.isCarryingOut(change)),
});
