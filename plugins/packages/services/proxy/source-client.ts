import type { Readable } from 'node:stream';
import {
  NotFound,
  Problem,
  parseJsonObject,
  type Logger,
  type MemoryCache,
  type Outbound,
  type OutboundAnswer,
} from '@mortise/plugin-sdk';
import type { TokenProxySettings } from '../../api.js';
import { bearerOf, isSignInOf, type BearerChallenge } from './bearer-challenge.js';

interface SourceRequest {
  /** Default GET. */
  readonly method?: 'GET' | 'HEAD';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly maxBytes: number;
  readonly scope?: string;
  readonly signal?: AbortSignal;
}

const redirects = new Set([301, 302, 303, 307, 308]);
const maxHops = 5;
const tokenTimeout = 30_000;
const maxToken = 1024 * 1024;
const minTokenSeconds = 60;

/** Converts a failure to a problem for clients. */
export function sourceProblem(error: unknown): Problem {
  if (Problem.is(error)) {
    const isOurs = error.code === 'bad_gateway' || error.code === 'gateway_timeout' || error.code === 'unavailable';
    // a refusal of the list of allowed hosts is none of this client
    return isOurs ? error : new Problem('bad_gateway', `The upstream registry: ${error.message}`);
  }
  const { message, syscall } = error as NodeJS.ErrnoException;
  // that of a disk here, which names our paths; those of connections are in plain words already
  if (syscall !== undefined)
    return new Problem('unavailable', 'What the upstream registry gave could not be stored. Try again later.');
  return /^no answer within/.test(message)
    ? new Problem('gateway_timeout', `The upstream registry did not answer in time: ${message}.`)
    : new Problem('bad_gateway', `The upstream registry failed: ${message}.`);
}

/** Is it nothing that the upstream has? Some say so by asking for other credentials. */
export const isMissing = (status: number): boolean => [401, 403, 404, 410, 451].includes(status);
export const statusProblem = (status: number): Problem =>
  new Problem('bad_gateway', `The upstream registry answered with status ${status}.`);

/** Requests to one upstream, with its credentials. */
export class SourceClient {
  readonly root: string;
  private readonly origin: string;

  constructor(
    private readonly outbound: Outbound,
    private readonly settings: Readonly<TokenProxySettings>,
    private readonly tokens: MemoryCache<string>,
    private readonly log: Logger,
  ) {
    const { origin, pathname } = new URL(settings.UPSTREAM);
    this.root = `${origin}${pathname}`.replace(/\/+$/, '');
    this.origin = origin;
  }

  /** The whole address of a path, or of what the upstream named. */
  address(path: string): string {
    const address = path.startsWith('/') ? `${this.root}${path}` : path;
    if (!URL.canParse(address) || !/^https?:/.test(address)) throw NotFound('There is nothing at this address.');
    return new URL(address).href;
  }

  /**
   * One request; where a token is needed first, it is got, and asked again once. Redirects of the registry itself are
   * followed here: only its own origin sees credentials, and only its own 401 asks for a sign-in.
   */
  async stream<T>(wanted: SourceRequest, take: (answer: OutboundAnswer<Readable>) => Promise<T>): Promise<T> {
    const { scope } = wanted;
    const end = Date.now() + wanted.timeoutMs;
    let address = this.address(wanted.path);
    let hops = 0;
    for (let mayAsk = scope !== undefined; ;) {
      const isOwn = new URL(address).origin === this.origin;
      const token = isOwn && scope !== undefined ? this.tokens.get(this.tokenKey(scope)) : undefined;
      const authorization = token ? `Bearer ${token}` : isOwn ? this.basic : undefined;
      const result = await this.outbound.stream(
        address,
        {
          method: wanted.method ?? 'GET',
          headers: { ...wanted.headers, ...(authorization && { authorization }) },
          timeoutMs: Math.max(1, end - Date.now()),
          maxResponseBytes: wanted.maxBytes,
          redirect: isOwn ? 'manual' : 'follow',
          ...(wanted.signal && { signal: wanted.signal }),
        },
        async (answer) => {
          const { status, headers } = answer;
          const to = isOwn && redirects.has(status) ? headers.location : undefined;
          if (to !== undefined && URL.canParse(to, address)) return { to: new URL(to, address).href };
          const challenge = isOwn && mayAsk && status === 401 ? bearerOf(headers) : undefined;
          return challenge ? { challenge } : { taken: await take(answer) };
        },
      );
      if ('taken' in result) return result.taken as T;
      if ('to' in result && result.to !== undefined) {
        if (++hops > maxHops) throw new Error(`more than ${maxHops} redirects`);
        address = result.to;
      } else {
        mayAsk = false;
        await this.signIn(result.challenge!, scope!);
      }
    }
  }

  private tokenKey = (scope: string): string => `${this.root} ${this.settings.UPSTREAM_USERNAME} ${scope}`;

  private get basic(): string | undefined {
    const { UPSTREAM_USERNAME: name, UPSTREAM_PASSWORD: password } = this.settings;
    if (!name && !password) return undefined;
    // a token without a name is a bearer token, as npm and Cargo have it
    return name ? `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}` : `Bearer ${password}`;
  }

  /** The sign-in of container registries: credentials, or none, are exchanged for a token. */
  private async signIn(challenge: BearerChallenge, scope: string): Promise<void> {
    const url = new URL(challenge.realm);
    if (challenge.service) url.searchParams.set('service', challenge.service);
    const asked = scope || challenge.scope;
    if (asked) url.searchParams.set('scope', asked);
    // credentials are for the registry: a response cannot direct them to another host
    const isTrusted = isSignInOf(new URL(this.root), url, this.settings.UPSTREAM_SIGN_IN_HOST);
    if (!isTrusted && this.basic)
      this.log.warn(
        'a proxied registry signs in on another host, to which no credentials were sent; name it in UPSTREAM_SIGN_IN_HOST',
        { event: 'packages.proxy.signInHost', registry: this.root, host: url.host },
      );
    const { status, body } = await this.outbound.fetch(url.href, {
      headers: { accept: 'application/json', ...(isTrusted && this.basic ? { authorization: this.basic } : {}) },
      timeoutMs: tokenTimeout,
      maxResponseBytes: maxToken,
    });
    const answer = status === 200 ? parseJsonObject(body) : undefined;
    const token = answer?.token ?? answer?.access_token;
    if (typeof token !== 'string' || token === '') {
      this.log.warn('proxied registry issued no token', { event: 'packages.proxy.token', host: url.host, status });
      return;
    }
    const seconds = typeof answer?.expires_in === 'number' ? answer.expires_in : minTokenSeconds;
    const ttl = Math.min(3600, Math.max(10, seconds * 0.9)) * 1000;
    this.tokens.set(this.tokenKey(scope), token, { ttl });
  }
}
