import type { Account } from '@mortise/accounts/api';
import type { CommitStatus } from '@mortise/commit-status/api';
import {
  mergeStyles,
  type MergeObstacle,
  type MergeStyle,
  type PullContext,
  type PullPageContext,
  type PullRange,
} from '../api.js';
import { checkPull } from '../jobs/check.js';
import { allowsStyle, unitOption } from '../services/merge.js';
import type { MergeRights } from '../services/obstacles.js';
import type { UpdateStyle } from '../services/update.js';
import { headPlace, type HeadPlace, type PageDeps } from './shared.js';

/** A way of merging, with the message that it would have. */
export interface MergeWay {
  readonly style: MergeStyle;
  /** Absent where the commits stay as they are. */
  readonly message?: { readonly title: string; readonly text: string };
}

/** What the merge box says, read before it is drawn. */
export interface MergeFacts {
  readonly obstacles: readonly MergeObstacle[];
  readonly rights: MergeRights;
  readonly isMember: boolean;
  readonly checks: readonly CommitStatus[];
  /** Patterns of required checks that nobody has told of. */
  readonly missingChecks: readonly string[];
  readonly ways: readonly MergeWay[];
  readonly preferred: MergeStyle;
  readonly deletesBranch: boolean;
  readonly scheduled:
    | { readonly style: MergeStyle; readonly by: Account | undefined; readonly mayCancel: boolean }
    | undefined;
  /** How the head can be brought up to date; empty: it cannot, or need not be. */
  readonly updates: readonly UpdateStyle[];
  readonly isBehind: boolean;
  readonly head: HeadPlace;
  /** Of a pull request that is not open. */
  readonly branch: 'delete' | 'restore' | undefined;
  readonly merger: Account | undefined;
  readonly mayEdit: boolean;
  readonly mayRevert: boolean;
  readonly maintainers: 'asked' | 'allowed' | 'denied' | undefined;
}

/** Gathers it. A look for conflicts that was postponed begins now. */
export async function readMergeFacts(
  deps: PageDeps,
  { context, actor }: Pick<PullPageContext, 'context' | 'actor'>,
): Promise<MergeFacts> {
  const { pullServices, accounts, statuses, protections, requirements, jobs } = deps;
  const { pull, issue, repository } = context;
  const { gate, ranges, updater, autoMerger } = pullServices;
  if (pull.isOpen && pull.mergeState === 'checking')
    await jobs.enqueue(
      checkPull,
      { issueId: pull.issueId },
      { uniqueKey: `pulls.check:${pull.issueId}`, priority: 10 },
    );
  const isMember = actor.kind === 'user' && !repository.isArchived;
  const [rights, range, head, row, rule, given] = await Promise.all([
    isMember ? gate.rights(context, actor) : { mayMerge: false, mayForce: false },
    ranges.of(pull),
    headPlace(deps, context, actor),
    pull.isOpen ? autoMerger.of(issue.id) : undefined,
    pull.isOpen ? protections()?.ruleFor(pull.repositoryId, pull.baseBranch) : undefined,
    statuses()?.latest(pull.repositoryId, [pull.headOid]),
  ]);
  const checks = given?.get(pull.headOid) ?? [];
  const obstacles = !pull.isOpen
    ? []
    : rights.mayMerge
      ? await gate.obstacles(context, actor)
      : (await Promise.all(requirements.list().map((one) => one.obstacles(context)))).flat();
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
    obstacles,
    rights,
    isMember,
    checks,
    missingChecks: rule?.enableStatusCheck ? rule.checkState(checks).missing : [],
    ways: pull.isOpen && rights.mayMerge ? await waysOf(deps, context, head, range) : [],
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

async function waysOf(
  { pullServices: { messages } }: PageDeps,
  { repository, issue, pull }: PullContext,
  head: HeadPlace,
  range: PullRange,
): Promise<MergeWay[]> {
  const home = head.repository;
  const headName =
    home && home.id !== repository.id ? `${home.ownerName}/${home.name}:${pull.headBranch}` : pull.headBranch;
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
  head: HeadPlace,
  mayPush: boolean,
): Promise<MergeFacts['branch']> {
  if (!mayPush || pull.flow === 'agit' || !head.repository) return undefined;
  if (!head.isThere) return 'restore';
  if (head.repository.defaultBranch === pull.headBranch) return undefined;
  const tip = await pullServices.syncer.tip(pull);
  const others = await pullServices.reader.openFrom(head.repository.id, pull.headBranch);
  return tip === pull.headOid && others.length === 0 ? 'delete' : undefined;
}

export const mayForceOnly = ({ obstacles, rights }: MergeFacts): boolean =>
  obstacles.length > 0 && rights.mayForce && obstacles.every((one) => one.isRequirement);

/** Nothing is in the way, or nothing but what may be waited for. */
export const mayTry = ({ obstacles, rights }: MergeFacts): boolean =>
  rights.mayMerge && obstacles.every((one) => one.isRequirement);
