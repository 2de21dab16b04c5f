import { Joi, SettingsSearchPage, pageRoute, type Route } from '@mortise/plugin-sdk';
import { administerPage, repositoryPageContext } from '../api.js';
import type { PageDeps } from './page-deps.js';
import { t } from '../texts/index.js';

/** Finds what can be set in a repository by what it is called. */
export const settingsSearchRoutes = ({ layout }: Pick<PageDeps, 'layout'>): Route[] => [
  pageRoute(
    '/{owner}/{repo}/settings/search',
    administerPage,
    (context) =>
      layout.settingsPage(repositoryPageContext(context), 'search', () => ({
        title: t('settings.search'),
        body: (
          <SettingsSearchPage entries={layout.settingsEntries(context.resource.repository)} query={context.query.q} />
        ),
      })),
    { query: Joi.object<{ readonly q: string }>({ q: Joi.string().allow('').max(200).default('') }) },
  ),
];
