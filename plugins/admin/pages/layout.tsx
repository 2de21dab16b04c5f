import {
  MenuLayout,
  menuEntries,
  webPage,
  type NavigationItem,
  type PointReader,
  type Site,
  type WebPage,
} from '@mortise/plugin-sdk';
import type { AdminPage, AdminPageOptions } from '../api.js';

/** Pages below `/-/admin`: the menu on the left, made from what plugins contribute. */
export const makeAdminPage =
  (menu: PointReader<NavigationItem>, site: Site): AdminPage =>
  ({ active, title, actor, body, status, flash }: AdminPageOptions): WebPage =>
    webPage({
      title: `${title} · Site administration`,
      status,
      flash,
      body: (
        <MenuLayout label="Site administration" titled entries={menuEntries(menu, actor, site)} active={active}>
          {body}
        </MenuLayout>
      ),
    });
