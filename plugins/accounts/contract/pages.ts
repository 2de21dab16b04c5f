import type { VNode } from 'preact';
import {
  definePoint,
  defineService,
  type Actor,
  type Keyed,
  type NavigationItem,
  type PageOptions,
  type Slot,
  type Text,
  type WebPage,
} from '@mortise/plugin-sdk';
import type { Account, AccountKind } from './account.js';

/** What the profile page of `/{username}` knows. */
export interface ProfileProps {
  readonly account: Account;
  readonly actor: Actor;
  readonly query: Readonly<Record<string, string | undefined>>;
}

/** A tab of the profile page, `/{username}?tab={key}`; the lowest order is shown first. */
export interface ProfileTab extends Keyed {
  readonly label: Text;
  readonly order?: number;
  readonly icon?: string;
  visible?(props: ProfileProps): boolean;
  /** Number beside the label. */
  count?(props: ProfileProps): Promise<number | undefined>;
  render: Slot<ProfileProps>['render'];
}
export const profileTabs = definePoint.keyed<ProfileTab>('accounts.profileTabs', { fallback: { count: undefined } });

/** Below the facts beside the picture on the profile page. */
export const profileDetails = definePoint.keyed<Slot<ProfileProps>>('accounts.profileDetails');

/** Above the first tab of a profile, of people and of organizations: its readme, for instance. */
export interface ProfileIntroduction extends Slot<ProfileProps> {
  /** What the page needs where it is shown. */
  readonly islands?: PageOptions['islands'];
}
export const profileIntroductions = definePoint.keyed<ProfileIntroduction>('accounts.profileIntroductions');

/** What whole pages know, too. */
export interface ProfilePageProps extends ProfileProps {
  /** Of {@link profileIntroductions}; none but with the first tab. */
  readonly introduction: readonly VNode[];
}
/** Replaces the whole page of `/{username}` for kinds of accounts that have their own (organizations). */
export interface ProfilePage extends Keyed {
  readonly kind: AccountKind;
  render: Slot<ProfilePageProps>['render'];
}
export const profilePages = definePoint.keyed<ProfilePage>('accounts.profilePages');

/** A page below `/user/settings`, in the layout with the settings menu. */
interface SettingsPageOptions {
  /** Key of the active entry of {@link settingsMenu}. */
  readonly active: string;
  readonly title: Text;
  readonly actor: Actor;
  readonly body: VNode;
  readonly status?: number;
  readonly flash?: PageOptions['flash'];
  readonly islands?: PageOptions['islands'];
}
export type SettingsPage = (options: SettingsPageOptions) => WebPage;
export const settingsPage = defineService<SettingsPage>('accounts.settingsPage');

/** Entries of the menu on the settings pages; the pages belong to who contributes. */
export const settingsMenu = definePoint.keyed<NavigationItem>('accounts.settingsMenu');

/** What `[service.explore]` says of all pages below `/explore`. */
export interface ExploreRules {
  /** Who may see them. */
  readonly actor: 'anyone' | 'user';
  /** What one page of a list shows. */
  readonly perPage: number;
}
export const exploreRules = defineService<ExploreRules>('accounts.exploreRules');

/** Tabs of the pages below `/explore`; the pages belong to who contributes. */
export const exploreTabs = definePoint.keyed<NavigationItem>('accounts.exploreTabs');

/** Beside what the dashboard of a signed-in user shows, for instance its organizations. */
export const dashboardDetails = definePoint.keyed<Slot<{ readonly actor: Actor }>>('accounts.dashboardDetails');

/** What waits for a user, such as reviews that others asked for. Paths are below the root of the site. */
export interface WaitingList {
  /** `Reviews requested`. */
  readonly label: Text;
  readonly icon: string;
  /** Page with all of it, where there is one. */
  readonly path?: string;
  /** The first of them. `where`: what it belongs to, such as `ada/mill#7`. */
  readonly items: readonly { readonly path: string; readonly title: string; readonly where: string }[];
  readonly total: number;
}

/** Extension point: what the dashboard of a signed-in user says is waiting, by order. */
export interface WaitingSource extends Keyed {
  readonly order: number;
  /** With at most so many items each; lists without any are not shown. */
  lists(actor: Actor, limit: number): Promise<readonly WaitingList[]>;
}
export const waitingSources = definePoint.keyed<WaitingSource>('accounts.waitingSources', { fallback: { lists: [] } });

/** Extension point: a step of a checklist on the dashboard, until it is done or the list is dismissed. */
export interface DashboardStep extends Keyed {
  /** `site`: setting up the site, for administrators; `user`: getting started, for everybody. */
  readonly list: 'site' | 'user';
  readonly order: number;
  readonly label: Text;
  /** Where it is done, below the root of the site. */
  readonly path: string;
  /** Must be cheap. */
  isDone(actor: Actor): Promise<boolean>;
}
export const dashboardSteps = definePoint.keyed<DashboardStep>('accounts.dashboardSteps', {
  fallback: { isDone: true },
});

/** First path segments that no account may take as name; pages below `/` declare theirs. */
export const reservedNames = definePoint.many<{ readonly names: readonly string[] }>('accounts.reservedNames');
