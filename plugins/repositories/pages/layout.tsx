import { Fragment, type VNode } from 'preact';
import {
  Pager,
  formatNumber,
  icon,
  FragmentCache,
  lastPage,
  MenuLayout,
  type MenuEntry,
  type PointReader,
  type Site,
  textOf,
  webPage,
  type WebPage,
} from '@mortise/plugin-sdk';
import type { LanguageColors } from '@mortise/git/api';
import { isWebAddress } from '../api.js';
import type { Repository, RepositoryButton, RepositoryPages, RepositoryPageContext, RepositoryTab } from '../api.js';
import type { RepositoryCounter, RepositoryPageBody, RepositorySettingsEntry } from '../contract/pages.js';
import type { RepositoryFinder } from '../services/repository-finder.js';
import type { DescriptionText } from '../services/descriptions.js';
import type { HeaderData, HeaderService } from '../services/header-service.js';
import type { Units } from '../services/units.js';
import { Kind, RepositoryList, languageColorOf } from './list.js';
import { Banners } from './banners.js';
import { SearchForm, searchHref, searchOf, type SearchDefaults, type SearchQuery } from './search.js';
import { t } from '../texts/index.js';

interface Deps {
  readonly site: Site;
  readonly tabs: PointReader<RepositoryTab>;
  readonly settingsMenu: PointReader<RepositorySettingsEntry>;
  readonly header: HeaderService;
  readonly avatarUrl: (repository: Repository) => string;
  readonly finder: Pick<RepositoryFinder, 'search'>;
  readonly buttons: PointReader<RepositoryButton>;
  readonly counters: PointReader<RepositoryCounter>;
  readonly units: Pick<Units, 'shown'>;
  readonly languages: LanguageColors;
  readonly descriptions: PointReader<DescriptionText>;
  /** Repositories on one page of a list. */
  readonly perPage: number;
  readonly offersArchives: boolean;
  readonly searching: SearchDefaults;
}

/** The header of a repository with its tabs, and lists of repositories. */
export class Layout implements RepositoryPages {
  readonly languageColor: RepositoryPages['languageColor'];

  constructor(private readonly deps: Deps) {
    this.languageColor = (name) => deps.languages.color(name) ?? languageColorOf(name);
  }

  page(pageContext: RepositoryPageContext, active: string, given: RepositoryPageBody): WebPage {
    const { repository } = pageContext.context;
    return webPage(() => {
      const options = typeof given === 'function' ? given() : given;
      return {
        ...options,
        title: () => `${textOf(options.title)} · ${repository.ownerName}/${repository.name}`,
        active: 'repositories',
        width: 'full',
        body: (
          <Fragment>
            {this.#header(pageContext, active)}
            <div class="container-xl px-3 px-md-4 mt-3">
              <Banners
                pageContext={pageContext}
                data={this.deps.header.of(pageContext.context)}
                base={this.#path(repository)}
              />
              {options.body}
            </div>
          </Fragment>
        ),
      };
    });
  }

  settingsPage(pageContext: RepositoryPageContext, active: string, given: RepositoryPageBody): WebPage {
    const base = this.#path(pageContext.context.repository);
    const search = `${base}/settings/search`;
    return this.page(pageContext, 'settings', () => {
      const options = typeof given === 'function' ? given() : given;
      const body = (
        <MenuLayout
          label={t('menu.settings')}
          entries={this.settingsEntries(pageContext.context.repository)}
          active={active}
          search={search}
        >
          {options.body}
        </MenuLayout>
      );
      return { ...options, body };
    });
  }

  /** The menu of the settings; the features of repositories are settings of its first page. */
  settingsEntries(repository: Repository): MenuEntry[] {
    const { settingsMenu, units } = this.deps;
    const base = this.#path(repository);
    return settingsMenu.list().map((entry) => ({
      ...entry,
      href: `${base}/settings${entry.href ? `/${entry.href}` : ''}`,
      settings:
        entry.key === 'general'
          ? [
              ...(entry.settings ?? []),
              ...units.shown().map(({ label, field }) => ({
                label,
                field: `field-${field}`,
                also: [t.later('settings.features')],
              })),
            ]
          : entry.settings,
    }));
  }

  list(repositories: readonly Repository[], isWhole = false): VNode {
    const { site, avatarUrl, counters } = this.deps;
    return (
      <RepositoryList
        repositories={repositories}
        site={site}
        avatarUrl={avatarUrl}
        counters={counters.list()}
        languageColor={this.languageColor}
        isWhole={isWhole}
        emojify={(text) => this.deps.descriptions.list()[0]?.show(text) ?? text}
      />
    );
  }

  get offersArchives(): boolean {
    return this.deps.offersArchives;
  }

  get perPage(): number {
    return this.deps.perPage;
  }

  /** An order by a counter that no plugin brings would be none. */
  get #searching(): SearchDefaults {
    const { searching, counters } = this.deps;
    const { sort } = searching;
    const isThere = (sort !== 'stars' && sort !== 'forks') || counters.list().some((one) => one.sort === sort);
    return isThere ? searching : { ...searching, sort: 'updated' };
  }

  /** The question that {@link searchForm} asks. */
  searchOf(query: SearchQuery) {
    return searchOf(query, this.#searching);
  }

  searchForm(options: { query: SearchQuery; keep?: Readonly<Record<string, string>>; languages?: readonly string[] }) {
    const counters = this.deps.counters.list();
    return <SearchForm {...options} sort={this.#searching.sort} counters={counters} />;
  }

  async searchable({ actor, query, among, keep }: Parameters<RepositoryPages['searchable']>[0]): Promise<VNode> {
    const page = Math.max(1, Math.floor(Number(query.page)) || 1);
    const asked = query as SearchQuery;
    const { perPage } = this.deps;
    const { items, total } = await this.deps.finder.search(
      { ...this.searchOf(asked), ...among, limit: perPage, offset: (page - 1) * perPage },
      actor,
    );
    return (
      <div>
        {this.searchForm({ query: asked, keep })}
        {this.list(items, !asked.q && !asked.kind && !asked.language)}
        <Pager page={page} last={lastPage(total, perPage)} href={(to) => searchHref(asked, to, keep)} />
      </div>
    );
  }

  #path = (repository: Repository) => this.deps.site.path(`/${repository.ownerName}/${repository.name}`);

  #header(pageContext: RepositoryPageContext, active: string): VNode {
    const { repository } = pageContext.context;
    const base = this.#path(repository);
    const { original } = this.deps.header.of(pageContext.context);
    const picture = this.deps.avatarUrl(repository);
    const { ownerName, name, forkOfId, isPrivate, isTemplate, isArchived, mirror, originalUrl } = repository;
    const shown = [
      base,
      ownerName,
      name,
      picture,
      forkOfId,
      isPrivate,
      isTemplate,
      isArchived,
      Boolean(mirror),
      originalUrl,
    ];
    const by = JSON.stringify([...shown, original?.ownerName, original?.name]);
    return (
      <div class="color-bg-subtle pt-3 border-bottom">
        <div class="container-xl px-3 px-md-4 d-flex flex-wrap flex-items-center mb-2 gap-2">
          <FragmentCache name="repositories.title" cacheKey={by}>
            {() => this.#title(repository, picture, original)}
          </FragmentCache>
          {this.#buttons(pageContext, base)}
        </div>
        {this.#tabs(pageContext, active, base)}
      </div>
    );
  }

  /** All that it shows is in the `by` of its part. */
  #title(repository: Repository, picture: string, original: HeaderData['original']): VNode {
    return (
      <div class="flex-auto">
        <h1 class="f3 text-normal wb-break-word">
          {picture ? (
            <img class="avatar mr-1" src={picture} width={24} height={24} alt="" />
          ) : (
            icon(repository.mirror ? 'mirror' : repository.forkOfId ? 'repo-forked' : 'repo', {
              class: 'color-fg-muted',
            })
          )}{' '}
          <a class="d-inline-block" href={this.deps.site.path(`/${repository.ownerName}`)}>
            {repository.ownerName}
          </a>
          <span class="mx-1 color-fg-muted">/</span>
          <a class="text-bold d-inline-block" href={this.#path(repository)}>
            {repository.name}
          </a>{' '}
          <Kind repository={repository} />
        </h1>
        {original ? (
          <p class="f6 color-fg-muted mb-0">
            {t.rich('layout.forkedFrom', {
              name: (
                <a class="text-underline" href={this.#path(original)}>
                  {original.ownerName}/{original.name}
                </a>
              ),
            })}
          </p>
        ) : null}
        {repository.mirror && repository.originalUrl ? (
          <p class="f6 color-fg-muted mb-0 wb-break-word">
            {t.rich('layout.mirrorOf', { address: <Address url={repository.originalUrl} /> })}
          </p>
        ) : null}
      </div>
    );
  }

  #buttons(pageContext: RepositoryPageContext, base: string): VNode {
    const { buttons } = this.deps.header.of(pageContext.context);
    return (
      <div class="d-flex flex-wrap gap-2">
        {this.deps.buttons.list().map((button) => button.render(pageContext, base, buttons.get(button.key)))}
      </div>
    );
  }

  firstTab(pageContext: RepositoryPageContext): string | undefined {
    return this.#visibleTabs(pageContext).find(({ href }) => href !== '')?.href;
  }

  #visibleTabs = (pageContext: RepositoryPageContext): RepositoryTab[] =>
    this.deps.tabs.list().filter((tab) => tab.visible?.(pageContext) ?? true);

  #tabs(pageContext: RepositoryPageContext, active: string, base: string): VNode {
    const shown: TabLink[] = [];
    for (const tab of this.#visibleTabs(pageContext)) {
      const { key, label, icon, href } = tab;
      const count = tab.count?.(pageContext) ?? this.deps.header.countOf(pageContext.context, key);
      shown.push({ key, icon, label: textOf(label), href, count });
    }
    if (pageContext.context.may('admin'))
      shown.push({ key: 'settings', icon: 'gear', label: t('menu.settings'), href: 'settings', count: 0 });
    return (
      <FragmentCache name="repositories.tabs" cacheKey={JSON.stringify([base, active, shown])}>
        {() => <Tabs base={base} active={active} tabs={shown} />}
      </FragmentCache>
    );
  }
}

/** Where a repository comes from; a link where a browser can follow it. */
const Address = ({ url }: { url: string }): VNode =>
  isWebAddress(url) ? (
    <a class="text-underline" href={url} rel="nofollow noopener">
      {url}
    </a>
  ) : (
    <span>{url}</span>
  );

interface TabLink {
  readonly key: string;
  readonly icon: string;
  readonly label: string;
  /** Below the repository's page. */
  readonly href: string;
  readonly count: number;
}

const Tabs = ({ base, active, tabs }: { base: string; active: string; tabs: readonly TabLink[] }): VNode => (
  <nav class="UnderlineNav code-scroll container-xl px-3 px-md-4 border-0" aria-label={t('menu.repository')}>
    <div class="UnderlineNav-body">
      {tabs.map((tab) => (
        <a
          class={`UnderlineNav-item${tab.key === active ? ' selected' : ''}`}
          href={tab.href ? `${base}/${tab.href}` : base}
          aria-current={tab.key === active ? 'page' : undefined}
        >
          {icon(tab.icon, { class: 'UnderlineNav-octicon' })} {tab.label}
          {tab.count ? <span class="Counter ml-1">{formatNumber(tab.count)}</span> : null}
        </a>
      ))}
    </div>
  </nav>
);
