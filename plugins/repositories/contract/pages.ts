import type { VNode } from 'preact';
import {
  definePoint,
  defineService,
  type Actor,
  type Keyed,
  type NamedSetting,
  type PageOptions,
  type RouteContext,
  type Site,
  type Slot,
  type Text,
  type WebPage,
} from '@mortise/plugin-sdk';
import { repositoryResource, type Repository, type RepositoryContext, type RepositorySearch } from './repositories.js';

/** What handlers of a repository's pages and operations get. */
export type RepositoryRoute = RouteContext<RepositoryContext>;

/** Pages for administrators of a repository. */
export const administerPage = { actor: 'user', resource: repositoryResource, mode: 'admin' } as const;

export const repositoryPageContext = (context: RepositoryRoute): RepositoryPageContext => ({
  context: context.resource,
  actor: context.actor,
});

/** Path of a repository's page. */
export const repositoryHome = (site: Site, { ownerName, name }: Repository): string =>
  site.path(`/${ownerName}/${name}`);

export interface RepositoryPageContext {
  readonly context: RepositoryContext;
  readonly actor: Actor;
}

/** A tab of the repository's header. */
export interface RepositoryTab extends Keyed {
  readonly label: Text;
  /** Octicon name. */
  readonly icon: string;
  readonly order?: number;
  /** Path below the repository's page, for instance `releases`; empty: the page itself. */
  readonly href: string;
  visible?(pageContext: RepositoryPageContext): boolean;
  count?(pageContext: RepositoryPageContext): number | undefined;
  /** The same where the record does not have it. Every page of the repository asks: answer from a {@link Cache.query}. */
  counted?(context: RepositoryContext): Promise<number>;
}
export const repositoryTabs = definePoint.keyed<RepositoryTab>('repositories.tabs', {
  fallback: { count: undefined, counted: 0 },
});

/** An entry of the menu on a repository's settings pages; the page belongs to who contributes. */
export interface RepositorySettingsEntry extends Keyed {
  readonly label: Text;
  readonly icon?: string;
  readonly order?: number;
  /** Path below `/{owner}/{repo}/settings`, for instance `hooks`. */
  readonly href: string;
  /** What can be set on the page, for the search in settings. */
  readonly settings?: readonly NamedSetting[];
}
export const repositorySettingsMenu = definePoint.keyed<RepositorySettingsEntry>('repositories.settingsMenu');

/** Boxes beside the file list of a repository's home page (languages, about …). */
export const repositorySidebar = definePoint.keyed<Slot<RepositoryPageContext>>('repositories.sidebar');

/** Above the form for a new repository: what it may begin with instead, such as a template. */
export const newRepositoryStarts = definePoint.keyed<Slot<{ readonly actor: Actor }>>(
  'repositories.newRepositoryStarts',
);

/** A button of the repository's header, with what it counts. */
export interface RepositoryButton extends Keyed {
  readonly order?: number;
  /** Read before a page for a signed-in user is made, and kept for as long as nothing is committed. */
  load?(context: RepositoryContext, actor: Actor): Promise<unknown>;
  /** `base`: path of the repository's page. `facts`: what {@link facts} gave; undefined for who is not signed in. */
  render(pageContext: RepositoryPageContext, base: string, facts: unknown): VNode | null;
}
export const repositoryButtons = definePoint.keyed<RepositoryButton>('repositories.buttons', {
  fallback: { load: undefined },
});

/** A number that lists of repositories show, and may be ordered by. */
export interface RepositoryCounter extends Keyed {
  readonly order?: number;
  /** Octicon name. */
  readonly icon: string;
  readonly label: Text;
  readonly count: (repository: Repository) => number;
  /** The order of lists that goes by it. */
  readonly sort?: 'stars' | 'forks';
}
export const repositoryCounters = definePoint.keyed<RepositoryCounter>('repositories.counters', {
  fallback: { count: 0 },
});

type BodyOptions = Omit<PageOptions, 'active'>;
/** A function is called in the visitor's language, so that texts may be made in it. */
export type RepositoryPageBody = BodyOptions | (() => BodyOptions);

export interface RepositoryPages {
  /** Pages have archives of the source to download: not with `[repository] DISABLE_DOWNLOAD_SOURCE_ARCHIVES`. */
  readonly offersArchives: boolean;
  /** Wraps a body into the repository's header with its tabs. */
  page(pageContext: RepositoryPageContext, active: string, options: RepositoryPageBody): WebPage;
  /** The same with the menu of the settings pages at the side. */
  settingsPage(pageContext: RepositoryPageContext, active: string, options: RepositoryPageBody): WebPage;
  /** Path below the repository's page of the first tab beside it that the viewer may open; undefined: there is none. */
  firstTab(pageContext: RepositoryPageContext): string | undefined;
  /** A list of repositories as pages show it, with languages, stars and the time of the last change. */
  list(repositories: readonly Repository[]): VNode;
  /** A list that can be searched and ordered: the form, the repositories and the links to further pages. */
  searchable(request: {
    readonly actor: Actor;
    /** Of the address; the form sends it. */
    readonly query: Readonly<Record<string, unknown>>;
    /** What is searched in, whatever is asked for. */
    readonly among: Partial<RepositorySearch>;
    /** Further fields of the address, kept as they are. */
    readonly keep?: Readonly<Record<string, string>>;
  }): Promise<VNode>;
  /** The colour of a language in bars and dots, as CSS has it. */
  languageColor(language: string): string;
}
export const repositoryPages = defineService<RepositoryPages>('repositories.pages');
