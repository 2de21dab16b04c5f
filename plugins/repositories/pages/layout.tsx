import { Fragment, type ComponentChildren, type VNode } from 'preact';
import {
  icon,
  webPage,
  type PageOptions,
  type PointReader,
  type Site,
  type WebPage,
  Ago,
  Csrf,
} from '@mortise/plugin-sdk';
import type { Repository, RepositoryPages, RepositoryPlace, RepositorySettingsEntry, RepositoryTab } from '../api.js';

interface Parts {
  readonly site: Site;
  readonly tabs: PointReader<RepositoryTab>;
  readonly settingsMenu: PointReader<RepositorySettingsEntry>;
}

const languageColors: Readonly<Record<string, string>> = {
  JavaScript: '#f1e05a',
  TypeScript: '#3178c6',
  Python: '#3572a5',
  Go: '#00add8',
  Rust: '#dea584',
  Java: '#b07219',
  C: '#555555',
  'C++': '#f34b7d',
  Ruby: '#701516',
  PHP: '#4f5d95',
  Shell: '#89e051',
  HTML: '#e34c26',
  CSS: '#663399',
  Kotlin: '#a97bff',
  Swift: '#f05138',
};
export const languageColor = (name: string) =>
  languageColors[name] ?? `hsl(${[...name].reduce((sum, letter) => sum + letter.charCodeAt(0) * 37, 0) % 360} 55% 50%)`;

/** The header of a repository with its tabs, and lists of repositories. */
export class Layout implements RepositoryPages {
  constructor(private readonly parts: Parts) {}

  page(place: RepositoryPlace, active: string, options: Omit<PageOptions, 'active'>): WebPage {
    const { repository } = place.context;
    return webPage({
      ...options,
      title: `${options.title} · ${repository.ownerName}/${repository.name}`,
      active: 'repositories',
      width: 'full',
      body: (
        <Fragment>
          {this.#header(place, active)}
          <div class="container-xl px-3 px-md-4 mt-3">{options.body}</div>
        </Fragment>
      ),
    });
  }

  settingsPage(place: RepositoryPlace, active: string, options: Omit<PageOptions, 'active'>): WebPage {
    const base = this.#path(place.context.repository);
    const entries = [
      { key: 'general', label: 'General', icon: 'gear', href: '', order: 0 },
      { key: 'collaborators', label: 'Collaborators', icon: 'people', href: 'collaboration', order: 10 },
      ...this.parts.settingsMenu.list(),
    ];
    const body = (
      <div class="d-md-flex" style="gap: 24px">
        <nav aria-label="Settings" class="menu mb-3 flex-shrink-0" style="min-width: 200px; align-self: flex-start">
          {entries.map((entry) => (
            <a
              class="menu-item"
              href={`${base}/settings${entry.href ? `/${entry.href}` : ''}`}
              aria-current={entry.key === active ? 'page' : undefined}
            >
              {entry.icon ? icon(entry.icon) : null} {entry.label}
            </a>
          ))}
        </nav>
        <div class="flex-auto" style="min-width: 0">
          {options.body}
        </div>
      </div>
    );
    return this.page(place, 'settings', { ...options, body });
  }

  list(repositories: readonly Repository[]): VNode {
    if (repositories.length === 0)
      return (
        <div class="blankslate">
          {icon('repo', { size: 24 })}
          <h3 class="mb-1">No repositories</h3>
          <p>There is nothing here that you can see.</p>
        </div>
      );
    return (
      <ul class="list-style-none">
        {repositories.map((repository) => (
          <li class="py-3 border-bottom color-border-muted">
            <h3 class="f4 mb-1">
              <a class="text-bold" href={this.#path(repository)}>
                {repository.ownerName} / {repository.name}
              </a>{' '}
              <Kind repository={repository} />
            </h3>
            {repository.description ? <p class="color-fg-muted mb-2">{repository.description}</p> : null}
            {repository.topics.length ? (
              <p class="mb-2">
                {repository.topics.map((topic) => (
                  <a
                    class="topic-tag topic-tag-link"
                    href={this.parts.site.path(`/explore/repos?q=${encodeURIComponent(topic)}&topic=1`)}
                  >
                    {topic}
                  </a>
                ))}
              </p>
            ) : null}
            <p class="f6 color-fg-muted mb-0">
              {repository.language ? (
                <span class="mr-3">
                  <span
                    class="d-inline-block circle"
                    style={`width: 10px; height: 10px; background: ${languageColor(repository.language)}`}
                  />{' '}
                  {repository.language}
                </span>
              ) : null}
              <span class="mr-3">
                {icon('star')} {repository.starCount}
              </span>
              <span class="mr-3">
                {icon('repo-forked')} {repository.forkCount}
              </span>
              Updated <Ago time={repository.updatedAt} />
            </p>
          </li>
        ))}
      </ul>
    );
  }

  #path = (repository: Repository) => this.parts.site.path(`/${repository.ownerName}/${repository.name}`);

  #header(place: RepositoryPlace, active: string): VNode {
    const { context, actor, csrf } = place;
    const { repository } = context;
    const base = this.#path(repository);
    const button = (action: string, glyph: string, label: string, count: number, to: string) => (
      <form method="post" action={`${base}/action/${action}`} class="d-inline-block">
        <Csrf token={csrf} />
        <span class="BtnGroup d-flex">
          <button class="btn btn-sm BtnGroup-item" type="submit" disabled={actor.kind !== 'user'}>
            {icon(glyph)} {label}
          </button>
          <a class="btn btn-sm BtnGroup-item" href={`${base}/${to}`} aria-label={`${count}: ${to}`}>
            {count}
          </a>
        </span>
      </form>
    );
    const tabs = this.parts.tabs.list().filter((tab) => tab.visible?.(place) ?? true);
    return (
      <div class="color-bg-subtle pt-3 border-bottom">
        <div class="container-xl px-3 px-md-4 d-flex flex-wrap flex-items-center mb-2" style="gap: 12px">
          <h1 class="f3 text-normal flex-auto wb-break-word">
            {icon(repository.forkOfId ? 'repo-forked' : 'repo', { class: 'color-fg-muted' })}{' '}
            <a href={this.parts.site.path(`/${repository.ownerName}`)}>{repository.ownerName}</a>
            <span class="mx-1 color-fg-muted">/</span>
            <a class="text-bold" href={base}>
              {repository.name}
            </a>{' '}
            <Kind repository={repository} />
          </h1>
          <div class="d-flex flex-wrap" style="gap: 8px">
            {button('watch', 'eye', 'Watch', repository.watcherCount, 'watchers')}
            {button('star', 'star', 'Star', repository.starCount, 'stars')}
            <a class="btn btn-sm" href={`${base}/forks`}>
              {icon('repo-forked')} Forks <span class="Counter">{repository.forkCount}</span>
            </a>
          </div>
        </div>
        <nav class="UnderlineNav container-xl px-3 px-md-4 border-0" aria-label="Repository" style="overflow-x: auto">
          <div class="UnderlineNav-body">
            {tabs.map((tab) => {
              const count = tab.count?.(place);
              return (
                <a
                  class={`UnderlineNav-item${tab.key === active ? ' selected' : ''}`}
                  href={tab.href ? `${base}/${tab.href}` : base}
                  aria-current={tab.key === active ? 'page' : undefined}
                >
                  {icon(tab.icon, { class: 'UnderlineNav-octicon' })} {tab.label}
                  {count ? <span class="Counter ml-1">{count}</span> : null}
                </a>
              );
            })}
            {context.may('admin') ? (
              <a class={`UnderlineNav-item${active === 'settings' ? ' selected' : ''}`} href={`${base}/settings`}>
                {icon('gear', { class: 'UnderlineNav-octicon' })} Settings
              </a>
            ) : null}
          </div>
        </nav>
      </div>
    );
  }
}

function Kind({ repository }: { repository: Repository }): VNode {
  const words = [
    repository.isPrivate ? 'Private' : 'Public',
    repository.isTemplate ? 'Template' : '',
    repository.isArchived ? 'Archived' : '',
  ].filter(Boolean);
  return (
    <span class={`Label ${repository.isArchived ? 'Label--attention' : 'Label--secondary'} v-align-middle`}>
      {words.join(' · ')}
    </span>
  );
}

/** A form field with its label and help. */
export function Field({ label, help, children }: { label: string; help?: string; children: ComponentChildren }): VNode {
  return (
    <div class="form-group">
      <label>
        <span class="form-group-header d-block text-bold mb-1">{label}</span>
        {children}
      </label>
      {help ? <p class="note">{help}</p> : null}
    </div>
  );
}

export function Check({
  name,
  label,
  checked,
  help,
}: {
  name: string;
  label: string;
  checked?: boolean;
  help?: string;
}): VNode {
  return (
    <div class="form-checkbox">
      <label>
        <input type="checkbox" name={name} value="on" checked={checked} /> {label}
      </label>
      {help ? <p class="note">{help}</p> : null}
    </div>
  );
}

export function Pager({
  page,
  limit,
  total,
  href,
}: {
  page: number;
  limit: number;
  total: number;
  href: (page: number) => string;
}): VNode | null {
  const last = Math.max(1, Math.ceil(total / limit));
  if (last === 1) return null;
  return (
    <nav class="paginate-container" aria-label="Pages">
      <div class="pagination">
        {page > 1 ? (
          <a class="previous_page" rel="prev" href={href(page - 1)}>
            Previous
          </a>
        ) : (
          <span class="previous_page disabled">Previous</span>
        )}
        <em class="current px-2">
          {page} of {last}
        </em>
        {page < last ? (
          <a class="next_page" rel="next" href={href(page + 1)}>
            Next
          </a>
        ) : (
          <span class="next_page disabled">Next</span>
        )}
      </div>
    </nav>
  );
}
