import type { VNode } from 'preact';
import type { Actor, FormValues, RouteContext, Site } from '@mortise/plugin-sdk';
import { formText, icon } from '@mortise/plugin-sdk';
import type { Account, Accounts } from '@mortise/accounts/api';
import type { Issue, IssuePages } from '@mortise/issues/api';
import type { Markup } from '@mortise/markup/api';
import type { PullContext, Pulls } from '@mortise/pulls/api';
import type { RepositoryContext } from '@mortise/repositories/api';
import type { Review, ReviewComment } from '../contract/reviews.js';
import type { ReviewServices } from '../services/services.js';
import { t } from '../texts/index.js';

/** What pages of reviews work with. */
export interface PageDeps {
  readonly reviewServices: ReviewServices;
  readonly accounts: Accounts;
  readonly issuePages: IssuePages;
  readonly pulls: Pulls;
  readonly markup: Markup;
  readonly site: Site;
}

export type PullRoute = RouteContext<PullContext>;

type IssueOf = { readonly context: RepositoryContext; readonly issue: Issue } & Partial<Pick<PullContext, 'pull'>>;

/** The pull request that an issue is, for places that know the issue alone. */
export async function pullContextOf(
  { pulls }: Pick<PageDeps, 'pulls'>,
  { context, issue, ...more }: IssueOf,
): Promise<PullContext | undefined> {
  // pages of pull requests know it
  const pull = more.pull ?? (issue.isPull ? await pulls.byIssueId(issue.id) : undefined);
  if (!pull) return undefined;
  const { repository } = context;
  return { context, repository, issue, pull, mode: context.modeOf('pulls'), may: (mode) => context.may(mode, 'pulls') };
}

/** What somebody may do with the comments of a pull request. */
export interface CommentRights {
  /** 0: nobody who is signed in. */
  readonly me: number;
  readonly mayReply: boolean;
  readonly mayResolve: boolean;
  /** Change what others wrote. */
  readonly mayModerate: boolean;
}

export function rightsOf({ repository, issue, context, may }: PullContext, actor: Actor): CommentRights {
  const isActive = actor.kind === 'user' && !repository.isArchived;
  return {
    me: actor.kind === 'user' ? actor.id : 0,
    mayReply: isActive && (!issue.isLocked || may('write')),
    mayResolve: isActive && (issue.posterId === actor.id || may('write') || context.may('write', 'code')),
    mayModerate: isActive && may('write'),
  };
}

export const mayChange = (
  { me, mayModerate }: Pick<CommentRights, 'me' | 'mayModerate'>,
  { authorId }: Pick<ReviewComment, 'authorId'>,
  { state }: Pick<Review, 'state'>,
): boolean => me > 0 && (authorId === me || (mayModerate && state !== 'pending'));

/** Name of an account as a link to its page; of one that is gone the name alone. */
export const UserLink = ({ account, site }: { account: Account | undefined; site: Pick<Site, 'path'> }): VNode =>
  account ? (
    <a class="text-bold Link--primary" href={site.path(`/${account.name}`)}>
      {account.name}
    </a>
  ) : (
    <span class="text-bold">{t('person.gone')}</span>
  );

/** How opinions look. */
export const stateStyles = {
  approved: { icon: 'check', tone: 'success', class: 'color-fg-success' },
  rejected: { icon: 'file-diff', tone: 'danger', class: 'color-fg-danger' },
  comment: { icon: 'eye', tone: undefined, class: 'color-fg-muted' },
  pending: { icon: 'clock', tone: undefined, class: 'color-fg-muted' },
  request: { icon: 'dot-fill', tone: undefined, class: 'color-fg-attention' },
} as const;

export const StateIcon = ({ state, label }: { state: Review['state']; label: string }): VNode => (
  <span class={stateStyles[state].class} title={label}>
    {icon(stateStyles[state].icon)}
    <span class="sr-only">{label}</span>
  </span>
);

/** What of the address of the changed files is kept when a form leads back to them. */
const preservedParams = ['style', 'whitespace', 'file', 'from', 'since'] as const;

/** The address of the changed files, below the pull request, as forms send it: `files?style=split`. */
export function filesAddress(query: object, more: Readonly<Record<string, string>> = {}): string {
  const given = query as Readonly<Record<string, unknown>>;
  const values = new URLSearchParams();
  for (const name of preservedParams) {
    const value = given[name];
    if (typeof value === 'string' || typeof value === 'number') values.set(name, String(value));
  }
  for (const [name, value] of Object.entries(more)) values.set(name, value);
  const text = values.toString();
  return `files${text && `?${text}`}`;
}

/** Where a form leads back to, of what it says itself: nothing of it is trusted but names that are known. */
export function returnPath(values: FormValues): string {
  const [, query] = /^files(?:\?(.*))?$/s.exec(formText(values, 'back', 5000)) ?? [];
  const isFiles = formText(values, 'back', 5).startsWith('files');
  return isFiles ? `/${filesAddress(Object.fromEntries(new URLSearchParams(query ?? '')))}` : '';
}
