import type Joi from 'joi';
import { definePoint, type Keyed } from './references.js';
import type { Actor, AddedTokenCategory, AuthMethod } from './actor.js';
import type { GivenCsrf } from './csrf.js';
import type { ResourceResolver, WebPage } from './http.js';
import type { Reply } from './reply.js';
import type { AddedTexts, Text } from './language.js';
import type { NavigationItem, Slot } from './plugin.js';

/** Ways of telling who acts. */
export const authMethods = definePoint.keyed<AuthMethod>('core.authMethods');

/** Categories of token scopes beside those of the specification. */
export const addedTokenCategories = definePoint.keyed<AddedTokenCategory>('core.tokenCategories');

/** Resolves and authorizes what routes act on. */
export const resources = definePoint.keyed<ResourceResolver>('core.resources');

/** Items of the top navigation. */
export const navigation = definePoint.keyed<NavigationItem>('core.navigation');

/** Right end of the top bar, by order: notifications (50), the account's menu or the ways to sign in (100). */
export const userMenu = definePoint.keyed<Slot<{ actor: Actor } & GivenCsrf>>('core.userMenu');

/** Islands of every page that a visitor sees, by name. */
export const pageIslands = definePoint.keyed<{
  readonly key: string;
  readonly islands: readonly string[];
  visible?(actor: Actor): boolean;
}>('core.pageIslands');

/** Entries of the `+` menu in the top bar: what somebody who is signed in can create. */
export const createMenu = definePoint.keyed<NavigationItem>('core.createMenu');

/** An entry of the menu of the account in the top bar, for who is signed in. */
export interface AccountMenuItem extends Omit<NavigationItem, 'href'> {
  /** Path below the root address. */
  href(actor: Actor): string;
}
/** Below the entries for profile and dashboard, above those for settings and administration. */
export const accountMenu = definePoint.keyed<AccountMenuItem>('core.accountMenu');

/** What `/` shows; the lowest order whose `render` gives something wins. */
export const homePage = definePoint.keyed<Slot<{ actor: Actor } & GivenCsrf>>('core.homePage');

/** Something that the site offers, for visitors of its front page. */
export interface SiteFeature extends Keyed {
  /** Octicon name. */
  readonly icon: string;
  readonly title: Text;
  readonly text: Text;
  readonly order?: number;
}
/** What `/` tells visitors while no {@link homePage} has something for them. */
export const siteFeatures = definePoint.keyed<SiteFeature>('core.siteFeatures');

/** What comes first for a visitor of the front page, such as the first account of a site; it stands in place of signing in. */
export const frontPageSteps = definePoint.keyed<Slot<{ actor: Actor } & GivenCsrf>>('core.frontPageSteps');

/** A page that finds things: the search field of the top bar sends it `q`. */
interface SearchTarget extends Keyed {
  /** Path below the root address. */
  readonly path: string;
  readonly order?: number;
}
/** The one with the lowest order is asked; without any, the top bar has no search field. */
export const searchTargets = definePoint.keyed<SearchTarget>('core.searchTargets');

/** Keys that pages of a plugin know. */
export interface ShortcutGroup extends Keyed {
  /** Where they work: `In repositories`. */
  readonly title: Text;
  readonly keys: readonly (readonly [key: string, does: Text])[];
  readonly order?: number;
}
/** Groups on the page of keyboard shortcuts. */
export const shortcutGroups = definePoint.keyed<ShortcutGroup>('core.shortcutGroups');

/** Settings that clients may read: in `GET /api/v1/settings/api` or `…/ui`. */
export interface PublicSettings extends Keyed {
  readonly page: 'api' | 'ui';
  readonly schema: Readonly<Record<string, Joi.Schema>>;
  readonly values: Readonly<Record<string, unknown>>;
}
export const publicSettings = definePoint.keyed<PublicSettings>('core.publicSettings');

/**
 * Paths that robots walk through: visitors who are not signed in wait there longest for their turn, and are refused first,
 * when there is more to do than can be done (`[qos]`).
 */
export const crawledPaths = definePoint.keyed<{ readonly key: string; includes(path: string): boolean }>(
  'core.crawledPaths',
);

/** Icons and styles of the page shell: the theme of an actor (`auto`, `light`, `dark`). */
export const themeOf = definePoint.keyed<{ readonly key: string; theme(actor: Actor): Promise<string | undefined> }>(
  'core.theme',
  { fallback: { theme: undefined } },
);

/** The language that an actor has chosen (`de-DE`); undefined leaves it to the browser. */
export const languageOf = definePoint.keyed<{
  readonly key: string;
  language(actor: Actor): Promise<string | undefined>;
  /** Path of the page where who is signed in chooses it. */
  readonly settingsPath?: string;
}>('core.language', { fallback: { language: undefined } });

/** A language that the site offers, or more texts in one that it has. */
export interface LanguagePack {
  /** BCP 47, with a region: `fr-FR`. */
  readonly language: string;
  /** What its speakers call it; needed for a language that nobody else brings. */
  readonly name?: string;
  /** By the name of the plugin whose texts they are (`core` and `sdk` are the kernel's), then by key. */
  readonly texts: AddedTexts;
}
/** Languages for texts of other plugins. What a pack leaves out is shown in English. */
export const languagePacks = definePoint.many<LanguagePack>('core.languagePacks');

/** Pages for addresses that no route has, asked in order before 404 is answered; only for GET and HEAD of pages. */
export interface UnknownAddress {
  readonly key: string;
  readonly order?: number;
  answer(request: {
    readonly actor: Actor;
    /** Below the root address, decoded by nobody yet. */
    readonly path: string;
    readonly query: Readonly<Record<string, string | undefined>>;
  }): Promise<Reply | WebPage | undefined>;
}
export const unknownAddresses = definePoint.keyed<UnknownAddress>('core.unknownAddresses', {
  fallback: { answer: undefined },
});

/** A job that will not be tried again. */
export interface FailedJob {
  /** The plugin whose job it is. */
  readonly plugin: string;
  readonly job: string;
  /** The message of the last error, in one line. */
  readonly reason: string;
}

/** Told of each job that failed for good, once, after that was stored. What it throws is logged. */
export const failedJobs = definePoint.keyed<{ readonly key: string; failed(job: FailedJob): Promise<void> }>(
  'core.failedJobs',
);

/** Facts that an operation's document says about deprecated query parameters, warnings and so on. */
export const responseHeaders = definePoint.keyed<{
  readonly key: string;
  /** Extra headers for an answer, looked at once per request; must be cheap. */
  headers(request: {
    path: string;
    query: Readonly<Record<string, string | undefined>>;
    surface: string;
  }): Readonly<Record<string, string>> | undefined;
}>('core.responseHeaders', { fallback: { headers: undefined } });

/** PEM: the certificate of the site with those that lead to its root, and its private key. */
export interface SiteCertificate {
  readonly cert: string;
  readonly key: string;
}

/**
 * Extension point: where the certificate of `[server] PROTOCOL = https` comes from, in place of CERT_FILE and KEY_FILE; the
 * first one counts. It is asked before the port is opened, and every minute since (every second while there is none).
 */
export interface CertificateSource extends Keyed {
  /** Undefined: there is none yet, and connections are refused. */
  current(): Promise<SiteCertificate | undefined>;
}
export const certificateSources = definePoint.keyed<CertificateSource>('core.certificateSources');
