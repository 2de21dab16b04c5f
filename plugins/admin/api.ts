/** The contract of `admin`: what other plugins add to the administration pages. */
import {
  type Actor,
  definePoint,
  defineService,
  type NavigationItem,
  type PageOptions,
  type Text,
  type WebPage,
} from '@mortise/plugin-sdk';
import type { VNode } from 'preact';

/** Entries of the menu on the administration pages (`/-/admin`); the pages belong to who contributes. */
export const adminMenu = definePoint.keyed<NavigationItem>('admin.menu');

/** A page below `/-/admin`, in the layout with the administration menu. */
export interface AdminPageOptions {
  /** Key of the active entry of {@link adminMenu}. */
  readonly active: string;
  readonly title: Text;
  readonly actor: Actor;
  readonly body: VNode;
  readonly status?: number;
  readonly flash?: PageOptions['flash'];
}
export type AdminPage = (options: AdminPageOptions) => WebPage;
export const adminPage = defineService<AdminPage>('admin.page');
