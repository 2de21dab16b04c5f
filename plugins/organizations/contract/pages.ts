import {
  definePoint,
  defineService,
  type Keyed,
  type PageOptions,
  type RouteContext,
  type Text,
  type WebPage,
} from '@mortise/plugin-sdk';
import { organizationResource, type OrganizationContext } from './organizations.js';

/** What pages of an organization know. */
export type OrganizationPageContext = Pick<RouteContext<OrganizationContext>, 'resource' | 'actor'>;

/** Pages for those who decide for an organization. */
export const administerOrganization = { actor: 'user', resource: organizationResource, mode: 'owner' } as const;

/** An entry of the menu on the settings pages of an organization; the page belongs to who contributes. */
export interface OrganizationSettingsEntry extends Keyed {
  readonly label: Text;
  /** Octicon name. */
  readonly icon?: string;
  readonly order?: number;
  /** Path below `/org/{org}/settings`, for instance `hooks`. */
  readonly href: string;
}
export const organizationSettingsMenu = definePoint.keyed<OrganizationSettingsEntry>('organizations.settingsMenu');

type BodyOptions = Omit<PageOptions, 'active'>;

/** Wraps pages into what stands around them. */
export interface OrganizationPages {
  /** The header of the organization with its tabs; `active` is the key of one. */
  page(context: OrganizationPageContext, active: string, options: BodyOptions): Promise<WebPage>;
  /** The same with the menu of the settings pages at the side; `active` is the key of one of its entries. */
  settingsPage(context: OrganizationPageContext, active: string, options: BodyOptions): Promise<WebPage>;
}
export const organizationPages = defineService<OrganizationPages>('organizations.pages');
