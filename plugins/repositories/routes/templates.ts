import { Joi, NotFound, defineRoute, type Route } from '@mortise/plugin-sdk';
import { gitignoreTemplates } from '../templates/gitignore.js';
import { licenseTemplates } from '../templates/licenses.js';
import { api, type RouteServices } from './route-options.js';

/** Templates for new repositories: ignore files and licences. */
export function templateRoutes({ site }: Pick<RouteServices, 'site'>): Route[] {
  const none = { actor: 'anyone' } as const;
  return [
    defineRoute({
      method: 'GET',
      path: `${api}/gitignore/templates`,
      id: 'listGitignoresTemplates',
      tags: ['miscellaneous'],
      summary: 'Names of ignore files (REP-21)',
      access: none,
      responses: { 200: Joi.array().items(Joi.string()).label('GitignoreTemplateList') },
      handler: () => [...gitignoreTemplates.keys()],
    }),
    defineRoute({
      method: 'GET',
      path: `${api}/gitignore/templates/{name}`,
      id: 'getGitignoreTemplateInfo',
      tags: ['miscellaneous'],
      summary: 'One ignore file',
      access: none,
      responses: {
        200: Joi.object({ name: Joi.string().required(), source: Joi.string().required() }).label(
          'GitignoreTemplateInfo',
        ),
        404: null,
      },
      handler({ params }) {
        const source = gitignoreTemplates.get(params.name);
        if (source === undefined) throw NotFound('template');
        return { name: params.name, source };
      },
    }),
    defineRoute({
      method: 'GET',
      path: `${api}/licenses`,
      id: 'listLicenseTemplates',
      tags: ['miscellaneous'],
      summary: 'Licences (REP-22)',
      access: none,
      responses: {
        200: Joi.array()
          .items(
            Joi.object({
              key: Joi.string().required(),
              name: Joi.string().required(),
              url: Joi.string().required(),
            }).label('LicensesTemplateListEntry'),
          )
          .label('LicenseTemplateList'),
      },
      handler: () =>
        [...licenseTemplates().values()].map(({ key, name }) => ({
          key,
          name,
          url: site.url(`${api}/licenses/${key}`),
        })),
    }),
    defineRoute({
      method: 'GET',
      path: `${api}/licenses/{name}`,
      id: 'getLicenseTemplateInfo',
      tags: ['miscellaneous'],
      summary: 'One licence',
      access: none,
      responses: {
        200: Joi.object({
          key: Joi.string().required(),
          name: Joi.string().required(),
          url: Joi.string().required(),
          implementation: Joi.string().allow('').required(),
          body: Joi.string().required(),
        }).label('LicenseTemplateInfo'),
        404: null,
      },
      handler({ params }) {
        const license = licenseTemplates().get(params.name);
        if (!license) throw NotFound('license');
        return {
          key: license.key,
          name: license.name,
          url: site.url(`${api}/licenses/${license.key}`),
          implementation:
            'Save the text as LICENSE in the root of the repository, with the year and the name of who holds the rights.',
          body: license.text,
        };
      },
    }),
  ];
}
