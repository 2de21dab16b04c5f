import type { Text } from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';
import type { CommitStatus } from '@mortise/commit-status/api';
import { mergeStyles, type MergeBlocker, type MergeStyle, type PullContext, type PullPageContext } from '../api.js';
import type { PullRange } from '../contract/pulls.js';
import { checkPull } from '../jobs/check.js';
import { allowsStyle, unitOption } from '../services/pull-merger.js';
import { findMergeQueue, type MergeRights } from '../services/mergeability.js';
import type { UpdateStyle } from '../services/pull-updater.js';
import { headLocation, type HeadLocation, type PageDeps } from './page-context.js';

/** A way of merging, with the message that it would have. */
export interface MergeMethod {
  readonly style: MergeStyle;
  /** Absent where the commits stay as they are. */
  readonly message?: { readonly title: string; readonly text: string };
}

/** What the merge box says, read before it is drawn. */
export interface MergeStatus {
  readonly blockers: readonly MergeBlocker[];
  readonly rights: MergeRights;
  readonly isMember: boolean;
  readonly checks: readonly CommitStatus[];
  /** Patterns of required checks that nobody has told of. */
  readonly missingChecks: readonly string[];
  readonly methods: readonly MergeMethod[];
  /** What merging another way is called, where that can be done now. */
  readonly queueLabel: Text | undefined;
  readonly preferred: MergeStyle;
  readonly deletesBranch: boolean;
  readonly scheduled:
    | { readonly style: MergeStyle; readonly by: Account | undefined; readonly mayCancel: boolean }
    | undefined;
  /** How the head can be brought up to date; empty: it cannot, or need not be. */
  readonly updates: readonly UpdateStyle[];
  readonly isBehind: boolean;
  readonly head: HeadLocation;
  /** Of a pull request that is not open. */
  readonly branch: 'delete' | 'restore' | undefined;
  readonly merger: Account | undefined;
  readonly mayEdit: boolean;
  readonly mayRevert: boolean;
  /** The rule of the base branch, for those who may change it. */
  readonly ruleId: number | undefined;
  readonly maintainers: 'asked' | 'allowed' | 'denied' | undefined;
}

/** Gathers it. A look for conflicts that was postponed begins now. */
export async function readMergeStatus(
  deps: PageDeps,
  { context, actor }: Pick<PullPageContext, 'context' | 'actor'>,
): Promise<MergeStatus> {
  const { pullServices, accounts, statuses, protections, requirements, jobs } = deps;
  const { pull, issue, repository } = context;
  const { mergeability, ranges, updater, autoMerger } = pullServices;
  if (pull.isOpen && pull.mergeState === 'checking')
    await jobs.enqueue(
      checkPull,
      { issueId: pull.issueId },
      { uniqueKey: `pulls.check:${pull.issueId}`, priority: 10 },
    );
  const isMember = actor.kind === 'user' && !repository.isArchived;
  const [rights, range, head, row, rule, given] = await Promise.all([
    isMember ? mergeability.rights(context, actor) : { mayMerge: false, mayForce: false },
    ranges.of(pull),
    headLocation(deps, context, actor),
    pull.isOpen ? autoMerger.of(issue.id) : undefined,
    pull.isOpen ? protections()?.ruleFor(pull.repositoryId, pull.baseBranch) : undefined,
    statuses()?.latest(pull.repositoryId, [pull.headOid]),
  ]);
  const checks = given?.get(pull.headOid) ?? [];
  const blockers = !pull.isOpen
    ? []
    : rights.mayMerge
      ? await mergeability.blockers(context, actor)
      : (await Promise.all(requirements.list().map((one) => one.blockers(context)))).flat();
  const mayPush = isMember && (await updater.mayPush(context, actor));
  const isBehind = pull.isOpen && (await isBehindBase(range, pull.baseBranch));
  const [merger, scheduler] = await Promise.all([
    pull.isMerged ? accounts.byId(pull.mergerId) : undefined,
    row && accounts.byId(row.user_id),
  ]);
  const isPoster = actor.id === issue.posterId;
  const mayEdit = isMember && (context.may('write') || isPoster);
  const isFork = pull.flow === 'branch' && pull.headRepositoryId !== pull.repositoryId;
  return {
    blockers,
    rights,
    isMember,
    checks,
    missingChecks: rule?.enableStatusCheck ? rule.checkState(checks).missing : [],
    queueLabel: queueLabelOf(requirements, blockers),
    methods: pull.isOpen && rights.mayMerge ? await methodsOf(deps, context, head, range) : [],
    preferred: preferredOf(context),
    deletesBranch: unitOption(repository, 'default_delete_branch_after_merge') === true,
    scheduled: row && {
      style: row.style,
      by: scheduler,
      mayCancel: isMember && (row.user_id === actor.id || rights.mayMerge),
    },
    updates: isBehind && mayPush ? updatesOf(context, updater.defaultStyle(context)) : [],
    isBehind,
    head,
    branch: pull.isOpen ? undefined : await branchAction(deps, context, head, mayPush),
    merger,
    mayEdit,
    mayRevert:
      isMember &&
      pull.isMerged &&
      context.context.may('write', 'code') &&
      !['', 'rebase', 'fast-forward-only', 'manually-merged'].includes(pull.mergeStyle),
    ruleId: isMember && context.context.may('admin') ? rule?.id : undefined,
    maintainers:
      isFork && pull.isOpen
        ? isMember && (await updater.ownsHead(context, actor))
          ? 'asked'
          : pull.allowMaintainerEdit
            ? 'allowed'
            : 'denied'
        : undefined,
  };
}

/** The label of the queue's button: nothing is in the way but what the queue resolves itself, and it is not added yet. */
function queueLabelOf(requirements: PageDeps['requirements'], blockers: readonly MergeBlocker[]): Text | undefined {
  const now = findMergeQueue(requirements)?.now;
  const isOpen = blockers.some(({ requiresQueue, canQueueLater }) => requiresQueue && canQueueLater);
  return now && isOpen && blockers.every(({ code }) => now.allowedBlockers.includes(code)) ? now.label : undefined;
}

async function isBehindBase({ git, head }: PullRange, baseBranch: string): Promise<boolean> {
  const base = await git.branch(baseBranch);
  return base !== undefined && !(await git.isAncestor(base.oid, head));
}

function preferredOf({ repository }: Pick<PullContext, 'repository'>): MergeStyle {
  const wanted = unitOption(repository, 'default_merge_style');
  const allowed = mergeStyles.filter((style) => allowsStyle(repository, style));
  return allowed.find((style) => style === wanted) ?? allowed[0] ?? 'merge';
}

function updatesOf({ repository }: Pick<PullContext, 'repository'>, preferred: UpdateStyle): UpdateStyle[] {
  const allowed = (['merge', 'rebase'] as const).filter(
    (style) => unitOption(repository, `allow_${style}_update`) !== false,
  );
  return [...allowed].sort((one, other) => Number(other === preferred) - Number(one === preferred));
}

async function methodsOf(
  { pullServices: { messages } }: PageDeps,
  { repository, issue, pull }: PullContext,
  head: HeadLocation,
  range: PullRange,
): Promise<MergeMethod[]> {
  const headRepository = head.repository;
  const headName =
    headRepository && headRepository.id !== repository.id
      ? `${headRepository.ownerName}/${headRepository.name}:${pull.headBranch}`
      : pull.headBranch;
  return Promise.all(
    mergeStyles
      .filter((style) => allowsStyle(repository, style))
      .map(async (style) => {
        if (style === 'rebase' || style === 'fast-forward-only' || style === 'manually-merged') return { style };
        return { style, message: await messages.usual(style, { repository, issue, pull, headName }, range) };
      }),
  );
}

/** What can be done with the head branch of what is merged or closed. */
async function branchAction(
  { pullServices }: PageDeps,
  { pull }: PullContext,
  head: HeadLocation,
  mayPush: boolean,
): Promise<MergeStatus['branch']> {
  if (!mayPush || pull.flow === 'agit' || !head.repository) return undefined;
  if (!head.isThere) return 'restore';
  if (head.repository.defaultBranch === pull.headBranch) return undefined;
  const tip = await pullServices.syncer.tip(pull);
  const others = await pullServices.reader.openFrom(head.repository.id, pull.headBranch);
  return tip === pull.headOid && others.length === 0 ? 'delete' : undefined;
}

export const mayForceOnly = ({ blockers, rights }: MergeStatus): boolean =>
  blockers.length > 0 && rights.mayForce && blockers.every((one) => one.isRequirement);

/** Nothing is in the way, or nothing but what may be waited for. */
export const mayTryMerge = ({ blockers, rights }: MergeStatus): boolean =>
  rights.mayMerge && blockers.every((one) => one.isRequirement);
