import type { ComponentChildren, VNode } from 'preact';
import { Csrf, formatNumber, icon, FragmentCache, Menu, PostButton, SearchBox } from '@mortise/plugin-sdk';
import type { Label, Milestone } from '../api.js';
import type { SavedFilter } from '../services/saved-filters.js';
import { fieldsOf, none, queryHref, sorts, type ListQuery } from './list-query.js';
import { LabelChip } from './page-context.js';
import { t } from '../texts/index.js';

/** A project board that the list can be filtered by. */
interface ProjectChoice {
  readonly id: number;
  readonly title: string;
}

export interface FilterProps {
  /** Path of the list. */
  readonly path: string;
  readonly query: ListQuery;
  readonly isPull: boolean;
  readonly open: number;
  readonly closed: number;
  /** What can be chosen; absent across repositories. */
  readonly labels?: readonly Label[];
  readonly milestones?: readonly Milestone[];
  readonly projects?: readonly ProjectChoice[];
  readonly emojify: (text: string) => string;
  /** Of who is signed in; absent for visitors. */
  readonly saved?: { readonly filters: readonly SavedFilter[]; readonly action: string };
  /** Name of who is signed in. */
  readonly me?: string;
}

const Choice = ({ href, chosen, children }: { href: string; chosen: boolean; children: ComponentChildren }): VNode => (
  <a class="dropdown-item issue-choice" href={href} aria-current={chosen ? 'true' : undefined}>
    {chosen ? icon('check') : <span class="issue-choice-space" />} {children}
  </a>
);

/** Above the list: the search, and what is kept. */
export function ListSearch(props: FilterProps & { readonly children?: ComponentChildren }): VNode {
  const { path, query, isPull, children } = props;
  const { q, ...keep } = fieldsOf(query);
  return (
    <div class="d-flex flex-wrap gap-2 mb-1">
      {props.saved ? <SavedFilters {...props} saved={props.saved} /> : null}
      <div class="flex-auto">
        <SearchBox
          action={path}
          value={q ?? ''}
          label={isPull ? t('list.searchPulls') : t('list.searchIssues')}
          keep={keep}
        />
      </div>
      {children}
    </div>
  );
}

function SavedFilters({
  path,
  query,
  me,
  isPull,
  saved,
}: FilterProps & { saved: NonNullable<FilterProps['saved']> }): VNode {
  const empty = {
    ...query,
    labels: [],
    milestone: 0,
    project: 0,
    assignee: '',
    poster: '',
    mentioned: '',
    q: '',
    state: 'open',
  } as const;
  const mine = (changes: Partial<ListQuery>) => queryHref(path, { ...empty, sort: query.sort }, changes);
  const now = new URLSearchParams(fieldsOf(query)).toString();
  return (
    <Menu button={t('filter.title')} align="start">
      {me ? (
        <>
          <Choice href={mine({ poster: me })} chosen={query.poster === me}>
            {isPull ? t('filter.myPulls') : t('filter.myIssues')}
          </Choice>
          <Choice href={mine({ assignee: me })} chosen={query.assignee === me}>
            {t('filter.assignedToMe')}
          </Choice>
          <Choice href={mine({ mentioned: me })} chosen={query.mentioned === me}>
            {t('filter.mentionsMe')}
          </Choice>
        </>
      ) : null}
      {saved.filters.map((filter) => (
        <div class="d-flex flex-items-center">
          <a
            class="dropdown-item issue-choice flex-auto"
            href={`${path}?${filter.query}`}
            aria-current={filter.query === now ? 'true' : undefined}
          >
            {icon('bookmark')} {filter.name}
          </a>
          <PostButton
            action={`${saved.action}/${filter.id}/delete`}
            label={t('filter.delete', { name: filter.name })}
            class="btn-octicon p-1"
          >
            {icon('x')}
          </PostButton>
        </div>
      ))}
      <form method="post" action={saved.action} class="d-flex gap-2 p-2 border-top color-border-muted">
        <Csrf />
        <input type="hidden" name="query" value={now} />
        <input
          class="form-control input-sm"
          name="name"
          required
          maxLength={100}
          placeholder={t('filter.name')}
          aria-label={t('filter.name')}
        />
        <button class="btn btn-sm" type="submit">
          {t('filter.save')}
        </button>
      </form>
    </Menu>
  );
}

/** Open and closed with their numbers, and the menus that narrow the list. */
export function FilterBar(props: FilterProps): VNode {
  const { path, query, isPull, open, closed, labels, milestones, projects } = props;
  return (
    <FragmentCache
      name="issues.filterBar"
      cacheKey={JSON.stringify([path, query, isPull, open, closed, labels, milestones, projects])}
    >
      {() => <Filters {...props} />}
    </FragmentCache>
  );
}

function Filters(props: FilterProps): VNode {
  const { path, query, open, closed } = props;
  const state = (of: 'open' | 'closed', name: string, count: number, words: string) => (
    <a
      class={`issue-state${query.state === of ? ' text-bold color-fg-default' : ' Link--muted'}`}
      href={queryHref(path, query, { state: of })}
      aria-current={query.state === of ? 'true' : undefined}
    >
      {icon(name)} {t('list.state', { count: formatNumber(count), state: words })}
    </a>
  );
  return (
    <div class="d-flex flex-wrap flex-items-center gap-2 flex-auto">
      <div class="d-flex flex-wrap gap-3 flex-auto">
        {state('open', props.isPull ? 'git-pull-request' : 'issue-opened', open, t('state.open'))}
        {state('closed', 'check', closed, t('state.closed'))}
      </div>
      <div class="d-flex flex-wrap gap-1 issue-menus">
        {props.labels ? <LabelMenu {...props} labels={props.labels} /> : null}
        {props.milestones ? <MilestoneMenu {...props} milestones={props.milestones} /> : null}
        {props.projects?.length ? <ProjectMenu {...props} projects={props.projects} /> : null}
        <UserMenu {...props} />
        <Menu button={t('sort.title')} class="btn btn-sm btn-invisible">
          {sorts.map((sort) => (
            <Choice href={queryHref(path, query, { sort })} chosen={query.sort === sort}>
              {t(`sort.${sort}`)}
            </Choice>
          ))}
        </Menu>
      </div>
    </div>
  );
}

function LabelMenu({ path, query, labels, emojify }: FilterProps & { labels: readonly Label[] }): VNode {
  const chosen = query.labels === none ? [] : query.labels;
  return (
    <Menu button={t('labels.menu')} class="btn btn-sm btn-invisible">
      <Choice
        href={queryHref(path, query, { labels: query.labels === none ? [] : none })}
        chosen={query.labels === none}
      >
        {t('labels.without')}
      </Choice>
      {labels.map((label) => {
        const isChosen = chosen.includes(label.id);
        const next = isChosen ? chosen.filter((id) => id !== label.id) : [...chosen, label.id];
        return (
          <Choice href={queryHref(path, query, { labels: next })} chosen={isChosen}>
            <LabelChip label={label} emojify={emojify} />
          </Choice>
        );
      })}
    </Menu>
  );
}

function MilestoneMenu({ path, query, milestones }: FilterProps & { milestones: readonly Milestone[] }): VNode {
  const to = (milestone: ListQuery['milestone']) =>
    queryHref(path, query, { milestone: query.milestone === milestone ? 0 : milestone });
  return (
    <Menu button={t('milestones.menu')} class="btn btn-sm btn-invisible">
      <Choice href={to(none)} chosen={query.milestone === none}>
        {t('milestones.without')}
      </Choice>
      {milestones.map(({ id, title }) => (
        <Choice href={to(id)} chosen={query.milestone === id}>
          {title}
        </Choice>
      ))}
    </Menu>
  );
}

function ProjectMenu({ path, query, projects }: FilterProps & { projects: readonly ProjectChoice[] }): VNode {
  const to = (project: ListQuery['project']) =>
    queryHref(path, query, { project: query.project === project ? 0 : project });
  return (
    <Menu button={t('projects.menu')} class="btn btn-sm btn-invisible">
      <Choice href={to(none)} chosen={query.project === none}>
        {t('projects.without')}
      </Choice>
      {projects.map(({ id, title }) => (
        <Choice href={to(id)} chosen={query.project === id}>
          {title}
        </Choice>
      ))}
    </Menu>
  );
}

function UserMenu({ path, query }: FilterProps): VNode {
  const { poster: _, assignee: __, mentioned: ___, ...keep } = fieldsOf(query);
  return (
    <Menu button={t('people.menu')} class="btn btn-sm btn-invisible">
      <form method="get" action={path} class="p-2 issue-people">
        {Object.entries(keep).map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        {(['poster', 'assignee', 'mentioned'] as const).map((name) => (
          <label class="d-block mb-2">
            <span class="d-block f6">{t(`people.${name}`)}</span>
            <input
              class="form-control input-sm width-full"
              name={name}
              value={query[name]}
              autocomplete="off"
              autocapitalize="none"
              spellcheck={false}
              data-suggest="user"
            />
          </label>
        ))}
        <p class="note mb-2">{t('people.note', { none })}</p>
        <button class="btn btn-sm btn-primary" type="submit">
          {t('people.apply')}
        </button>
      </form>
    </Menu>
  );
}
