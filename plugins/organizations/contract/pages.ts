import { definePoint, type Keyed, type NavigationItem, type Slot } from '@mortise/plugin-sdk';
import type { Actor, Text } from '@mortise/plugin-sdk';
import type { OrganizationContext } from './organizations.js';

/** What pages of an organization know. */
export interface OrganizationProps {
  readonly organization: OrganizationContext;
  readonly actor: Actor;
  readonly csrf: string;
  readonly query: Readonly<Record<string, string | undefined>>;
}

/** A tab of an organization's pages, beside repositories, members and teams. */
export interface OrganizationTab extends Keyed {
  readonly label: Text;
  readonly icon?: string;
  readonly order?: number;
  /** Address for an organization. */
  href(name: string): string;
  visible?(props: OrganizationProps): boolean;
  /** Number beside the label. */
  count?(props: OrganizationProps): Promise<number | undefined>;
}
export const organizationTabs = definePoint.keyed<OrganizationTab>('organizations.tabs');

/** Entries of the menu on the settings pages of an organization; `href` is below `/org/{name}/settings`. */
export const organizationSettingsMenu = definePoint.keyed<NavigationItem>('organizations.settingsMenu');

/** Beside the repositories on the page of an organization. */
export const organizationSidebar = definePoint.keyed<Slot<OrganizationProps>>('organizations.sidebar');
