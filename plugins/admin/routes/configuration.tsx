import { defineRoute, Joi, type Route, type SettingList, type Site } from '@mortise/plugin-sdk';
import type { AdminPage } from '../contract/admin.js';
import { Configuration } from '../pages/configuration.js';
import { t } from '../texts/index.js';

interface Services {
  readonly adminPage: AdminPage;
  readonly settings: SettingList;
  readonly site: Site;
}

/** The settings that hold, for administrators; they are changed in the file or the environment. */
export const configurationRoutes = ({ adminPage, settings, site }: Services): readonly Route[] => [
  defineRoute({
    method: 'GET',
    path: '/-/admin/configuration',
    access: { actor: 'admin' },
    request: {
      query: Joi.object<{ readonly q: string; readonly changed?: string }>({
        q: Joi.string().allow('').max(255).default(''),
        changed: Joi.string().allow(''),
      }),
    },
    handler({ actor, query }) {
      const words = query.q.toLowerCase().split(/\s+/).filter(Boolean);
      const found = settings.list().filter((one) => {
        const text = `${one.section} ${one.key} ${one.owner} ${one.description}`.toLowerCase();
        return (!query.changed || one.isSet) && words.every((word: string) => text.includes(word));
      });
      return adminPage({
        active: 'configuration',
        title: t.later('configuration.title'),
        actor,
        body: (
          <Configuration
            settings={found}
            text={query.q}
            changedOnly={Boolean(query.changed)}
            action={site.path('/-/admin/configuration')}
          />
        ),
      });
    },
  }),
];
