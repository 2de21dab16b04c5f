import { defineRoute, Joi, reply, type Access, type Route, type Site } from '@mortise/plugin-sdk';

const root = '/api/terraform';

/**
 * Terraform knows a host alone, and asks it where its registries are; their addresses begin with the namespace, which is
 * the owner here, and lead on to the registry of the owner.
 */
export function discoveryRoutes({ site }: { readonly site: Site }): readonly Route[] {
  const access: Access = { actor: 'anyone' };
  const common = { method: 'GET', surface: 'protocol', access, tags: ['package-terraform'] } as const;
  const lead = (kind: 'modules' | 'providers') =>
    defineRoute({
      ...common,
      path: `${root}/${kind}/v1/{namespace}/{path*}`,
      id: `terraformLead${kind === 'modules' ? 'Modules' : 'Providers'}`,
      summary: `The ${kind} of an owner`,
      request: {
        params: Joi.object<{ readonly namespace: string; readonly path?: string }>({
          namespace: Joi.string().required(),
          path: Joi.string().allow(''),
        }),
      },
      responses: { 307: null },
      handler: ({ params: { namespace, path = '' } }) => {
        const segments = path.split('/').filter(Boolean).map(encodeURIComponent);
        const owner = encodeURIComponent(namespace);
        return reply.redirect(site.path(`/api/packages/${owner}/terraform/${kind}/${segments.join('/')}`), 307);
      },
    });
  return [
    defineRoute({
      ...common,
      path: '/.well-known/terraform.json',
      id: 'terraformDiscovery',
      summary: 'Where the registries of Terraform are',
      responses: {
        200: Joi.object({
          'modules.v1': Joi.string().required(),
          'providers.v1': Joi.string().required(),
        }).label('TerraformServices'),
      },
      handler: () => ({
        'modules.v1': site.path(`${root}/modules/v1/`),
        'providers.v1': site.path(`${root}/providers/v1/`),
      }),
    }),
    lead('modules'),
    lead('providers'),
  ];
}
