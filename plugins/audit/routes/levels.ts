import { Forbidden, Joi, type Access, type Actor, type RouteContext } from '@mortise/plugin-sdk';
import { organizationResource, type OrganizationContext } from '@mortise/organizations/api';
import { repositoryResource, type RepositoryContext } from '@mortise/repositories/api';
import type { Scope } from '../services/finder.js';
import { t } from '../texts/index.js';

/** A log of the API: where it lies, who may read it, and which entries are in it. */
export interface Level {
  readonly path: string;
  /** In operation ids: `list{name}`. */
  readonly name: string;
  readonly summary: string;
  readonly tag: string;
  readonly params: Readonly<Record<string, Joi.Schema>>;
  readonly access: Access<never>;
  scope(context: RouteContext<never>): Scope;
}

const name = Joi.string().required();

export const siteLevel: Level = {
  path: '/api/v1/admin/audit',
  name: 'AuditLog',
  summary: 'the audit log of the site',
  tag: 'admin',
  params: {},
  access: { actor: 'admin', scope: 'admin', noPublicOnly: true },
  scope: () => ({ kind: 'site' }),
};
/** Jobs act as a user that is not one, and share its id. */
export function ownScope(actor: Actor): Scope {
  if (actor.kind !== 'user') throw Forbidden(t.later('log.onlyAccounts'));
  return { kind: 'own', id: actor.id };
}

export const ownLevel: Level = {
  path: '/api/v1/user/security-log',
  name: 'SecurityLog',
  summary: 'what the signed-in user did, and what was done to their account',
  tag: 'user',
  params: {},
  access: { actor: 'user', scope: 'user', noPublicOnly: true },
  scope: ({ actor }) => ownScope(actor),
};
export const repositoryLevel: Level = {
  path: '/api/v1/repos/{owner}/{repo}/audit-log',
  name: 'RepositoryAuditLog',
  summary: 'the audit log of a repository',
  tag: 'repository',
  params: { owner: name, repo: name },
  access: {
    actor: 'user',
    scope: 'repository',
    resource: repositoryResource,
    mode: 'admin',
    noPublicOnly: true,
  } as Access<never>,
  scope: ({ resource }: RouteContext<RepositoryContext>) => ({ kind: 'repository', id: resource.repository.id }),
};
export const organizationLevel: Level = {
  path: '/api/v1/orgs/{org}/audit-log',
  name: 'OrganizationAuditLog',
  summary: 'the audit log of an organization, with that of its repositories',
  tag: 'organization',
  params: { org: name },
  access: {
    actor: 'user',
    scope: 'organization',
    resource: organizationResource,
    mode: 'owner',
    noPublicOnly: true,
  } as Access<never>,
  scope: ({ resource }: RouteContext<OrganizationContext>) => ({ kind: 'owner', id: resource.account.id }),
};
