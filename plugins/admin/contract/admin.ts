/** The contract of `admin`: what other plugins add to the administration pages. */
import {
  type Actor,
  type Keyed,
  definePoint,
  defineService,
  type NavigationItem,
  type PageOptions,
  type Slot,
  type Text,
  type WebPage,
} from '@mortise/plugin-sdk';
import type { VNode } from 'preact';
import type { Account } from '@mortise/accounts/api';

/** Entries of the menu on the administration pages (`/-/admin`); the pages belong to who contributes. */
export const adminMenu = definePoint.keyed<NavigationItem>('admin.menu');

/** A number on the overview of the administration, for instance of accounts. */
export interface OverviewCount extends Keyed {
  readonly label: Text;
  /** Path of the page that lists them. */
  readonly href?: string;
  readonly order?: number;
  /** Asked when an administrator looks; must be cheap. */
  count(): Promise<number>;
}
export const overviewCounts = definePoint.keyed<OverviewCount>('admin.overviewCounts', { fallback: { count: 0 } });

/** Something that an administrator should see to. */
export interface SiteProblem {
  readonly text: Text;
  /** Where it can be seen to, below the root of the site. */
  readonly path?: string;
}

/** Extension point: what is wrong with the site, shown first on the overview of the administration. */
export interface SiteProblemSource extends Keyed {
  readonly order: number;
  /** Asked when an administrator looks; must be cheap. */
  find(): Promise<readonly SiteProblem[]>;
}
export const siteProblems = definePoint.keyed<SiteProblemSource>('admin.siteProblems', { fallback: { find: [] } });

/** Sections on the page of an account, for instance about its ways in; what they send belongs to who contributes. */
export const adminUserSections = definePoint.keyed<Slot<{ readonly account: Account }>>('admin.userSections');

/** Something that went wrong in the background. */
export interface SiteNotice {
  readonly id: number;
  /** `mail`, `job`, or a word of the plugin. */
  readonly kind: string;
  /** English; the first line says it, further ones are shown on demand. */
  readonly text: string;
  /** Milliseconds since 1970 UTC. */
  readonly createdAt: number;
}

/** For what happens where nobody is who could be told. */
export interface SiteNotices {
  /** In the open transaction where there is one. No secrets: all administrators read it. */
  add(kind: string, text: string): Promise<void>;
}
export const siteNotices = defineService<SiteNotices>('admin.notices');

/** A page below `/-/admin`, in the layout with the administration menu. */
export interface AdminPageOptions {
  /** Key of the active entry of {@link adminMenu}. */
  readonly active: string;
  readonly title: Text;
  readonly actor: Actor;
  readonly body: VNode;
  readonly status?: number;
  readonly flash?: PageOptions['flash'];
  readonly islands?: PageOptions['islands'];
}
export type AdminPage = (options: AdminPageOptions) => WebPage;
export const adminPage = defineService<AdminPage>('admin.page');
