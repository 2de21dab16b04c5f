import {
  Joi,
  SettingsSearchPage,
  defineRoute,
  menuEntries,
  type NavigationItem,
  type PointReader,
  type Route,
  type Site,
  type Text,
} from '@mortise/plugin-sdk';
import type { SettingsPage } from './pages.js';

interface SettingsSearch {
  readonly path: string;
  readonly actor: 'user' | 'admin';
  readonly title: Text;
  readonly menu: PointReader<NavigationItem>;
  readonly site: Site;
  /** The frame of the pages that are searched. */
  readonly page: SettingsPage;
}

/** Finds what can be set on the pages of a menu by what it is called. */
export const settingsSearchRoute = ({ path, actor: kind, title, menu, site, page }: SettingsSearch): Route =>
  defineRoute({
    method: 'GET',
    path,
    access: { actor: kind },
    request: { query: Joi.object<{ readonly q: string }>({ q: Joi.string().allow('').max(200).default('') }) },
    handler: ({ actor, query }) =>
      page({
        active: 'search',
        title,
        actor,
        body: <SettingsSearchPage entries={menuEntries(menu, actor, site)} query={query.q} />,
      }),
  });
