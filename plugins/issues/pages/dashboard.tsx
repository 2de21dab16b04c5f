import type { VNode } from 'preact';
import {
  Blankslate,
  contextWith,
  formRoute,
  formText,
  lastPage,
  Pager,
  pageRoute,
  postRoute,
  reply,
  Tabs,
  textOf,
  toId,
  webPage,
  type Flash,
  type Route,
  type RouteContext,
  type WebPage,
} from '@mortise/plugin-sdk';
import { type IssueSearch } from '../api.js';
import type { IssueFilter } from '../contract/points.js';
import { FilterBar, ListSearch, type FilterProps } from './filter-bar.js';
import { onProject } from '../services/project-filter.js';
import { defaultView, hasFilters, queryHref, parseQuery, toSearch, views, type ListQuery } from './list-query.js';
import { preservedQuery } from './list-routes.js';
import { IssueRows, listIslands, readRows, type Rows } from './rows.js';
import type { PageDeps } from './page-context.js';
import { t } from '../texts/index.js';

interface DashboardProps extends FilterProps {
  readonly deps: PageDeps;
  readonly rows: Rows;
  readonly page: number;
  readonly last: number;
  /** Empty: everybody's. Undefined: of one owner, whose name stands for the title. */
  readonly view: string | undefined;
  readonly tabs: readonly IssueFilter[];
  readonly heading?: string;
  readonly other: string;
}

function Dashboard(props: DashboardProps): VNode {
  const { deps, path, query, rows, isPull, view, tabs, heading } = props;
  const title = isPull ? t('tab.pulls') : t('tab');
  return (
    <div>
      <h1 class="f2 mb-3">{heading ? t('dashboard.of', { title, name: heading }) : title}</h1>
      {view !== undefined ? (
        <Tabs
          label={t('dashboard.views')}
          active={view}
          entries={[
            ...views.map((key) => ({ key: key as string, label: t(`dashboard.${key}`) })),
            ...tabs.map((one) => ({ key: one.key, label: textOf(one.pullTab!) })),
          ].map((one) => ({ ...one, href: one.key === defaultView ? path : `${path}?view=${one.key}` }))}
        />
      ) : null}
      <ListSearch {...props}>
        <a class="btn mb-3" href={props.other}>
          {isPull ? t('tab') : t('tab.pulls')}
        </a>
      </ListSearch>
      <div class="Box">
        <div class="Box-header">
          <FilterBar {...props} />
        </div>
        {rows.issues.length ? (
          <IssueRows rows={rows} deps={deps} isAcross />
        ) : (
          <Blankslate plain icon={isPull ? 'git-pull-request' : 'issue-opened'} title={t('list.none')}>
            <NextStep {...props} />
          </Blankslate>
        )}
      </div>
      <Pager page={props.page} last={props.last} href={(to) => queryHref(path, query, {}, to)} />
    </div>
  );
}

/** What an empty list is empty of, and where to look next. */
function NextStep({ query, view, path }: DashboardProps): VNode {
  if (hasFilters(query) || query.state !== 'open') return <p>{t('list.noneFound')}</p>;
  const own = views.find((one) => one === view);
  if (!own) return <p>{t('list.noneYet')}</p>;
  const next = own === defaultView ? 'created' : defaultView;
  return (
    <p>
      {t(`dashboard.none.${own}`)}{' '}
      <a href={next === defaultView ? path : `${path}?view=${next}`}>{t(`dashboard.next.${next}`)}</a>
    </p>
  );
}

/** Who names people and no view, or another author than themselves, looks at everybody's. */
function viewOf({ view, poster, assignee, mentioned }: ListQuery): string {
  if (view) return view === 'created' && poster ? '' : view;
  return [poster, assignee, mentioned].some(Boolean) ? '' : defaultView;
}

/** What a view narrows a search to; everybody's: nothing. */
function searchOf(view: string, tabs: readonly IssueFilter[], userId: number): Partial<IssueSearch> {
  if (tabs.some(({ key }) => key === view)) return { filters: { [view]: userId } };
  const own: Readonly<Record<(typeof views)[number], Partial<IssueSearch>>> = {
    assigned: { assigneeId: userId },
    created: { posterId: userId },
    mentioned: { mentionedId: userId },
    owned: { ownerId: userId },
  };
  const known = views.find((one) => one === view);
  return known ? own[known] : {};
}

interface DashboardOptions {
  readonly isPull: boolean;
  /** Of the list, below the root of the site. */
  readonly path: string;
  /** Those of repositories of this owner, with its name; undefined: of who is signed in. */
  readonly owner?: { readonly id: number; readonly name: string };
  readonly flash?: Flash;
}

const tabsOf = ({ filterTabs }: Pick<PageDeps, 'filterTabs'>): IssueFilter[] =>
  filterTabs.list().filter(({ pullTab }) => pullTab);

/** Issues or pull requests across repositories. */
export async function dashboardPage(
  deps: PageDeps,
  context: RouteContext,
  options: DashboardOptions,
): Promise<WebPage> {
  const { issueServices, accounts, filters, site } = deps;
  const { actor } = context;
  const { isPull, owner, flash } = options;
  const given = context.query as Readonly<Record<string, unknown>>;
  const tabs = isPull && !owner ? tabsOf(deps) : [];
  const asked = parseQuery(
    { ...given, labels: '', milestone: '' },
    tabs.map(({ key }) => key),
  );
  const view = owner ? undefined : viewOf(asked);
  const query = { ...asked, view: view ?? '' };
  const path = site.path(options.path);
  const { perPage } = deps;
  const narrowed = await toSearch(query, accounts);
  const project = await onProject(issueServices.points.projects, String(query.project || ''), actor);
  const of = owner ? { ownerId: owner.id } : searchOf(query.view, tabs, actor.id);
  const { page } = context.page;
  const found = narrowed
    ? await issueServices.reader.page(
        { ...narrowed, ...of, ...project, isPull, limit: perPage, offset: (page - 1) * perPage },
        actor,
      )
    : { items: [], open: 0, closed: 0 };
  const rows = await readRows(deps, found.items, actor);
  const saved = owner ? [] : await filters.list({ userId: actor.id, isPull });
  const total = query.state === 'all' ? found.open + found.closed : query.state === 'open' ? found.open : found.closed;
  return webPage({
    title: isPull ? t.later('tab.pulls') : t.later('tab'),
    active: isPull ? 'pulls' : 'issues',
    islands: listIslands,
    ...(flash && { flash, status: 422 }),
    body: (
      <Dashboard
        deps={deps}
        path={path}
        query={query}
        isPull={isPull}
        open={found.open}
        closed={found.closed}
        emojify={deps.emojify}
        rows={rows}
        page={page}
        last={lastPage(total, perPage)}
        view={view}
        tabs={tabs}
        other={queryHref(path.replace(/[a-z]+$/, isPull ? 'issues' : 'pulls'), query)}
        {...(owner
          ? { heading: owner.name }
          : { me: actor.name, saved: { filters: saved, action: `${path}/filters` } })}
      />
    ),
  });
}

/** The lists of who is signed in. */
export function dashboardRoutes(deps: PageDeps): Route[] {
  const { filters, site } = deps;
  const access = { actor: 'user' } as const;
  return (
    [
      ['/issues', false],
      ['/pulls', true],
    ] as const
  ).flatMap(([path, isPull]) => [
    pageRoute(path, access, (context) => dashboardPage(deps, context, { isPull, path })),
    formRoute(
      `${path}/filters`,
      access,
      async ({ actor }, values) => {
        const tabs = isPull ? tabsOf(deps).map(({ key }) => key) : [];
        const query = preservedQuery(formText(values, 'query'), tabs);
        await filters.save({ userId: actor.id, isPull }, formText(values, 'name', 100), query);
        return site.path(path) + (query && `?${query}`);
      },
      (context, _values, flash) => dashboardPage(deps, contextWith(context, { query: {} }), { isPull, path, flash }),
    ),
    postRoute(`${path}/filters/{id}/delete`, access, async ({ actor, params }) => {
      await filters.delete(actor.id, toId(params.id));
      return reply.redirect(site.path(path));
    }),
  ]);
}
