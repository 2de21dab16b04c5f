import {
  menuEntries,
  MenuLayout,
  type NavigationItem,
  type PointReader,
  type Site,
  textOf,
  webPage,
  type WebPage,
} from '@mortise/plugin-sdk';
import type { ComponentChildren, VNode } from 'preact';
import type { AdminPage, AdminPageOptions } from '../contract/admin.js';
import { t } from '../texts/index.js';

/** Below the address of the site. */
export const adminSearchPath = '/-/admin/search';

type LayoutProps = Pick<AdminPageOptions, 'active' | 'actor'> & {
  readonly menu: PointReader<NavigationItem>;
  readonly site: Site;
  readonly children: ComponentChildren;
};

const AdminLayout = ({ menu, site, actor, active, children }: LayoutProps): VNode => (
  <MenuLayout
    label={t('layout.label')}
    titled
    entries={menuEntries(menu, actor, site)}
    active={active}
    search={site.path(adminSearchPath)}
  >
    {children}
  </MenuLayout>
);

/** Pages below `/-/admin`: the menu on the left, made from what plugins contribute. */
export const makeAdminPage =
  (menu: PointReader<NavigationItem>, site: Site): AdminPage =>
  ({ active, title, actor, body, status, flash, islands }: AdminPageOptions): WebPage =>
    webPage({
      title: t.later('layout.title', { page: () => textOf(title) }),
      status,
      flash,
      islands,
      body: (
        <AdminLayout menu={menu} site={site} actor={actor} active={active}>
          {body}
        </AdminLayout>
      ),
    });
