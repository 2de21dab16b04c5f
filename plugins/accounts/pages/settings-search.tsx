import {
  Joi,
  SettingsSearchPage,
  defineRoute,
  menuEntries,
  type NavigationItem,
  type PointReader,
  type Route,
  type Site,
} from '@mortise/plugin-sdk';
import type { SettingsPage } from '../api.js';
import { settingsSearchPath } from './settings-layout.js';
import { t } from '../texts/index.js';

/** Finds what can be set by what it is called. */
export const settingsSearchRoutes =
  (menu: PointReader<NavigationItem>) =>
  ({ settingsPage, site }: { readonly settingsPage: SettingsPage; readonly site: Site }): readonly Route[] => [
    defineRoute({
      method: 'GET',
      path: settingsSearchPath,
      access: { actor: 'user' },
      request: { query: Joi.object<{ readonly q: string }>({ q: Joi.string().allow('').max(200).default('') }) },
      handler: ({ actor, query }) =>
        settingsPage({
          active: 'search',
          title: t.later('settings.search'),
          actor,
          body: <SettingsSearchPage entries={menuEntries(menu, actor, site)} query={query.q} />,
        }),
    }),
  ];
