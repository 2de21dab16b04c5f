import {
  MenuLayout,
  menuEntries,
  textOf,
  webPage,
  type MenuEntry,
  type NavigationItem,
  type PointReader,
  type Site,
} from '@mortise/plugin-sdk';
import type { ComponentChildren, VNode } from 'preact';
import type { SettingsPage } from '../api.js';
import { t } from '../texts/index.js';

/** Below the address of the site. */
export const settingsSearchPath = '/user/settings/search';

interface FrameProps {
  /** Of whose settings they are. */
  readonly name: string;
  readonly entries: readonly MenuEntry[];
  readonly active: string;
  /** Path of the search. */
  readonly search: string;
  readonly children: ComponentChildren;
}

const Frame = ({ name, entries, active, search, children }: FrameProps): VNode => (
  <div>
    <h1 class="sr-only">{t('settings.of', { name })}</h1>
    <MenuLayout label={t('settings.title')} entries={entries} active={active} search={search}>
      {children}
    </MenuLayout>
  </div>
);

/** Pages below `/user/settings`: the menu on the left, made from what plugins contribute. */
export const makeSettingsPage =
  (menu: PointReader<NavigationItem>, site: Site): SettingsPage =>
  ({ active, title, actor, body, status, flash, islands }) =>
    webPage({
      title: t.later('settings.page', { page: () => textOf(title) }),
      status,
      flash,
      islands,
      body: (
        <Frame
          name={actor.name}
          entries={menuEntries(menu, actor, site)}
          active={active}
          search={site.path(settingsSearchPath)}
        >
          {body}
        </Frame>
      ),
    });
