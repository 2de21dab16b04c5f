import { randomBytes } from 'node:crypto';
import {
  authMethods,
  crawledPaths,
  languageOf,
  responseHeaders,
  resources,
  unknownAddresses,
  type Actor,
  type AuthMethod,
  type Cache,
  type Logger,
  type Metrics,
  type PointReader,
  type Site,
  type Surface,
  type ResourceResolver,
  type UnknownAddress,
} from '@mortise/plugin-sdk';
import type { ChannelHub } from '../channels/index.js';
import type { CallPlugin, HttpDeps } from '../contracts.js';
import type { Tracing } from '../telemetry/tracing.js';
import type { WebShell } from '../web/index.js';
import type { ManagedLanguages } from '../web/languages.js';
import { ClientAddresses } from './clients.js';
import { cookieDefaults, type CookieDefaults } from './cookies.js';
import { CorsPolicy } from './cors.js';
import { CsrfGuard } from './csrf.js';
import { OpenConnections } from './open-connections.js';
import { OverloadGuard, type Urgency } from './overload.js';
import type { HttpSettings } from './settings.js';
import { Uploads } from './uploads.js';
import { VisitorPages } from './visitor-pages.js';

/** What the HTTP module uses of other modules. */
export interface HttpServices {
  readonly settings: HttpSettings;
  readonly site: Site;
  readonly languages: ManagedLanguages;
  /** Asked by `/api/healthz` and `/-/ready`, and at the beginning of each request for what others committed. */
  readonly database?: { ping(): Promise<void>; syncVersions(): Promise<void> | undefined };
  /** Without it pages and fragments of them are rendered each time. */
  readonly cache?: Pick<Cache, 'memory' | 'query'>;
  readonly metrics?: Metrics;
  readonly tracing?: Tracing;
  readonly channels?: ChannelHub;
  /** Text of `/metrics`. */
  readonly metricsText?: () => Promise<{ contentType: string; text: string }>;
}

export interface HttpOptions {
  /** Checks JSON answers against the declared schemas and answers 500 when they differ; for tests. */
  readonly validateResponses?: boolean;
  /** Over `[server] HTTP_PORT` and `HTTP_ADDR`. */
  readonly port?: number;
  readonly address?: string;
  readonly liveReload?: boolean;
  /** For tests: who acts in an injected request, made from its `app`; undefined asks the auth methods as usual. */
  readonly actorOf?: (app: unknown) => Actor | undefined;
}

/** What everything in this module shares; one per host. */
export class HttpKernel {
  readonly settings: HttpSettings;
  readonly site: Site;
  readonly log: Logger;
  readonly pluginErrors: HttpDeps['pluginErrors'];
  readonly call: CallPlugin;
  readonly csrf: CsrfGuard;
  readonly cors: CorsPolicy;
  readonly clients: ClientAddresses;
  readonly uploads: Uploads;
  /** Undefined without a cache, and where sources are watched: then the assets of pages change. */
  readonly visitorPages: VisitorPages | undefined;
  readonly openConnections = new OpenConnections();
  /** Undefined where `[qos]` is off. */
  readonly overload: OverloadGuard | undefined;
  readonly viewerUrl: string;
  readonly cookieDefaults: CookieDefaults;
  readonly languages: ManagedLanguages;
  readonly languageOf: PointReader<{ language(actor: Actor): Promise<string | undefined> }>;
  readonly resources: PointReader<ResourceResolver>;
  readonly unknownAddresses: PointReader<UnknownAddress>;
  readonly responseHeaders: PointReader<{
    headers(request: {
      path: string;
      query: Readonly<Record<string, string | undefined>>;
      surface: string;
    }): Readonly<Record<string, string>> | undefined;
  }>;
  private readonly crawledPaths: PointReader<{ includes(path: string): boolean }>;
  private readonly methods: PointReader<AuthMethod>;
  private readonly methodLists = new Map<string, readonly AuthMethod[]>();
  private readonly idPrefix = randomBytes(6).toString('hex');
  private idCount = 0;
  /** No more connections are taken: answers end theirs, but for clients that are in the middle of something. */
  stopping = false;
  /** Another process serves in place of this one, which stops. */
  isReplaced = false;

  constructor(
    deps: HttpDeps,
    readonly services: HttpServices,
    readonly web: WebShell,
    readonly options: HttpOptions,
  ) {
    this.settings = services.settings;
    this.site = services.site;
    this.log = deps.log;
    this.pluginErrors = deps.pluginErrors;
    this.call = deps.call;
    this.csrf = new CsrfGuard(services.site.secret('csrf'), originOf(services.site.rootUrl));
    this.cors = new CorsPolicy(services.settings.cors);
    this.clients = new ClientAddresses(services.settings.security, deps.log);
    this.uploads = new Uploads(services.site.workDir, deps.log);
    this.overload = services.settings.overload.ENABLED ? new OverloadGuard(services.settings.overload) : undefined;
    this.visitorPages = services.cache && !options.liveReload ? new VisitorPages(services.cache) : undefined;
    this.viewerUrl = services.site.url('/api/swagger');
    this.cookieDefaults = cookieDefaults(services.site, services.settings.cookies);
    this.languages = services.languages;
    this.languageOf = deps.points.reader(languageOf);
    this.resources = deps.points.reader(resources);
    this.unknownAddresses = deps.points.reader(unknownAddresses);
    this.responseHeaders = deps.points.reader(responseHeaders);
    this.crawledPaths = deps.points.reader(crawledPaths);
    this.methods = deps.points.reader(authMethods);
  }

  /** Auth methods of a surface; the point is complete before the first request. */
  authMethods(surface: Surface): readonly AuthMethod[] {
    let list = this.methodLists.get(surface);
    if (!list) {
      list = this.methods.list().filter((method) => method.surfaces?.includes(surface) ?? true);
      this.methodLists.set(surface, list);
    }
    return list;
  }

  /** How long requests of the route wait for their turn when nobody is signed in. */
  visitorUrgency(path: string): Urgency {
    return this.crawledPaths.list().some((one) => one.includes(path)) ? 'low' : 'normal';
  }

  /** Did the browser send the credential by itself? Also where another method acts through it, as `sudo` does. */
  isAmbient(actor: Actor): boolean {
    return this.methods.get(actor.method)?.ambient ?? false;
  }

  nextRequestId(): string {
    return `${this.idPrefix}-${(++this.idCount).toString(36)}`;
  }

  /** The path below the root address. */
  withoutBase(url: string): string {
    const base = this.site.basePath;
    if (!base || !url.startsWith(base)) return url;
    const rest = url.slice(base.length);
    if (rest === '' || rest[0] === '?') return `/${rest}`;
    return rest[0] === '/' ? rest : url;
  }
}

function originOf(address: string): string {
  try {
    return new URL(address).origin;
  } catch {
    return '';
  }
}
