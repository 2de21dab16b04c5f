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
import type { AdminPage } from '../api.js';
import { adminSearchPath } from './layout.js';
import { t } from '../texts/index.js';

/** Finds what can be administered by what it is called. */
export const searchRoutes =
  (menu: PointReader<NavigationItem>) =>
  ({ adminPage, site }: { readonly adminPage: AdminPage; readonly site: Site }): readonly Route[] => [
    defineRoute({
      method: 'GET',
      path: adminSearchPath,
      access: { actor: 'admin' },
      request: { query: Joi.object<{ readonly q: string }>({ q: Joi.string().allow('').max(200).default('') }) },
      handler: ({ actor, query }) =>
        adminPage({
          active: 'search',
          title: t.later('configuration.search'),
          actor,
          body: <SettingsSearchPage entries={menuEntries(menu, actor, site)} query={query.q} />,
        }),
    }),
  ];
