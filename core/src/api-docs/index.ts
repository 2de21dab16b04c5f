import { createHash } from 'node:crypto';
import type { InnerRoute, Logger, Route, WebPage } from '@mortise/plugin-sdk';
import type { Owned } from '../contracts.js';
import type { HttpServices } from '../http/kernel.js';
import { protocolSwagger, toOpenApi, toSwagger } from './generate.js';
import type { SwaggerDocument } from './shapes.js';
import { ApiViewer, type ViewerQuery, type Visitor } from './viewer.js';

export type { ViewerQuery } from './viewer.js';

interface ServedDocument {
  readonly body: string;
  readonly hash: string;
}

export interface Documents {
  /** Swagger 2.0 (DOC-01). */
  swagger(): Promise<ServedDocument>;
  /** OpenAPI 3.0.3 (DOC-02). */
  openapi(): Promise<ServedDocument>;
  /** What protocols offer outside of the API, such as those of LFS: OpenAPI 3.0.3 from the root of the site. */
  protocols(): Promise<ServedDocument>;
  /** A page at `/api/swagger` (DOC-03). */
  viewer(query: ViewerQuery, visitor: Visitor): Promise<WebPage>;
}

/**
 * The documents of all loaded routes; made when first asked for, because the start must not wait for them.
 * `takesPasswords`: a plugin is loaded that reads them.
 */
export function createDocuments(
  routes: () => readonly Owned<Route>[],
  { site }: HttpServices,
  log: Logger,
  takesPasswords: () => boolean,
): Documents {
  const suited = (document: SwaggerDocument) => (takesPasswords() ? document : withoutSecurity(document, 'BasicAuth'));
  const all = () => routes().flatMap(({ value }) => [value, ...(value.inner ?? []).map(documentable)]);
  const swagger = once(async () => suited(await toSwagger(all(), site, log)));
  const openapi = once(async () => toOpenApi(await swagger(), all()));
  const protocols = once(async () => toOpenApi(suited(await protocolSwagger(all(), site, log)), all()));
  const swaggerText = once(async () => served(await swagger()));
  const openapiText = once(async () => served(await openapi()));
  const protocolsText = once(async () => served(await protocols()));
  const viewer = once(async () => new ApiViewer(await openapi(), await protocols(), site));
  return {
    swagger: swaggerText,
    openapi: openapiText,
    protocols: protocolsText,
    viewer: async (query, visitor) => (await viewer()).page(query, visitor),
  };
}

function withoutSecurity(document: SwaggerDocument, name: string): SwaggerDocument {
  const { [name]: _gone, ...securityDefinitions } = document.securityDefinitions ?? {};
  return { ...document, securityDefinitions, security: document.security?.filter((one) => !(name in one)) };
}

/** An inner route as a route whose path hapi takes: how many segments a parameter spans is said in words only. */
const documentable = (inner: InnerRoute): Route => ({
  ...inner,
  path: inner.path.replace(/\{(\w+)[+*]\}/g, '{$1}'),
  handler: () => undefined,
});

function served(document: unknown): ServedDocument {
  const body = JSON.stringify(document);
  return { body, hash: createHash('sha256').update(body).digest('hex').slice(0, 20) };
}

/** Runs once; a failure is forgotten, so that the next call tries again. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}
