import {
  defineRoute,
  Invalid,
  Joi,
  NotFound,
  reply,
  type Access,
  type Route,
  type RouteContext,
} from '@mortise/plugin-sdk';
import { organizationResource, type OrganizationContext } from '@mortise/organizations/api';
import { repositoryResource, type RepositoryContext } from '@mortise/repositories/api';
import type { CreateHookOption, EditHookOption, Hook, HookOwner } from '../contract/webhooks.js';
import type { ActivityListener } from '../events/activity-listener.js';
import type { HookDispatcher, DeliveryRange } from '../services/hook-dispatcher.js';
import { t } from '../texts/index.js';
import { previewRequest } from '../services/request-preview.js';
import type { Kinds } from '../services/webhook-kinds.js';
import {
  createHookSchema,
  editHookSchema,
  hookRequestSchema,
  hookSchema,
  redeliveredSchema,
  redeliverSchema,
  type CreateHookBody,
  type RedeliverBody,
} from './schemas.js';

interface HookRouteDeps {
  readonly webhooks: HookDispatcher;
  readonly listener: ActivityListener;
}

/** A level of the API: where its hooks hang, who may, and what its operations are called. */
interface LevelQuery {
  readonly type?: 'system' | 'default' | 'all';
}
type LevelContext = RouteContext<never, unknown, LevelQuery>;
interface HookParams {
  readonly id: number;
}

interface Level {
  readonly path: string;
  readonly name: string;
  readonly tag: string;
  readonly access: Access<never>;
  readonly params: Readonly<Record<string, Joi.Schema>>;
  /** Places that are listed; the first is where new ones go unless `make` says otherwise. */
  hookOwner(context: LevelContext): HookOwner | readonly HookOwner[];
  make?(payload: CreateHookBody): HookOwner;
  readonly query?: Joi.ObjectSchema<LevelQuery>;
}

const repositoryParams = { owner: Joi.string().required(), repo: Joi.string().required() };
const ofRepository = ({ resource }: RouteContext<RepositoryContext>): HookOwner => ({
  ownerKind: 'repository',
  ownerId: resource.repository.id,
});
const systemOwner: HookOwner = { ownerKind: 'system', ownerId: 0 };
const defaultOwner: HookOwner = { ownerKind: 'default', ownerId: 0 };

/** Hooks of an organization; there where the plugin with organizations is. */
const organizationLevel: Level = {
  path: '/api/v1/orgs/{org}/hooks',
  name: 'org',
  tag: 'organization',
  access: { actor: 'user', scope: 'organization', resource: organizationResource, mode: 'owner' } as Access<never>,
  params: { org: Joi.string().required() },
  hookOwner: (({ resource }: RouteContext<OrganizationContext>) => ({
    ownerKind: 'organization',
    ownerId: resource.account.id,
  })) as unknown as Level['hookOwner'],
};

const levels: readonly Level[] = [
  {
    path: '/api/v1/repos/{owner}/{repo}/hooks',
    name: 'repo',
    tag: 'repository',
    access: { actor: 'user', scope: 'repository', resource: repositoryResource, mode: 'admin' } as Access<never>,
    params: repositoryParams,
    hookOwner: ofRepository as unknown as Level['hookOwner'],
  },
  {
    path: '/api/v1/user/hooks',
    name: 'user',
    tag: 'user',
    access: { actor: 'user', scope: 'user', noPublicOnly: true },
    params: {},
    hookOwner: ({ actor }) => ({ ownerKind: 'user', ownerId: actor.id }),
  },
  {
    path: '/api/v1/admin/hooks',
    name: 'admin',
    tag: 'admin',
    access: { actor: 'admin', scope: 'admin' },
    params: {},
    query: Joi.object<LevelQuery>({ type: Joi.string().valid('system', 'default', 'all').empty('') }).unknown(),
    hookOwner: ({ query, params }) =>
      (params as Partial<HookParams>).id !== undefined || query.type === 'all'
        ? [systemOwner, defaultOwner]
        : query.type === 'default'
          ? defaultOwner
          : systemOwner,
    make: (payload) => (isTrue(payload.config?.is_system_webhook) ? systemOwner : defaultOwner),
  },
];

/** A yes or no among the settings of a hook, which are strings; Invalid for anything else. */
function isTrue(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return false;
  const text = typeof value === 'boolean' ? String(value) : typeof value === 'string' ? value.toLowerCase() : '';
  if (['1', 't', 'true'].includes(text)) return true;
  if (['0', 'f', 'false'].includes(text)) return false;
  throw Invalid('is_system_webhook must be true or false.');
}

/** Nulls mean "not given"; values of `config` are strings. */
function optionOf(payload: Record<string, unknown>): Record<string, unknown> {
  const option = Object.fromEntries(Object.entries(payload).filter(([, value]) => value !== null));
  if (option.config) {
    const entries = Object.entries(option.config as Record<string, unknown>).filter(([, value]) => value !== null);
    option.config = Object.fromEntries(entries.map(([name, value]) => [name, String(value)]));
  }
  return option;
}

export const organizationHookRoutes = ({ webhooks }: Pick<HookRouteDeps, 'webhooks'>): readonly Route[] =>
  routesOf(organizationLevel, webhooks);

/** CRUD of every level, and the trial of repositories' hooks (HOK-01, HOK-21, HOK-24, org-hooks). */
export const hookRoutes = ({
  webhooks,
  listener,
  kinds,
}: HookRouteDeps & { readonly kinds: Kinds }): readonly Route[] => [
  defineRoute({
    method: 'POST',
    path: '/api/v1/repos/{owner}/{repo}/hooks/preview',
    id: 'repoPreviewHook',
    tags: ['repository'],
    summary: 'What a webhook would send for the newest push; nothing is saved or sent',
    access: { actor: 'user', scope: 'repository', resource: repositoryResource, mode: 'admin' },
    request: {
      params: Joi.object<{ readonly owner: string; readonly repo: string }>(repositoryParams),
      payload: createHookSchema,
    },
    responses: { 200: hookRequestSchema, 404: null, 422: null },
    handler: async (context) => {
      const { repository } = context.resource;
      const event = await listener.sample({ repository, ref: '', actorId: context.actor.id });
      if (!event) throw NotFound('commit');
      const option = optionOf(context.payload) as unknown as CreateHookOption;
      const shown = await previewRequest({ hooks: webhooks.hooks, kinds }, event, {
        owner: ofRepository(context),
        option,
      });
      if (!shown) throw NotFound('request');
      return shown;
    },
  }),
  ...levels.flatMap((level) => routesOf(level, webhooks)),
  defineRoute({
    method: 'POST',
    path: '/api/v1/repos/{owner}/{repo}/hooks/{id}/tests',
    id: 'repoTestHook',
    tags: ['repository'],
    summary: 'Send a push as a trial, whatever the hook listens to',
    access: { actor: 'user', scope: 'repository', resource: repositoryResource, mode: 'admin' },
    request: {
      params: Joi.object<{ readonly owner: string; readonly repo: string; readonly id: number }>({
        ...repositoryParams,
        id: Joi.number().integer().min(1).required(),
      }),
      query: Joi.object<{ readonly ref?: string }>({ ref: Joi.string().allow('') }).unknown(),
    },
    responses: { 204: null },
    handler: async (context) => {
      const hook = await webhooks.hooks.get(ofRepository(context), context.params.id);
      const { ref = '' } = context.query;
      const isThere = await sendTestDelivery({ webhooks, listener }, context.resource, hook, ref, context.actor.id);
      if (!isThere) throw NotFound('commit');
      return reply.none();
    },
  }),
];

export const sendTestDelivery = (
  { webhooks, listener }: HookRouteDeps,
  { repository }: RepositoryContext,
  hook: Hook,
  ref: string,
  actorId: number,
): Promise<boolean> => listener.testEvent(hook, { repository, ref, actorId }, webhooks);

/** What the operations of a level have in common. */
function levelOptions({ path, tag, access, params, hookOwner }: Level) {
  return {
    common: { tags: [tag], access },
    all: Object.keys(params).length ? { params: Joi.object(params) } : {},
    one: { params: Joi.object<HookParams>({ ...params, id: Joi.number().integer().min(1).required() }) },
    hookPath: `${path}/{id}`,
    ownerOf: (context: RouteContext) => hookOwner(context as LevelContext),
  };
}

const listHooks = (level: Level, { hooks }: HookDispatcher) => {
  const { common, all, ownerOf } = levelOptions(level);
  return defineRoute({
    method: 'GET',
    path: level.path,
    id: `${level.name}ListHooks`,
    summary: 'Webhooks',
    ...common,
    request: { ...all, ...(level.query ? { query: level.query } : {}) },
    responses: { 200: Joi.array().items(hookSchema) },
    async handler(context) {
      const { items, total } = await hooks.list(ownerOf(context), context.page);
      return reply.list(
        items.map((hook) => hooks.toApi(hook)),
        total,
      );
    },
  });
};

const createHook = (level: Level, { hooks }: HookDispatcher) => {
  const { common, all, ownerOf } = levelOptions(level);
  return defineRoute({
    method: 'POST',
    path: level.path,
    id: `${level.name}CreateHook`,
    summary: 'Add a webhook',
    ...common,
    request: { ...all, payload: createHookSchema },
    responses: { 201: hookSchema },
    async handler(context) {
      const owner = level.make ? level.make(context.payload) : ([ownerOf(context)].flat() as HookOwner[])[0]!;
      const option = optionOf(context.payload) as unknown as CreateHookOption;
      return reply.created(hooks.toApi(await hooks.create(owner, option, context.actor)));
    },
  });
};

const getHook = (level: Level, { hooks }: HookDispatcher) => {
  const { common, one, hookPath, ownerOf } = levelOptions(level);
  return defineRoute({
    method: 'GET',
    path: hookPath,
    id: `${level.name}GetHook`,
    summary: 'One webhook',
    ...common,
    request: one,
    responses: { 200: hookSchema },
    handler: async (context) => hooks.toApi(await hooks.get(ownerOf(context), context.params.id)),
  });
};

const editHook = (level: Level, { hooks }: HookDispatcher) => {
  const { common, one, hookPath, ownerOf } = levelOptions(level);
  return defineRoute({
    method: 'PATCH',
    path: hookPath,
    id: `${level.name}EditHook`,
    summary: 'Edit a webhook',
    ...common,
    request: { ...one, payload: editHookSchema },
    responses: { 200: hookSchema },
    async handler(context) {
      const hook = await hooks.get(ownerOf(context), context.params.id);
      const option = optionOf(context.payload) as EditHookOption;
      // Like events and filter it is as given, so what is not given is none: it may be meant for another receiver.
      return hooks.toApi(
        await hooks.edit(hook, { ...option, authorization_header: option.authorization_header ?? '' }),
      );
    },
  });
};

const deleteHook = (level: Level, { hooks }: HookDispatcher) => {
  const { common, one, hookPath, ownerOf } = levelOptions(level);
  return defineRoute({
    method: 'DELETE',
    path: hookPath,
    id: `${level.name}DeleteHook`,
    summary: 'Remove a webhook',
    ...common,
    request: one,
    responses: { 204: null },
    async handler(context) {
      await hooks.delete(await hooks.get(ownerOf(context), context.params.id));
      return reply.none();
    },
  });
};

const redeliverHook = (level: Level, webhooks: HookDispatcher) => {
  const { common, one, hookPath, ownerOf } = levelOptions(level);
  return defineRoute({
    method: 'POST',
    path: `${hookPath}/deliveries/redeliver`,
    id: `${level.name}RedeliverHook`,
    summary: 'Send the deliveries of a time range again; at most 1,000, the oldest first',
    ...common,
    request: { ...one, payload: redeliverSchema },
    responses: { 202: redeliveredSchema },
    async handler(context) {
      const hook = await webhooks.hooks.get(ownerOf(context), context.params.id);
      const count = await webhooks.redeliverRange(hook.id, rangeOf(context.payload));
      return reply.json({ count }, 202);
    },
  });
};

const levelRoutes = [listHooks, createHook, getHook, editHook, deleteHook, redeliverHook];

const routesOf = (level: Level, webhooks: HookDispatcher): readonly Route[] =>
  levelRoutes.map((route) => route(level, webhooks));

/** Invalid for times that are none, or in the wrong order. */
export function rangeOf({ since, before, all }: RedeliverBody): DeliveryRange {
  const [from, to] = [Date.parse(since), Date.parse(before)];
  if (!(from <= to))
    throw Invalid('since and before must be times, the earlier one first.', {
      text: t.later('error.range'),
      inputs: { since: t.later('error.range') },
    });
  return { since: from, before: to, all: all === true };
}
