import type { VNode } from 'preact';
import {
  Blankslate,
  icon,
  identityOf,
  FragmentCache,
  lastPage,
  Pager,
  type Flash,
  type WebPage,
} from '@mortise/plugin-sdk';
import { repositoryPageContext } from '@mortise/repositories/api';
import { unitOf, type Issue } from '../api.js';
import { BulkForm, bulkForm } from './bulk-edit.js';
import { FilterBar, ListSearch, type FilterProps } from './filter-bar.js';
import { hasFilters, queryHref, parseQuery, toSearch } from './list-query.js';
import { IssueRows, listIslands, readProperties, readPlainRows, type Rows } from './rows.js';
import type { IssueListData } from './issue-list-data.js';
import { onProject } from '../services/project-filter.js';
import { repositoryPathOf, StyleIcon, defaultStyle, type ListContext, type PageDeps } from './page-context.js';
import { t } from '../texts/index.js';

interface ListProps extends FilterProps {
  readonly deps: PageDeps;
  readonly repositoryPath: string;
  readonly rows: Rows;
  readonly page: number;
  readonly last: number;
  readonly pinned: readonly Issue[];
  readonly mayOpen: boolean;
  readonly mayWrite: boolean;
}

function List(props: ListProps): VNode {
  const { deps, repositoryPath, path, query, rows, isPull, labels = [], milestones = [] } = props;
  return (
    <div>
      <h2 class="sr-only">{isPull ? t('tab.pulls') : t('tab')}</h2>
      <Pinned {...props} />
      <ListSearch {...props}>
        <div class="d-flex flex-wrap gap-2 mb-3">
          <a class="btn" href={`${repositoryPath}/labels`}>
            {icon('tag')} {t('labels.title')}
          </a>
          <a class="btn" href={`${repositoryPath}/milestones`}>
            {icon('milestone')} {t('milestones.title')}
          </a>
          {props.mayOpen ? (
            <a
              class="btn btn-primary"
              href={isPull ? `${repositoryPath}/compare` : `${repositoryPath}/issues/new/choose`}
            >
              {isPull ? t('list.newPull') : t('list.newIssue')}
            </a>
          ) : null}
        </div>
      </ListSearch>
      {hasFilters(query) ? (
        <p>
          <a class="Link--muted" href={path}>
            {icon('x')} {t('filter.clear')}
          </a>
        </p>
      ) : null}
      <div class="Box">
        <div class="Box-header">
          <FilterBar {...props} />
        </div>
        {rows.issues.length ? (
          <IssueRows
            rows={rows}
            deps={deps}
            form={props.mayWrite ? bulkForm : undefined}
            labelHref={(label) => queryHref(path, query, { labels: [label.id] })}
          />
        ) : (
          <Blankslate plain level={3} icon={isPull ? 'git-pull-request' : 'issue-opened'} title={t('list.none')}>
            <p>{hasFilters(query) || query.state !== 'open' ? t('list.noneFound') : t('list.noneYet')}</p>
          </Blankslate>
        )}
      </div>
      {props.mayWrite && rows.issues.length ? (
        <BulkForm
          action={`${repositoryPath}/issues/bulk`}
          isPull={isPull}
          query={queryHref('', query).replace(/^\?/, '')}
          labels={labels}
          milestones={milestones}
        />
      ) : null}
      <Pager page={props.page} last={props.last} href={(to) => queryHref(path, query, {}, to)} />
    </div>
  );
}

function Pinned({ pinned, repositoryPath, isPull, deps }: ListProps): VNode | null {
  if (pinned.length === 0) return null;
  return (
    <section class="issue-pins mb-3" aria-label={t('list.pinned')}>
      {pinned.map((issue) => (
        <div class="Box p-3 d-flex gap-2 min-width-0">
          <StyleIcon style={defaultStyle(issue)} />
          <a
            class="text-bold Link--primary flex-auto min-width-0 wb-break-word"
            href={`${repositoryPath}/${isPull ? 'pulls' : 'issues'}/${issue.index}`}
          >
            {deps.emojify(issue.title)} <span class="color-fg-muted text-normal">#{issue.index}</span>
          </a>
          <span class="color-fg-muted" title={t('list.pinned')}>
            {icon('pin')}
          </span>
        </div>
      ))}
    </section>
  );
}

/** The list of a repository, of either kind. */
export async function listPage(
  deps: PageDeps,
  context: ListContext,
  { isPull, flash, above }: { readonly isPull: boolean; readonly flash?: Flash; readonly above?: VNode | null },
): Promise<WebPage> {
  const { issueServices, accounts, filters, pages, site, perPage } = deps;
  const { resource, actor } = context;
  const { repository } = resource;
  const { reader, labels, milestones, moderation } = issueServices;
  const query = parseQuery(context.query as Readonly<Record<string, unknown>>);
  const { page } = context.page;
  const repositoryPath = repositoryPathOf(site, repository);
  const path = `${repositoryPath}/${isPull ? 'pulls' : 'issues'}`;
  const unit = unitOf({ isPull });
  const { points } = issueServices;
  const narrowed = await toSearch(query, accounts);
  const project = await onProject(points.projects, String(query.project || ''), actor, resource);
  const search = narrowed && { ...narrowed, ...project };
  const read = async (): Promise<IssueListData> => {
    const none = { items: [] as Issue[], open: 0, closed: 0 };
    const found = search
      ? await reader.page(
          { ...search, repositoryId: repository.id, isPull, limit: perPage, offset: (page - 1) * perPage },
          actor,
        )
      : none;
    const isFirst = page === 1 && !hasFilters(query) && query.state === 'open';
    const [offered, open, pinned] = await Promise.all([
      labels.offered(repository, true),
      milestones.offered(repository.id),
      isFirst ? moderation.pinned(repository.id, isPull) : [],
    ]);
    // rows show no bodies, and those can be long
    const shown = found.items.map((one) => ({ ...one, body: '' }));
    const rows = await readPlainRows(deps, shown, { milestones: open, repository });
    return { rows, pinned, labels: offered, milestones: open, open: found.open, closed: found.closed };
  };
  const key = JSON.stringify([identityOf(repository), isPull, page, narrowed]);
  // what a text is found in, and which boards there are, depends on who asks
  const list = await (query.q || query.project ? read() : deps.lists.load(key, read));
  const [properties, saved, projects] = await Promise.all([
    readProperties(deps, list.rows.issues, actor),
    actor.kind === 'user' ? filters.list({ userId: actor.id, repositoryId: repository.id, isPull }) : [],
    points.projects.list()[0]?.choices(resource, actor) ?? [],
  ]);
  const total = query.state === 'all' ? list.open + list.closed : list[query.state];
  const mayWrite = resource.may('write', unit) && !repository.isArchived;
  const props: ListProps = {
    deps,
    repositoryPath,
    path,
    query,
    isPull,
    open: list.open,
    closed: list.closed,
    labels: list.labels,
    milestones: list.milestones,
    projects,
    emojify: deps.emojify,
    rows: { ...list.rows, properties },
    page,
    last: lastPage(total, perPage),
    pinned: list.pinned,
    mayOpen: !repository.isArchived && (!isPull || resource.may('read', 'code')),
    mayWrite,
    ...(actor.kind === 'user' && {
      me: actor.name,
      saved: { filters: saved, action: `${repositoryPath}/${isPull ? 'pulls' : 'issues'}/filters` },
    }),
  };
  // all who are not signed in see the same, but for what other plugins say of its rows
  const isShared = actor.kind === 'anonymous' && properties.size === 0 && !query.q;
  const minute = Math.floor(Date.now() / 60_000);
  return pages.page(repositoryPageContext(context), unit, {
    title: isPull ? t.later('tab.pulls') : t.later('tab'),
    islands: listIslands,
    ...(flash && { flash, status: flash.kind === 'error' ? 422 : 200 }),
    body: (
      <>
        {above}
        {isShared ? (
          <FragmentCache
            name="issues.list"
            cacheKey={JSON.stringify([identityOf(list), minute, path, query, page, props.mayOpen, projects])}
          >
            {() => <List {...props} />}
          </FragmentCache>
        ) : (
          <List {...props} />
        )}
      </>
    ),
  });
}
