import type { ServerRoute } from '@hapi/hapi';
import { Joi, type Logger, type Route, type Site } from '@mortise/plugin-sdk';
import { server as makeServer } from '@hapi/hapi';
import { completeModels } from './declared.js';
import { markDeprecated, plainDeprecated } from './deprecated.js';
import { withExamples } from './examples.js';
import { inlineSimpleDefinitions } from './inline.js';
import { mergeModels } from './models.js';
import { documentedRoute, isFile } from './operations.js';
import type { Content, OpenApiDocument, Operation, SwaggerDocument } from './shapes.js';
import { describeUnchecked } from './describe-unchecked.js';
import { compatibleVersion } from '../http/compatible-version.js';

/** Tokens in the address still work (TOK-08, VER-02). */
const deprecatedToken = (name: string) => ({
  type: 'apiKey',
  name,
  in: 'query',
  description: 'Deprecated: a token in the address. Send it in the header `Authorization`.',
});

const securityDefinitions = {
  BasicAuth: { type: 'basic' },
  AuthorizationHeaderToken: {
    type: 'apiKey',
    name: 'Authorization',
    in: 'header',
    description: 'The word `token` and a token.',
  },
  Token: deprecatedToken('token'),
  AccessToken: deprecatedToken('access_token'),
  SudoHeader: {
    type: 'apiKey',
    name: 'Sudo',
    in: 'header',
    description: 'Administrators may act for the user named here.',
  },
  SudoParam: {
    type: 'apiKey',
    name: 'sudo',
    in: 'query',
    description: 'Administrators may act for the user named here.',
  },
};

/** Operations whose addresses begin alike. */
interface Part {
  readonly base: string;
  holds(route: Route): boolean;
}

const isApi = ({ path }: Route): boolean => path.startsWith('/api/v1/');
const api: Part = { base: '/api/v1', holds: isApi };
/** What other programs than browsers and clients of the API use: a document of its own, for its paths are elsewhere. */
const protocols: Part = { base: '', holds: (route) => route.surface === 'protocol' && !isApi(route) };

/** The Swagger 2.0 document of all API routes that have an operation id. */
export const toSwagger = (routes: readonly Route[], site: Site, log: Logger): Promise<SwaggerDocument> =>
  partOf(api, routes, site, log);

/** The same of routes of protocols, whose paths begin at the root of the site. */
export const protocolSwagger = (routes: readonly Route[], site: Site, log: Logger): Promise<SwaggerDocument> =>
  partOf(protocols, routes, site, log);

async function partOf(part: Part, routes: readonly Route[], site: Site, log: Logger): Promise<SwaggerDocument> {
  describeUnchecked();
  const documented = describable(
    routes.filter((route) => route.id && part.holds(route) && route.method !== '*'),
    log,
  );
  let document: SwaggerDocument;
  try {
    document = await generate(documented, site, part);
  } catch (error) {
    log.warn('could not build the API documents at once; looking for the operation at fault', {
      event: 'apiDocs.search',
      reason: (error as Error).message,
    });
    document = await generate(await usable(documented, site, log, part), site, part);
  }
  delete document.host;
  document.paths = plainPaths(document.paths);
  inlineSimpleDefinitions(document);
  leaveOutBodies(document, routes);
  mergeModels(document, log);
  completeModels(document, routes);
  document.paths = markDeprecated(document.paths);
  document.definitions = markDeprecated(document.definitions);
  document.security = Object.keys(securityDefinitions).map((name) => ({ [name]: [] }));
  return document;
}

/** hapi-swagger gives a text to every answer without a schema. */
function leaveOutBodies({ paths }: SwaggerDocument, routes: readonly Route[]): void {
  const declared = new Map(routes.map((route) => [route.id, route]));
  for (const operation of Object.values(paths).flatMap((ways) => Object.values(ways))) {
    const route = declared.get(operation.operationId ?? '');
    for (const [status, answer] of Object.entries(operation.responses))
      if (route && status < '300' && route.responses?.[Number(status)] === null && !isFile(route))
        Object.assign(operation.responses, { [status]: { description: answer.description } });
  }
}

/** hapi's marks of parameters that span segments or may be absent mean nothing to readers of the document. */
function plainPaths(paths: SwaggerDocument['paths']): SwaggerDocument['paths'] {
  const plain: SwaggerDocument['paths'] = {};
  for (const [path, ways] of Object.entries(paths)) {
    const name = path.replace(/\{(\w+)[*?]\d*\}/g, '{$1}');
    plain[name] = { ...plain[name], ...ways };
  }
  return plain;
}

function describable(routes: readonly Route[], log: Logger): ServerRoute[] {
  return routes.flatMap((route) => {
    try {
      return [documentedRoute(route)];
    } catch (error) {
      missing(log, route, error);
      return [];
    }
  });
}

function missing(
  log: Logger,
  { method, path }: { readonly method: unknown; readonly path: string },
  error: unknown,
): void {
  log.error('left an operation out of the API documents', {
    event: 'apiDocs.missingOperation',
    route: `${String(method)} ${path}`,
    reason: (error as Error).message,
  });
}

/** One route that cannot be described must not take the others' documents away. */
async function usable(routes: readonly ServerRoute[], site: Site, log: Logger, part: Part): Promise<ServerRoute[]> {
  const found: ServerRoute[] = [];
  for (const route of routes) {
    try {
      await generate([route], site, part);
      found.push(route);
    } catch (error) {
      missing(log, route, error);
    }
  }
  return found;
}

/**
 * Runs hapi-swagger on a server that never listens and holds the routes only for their schemas, so that the real
 * server pays nothing for the documents.
 */
async function generate(routes: readonly ServerRoute[], site: Site, { base }: Part): Promise<SwaggerDocument> {
  // loaded here, because the start must not wait for it
  const { default: HapiSwagger } = await import('hapi-swagger');
  const server = makeServer({ debug: false });
  server.validator(Joi as never);
  await server.register({
    plugin: HapiSwagger as never,
    options: {
      OAS: 'v2',
      basePath: `${site.basePath}${base}` || '/',
      documentationPage: false,
      swaggerUI: false,
      jsonPath: '/document',
      grouping: 'tags',
      definitionPrefix: 'useLabel',
      reuseDefinitions: false,
      cors: false,
      info: {
        title: `${site.name} API`,
        version: compatibleVersion,
        description: 'The JSON API. Times are RFC 3339, lists are paged with `page` and `limit`.',
      },
      consumes: ['application/json', 'application/x-www-form-urlencoded'],
      produces: ['application/json'],
      securityDefinitions,
    },
  });
  const prefix = site.basePath;
  server.route(routes.map((route) => ({ ...route, path: prefix + route.path })));
  await server.initialize();
  try {
    const answer = await server.inject('/document');
    if (answer.statusCode !== 200) throw new Error(`the generator answered ${answer.statusCode}`);
    const document = JSON.parse(answer.payload) as SwaggerDocument & { message?: string };
    if (!document.paths) throw new Error(document.message ?? 'the generator gave no paths');
    return document;
  } finally {
    await server.stop();
  }
}

/** The converter shares the bodies of requests; generators of clients then do not see that they are JSON. */
function ownBodies({ components, ...document }: OpenApiDocument): OpenApiDocument {
  const { requestBodies: bodies = {}, ...others } = components ?? {};
  const prefix = '#/components/requestBodies/';
  const owned = (operation: Operation): Operation => {
    const name = operation.requestBody?.$ref?.slice(prefix.length);
    return name === undefined ? operation : { ...operation, requestBody: bodies[decodeURIComponent(name)]! };
  };
  const paths = Object.entries(document.paths).map(([path, ways]) => [
    path,
    Object.fromEntries(Object.entries(ways).map(([method, operation]) => [method, owned(operation)])),
  ]);
  return { ...document, paths: Object.fromEntries(paths) as OpenApiDocument['paths'], components: others };
}

async function converted(swagger: SwaggerDocument): Promise<OpenApiDocument> {
  const { default: converter } = await import('swagger2openapi');
  // through text, because the converter takes an object that occurs twice for a YAML anchor
  const { openapi } = await converter.convertObj(JSON.parse(JSON.stringify(swagger)) as object, {
    patch: true,
    warnOnly: true,
  });
  return ownBodies(plainDeprecated(openapi as OpenApiDocument));
}

/** The same operations as OpenAPI 3.0.3, with the examples of their routes; the paths begin where Swagger's do. */
export async function toOpenApi(swagger: SwaggerDocument, routes: readonly Route[]): Promise<OpenApiDocument> {
  const document = { ...(await converted(swagger)), openapi: '3.0.3', servers: [{ url: swagger.basePath }] };
  return withExamples(withOwnMediaTypes(document), routes);
}

/** In Swagger 2.0 an operation has one list of media types: files and texts are the good answers, errors are JSON. */
function withOwnMediaTypes(document: OpenApiDocument): OpenApiDocument {
  const contentOf = (status: string, content: Content): Content => {
    const { 'application/json': json, ...others } = content;
    if (!json || Object.keys(others).length === 0) return content;
    if (status >= '400') return { 'application/json': json };
    const { 'application/octet-stream': file, ...texts } = others;
    // files have the types of their bytes
    return file ? { ...texts, '*/*': file } : others;
  };
  const shown = (operation: Operation): Operation => {
    const responses = Object.entries(operation.responses).map(([status, answer]) => [
      status,
      answer.content ? { ...answer, content: contentOf(status, answer.content) } : answer,
    ]);
    return { ...operation, responses: Object.fromEntries(responses) as Operation['responses'] };
  };
  const paths = Object.entries(document.paths).map(([path, ways]) => [
    path,
    Object.fromEntries(Object.entries(ways).map(([method, operation]) => [method, shown(operation)])),
  ]);
  return { ...document, paths: Object.fromEntries(paths) as OpenApiDocument['paths'] };
}
