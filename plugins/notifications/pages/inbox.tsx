import {
  Ago,
  Blankslate,
  Csrf,
  formatNumber,
  icon,
  lastPage,
  listHref,
  Pager,
  PostButton,
  Tabs,
  textOf,
  type Page,
  type Site,
} from '@mortise/plugin-sdk';
import type { ComponentChildren, VNode } from 'preact';
import type { Account } from '@mortise/accounts/api';
import { pathOf, type Issue } from '@mortise/issues/api';
import { repositoryHome, type Repository } from '@mortise/repositories/api';
import { threadPath, type Thread } from '../services/thread-presenter.js';
import type { Reasons } from '../services/reasons.js';
import { t } from '../texts/index.js';

const inboxTabs = ['unread', 'pinned', 'read', 'subscriptions', 'watching'] as const;
export type InboxTab = (typeof inboxTabs)[number];
export const isThreadTab = (tab: InboxTab): tab is 'unread' | 'pinned' | 'read' =>
  tab === 'unread' || tab === 'pinned' || tab === 'read';

const icons: Readonly<Record<InboxTab, string>> = {
  unread: 'bell',
  pinned: 'pin',
  read: 'check',
  subscriptions: 'issue-opened',
  watching: 'eye',
};

interface FrameProps {
  readonly site: Site;
  readonly tab: InboxTab;
  readonly unread: number;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** What all pages of the inbox have in common. */
export const InboxFrame = ({ site, tab, unread, actions, children }: FrameProps): VNode => (
  <div>
    <div class="d-flex flex-items-center flex-justify-between flex-wrap gap-2 mb-3">
      <h1 class="f2">{t('inbox.title')}</h1>
      <span class="d-flex gap-2">
        {actions}
        <a class="btn btn-sm" href={site.path('/user/settings/notifications')}>
          {icon('gear')} {t('inbox.settings')}
        </a>
      </span>
    </div>
    <Tabs
      label={t('inbox.title')}
      active={tab}
      entries={inboxTabs.map((key) => ({
        key,
        label: t(`tab.${key}`),
        href: site.path(hrefOf(key)),
        icon: icons[key],
        ...(key === 'unread' && unread > 0 && { count: formatNumber(unread) }),
      }))}
    />
    <div class="mt-3">{children}</div>
  </div>
);

const hrefOf = (tab: InboxTab): string =>
  tab === 'unread' ? '/notifications' : isThreadTab(tab) ? `/notifications?status=${tab}` : `/notifications/${tab}`;

export const MarkAll = ({ site }: { readonly site: Site }): VNode => (
  <PostButton action={site.path('/notifications/purge')}>
    {icon('check')} {t('inbox.markAll')}
  </PostButton>
);

interface ThreadsProps {
  readonly site: Site;
  readonly tab: 'unread' | 'pinned' | 'read';
  readonly threads: readonly Thread[];
  readonly users: ReadonlyMap<number, Account>;
  readonly reasons: Reasons;
  readonly page: Page;
  readonly total: number;
}

/** One form for all threads of a page: the buttons of a row act on that row, those on top on the chosen ones. */
export function ThreadList({ site, tab, threads, users, reasons, page, total }: ThreadsProps): VNode {
  if (threads.length === 0)
    return (
      <Blankslate title={t(`none.${tab}`)} icon={icons[tab]}>
        {t('none.note')}
      </Blankslate>
    );
  return (
    <form method="post" action={site.path('/notifications/status')}>
      <Csrf />
      <input type="hidden" name="tab" value={tab} />
      <div class="Box">
        <div class="Box-header d-flex flex-items-center flex-wrap gap-2">
          <span class="flex-auto color-fg-muted">{t('inbox.count', { count: total })}</span>
          {(['read', 'unread', 'pinned'] as const)
            .filter((status) => status !== tab)
            .map((status) => (
              <button key={status} class="btn btn-sm" type="submit" name="to" value={status}>
                {t(`mark.chosen.${status}`)}
              </button>
            ))}
        </div>
        <ul class="list-style-none">
          {threads.map((thread) => (
            <ThreadRow key={thread.notification.id} site={site} thread={thread} users={users} reasons={reasons} />
          ))}
        </ul>
      </div>
      <Pager
        page={page.page}
        last={lastPage(total, page.limit)}
        href={(to) => listHref(site.path('/notifications'), { ...(tab !== 'unread' && { status: tab }), page: to })}
      />
    </form>
  );
}

function glyphOf({ issue, state, subject, notification: { kind } }: Thread): { name: string; class: string } {
  if (subject) return { name: subject.icon, class: state === 'closed' ? 'color-fg-done' : 'color-fg-success' };
  if (!issue) return { name: kind === 'commit' ? 'git-commit' : 'repo', class: 'color-fg-muted' };
  if (state === 'merged') return { name: 'git-merge', class: 'color-fg-done' };
  if (issue.isPull)
    return state === 'closed'
      ? { name: 'git-pull-request-closed', class: 'color-fg-danger' }
      : { name: 'git-pull-request', class: 'color-fg-success' };
  return state === 'closed'
    ? { name: 'issue-closed', class: 'color-fg-done' }
    : { name: 'issue-opened', class: 'color-fg-success' };
}

function ThreadRow({
  site,
  thread,
  users,
  reasons,
}: Pick<ThreadsProps, 'site' | 'users' | 'reasons'> & { readonly thread: Thread }): VNode | null {
  const { notification, repository, issue, subject, state, title } = thread;
  // Which may not be read any more since the list was asked for.
  if (!repository && !subject) return null;
  const { id, status, reason, actorId, updatedAt } = notification;
  const href = site.path(threadPath(thread));
  const glyph = glyphOf(thread);
  const actor = users.get(actorId)?.name;
  const why = reasons.labelOf(reason);
  return (
    <li class="Box-row d-flex gap-2 flex-items-start">
      <input type="checkbox" name="id" value={id} aria-label={t('inbox.choose', { title })} class="mt-1" />
      <span class={`flex-shrink-0 ${glyph.class}`}>
        {icon(glyph.name, {
          label: subject ? textOf(subject.label) : state ? t(`state.${state}`) : t('kind.repository'),
        })}
      </span>
      <div class="flex-auto min-width-0">
        <div class="f6 color-fg-muted">
          {repository ? `${repository.ownerName}/${repository.name}` : subject?.ownerName}
          {issue ? ` #${issue.index}` : ''}
        </div>
        <a class={`Link--primary wb-break-word ${status === 'unread' ? 'text-bold' : ''}`} href={href}>
          {title}
        </a>
        <div class="f6 color-fg-muted">
          {why ? `${why} · ` : null}
          {actor
            ? t.rich('inbox.by', { actor, when: <Ago time={updatedAt} /> })
            : t.rich('inbox.at', { when: <Ago time={updatedAt} /> })}
        </div>
      </div>
      <span class="d-flex gap-1 flex-shrink-0">
        {status === 'read' ? null : <RowButton id={id} status="read" glyph="check" title={title} />}
        {status === 'read' ? <RowButton id={id} status="unread" glyph="bell" title={title} /> : null}
        {status === 'pinned' ? (
          <RowButton id={id} status="unread" glyph="pin-slash" title={title} unpin />
        ) : (
          <RowButton id={id} status="pinned" glyph="pin" title={title} />
        )}
      </span>
    </li>
  );
}

interface RowButtonProps {
  readonly id: number;
  readonly status: 'read' | 'unread' | 'pinned';
  readonly glyph: string;
  readonly title: string;
  readonly unpin?: boolean;
}

const RowButton = ({ id, status, glyph, title, unpin }: RowButtonProps): VNode => {
  const label = t(unpin ? 'mark.unpin' : `mark.${status}`);
  return (
    <button
      class="btn btn-sm btn-octicon"
      type="submit"
      name="one"
      value={`${id}:${status}`}
      title={label}
      aria-label={`${label}: ${title}`}
    >
      {icon(glyph)}
    </button>
  );
};

interface FollowedProps {
  readonly site: Site;
  readonly issues: readonly Issue[];
  readonly repositoriesById: ReadonlyMap<number, Repository>;
  readonly page: Page;
  readonly total: number;
}

/** Issues and pull requests that one asked to hear of. */
export function FollowedIssues({ site, issues, repositoriesById, page, total }: FollowedProps): VNode {
  if (issues.length === 0)
    return (
      <Blankslate title={t('none.subscriptions')} icon="issue-opened">
        {t('none.subscriptionsNote')}
      </Blankslate>
    );
  return (
    <>
      <ul class="Box list-style-none">
        {issues.map((issue) => {
          const repository = repositoriesById.get(issue.repositoryId);
          if (!repository) return null;
          return (
            <li key={issue.id} class="Box-row d-flex gap-2 flex-items-center">
              <div class="flex-auto min-width-0">
                <div class="f6 color-fg-muted">
                  {repository.ownerName}/{repository.name} #{issue.index}
                </div>
                <a class="Link--primary wb-break-word" href={`${repositoryHome(site, repository)}/${pathOf(issue)}`}>
                  {issue.title}
                </a>
              </div>
              <PostButton
                action={site.path('/notifications/unfollow')}
                fields={{ id: issue.id }}
                label={t('subscriptions.endOf', { title: issue.title })}
              >
                {t('subscriptions.end')}
              </PostButton>
            </li>
          );
        })}
      </ul>
      <Pager
        page={page.page}
        last={lastPage(total, page.limit)}
        href={(to) => listHref(site.path('/notifications/subscriptions'), { page: to })}
      />
    </>
  );
}
