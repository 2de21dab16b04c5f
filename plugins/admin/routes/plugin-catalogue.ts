import { defineRoute, Joi, reply, type CataloguePlugin, type PluginCatalogue, type Route } from '@mortise/plugin-sdk';

const pluginSchema = Joi.object({
  package: Joi.string().required(),
  version: Joi.string().required().description('The newest'),
  description: Joi.string().allow('').required().description('In the words of its author'),
  publisher: Joi.string().allow('').required().description('Account of the registry'),
  installed: Joi.string().description('Version that is added here'),
  update: Joi.boolean().required().description('It is added here in an older version'),
  allowed: Joi.boolean().required().description('Whether the settings let it be added'),
}).label('CataloguePlugin');
const responses = { 200: Joi.array().items(pluginSchema).label('CataloguePluginList') };

const shown = ({ packageName, isUpdate, isAllowed, ...rest }: CataloguePlugin) => ({
  package: packageName,
  ...rest,
  update: isUpdate,
  allowed: isAllowed,
});

const of = { method: 'GET', access: { actor: 'admin', scope: 'admin' }, tags: ['admin'], responses } as const;

/** Plugins of the package registry that the settings name, over the API. */
export function pluginCatalogueRoutes(catalogue: PluginCatalogue): readonly Route[] {
  return [
    defineRoute({
      ...of,
      path: '/api/v1/admin/plugin-catalogue',
      id: 'adminSearchPlugins',
      summary: 'Look for plugins in the package registry, where the settings name one',
      request: {
        query: Joi.object<{ readonly q: string }>({
          q: Joi.string().trim().allow('').max(200).default('').description('Words'),
        }),
      },
      async handler({ query }) {
        return reply.json((await catalogue.search(query.q)).map(shown));
      },
    }),
    defineRoute({
      ...of,
      path: '/api/v1/admin/plugin-catalogue/updates',
      id: 'adminListPluginUpdates',
      summary: 'Newer versions of the plugins that were added from the package registry',
      async handler() {
        return reply.json((await catalogue.updates()).map(shown));
      },
    }),
  ];
}
