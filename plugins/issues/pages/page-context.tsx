import type { VNode } from 'preact';
import { icon, type QueryCache, type PointReader, type RouteContext, type Site, type Slot } from '@mortise/plugin-sdk';
import type { Account, Accounts } from '@mortise/accounts/api';
import type { Markup } from '@mortise/markup/api';
import {
  repositoryHome,
  type Repository,
  type RepositoryContext,
  type RepositoryPageContext,
  type RepositoryPages,
} from '@mortise/repositories/api';
import {
  type Issue,
  type IssueContext,
  type IssueStyle,
  type IssuePageContext,
  type IssueRowProperties,
  type Label,
} from '../api.js';
import { scopeOf } from '../contract/labels.js';
import type { IssueFilter } from '../contract/points.js';
import type { SavedFilterService } from '../services/saved-filters.js';
import type { IssueServices } from '../services/services.js';
import type { IssueListData } from './issue-list-data.js';
import { t } from '../texts/index.js';

/** What pages of issues work with. */
export interface PageDeps {
  readonly issueServices: IssueServices;
  readonly filters: SavedFilterService;
  /** Pages of lists as everybody sees them who may. */
  readonly lists: QueryCache<IssueListData>;
  readonly markup: Markup;
  readonly pages: RepositoryPages;
  readonly site: Site;
  readonly accounts: Accounts;
  emojify(this: void, text: string): string;
  avatarUrl(this: void, account: Account): string;
  readonly sidebar: PointReader<Slot<IssuePageContext>>;
  readonly end: PointReader<Slot<IssuePageContext>>;
  readonly rowProperties: PointReader<IssueRowProperties>;
  readonly filterTabs: PointReader<IssueFilter>;
  /** Issues or milestones on one page of a list. */
  readonly perPage: number;
}

export type ListContext = RouteContext<RepositoryContext>;
export type PageContext = RouteContext<IssueContext, Readonly<Record<string, string>>>;

export const issuePageContext = (context: PageContext): RepositoryPageContext => ({
  context: context.resource.context,
  actor: context.actor,
});

export const repositoryPathOf = (site: Site, repository: Repository): string => repositoryHome(site, repository);

const linearChannel = (part: number): number => {
  const share = part / 255;
  return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
};

/** Black or white, whichever can be read better on the colour (six hexadecimal digits). */
function textColorOn(color: string): '#000' | '#fff' {
  const [red, green, blue] = [0, 2, 4].map((at) => linearChannel(Number.parseInt(color.slice(at, at + 2), 16) || 0));
  const light = 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
  return (light + 0.05) / 0.05 >= 1.05 / (light + 0.05) ? '#000' : '#fff';
}

/** A label as a chip in its colour; with an address it is a link. */
export function LabelChip({
  label,
  href,
  emojify,
}: {
  label: Label;
  href?: string;
  emojify: (text: string) => string;
}): VNode {
  const scope = label.isExclusive ? scopeOf(label.name) : '';
  const name = emojify(label.name);
  const look = {
    class: `issue-label${label.isArchived ? ' issue-label-archived' : ''}`,
    style: `background:#${label.color};color:${textColorOn(label.color)}`,
    title: label.description || undefined,
  };
  const words = scope ? (
    <>
      <span class="issue-label-scope">{emojify(scope)}</span>
      {emojify(label.name.slice(scope.length + 1))}
    </>
  ) : (
    name
  );
  return href ? (
    <a {...look} href={href}>
      {words}
    </a>
  ) : (
    <span {...look}>{words}</span>
  );
}

/** How one looks that is open or closed and nothing more. */
export const defaultStyle = (issue: Issue): IssueStyle => ({
  icon: issue.isPull
    ? issue.isClosed
      ? 'git-pull-request-closed'
      : 'git-pull-request'
    : issue.isClosed
      ? 'issue-closed'
      : 'issue-opened',
  tone: issue.isClosed ? (issue.isPull ? 'closed' : 'done') : 'open',
  label: issue.isClosed ? t('state.closed') : t('state.open'),
});

const toneClass = { open: 'color-fg-open', closed: 'color-fg-closed', done: 'color-fg-done', muted: 'color-fg-muted' };

export const StyleIcon = ({ style }: { style: IssueStyle }): VNode => (
  <span class={toneClass[style.tone]} title={style.label}>
    {icon(style.icon)}
    <span class="sr-only">{style.label}</span>
  </span>
);

export const Avatar = ({ src, size = 20, name = '' }: { src: string; size?: number; name?: string }): VNode => (
  <img class="avatar" src={src} width={size} height={size} alt={name} title={name || undefined} />
);

/** Name of an account as a link to its page; of one that is gone the name alone. */
/** Who did it; of what was imported, who did it at the source, where no account here is known for them. */
export const UserLink = ({
  account,
  originalAuthor = '',
  path,
}: {
  account: Account | undefined;
  originalAuthor?: string;
  path: (path: string) => string;
}): VNode =>
  originalAuthor ? (
    <span class="text-bold" title={t('person.imported', { name: account?.name ?? t('person.gone') })}>
      {originalAuthor}
    </span>
  ) : account ? (
    <a class="text-bold Link--primary" href={path(`/${account.name}`)}>
      {account.name}
    </a>
  ) : (
    <span class="text-bold">{t('person.gone')}</span>
  );

/** Some names that people react with are no names of emoji. */
const otherEmoji: Readonly<Record<string, string>> = { laugh: '😄', hooray: '🎉', '+1': '👍', '-1': '👎' };
export const emojiOf = (emojify: (text: string) => string, content: string): string =>
  otherEmoji[content] ?? emojify(`:${content}:`);
