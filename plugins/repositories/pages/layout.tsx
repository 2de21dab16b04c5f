import { Fragment, type VNode } from 'preact';
import {
  Csrf,
  icon,
  MenuLayout,
  webPage,
  type PageOptions,
  type PointReader,
  type Site,
  type WebPage,
} from '@mortise/plugin-sdk';
import type { Repository, RepositoryPages, RepositoryPlace, RepositorySettingsEntry, RepositoryTab } from '../api.js';
import type { HeaderService } from '../services/header.js';
import { Kind, RepositoryList, languageColor } from './list.js';
import { Banners } from './banners.js';

interface Parts {
  readonly site: Site;
  readonly tabs: PointReader<RepositoryTab>;
  readonly settingsMenu: PointReader<RepositorySettingsEntry>;
  readonly header: HeaderService;
  readonly avatarUrl: (repository: Repository) => string;
  /** `[repository] DISABLE_STARS` */
  readonly starsOff: boolean;
}

/** The header of a repository with its tabs, and lists of repositories. */
export class Layout implements RepositoryPages {
  readonly languageColor = languageColor;

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
          <div class="container-xl px-3 px-md-4 mt-3">
            <Banners place={place} facts={this.parts.header.of(place.context)} base={this.#path(repository)} />
            {options.body}
          </div>
        </Fragment>
      ),
    });
  }

  settingsPage(place: RepositoryPlace, active: string, options: Omit<PageOptions, 'active'>): WebPage {
    const base = this.#path(place.context.repository);
    const body = (
      <MenuLayout
        label="Settings"
        entries={this.parts.settingsMenu.list().map((entry) => ({
          ...entry,
          href: `${base}/settings${entry.href ? `/${entry.href}` : ''}`,
        }))}
        active={active}
      >
        {options.body}
      </MenuLayout>
    );
    return this.page(place, 'settings', { ...options, body });
  }

  list(repositories: readonly Repository[]): VNode {
    return <RepositoryList repositories={repositories} site={this.parts.site} avatarUrl={this.parts.avatarUrl} />;
  }

  #path = (repository: Repository) => this.parts.site.path(`/${repository.ownerName}/${repository.name}`);

  #header(place: RepositoryPlace, active: string): VNode {
    const { repository } = place.context;
    const base = this.#path(repository);
    const { original } = this.parts.header.of(place.context);
    const picture = this.parts.avatarUrl(repository);
    return (
      <div class="color-bg-subtle pt-3 border-bottom">
        <div class="container-xl px-3 px-md-4 d-flex flex-wrap flex-items-center mb-2" style="gap: 12px">
          <div class="flex-auto">
            <h1 class="f3 text-normal wb-break-word">
              {picture ? (
                <img class="avatar mr-1" src={picture} width={24} height={24} alt="" />
              ) : (
                icon(repository.forkOfId ? 'repo-forked' : 'repo', { class: 'color-fg-muted' })
              )}{' '}
              <a class="d-inline-block" href={this.parts.site.path(`/${repository.ownerName}`)}>
                {repository.ownerName}
              </a>
              <span class="mx-1 color-fg-muted">/</span>
              <a class="text-bold d-inline-block" href={base}>
                {repository.name}
              </a>{' '}
              <Kind repository={repository} />
            </h1>
            {original ? (
              <p class="f6 color-fg-muted mb-0">
                forked from{' '}
                <a class="text-underline" href={this.#path(original)}>
                  {original.ownerName}/{original.name}
                </a>
              </p>
            ) : null}
          </div>
          {this.#buttons(place, base)}
        </div>
        {this.#tabs(place, active, base)}
      </div>
    );
  }

  #buttons({ context, actor, csrf }: RepositoryPlace, base: string): VNode {
    const { repository } = context;
    const { isStarred, isWatched } = this.parts.header.of(context);
    const signedIn = actor.kind === 'user';
    const mark = (action: string, glyph: string, label: string, count: number, to: string) => (
      <form method="post" action={`${base}/action/${action}`} class="d-inline-block">
        <Csrf token={csrf} />
        <span class="BtnGroup d-flex">
          {signedIn ? (
            <button class="btn btn-sm BtnGroup-item" type="submit">
              {icon(glyph)} {label}
            </button>
          ) : (
            <a
              class="btn btn-sm BtnGroup-item"
              href={this.parts.site.path(`/user/login?redirect_to=${encodeURIComponent(base)}`)}
              title="Sign in for this"
            >
              {icon(glyph)} {label}
            </a>
          )}
          <a
            class="btn btn-sm BtnGroup-item"
            href={`${base}/${to}`}
            aria-label={`${count} ${count === 1 ? to.slice(0, -1) : to}`}
          >
            {count}
          </a>
        </span>
      </form>
    );
    const code = context.may('read', 'code');
    return (
      <div class="d-flex flex-wrap" style="gap: 8px">
        {isWatched
          ? mark('unwatch', 'eye-closed', 'Unwatch', repository.watcherCount, 'watchers')
          : mark('watch', 'eye', 'Watch', repository.watcherCount, 'watchers')}
        {this.parts.starsOff
          ? null
          : isStarred
            ? mark('unstar', 'star-fill', 'Starred', repository.starCount, 'stars')
            : mark('star', 'star', 'Star', repository.starCount, 'stars')}
        {code ? (
          <span class="BtnGroup d-flex">
            {signedIn ? (
              <a class="btn btn-sm BtnGroup-item" href={`${base}/fork`}>
                {icon('repo-forked')} Fork
              </a>
            ) : null}
            <a
              class="btn btn-sm BtnGroup-item"
              href={`${base}/forks`}
              aria-label={`${repository.forkCount} ${repository.forkCount === 1 ? 'fork' : 'forks'}`}
            >
              {signedIn ? null : <Fragment>{icon('repo-forked')} Forks </Fragment>}
              {repository.forkCount}
            </a>
          </span>
        ) : null}
        {code && repository.isTemplate && signedIn ? (
          <a class="btn btn-sm btn-primary" href={`${base}/generate`}>
            Use this template
          </a>
        ) : null}
      </div>
    );
  }

  #tabs(place: RepositoryPlace, active: string, base: string): VNode {
    const tabs = this.parts.tabs.list().filter((tab) => tab.visible?.(place) ?? true);
    return (
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
          {place.context.may('admin') ? (
            <a
              class={`UnderlineNav-item${active === 'settings' ? ' selected' : ''}`}
              href={`${base}/settings`}
              aria-current={active === 'settings' ? 'page' : undefined}
            >
              {icon('gear', { class: 'UnderlineNav-octicon' })} Settings
            </a>
          ) : null}
        </div>
      </nav>
    );
  }
}
