import {
  Joi,
  NotFound,
  pageRoute,
  postRoute,
  reply,
  webPage,
  type Actor,
  type Route,
  type Site,
} from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import type { Issues } from '@mortise/issues/api';
import type { Repositories, RepositoryPages } from '@mortise/repositories/api';
import type { NotificationStatus } from '../contract/notifications.js';
import { FollowedIssues, InboxFrame, isThreadTab, MarkAll, ThreadList, type InboxTab } from './inbox.js';
import type { Inbox } from '../services/inbox.js';
import type { Reasons } from '../services/reasons.js';
import type { ThreadPresenter } from '../services/thread-presenter.js';
import { t } from '../texts/index.js';

interface PageDeps {
  readonly accounts: Accounts;
  readonly inbox: Inbox;
  readonly issues: Issues;
  readonly pages: RepositoryPages;
  readonly presenter: ThreadPresenter;
  readonly repositories: Repositories;
  readonly reasons: Reasons;
  readonly site: Site;
}

const access = { actor: 'user' } as const;
const status = Joi.string().valid('unread', 'read', 'pinned');
const maxChosen = 100;

interface StatusForm {
  readonly tab?: string;
  readonly id?: readonly number[];
  readonly to?: NotificationStatus;
  readonly one?: string;
}
const statusForm = Joi.object<StatusForm>({
  tab: status,
  id: Joi.array().items(Joi.number().integer().positive()).single().max(maxChosen),
  to: status,
  one: Joi.string().pattern(/^\d{1,9}:(unread|read|pinned)$/),
});

const titled = { title: t.later('inbox.title'), active: 'notifications' };

/** What these routes share. */
function inboxContext(deps: PageDeps) {
  const { accounts, inbox, issues, pages, presenter, reasons, repositories, site } = deps;
  const chosen = async (form: StatusForm, actor: Actor) => {
    const [one, oneStatus] = form.one?.split(':') ?? [];
    const ids = one ? [Number(one)] : (form.id ?? []);
    const to = (oneStatus ?? form.to ?? 'read') as NotificationStatus;
    if (ids.length) await inbox.mark(actor, { ids }, to);
  };
  return { inbox, presenter, accounts, site, reasons, issues, repositories, pages, chosen };
}

type InboxPageContext = ReturnType<typeof inboxContext>;

const inboxRoute = ({ inbox, presenter, accounts, site, reasons }: InboxPageContext) =>
  pageRoute(
    '/notifications',
    access,
    async ({ actor, query, page }) => {
      const tab = (query.status ?? 'unread') as InboxTab & NotificationStatus;
      if (!isThreadTab(tab)) throw NotFound('page');
      const [unread, { items, total }] = await Promise.all([
        inbox.unread(actor),
        inbox.list(actor, { statuses: [tab], isReadable: true }, page),
      ]);
      const threads = await presenter.threads(items, actor);
      const users = await accounts.byIds([...new Set(items.map(({ actorId }) => actorId))]);
      return webPage({
        ...titled,
        body: (
          <InboxFrame
            site={site}
            tab={tab}
            unread={unread}
            actions={tab === 'unread' && unread > 0 ? <MarkAll site={site} /> : null}
          >
            <ThreadList {...{ site, tab, threads, users, reasons, page, total }} />
          </InboxFrame>
        ),
      });
    },
    { query: Joi.object<{ readonly status?: string }>({ status }).unknown() },
  );

const subscriptionsPage = ({ issues, repositories, inbox, site }: InboxPageContext) =>
  pageRoute('/notifications/subscriptions', access, async ({ actor, page }) => {
    const { items, total } = await issues.search(
      { filters: { subscribed: actor.id }, sort: 'recentupdate', limit: page.limit, offset: page.offset },
      actor,
    );
    const repositoriesById = await repositories.byIds(items.map(({ repositoryId }) => repositoryId));
    const unread = await inbox.unread(actor);
    return webPage({
      ...titled,
      body: (
        <InboxFrame site={site} tab="subscriptions" unread={unread}>
          <FollowedIssues {...{ site, issues: items, repositoriesById, page, total }} />
        </InboxFrame>
      ),
    });
  });

const watchingPage = ({ pages, inbox, site }: InboxPageContext) =>
  pageRoute('/notifications/watching', access, async ({ actor, query }) => {
    const list = await pages.searchable({
      actor,
      query: query as Readonly<Record<string, unknown>>,
      among: { related: [{ relation: 'watch', id: actor.id }] },
    });
    const unread = await inbox.unread(actor);
    return webPage({
      ...titled,
      body: (
        <InboxFrame site={site} tab="watching" unread={unread}>
          {list}
        </InboxFrame>
      ),
    });
  });

// pages that have no connection of their own ask here from time to time (PSH-11)
const unreadCount = ({ inbox }: InboxPageContext) =>
  pageRoute('/notifications/new', access, async ({ actor }) =>
    reply.json({ new: await inbox.unread(actor) }).header('cache-control', 'no-store'),
  );

const changeStatus = ({ chosen, site }: InboxPageContext) =>
  postRoute(
    '/notifications/status',
    access,
    async ({ actor, payload }) => {
      await chosen(payload, actor);
      const { tab = 'unread' } = payload;
      return reply.redirect(site.path(tab === 'unread' ? '/notifications' : `/notifications?status=${tab}`));
    },
    { payload: statusForm },
  );

const purgeInbox = ({ inbox, site }: InboxPageContext) =>
  postRoute('/notifications/purge', access, async ({ actor }) => {
    await inbox.mark(actor, { statuses: ['unread'], before: Date.now() }, 'read');
    return reply.redirect(site.path('/notifications'));
  });

const unsubscribe = ({ issues, site }: InboxPageContext) =>
  postRoute(
    '/notifications/unfollow',
    access,
    async ({ actor, payload }) => {
      const issue = await issues.byId(payload.id);
      if (issue) await issues.subscribe(issue, actor.id, false);
      return reply.redirect(site.path('/notifications/subscriptions'));
    },
    { payload: Joi.object<{ readonly id: number }>({ id: Joi.number().integer().positive().required() }) },
  );

/** The inbox, for people. */
export function inboxPages(deps: PageDeps): Route[] {
  const context = inboxContext(deps);
  return [
    inboxRoute(context),
    subscriptionsPage(context),
    watchingPage(context),
    unreadCount(context),
    changeStatus(context),
    purgeInbox(context),
    unsubscribe(context),
  ];
}
