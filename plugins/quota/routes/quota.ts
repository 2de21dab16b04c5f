import {
  defineRoute,
  Forbidden,
  Joi,
  type Access,
  type Actor,
  type Route,
  type RouteContext,
} from '@mortise/plugin-sdk';
import { organizationResource, type OrganizationContext } from '@mortise/organizations/api';
import { toApiQuota } from '../services/presenter.js';
import type { QuotaLimit } from '../services/quota-limit.js';
import { subjects, type Subject } from '../services/subjects.js';
import { quotaSchema } from './models.js';
import { t } from '../texts/index.js';

/** Whose quota it is, where it lies, and who may read it. */
interface Level {
  readonly path: string;
  readonly ids: { readonly get: string; readonly check: string };
  readonly tag: string;
  readonly access: Access<never>;
  ownerId(context: RouteContext<never>): number;
}

/** Jobs act as a user that is not one. */
function ownId(actor: Actor): number {
  if (actor.kind !== 'user') throw Forbidden(t.later('error.onlyAccounts'));
  return actor.id;
}

export const userLevel: Level = {
  path: '/api/v1/user/quota',
  ids: { get: 'userGetQuota', check: 'userCheckQuota' },
  tag: 'user',
  access: { actor: 'user', scope: 'user' },
  ownerId: ({ actor }) => ownId(actor),
};

export const organizationLevel: Level = {
  path: '/api/v1/orgs/{org}/quota',
  ids: { get: 'orgGetQuota', check: 'orgCheckQuota' },
  tag: 'organization',
  access: {
    actor: 'user',
    scope: 'organization',
    resource: organizationResource,
    mode: 'owner',
  } as Access<never>,
  ownerId: ({ resource }: RouteContext<OrganizationContext>) => resource.account.id,
};

const subjectQuery = Joi.object<{ readonly subject: Subject }>({
  subject: Joi.string()
    .valid(...subjects)
    .required(),
});

/** The quota of the signed-in user or of an organization (Forgejo: `/user/quota`, `/orgs/{org}/quota`). */
export const quotaRoutes = (quotaLimit: QuotaLimit, { path, ids, tag, access, ownerId }: Level): readonly Route[] => [
  defineRoute({
    method: 'GET',
    path,
    id: ids.get,
    tags: [tag],
    summary: 'What is stored, and what may be',
    access,
    responses: { 200: quotaSchema },
    handler: async (context) => toApiQuota(await quotaLimit.of(ownerId(context)), context.actor),
  }),
  defineRoute({
    method: 'GET',
    path: `${path}/check`,
    id: ids.check,
    tags: [tag],
    summary: 'Whether more may be stored',
    access,
    request: { query: subjectQuery },
    responses: { 200: Joi.boolean() },
    handler: (context) => quotaLimit.hasRoom(ownerId(context), context.query.subject),
  }),
];
