/** SCIM 2.0 (RFC 7644). */
import {
  defineRoute,
  Forbidden,
  Joi,
  NotFound,
  reply,
  type Problem,
  type Reply,
  type Route,
  type RouteContext,
  type Site,
} from '@mortise/plugin-sdk';
import { resourceTypes, schemas, serviceProviderConfig } from '../services/discovery.js';
import type { ScimGroups } from '../services/groups.js';
import {
  listParameters,
  pageOfList,
  projectionQuery,
  searchBody,
  searchParameters,
  type ListParameters,
  type ProjectionQuery,
} from '../services/lists.js';
import { basePath, scimTokenResource } from '../services/token-method.js';
import { patchSchema, type PatchBody } from '../services/patch.js';
import { listResponse, projected, type Json, type ListQuery, type Resource } from '../services/representation.js';
import { scimTypeOf } from '../services/scim-problem.js';
import type { ScimToken } from '../services/tokens.js';
import type { ScimUsers } from '../services/users.js';

interface ScimRouteDeps {
  readonly groups: ScimGroups;
  readonly site: Site;
  readonly users: ScimUsers;
}

const scimType = 'application/scim+json';
const access = { actor: 'anyone', always: true, resource: scimTokenResource } as const;
const payload = { as: 'json', maxBytes: 4 * 1024 * 1024, allow: [scimType, 'application/json'] } as const;
const body = Joi.object().unknown();

const scimJson = (value: Json, status = 200): Reply => reply.json(value, status).type(scimType);

/** An error as the protocol has it (RFC 7644, 3.12). */
const scimError = (status: number, detail: string, type?: string): Reply =>
  scimJson(
    {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
      status: String(status),
      ...(type && { scimType: type }),
      detail,
    },
    status,
  );

/** What a form would call invalid (422) is a bad request there. */
function refusal(problem: Problem): Reply {
  const status = problem.status === 422 ? 400 : problem.status;
  const answer = scimError(status, problem.message, [400, 409].includes(status) ? scimTypeOf(problem) : undefined);
  for (const [name, value] of Object.entries(problem.headers)) answer.header(name, value);
  if (status === 401) answer.header('www-authenticate', 'Bearer');
  return answer;
}

/** What all of these routes have. */
const common = { surface: 'protocol', access, refusal, tags: ['scim'] } as const;

/** What users and groups have in common. */
interface Endpoint {
  readonly name: 'User' | 'Group';
  list(
    token: ScimToken,
    query: ListQuery,
    withMembers: boolean,
  ): Promise<{ readonly resources: readonly Json[]; readonly total: number }>;
  byId(token: ScimToken, id: string): Promise<Resource & Json>;
  create(token: ScimToken, body: unknown): Promise<Resource & Json>;
  replace(token: ScimToken, id: string, body: unknown, ifMatch?: string): Promise<Resource & Json>;
  patch(token: ScimToken, id: string, body: PatchBody, ifMatch?: string): Promise<Resource & Json>;
  remove(token: ScimToken, id: string, ifMatch?: string): Promise<void>;
}

const namesMembers = (list: string | undefined): boolean => /(?:^|[,:\s])members(?:[.,\s]|$)/i.test(list ?? '');
const wantsMembers = ({ attributes, excludedAttributes }: ProjectionQuery): boolean =>
  attributes ? namesMembers(attributes) : !namesMembers(excludedAttributes);

const tagged = (resource: Resource & Json, query: ProjectionQuery, status = 200): Reply => {
  const tag = /"(.*)"/.exec(resource.meta.version)?.[1] ?? '';
  const answer = scimJson(projected(resource, query), status).tag(tag, true);
  return status === 201 ? answer.header('location', resource.meta.location) : answer;
};

function resourceRoutes(endpoint: Endpoint): readonly Route[] {
  const { name } = endpoint;
  const path = `${basePath}/${name}s`;
  const one = `${path}/{id}` as const;
  const what = name === 'User' ? 'an account' : 'a team';
  const search = async (token: ScimToken, parameters: ListParameters): Promise<Reply> => {
    const page = pageOfList(parameters);
    const { resources, total } = await endpoint.list(token, page, wantsMembers(parameters));
    return scimJson(
      listResponse(
        resources.map((resource) => projected(resource, parameters)),
        total,
        page.startIndex,
      ),
    );
  };
  return [
    defineRoute({
      ...common,
      method: 'GET',
      path,
      id: `scimList${name}s`,
      summary: name === 'User' ? 'List and find accounts' : 'List and find teams',
      request: { query: listParameters },
      responses: { 200: Joi.object().unknown() },
      handler: ({ resource: token, query }) => search(token, query),
    }),
    defineRoute({
      ...common,
      method: 'POST',
      path: `${path}/.search`,
      id: `scimSearch${name}s`,
      summary: name === 'User' ? 'Find accounts by a body' : 'Find teams by a body',
      payload,
      request: { payload: searchBody },
      responses: { 200: Joi.object().unknown() },
      handler: ({ resource: token, payload: given }) => search(token, searchParameters(given)),
    }),
    defineRoute({
      ...common,
      method: 'GET',
      path: one,
      id: `scimGet${name}`,
      summary: `Get ${what}`,
      request: { query: projectionQuery },
      responses: { 200: Joi.object().unknown() },
      handler: async ({ resource: token, params, query }) => tagged(await endpoint.byId(token, params.id), query),
    }),
    defineRoute({
      ...common,
      method: 'POST',
      path,
      id: `scimCreate${name}`,
      summary: `Create ${what}`,
      payload,
      request: { payload: body, query: projectionQuery },
      responses: { 201: Joi.object().unknown() },
      handler: async ({ resource: token, payload: given, query }) =>
        tagged(await endpoint.create(token, given), query, 201),
    }),
    defineRoute({
      ...common,
      method: 'PUT',
      path: one,
      id: `scimReplace${name}`,
      summary: `Replace what is said of ${what}`,
      payload,
      request: { payload: body, query: projectionQuery },
      responses: { 200: Joi.object().unknown() },
      handler: async ({ resource: token, params, payload: given, query, headers }) =>
        tagged(await endpoint.replace(token, params.id, given, headers['if-match']), query),
    }),
    defineRoute({
      ...common,
      method: 'PATCH',
      path: one,
      id: `scimPatch${name}`,
      summary: `Change ${what}`,
      payload,
      request: { payload: patchSchema, query: projectionQuery },
      responses: { 200: Joi.object().unknown() },
      handler: async ({ resource: token, params, payload: given, query, headers }) =>
        tagged(await endpoint.patch(token, params.id, given, headers['if-match']), query),
    }),
    defineRoute({
      ...common,
      method: 'DELETE',
      path: one,
      id: `scimDelete${name}`,
      summary: name === 'User' ? 'Deactivate an account, which stays' : 'Empty a team, which stays',
      responses: { 204: null },
      async handler({ resource: token, params, headers }) {
        await endpoint.remove(token, params.id, headers['if-match']);
        return reply.none();
      },
    }),
  ];
}

/** What the protocol says of itself; a filter is refused there (RFC 7644, 4). */
function discoveryRoutes({ site }: Pick<ScimRouteDeps, 'site'>): readonly Route[] {
  const url = (path: string) => site.url(path);
  const route = (path: string, about: Pick<Route, 'id' | 'summary'>, answer: (context: RouteContext) => Json) =>
    defineRoute({
      ...common,
      ...about,
      method: 'GET',
      path: `${basePath}/${path}`,
      responses: { 200: Joi.object().unknown() },
      handler(context) {
        if ((context.query as Json).filter !== undefined) throw Forbidden('There is no filter here.');
        return scimJson(answer(context as RouteContext));
      },
    });
  const oneOf = (all: readonly Json[], { params }: RouteContext, what: string): Json => {
    const { id } = params as { readonly id: string };
    const found = all.find((one) => String(one.id) === id);
    if (!found) throw NotFound(`${what} ${id} does not exist.`);
    return found;
  };
  const whole = (all: readonly Json[]) => listResponse(all, all.length, 1);
  return [
    route('ServiceProviderConfig', { id: 'scimServiceProviderConfig', summary: 'What this server can do' }, () =>
      serviceProviderConfig(url),
    ),
    route('ResourceTypes', { id: 'scimListResourceTypes', summary: 'Types of resources' }, () =>
      whole(resourceTypes(url)),
    ),
    route('ResourceTypes/{id}', { id: 'scimGetResourceType', summary: 'A type of resources' }, (context) =>
      oneOf(resourceTypes(url), context, 'Resource type'),
    ),
    route('Schemas', { id: 'scimListSchemas', summary: 'Attributes of resources' }, () => whole(schemas(url))),
    route('Schemas/{id}', { id: 'scimGetSchema', summary: 'Attributes of a type of resources' }, (context) =>
      oneOf(schemas(url), context, 'Schema'),
    ),
  ];
}

/** What the protocol knows and this server does not do (501), and what nobody knows (404). */
const otherRoutes = (): readonly Route[] => [
  defineRoute({
    ...common,
    method: 'POST',
    path: `${basePath}/.search`,
    payload,
    handler: () => scimError(501, 'Users and groups are searched one by one.'),
  }),
  defineRoute({
    ...common,
    method: 'GET',
    path: `${basePath}/Me`,
    handler: () => scimError(501, '/Me is not supported: a SCIM token belongs to no user.'),
  }),
  defineRoute({
    ...common,
    method: 'GET',
    path: `${basePath}/{path*}`,
    handler() {
      throw NotFound('There is nothing at this address.');
    },
  }),
];

export const scimRoutes = ({ groups, site, users }: ScimRouteDeps): readonly Route[] => [
  ...discoveryRoutes({ site }),
  ...otherRoutes(),
  ...resourceRoutes({
    name: 'User',
    list: (token, query) => users.list(token, query),
    byId: (token, id) => users.byId(token, id),
    create: (token, given) => users.create(token, given),
    replace: (token, id, given, ifMatch) => users.replace(token, id, given, ifMatch),
    patch: (token, id, given, ifMatch) => users.patch(token, id, given, ifMatch),
    remove: (token, id, ifMatch) => users.remove(token, id, ifMatch),
  }),
  ...resourceRoutes({
    name: 'Group',
    list: (token, query, withMembers) => groups.list(token, query, withMembers),
    byId: (token, id) => groups.byId(token, id),
    create: (token, given) => groups.create(token, given),
    replace: (token, id, given, ifMatch) => groups.replace(token, id, given, ifMatch),
    patch: (token, id, given, ifMatch) => groups.patch(token, id, given, ifMatch),
    remove: (token, id, ifMatch) => groups.remove(token, id, ifMatch),
  }),
];
