import type { TLSSocket } from 'node:tls';
import type { Request, ResponseToolkit } from '@hapi/hapi';
import { plainAddress } from './clients.js';
import {
  anonymous,
  type ActOrigin,
  type Actor,
  type AuthConnection,
  type AuthRequest,
  type ContentSources,
  type InnerRoute,
  type Page,
  type RouteContext,
  type Surface,
} from '@mortise/plugin-sdk';
import { readCookies } from './cookies.js';
import { newVisitor, visitorCookie } from './csrf.js';
import type { HttpKernel } from './kernel.js';
import { pageOf } from './paging.js';
import { routeParams, routePath } from './route-table.js';
import type { RequestUploads } from './uploads.js';

const requestIdPattern = /^[\w.:-]{8,128}$/;

/** One request as handlers and auth methods see it. Everything that costs is made when it is asked for. */
export class RequestContext implements RouteContext, AuthRequest, ActOrigin {
  actor: Actor = anonymous;
  resource: unknown = undefined;
  payload: unknown = undefined;
  params: Record<string, string>;
  query: Record<string, never>;
  /** Headers that auth methods and points add to the answer. */
  extraHeaders: Record<string, string> | undefined;
  /** See `PageOptions.formTargets`. */
  formTargets: readonly string[] | undefined;
  /** See `PageOptions.contentSources`. */
  contentSources: ContentSources | undefined;
  /** Value of a visitor cookie that the answer must set. */
  visitorToSet: string | undefined;
  /** Files of the form that was sent; given back when the request has been handled. */
  uploads: RequestUploads | undefined;
  /** Language that the visitor chose with this request, for the cookie. */
  languageToSet: string | undefined;
  private knownCookies: Readonly<Record<string, string | undefined>> | undefined;
  private knownSignal: AbortSignal | undefined;
  private knownRequestId: string | undefined;

  constructor(
    readonly kernel: HttpKernel,
    readonly request: Request,
    readonly toolkit: ResponseToolkit,
    readonly surface: Surface,
    /** The plugin whose route it is. */
    readonly plugin = 'core',
  ) {
    this.params = routeParams(request);
    this.query = request.query as Record<string, never>;
  }

  get method(): string {
    return this.request.method.toUpperCase();
  }

  get path(): string {
    return this.request.path;
  }

  /** Path and query as the client sent them, without the sub-path of the root address. */
  get url(): string {
    return this.kernel.withoutBase(this.request.raw.req.url ?? '/');
  }

  get headers(): Readonly<Record<string, string | undefined>> {
    return this.request.headers as Readonly<Record<string, string | undefined>>;
  }

  get cookies(): Readonly<Record<string, string | undefined>> {
    return (this.knownCookies ??= readCookies(this.request.headers.cookie as string | undefined));
  }

  get page(): Page {
    return pageOf(this.request.query as Record<string, unknown>, this.kernel.settings.api);
  }

  get signal(): AbortSignal {
    if (!this.knownSignal) {
      const controller = new AbortController();
      const response = this.request.raw.res;
      if (response.destroyed && !response.writableFinished) controller.abort();
      else {
        response.once('close', () => {
          if (!response.writableFinished) controller.abort();
        });
      }
      this.knownSignal = controller.signal;
    }
    return this.knownSignal;
  }

  get requestId(): string {
    if (!this.knownRequestId) {
      const given = this.request.headers['x-request-id'] as string | undefined;
      this.knownRequestId = given && requestIdPattern.test(given) ? given : this.kernel.nextRequestId();
    }
    return this.knownRequestId;
  }

  get remoteAddress(): string {
    return this.kernel.clients.addressOf(
      this.request.info.remoteAddress,
      this.request.headers['x-forwarded-for'] as string | undefined,
      this.request.headers['x-real-ip'] as string | undefined,
    );
  }

  private knownConnection: AuthConnection | undefined;

  get connection(): AuthConnection {
    return (this.knownConnection ??= connectionOf(this));
  }

  private knownCsrf: { actor: Actor; visitor: string | undefined; token: string } | undefined;

  get csrf(): string {
    let visitor = this.cookies[visitorCookie];
    if (!visitor && this.actor.kind === 'anonymous') visitor = this.visitorToSet ??= newVisitor();
    const known = this.knownCsrf;
    if (known?.actor === this.actor && known.visitor === visitor) return known.token;
    const token = this.kernel.csrf.token(this.actor, visitor);
    this.knownCsrf = { actor: this.actor, visitor, token };
    return token;
  }

  entered({ path }: InnerRoute): void {
    noteInner(this.request, path);
  }

  get raw(): { readonly request: Request; readonly toolkit: ResponseToolkit } {
    return { request: this.request, toolkit: this.toolkit };
  }

  addHeaders(headers: Readonly<Record<string, string>> | undefined): void {
    if (headers) this.extraHeaders = { ...this.extraHeaders, ...headers };
  }
}

const innerPaths = new WeakMap<Request, string>();
const noteInner = (request: Request, path: string) => void innerPaths.set(request, path);

/** The path of the route that answered, of an inner one where there is one. */
export const answeredPath = (request: Request): string => innerPaths.get(request) ?? routePath(request);

function connectionOf({ request, kernel }: RequestContext): AuthConnection {
  const { remoteAddress, remotePort } = request.info;
  const { socket } = request.raw.req;
  const tls = socket as Partial<TLSSocket>;
  return {
    peerAddress: plainAddress(remoteAddress),
    peerPort: Number(remotePort) || 0,
    isTrustedProxy: kernel.clients.isTrusted(remoteAddress),
    isEncrypted: tls.encrypted === true,
    key: socket ?? request,
    get clientCertificate() {
      const certificate = tls.getPeerCertificate?.();
      return certificate?.raw
        ? `-----BEGIN CERTIFICATE-----\n${certificate.raw.toString('base64').replace(/(.{64})/g, '$1\n')}\n-----END CERTIFICATE-----\n`
        : undefined;
    },
  };
}

/**
 * What an auth method sees: first values only of repeated query parameters. Nearly always that is the context itself;
 * an object literal with getters here cost half of the time of a small request (measured: 74 µs against 40 µs).
 */
export function authRequestOf(context: RequestContext): AuthRequest {
  const query = context.request.query as Record<string, unknown>;
  for (const name in query) if (Array.isArray(query[name])) return new FirstValues(context, query);
  return context;
}

class FirstValues implements AuthRequest {
  readonly query: Readonly<Record<string, string | undefined>>;

  constructor(
    private readonly context: RequestContext,
    query: Readonly<Record<string, unknown>>,
  ) {
    this.query = Object.fromEntries(
      Object.entries(query).map(([name, value]) => [name, String(Array.isArray(value) ? value[0] : value)]),
    );
  }

  get method(): string {
    return this.context.method;
  }

  get path(): string {
    return this.context.path;
  }

  get headers(): AuthRequest['headers'] {
    return this.context.headers;
  }

  get cookies(): AuthRequest['cookies'] {
    return this.context.cookies;
  }

  get remoteAddress(): string {
    return this.context.remoteAddress;
  }

  get connection(): AuthConnection {
    return this.context.connection;
  }

  get surface(): Surface {
    return this.context.surface;
  }
}
