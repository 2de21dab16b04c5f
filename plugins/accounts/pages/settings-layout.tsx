import {
  MenuLayout,
  menuEntries,
  webPage,
  type NavigationItem,
  type PointReader,
  type Site,
} from '@mortise/plugin-sdk';
import type { SettingsPage } from '../api.js';

/** Pages below `/user/settings`: the menu on the left, made from what plugins contribute. */
export const makeSettingsPage =
  (menu: PointReader<NavigationItem>, site: Site): SettingsPage =>
  ({ active, title, actor, body, status, flash }) =>
    webPage({
      title: `${title} · Settings`,
      status,
      flash,
      body: (
        <div>
          <h1 class="sr-only">Settings of {actor.name}</h1>
          <MenuLayout label="Settings" entries={menuEntries(menu, actor, site)} active={active}>
            {body}
          </MenuLayout>
        </div>
      ),
    });
