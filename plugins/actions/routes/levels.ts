import { Joi, type Access, type RouteContext } from '@mortise/plugin-sdk';
import { organizationResource, type OrganizationContext } from '@mortise/organizations/api';
import { repositoryApi, repositoryResource, type RepositoryContext } from '@mortise/repositories/api';
import { environmentScope, ownerScope, repositoryScope, siteScope, type ActionScope } from '../contract/scopes.js';
import type { EnvironmentService } from '../services/deployments/environment-service.js';

/** A place of the REST surface where runners, secrets and variables hang. */
export interface Level {
  readonly path: string;
  readonly name: 'repo' | 'org' | 'user' | 'admin';
  readonly tag: string;
  readonly access: Access<never>;
  readonly params: Readonly<Record<string, Joi.Schema>>;
  scopeOf(context: Pick<RouteContext<never>, 'actor' | 'resource'>): ActionScope;
}

const word = Joi.string().required();

/** A place where secrets and variables hang; `scopeOf` throws NotFound where there is none. */
export interface ValueLevel extends Omit<Level, 'name' | 'scopeOf'> {
  readonly name: Level['name'] | 'environment';
  scopeOf(context: Pick<RouteContext<never>, 'actor' | 'resource' | 'params'>): ActionScope | Promise<ActionScope>;
}

export const repositoryLevel: Level = {
  path: `${repositoryApi}/actions`,
  name: 'repo',
  tag: 'repository',
  access: { actor: 'user', scope: 'repository', resource: repositoryResource, mode: 'owner' } as Access<never>,
  params: { owner: word, repo: word },
  scopeOf: ({ resource }) => repositoryScope((resource as RepositoryContext).repository.id),
};

export const environmentLevel = (environments: EnvironmentService): ValueLevel => ({
  ...repositoryLevel,
  path: `${repositoryApi}/environments/{environment_name}`,
  name: 'environment',
  params: { ...repositoryLevel.params, environment_name: word },
  async scopeOf({ resource, params }) {
    const { id } = (resource as RepositoryContext).repository;
    const { environment_name: name } = params as { readonly environment_name: string };
    return environmentScope(id, (await environments.get(id, name)).id);
  },
});

export const userLevel: Level = {
  path: '/api/v1/user/actions',
  name: 'user',
  tag: 'user',
  access: { actor: 'user', scope: 'user', noPublicOnly: true },
  params: {},
  scopeOf: ({ actor }) => ownerScope(actor.id),
};

export const organizationLevel: Level = {
  path: '/api/v1/orgs/{org}/actions',
  name: 'org',
  tag: 'organization',
  access: { actor: 'user', scope: 'organization', resource: organizationResource, mode: 'owner' } as Access<never>,
  params: { org: word },
  scopeOf: ({ resource }) => ownerScope((resource as OrganizationContext).account.id),
};

export const adminLevel: Level = {
  path: '/api/v1/admin/actions',
  name: 'admin',
  tag: 'admin',
  access: { actor: 'admin', scope: 'admin' },
  params: {},
  scopeOf: () => siteScope,
};

/** `getOrgRunner`: the operation as clients know it. */
export const operation = (verb: string, { name }: Pick<ValueLevel, 'name'>, what: string): string =>
  `${verb}${name.charAt(0).toUpperCase()}${name.slice(1)}${what}`;
