import type { Readable } from 'node:stream';
import type { Request, ResponseToolkit } from '@hapi/hapi';
import type { VNode } from 'preact';
import type { Actor, TokenCategory } from './actor.js';
import type { GivenCsrf } from './csrf.js';
import type { Problem } from './errors.js';
import { Joi } from './joi.js';
import type { Text } from './language.js';
import type { Reply } from './reply.js';
import type { ParamsOf, PayloadOf, QueryOf } from './route-types.js';

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS' | '*';

/**
 * A kind of thing that routes act on, such as a repository. The plugin that owns it contributes a
 * {@link ResourceResolver} to `core.resources`; the kernel resolves and authorizes before the handler runs.
 */
export interface ResourceRef<T> {
  readonly kind: 'resource';
  readonly id: string;
  readonly type?: T;
}

export function defineResource<T>(id: string): ResourceRef<T> {
  return Object.freeze({ kind: 'resource' as const, id });
}

/**
 * What a route needs. The kernel enforces it before the handler, the API documents and the authorization test are
 * made from it. Absent `scope` means: the credential's scopes do not matter (version, templates).
 */
export interface Access<S = unknown> {
  /** `anyone`: also without signing in; `user`: signed in (401); `admin`: site administrator (403). */
  readonly actor: 'anyone' | 'user' | 'admin';
  /** Token categories that are all needed; the level follows from the method unless `level` says otherwise. */
  readonly scope?: TokenCategory | readonly TokenCategory[];
  readonly level?: 'read' | 'write';
  /** Resolved from the path parameters; what the actor may not see answers 404. */
  readonly resource?: ResourceRef<S>;
  /** Unit of the resource, for instance `code`. */
  readonly unit?: string | readonly string[];
  /** Needed mode on the resource (default `read`). */
  readonly mode?: 'read' | 'write' | 'admin' | 'owner';
  /** A public-only token is refused here with 403 (spec, Authentication 8). */
  readonly noPublicOnly?: boolean;
  /** Pages that cost much: closed to anonymous visitors when `REQUIRE_SIGNIN_VIEW = expensive`. */
  readonly expensive?: boolean;
  /** API: asks for sign-in before (true) or after (false) the resource is looked for, whatever its resolver says. */
  readonly signInFirst?: boolean;
  /** With `anyone`: who is not signed in and may not is refused (403) like others, and not asked to sign in. */
  readonly noSignIn?: boolean;
  /**
   * An account that may not sign in is answered as wrong credentials are (401), not with 403: clients of the protocol ask for
   * other credentials at 401 alone.
   */
  readonly forbiddenAsUnauthorized?: boolean;
  /** The handler reads the credentials of the request itself, for instance those of an application: nobody is signed in. */
  readonly ownCredentials?: boolean;
  /** Answers even when `REQUIRE_SIGNIN_VIEW = true` (sign-in page, health, assets). */
  readonly always?: boolean;
}

export interface ResourceRequest {
  readonly actor: Actor;
  readonly params: Readonly<Record<string, string>>;
  readonly access: Access;
  readonly method: string;
  /** Path with query, as the client sent it. */
  readonly url: string;
  /** Path of the route with its parameters, such as `/{owner}/{repo}.rss`. */
  readonly route: string;
  readonly surface: 'api' | 'page' | 'protocol';
}

/**
 * Path and query of a request with other values of the route's parameters: the address of something that was renamed.
 * Only whole segments are looked at, so a value that stands elsewhere in the address too stays there.
 */
export function addressWith(
  { url, route }: Pick<ResourceRequest, 'url' | 'route'>,
  values: Readonly<Record<string, string>>,
): string {
  const [path = '', query] = url.split(/\?(.*)/s);
  const segments = path.split('/');
  for (const [index, template] of route.split('/').entries()) {
    const filled = template.replaceAll(/\{(\w+)\??\}/g, (whole, name: string) => {
      const value = values[name];
      return value === undefined ? whole : encodeURIComponent(value);
    });
    if (filled !== template) segments[index] = filled;
  }
  return query === undefined ? segments.join('/') : `${segments.join('/')}?${query}`;
}

/** Extension point `core.resources`, keyed by the resource's id. */
export interface ResourceResolver<T = unknown> {
  readonly key: string;
  /**
   * API: who may not see the resource is told 404 before 401, signed in or not, where a route needs a user and says
   * nothing else (`signInFirst`).
   */
  readonly beforeSignIn?: boolean;
  /**
   * Finds and authorizes. Throws NotFound for what does not exist or may not be seen, Forbidden for what may be seen
   * but not done, Unauthorized when signing in could help; gives a {@link Reply} (a redirect) for what was renamed.
   */
  resolve(request: ResourceRequest): Promise<T | Reply>;
}

/** A page of a list. */
export interface Page {
  /** 1-based. */
  readonly page: number;
  readonly limit: number;
  readonly offset: number;
}

/**
 * What a handler gets. `params`, `query` and `payload` have passed their schemas, and {@link defineRoute} knows their
 * types from there. A function that takes the context of several routes says what it needs of it:
 * `RouteContext<Repository, { readonly id: number }>`.
 */
export interface RouteContext<S = unknown, P = unknown, Q = unknown, B = unknown> extends GivenCsrf {
  readonly actor: Actor;
  readonly resource: S;
  readonly params: P;
  readonly query: Q;
  readonly payload: B;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly cookies: Readonly<Record<string, string | undefined>>;
  readonly page: Page;
  /** Aborted when the client goes away. */
  readonly signal: AbortSignal;
  readonly requestId: string;
  readonly remoteAddress: string;
  /** The request is for this inner route: metrics and traces name it instead of the outer one. */
  entered(route: InnerRoute): void;
  /** Anything else of HTTP; needed rarely (streams, upgrades). */
  readonly raw: { readonly request: Request; readonly toolkit: ResponseToolkit };
}

export interface RequestSchemas {
  readonly params?: Joi.ObjectSchema;
  readonly query?: Joi.ObjectSchema;
  readonly payload?: Joi.Schema;
}

export interface PayloadOptions {
  /**
   * `json` (default): JSON or a form, parsed and validated; `stream`: `payload` is the Readable as the client sent it
   * (look at the `content-encoding` header and unpack yourself); `buffer`: a Buffer, likewise as sent; `multipart`:
   * an object of fields, with each file an {@link UploadedFile}; on pages the field `_csrf` stands before the files;
   * `form`: pages' forms (urlencoded).
   */
  readonly as?: 'json' | 'stream' | 'buffer' | 'multipart' | 'form';
  /** Bytes; default 2 MiB for json, form and buffer, 256 MiB for multipart, none for streams; 0: unlimited. */
  readonly maxBytes?: number;
  /** Files of a `multipart` body, default 1; other bodies take none. */
  readonly maxFiles?: number;
  /** Accepted content types where they differ from the default of `as`. */
  readonly allow?: readonly string[];
  /** Fields of the form that a `stream` may hold, for the API documents; files are `formFile`. */
  readonly form?: Joi.ObjectSchema;
}

/** A file in the form of {@link PayloadOptions}. */
export const formFile = (): Joi.Schema => Joi.any().meta({ swaggerType: 'file' });

/**
 * One route. `path` is a hapi path below the base address, for instance `/api/v1/repos/{owner}/{repo}`.
 * HEAD is answered for every GET; 405 for other methods of a known path.
 */
export interface Route<S = unknown> extends RouteProperties<S> {
  readonly path: string;
  readonly request?: RequestSchemas;
  readonly payload?: PayloadOptions;
  /** What this route answers by itself behind the wildcard of its path, see {@link InnerRoute}. */
  readonly inner?: readonly InnerRoute[];
  /**
   * Shape of refusals for clients that read them, also of those before the handler (wrong credentials, a resource that is
   * not there); undefined: as the surface has it.
   */
  refusal?(problem: Problem, actor: Actor): Reply | undefined;
  /** The handler gives a plain value (JSON, status 200), a {@link Reply}, a preact node (page) or undefined (204). */
  handler(context: RouteContext<S>): Promise<unknown> | unknown;
}

/**
 * One of the routes behind a route that finds them by itself, where the paths of a protocol are more than a hapi path can
 * say (`{module+}` before further segments). Documents, metrics and the authorization test see it as a route of its own.
 * The outer handler checks `access`, tells the kernel with {@link RouteContext.entered}, and calls `handler`.
 */
export interface InnerRoute<S = unknown> extends RouteProperties<S> {
  /** Whole, from the root of the site; `{name+}` stands for one or more segments, `{name*}` also for none. */
  readonly path: string;
  readonly request?: RequestSchemas;
  /** What the outer handler calls; its request is an affair between the two. */
  handler(request: never): unknown;
}

/** A route as {@link defineRoute} takes it: the handler's types follow from path and schemas. */
interface TypedRoute<
  S,
  Path extends string,
  R extends RequestSchemas,
  O extends PayloadOptions,
> extends RouteProperties<S> {
  readonly path: Path;
  readonly request?: R;
  readonly payload?: O;
  readonly inner?: readonly InnerRoute[];
  refusal?(problem: Problem, actor: Actor): Reply | undefined;
  handler(context: RouteContext<S, ParamsOf<Path, R>, QueryOf<R>, PayloadOf<R, O>>): Promise<unknown> | unknown;
}

/** What goes over the line: bodies as readers of the API documents see them. */
export interface RouteExamples {
  /** Media type of the bodies, default `application/json`. */
  readonly type?: string;
  readonly request?: unknown;
  /** By status. */
  readonly responses?: Readonly<Record<number, unknown>>;
}

/** What is said of a route besides its address and its data. */
interface RouteProperties<S = unknown> {
  readonly method: HttpMethod;
  /** `api` (default below /api/v1), `page`, or `protocol`; decides error shape, CSRF and challenges. */
  readonly surface?: 'api' | 'page' | 'protocol';
  readonly access: Access<S>;
  /** By status; a joi schema, or null for no body. 401/403/404/422 are added from `access` and `request`. */
  readonly responses?: Readonly<Record<number, Joi.Schema | null>>;
  /**
   * Operation id in the API documents; a route of the API or of a protocol without one is not documented. Those of
   * protocols stand in a document of their own (`/protocols.v1.json`), for their paths begin at the root of the site.
   */
  readonly id?: string;
  readonly tags?: readonly string[];
  readonly summary?: string;
  readonly deprecated?: boolean;
  /** For the OpenAPI documents, where schemas alone say little. */
  readonly examples?: RouteExamples;
  /** No CSRF token needed although it is a page route that writes (signed webhooks, beacon). */
  readonly noCsrf?: boolean;
  /** See {@link cachedForVisitors}. */
  readonly isCachedForVisitors?: boolean;
}

/**
 * Checks the types of a route where it is written. The handler's `resource` has the type that `access.resource` carries,
 * its `query` and `payload` those of their schemas (`Joi.object<Query>({…})`), and its `params` the names in the path:
 * text, or what the schema for them makes of it.
 */
export function defineRoute<
  S = unknown,
  const Path extends string = string,
  R extends RequestSchemas = RequestSchemas,
  const O extends PayloadOptions = PayloadOptions,
>(route: TypedRoute<S, Path, R, O>): Route {
  return route as unknown as Route;
}

/** A page of the web interface: wrapped into the shell by the kernel. Return it from a handler. */
export class WebPage {
  constructor(private readonly given: PageOptions | (() => PageOptions)) {}

  /** Made anew each time where the page is a function; to be asked while the language is set. */
  get options(): PageOptions {
    return typeof this.given === 'function' ? this.given() : this.given;
  }
}

/** By directive of the content security policy. */
export type ContentSources = Readonly<
  Partial<Record<'script-src' | 'frame-src' | 'style-src' | 'connect-src', readonly string[]>>
>;

export interface PageOptions {
  readonly title: Text;
  readonly body: VNode;
  readonly status?: number;
  /** Name of the active item in the top navigation. */
  readonly active?: string;
  /** Names of client islands (registered with `host.island`) and style sheets that this page needs. */
  readonly islands?: readonly string[];
  /** `full`: the body uses the whole width; `narrow`: forms. */
  readonly width?: 'normal' | 'full' | 'narrow';
  readonly description?: Text;
  /** Alternate addresses for the head, for instance feeds or go-import meta. */
  readonly head?: readonly { readonly tag: 'link' | 'meta'; readonly attributes: Readonly<Record<string, string>> }[];
  readonly headers?: Readonly<Record<string, string>>;
  /** Sources (CSP 3) beside this site that its forms may lead to, such as `https://app.example` or `org.example.app:`. */
  readonly formTargets?: readonly string[];
  /** Sources (CSP 3) beside this site that the page loads from, such as the widget of a service that tells people from programs. */
  readonly contentSources?: ContentSources;
  /** The body alone, without the shell: a piece that an island fetches and puts into its page. */
  readonly fragment?: boolean;
  /** Shown once on top, for instance after a form was saved. */
  readonly flash?: {
    readonly kind: 'success' | 'error' | 'info';
    readonly text: Text;
    /** Of a refused form: what is wrong with which field, shown beside it as well. */
    readonly fields?: Readonly<Record<string, Text>>;
    /** Of a refused form: the status of its page, where it is not what was sent that is wrong. */
    readonly status?: number;
  };
}

/** A function is called in the visitor's language, once, before the page is rendered: texts may be made in it. */
export function webPage(options: PageOptions | (() => PageOptions)): WebPage {
  return new WebPage(options);
}

/** A file of a `multipart` payload: a stream of its content, readable once, until the handler has ended. */
export interface UploadedFile extends Readable {
  /** As the client named it, without folders; may be empty. */
  readonly fileName: string;
  readonly contentType: string;
  /** Bytes. */
  readonly size: number;
}
