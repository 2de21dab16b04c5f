import { STATUS_CODES } from 'node:http';
import type { ServerRoute } from '@hapi/hapi';
import { Joi, type Route } from '@mortise/plugin-sdk';

interface ResponseEntry {
  readonly description: string;
  readonly schema?: Joi.Schema;
}

const apiError = Joi.object({
  message: Joi.string().required().description('What was wrong'),
  url: Joi.string().required().description('Address of this documentation'),
}).label('APIError');

/** A route as hapi-swagger wants to see it. */
export function documentedRoute(route: Route): ServerRoute {
  const { request } = route;
  const form = route.payload?.form;
  const takesForm = route.payload?.as === 'multipart' || form !== undefined;
  const params = paramsOf(route);
  const query = queryOf(route);
  const body = form ?? request?.payload;
  const wholeBody = !body && route.payload?.as === 'buffer';
  const payload =
    route.method === 'GET' || !(body || wholeBody) ? undefined : named(body ?? Joi.string(), `${pascalId(route)}Body`);
  const kind = bodyKind(route);
  const responses = responsesOf(route);
  const schemas = Object.entries(responses).flatMap(([status, { schema }]) => (schema ? [[status, schema]] : []));
  return {
    method: route.method,
    path: route.path,
    handler: () => null,
    options: {
      ...(route.method === 'GET' ? {} : { payload: { parse: true } }),
      tags: ['api', ...(route.tags ?? [])],
      description: route.summary,
      validate: { ...(params ? { params } : {}), ...(query ? { query } : {}), ...(payload ? { payload } : {}) },
      // schemas go here, because only these become named definitions
      response: { status: Object.fromEntries(schemas) as Record<string, Joi.Schema> },
      plugins: {
        'hapi-swagger': {
          id: route.id,
          deprecated: route.deprecated ?? false,
          ...(kind ? { produces: [mediaTypes[kind], json] } : {}),
          ...(wholeBody ? { consumes: route.payload?.allow ?? ['application/octet-stream'] } : {}),
          responses: Object.fromEntries(
            Object.entries(responses).map(([status, { description }]) => [status, { description }]),
          ),
          ...(takesForm
            ? {
                payloadType: 'form',
                consumes: form ? ['multipart/form-data', 'application/octet-stream'] : ['multipart/form-data'],
              }
            : {}),
        },
      },
    },
  } as ServerRoute;
}

const json = 'application/json';
const mediaTypes = { file: 'application/octet-stream', html: 'text/html', text: 'text/plain' } as const;

/** Read without a schema: its answer is a file. */
export const isFile = (route: Route): boolean => bodyKind(route) === 'file';

/** Kind of an answer that is not JSON: without a schema a file, else text or HTML, as its schema says. */
function bodyKind({ method, responses }: Route): keyof typeof mediaTypes | undefined {
  const schema = responses?.[200];
  if (schema === null && method === 'GET') return 'file';
  if (schema?.type !== 'string') return undefined;
  const { metas = [] } = schema.describe() as { readonly metas?: readonly { readonly mediaType?: string }[] };
  return metas.some(({ mediaType }) => mediaType === mediaTypes.html) ? 'html' : 'text';
}

const pascalId = ({ id = '' }: Route): string => id.charAt(0).toUpperCase() + id.slice(1);

/** Objects without a name of their own are named for their operation, instead of being counted. */
function named(schema: Joi.Schema, name: string): Joi.Schema {
  return schema.type === 'object' && !(schema.describe().flags as { label?: string } | undefined)?.label
    ? schema.label(name)
    : schema;
}

const parameterNames = (path: string): string[] => [...path.matchAll(/\{(\w+)[^}]*\}/g)].map((match) => match[1]!);

function paramsOf(route: Route): Joi.ObjectSchema | undefined {
  const names = parameterNames(route.path);
  if (names.length === 0) return undefined;
  const declared = route.request?.params;
  const keys: Record<string, Joi.Schema> = {};
  for (const name of names) keys[name] = (declared && keyOf(declared, name)) ?? Joi.string();
  return Joi.object(Object.fromEntries(Object.entries(keys).map(([name, schema]) => [name, schema.required()])));
}

function queryOf(route: Route): Joi.ObjectSchema | undefined {
  const declared = route.request?.query;
  if (!isList(route)) return declared;
  // every list takes these, though routes do not declare them
  const paging: Record<string, Joi.Schema> = {};
  if (!declared || !keyOf(declared, 'page'))
    paging.page = Joi.number().integer().description('Number of the page, from 1');
  if (!declared || !keyOf(declared, 'limit')) paging.limit = Joi.number().integer().description('Entries per page');
  return (declared ?? Joi.object({})).append(paging);
}

/** A list by itself, or as `data` of a search's answer. */
function isList({ method, responses }: Route): boolean {
  const schema = responses?.[200];
  if (method !== 'GET' || !schema) return false;
  const list = schema.type === 'object' ? keyOf(schema as Joi.ObjectSchema, 'data') : schema;
  return list?.type === 'array';
}

function keyOf(schema: Joi.ObjectSchema, name: string): Joi.Schema | undefined {
  try {
    return schema.extract(name);
  } catch {
    return undefined;
  }
}

/** Declared answers, and those that follow from what the kernel enforces (DOC-06). */
function responsesOf(route: Route): Record<string, ResponseEntry> {
  const responses: Record<string, ResponseEntry> = {};
  for (const [status, schema] of Object.entries(route.responses ?? {})) {
    const body = schema ?? (status === '200' && bodyKind(route) === 'file' ? Joi.binary() : undefined);
    const described = body ? named(body, `${pascalId(route)}Answer`) : Number(status) >= 400 ? apiError : undefined;
    responses[status] = { description: STATUS_CODES[status] ?? status, ...(described ? { schema: described } : {}) };
  }
  if (Object.keys(responses).length === 0) responses[route.method === 'GET' ? '200' : '204'] = { description: 'OK' };
  const add = (status: number, description: string) => {
    responses[status] ??= { description, schema: apiError };
  };
  const { access, request } = route;
  // invalid credentials are refused also where none are required
  const isApi = route.path.startsWith('/api/v1/');
  if (access.actor !== 'anyone') add(401, 'Not signed in');
  else if (isApi) add(401, 'The credentials are not valid');
  if (isApi || access.actor !== 'anyone' || access.scope || access.mode) add(403, 'Not allowed');
  if (access.resource || parameterNames(route.path).length > 0) add(404, 'Does not exist, or may not be seen');
  if (request?.query || request?.payload) add(422, 'The request does not fit');
  return Object.fromEntries(Object.entries(responses).sort(([a], [b]) => Number(a) - Number(b)));
}
