import {
  BadRequest,
  type Logger,
  type Outbound,
  type OutboundConnectionOptions,
  type OutboundHttpConnection,
  type OutboundRequest,
} from '@mortise/plugin-sdk';
import { openBody, readBody } from './body.js';
import { checkResolved, hostOf, portOf } from './connect.js';
import { timeLimit } from './deadline.js';
import { exchange, isStreamed, type Head } from './exchange.js';
import { plainError } from './failures.js';
import { AllowedHosts } from './hosts.js';
import { openProxy, openTunnel, ProxyChoice, proxyAuthorization, type ProxySettings } from './proxy.js';
import type { OutboundSettings } from './settings.js';
import { openConnection } from './tcp.js';

export { AllowedHosts } from './hosts.js';

interface OutboundServices {
  readonly settings: Readonly<OutboundSettings>;
  /** Without them every connection is direct. */
  readonly proxy?: Readonly<ProxySettings>;
  readonly log: Logger;
  readonly userAgent?: string;
}

const defaultTimeout = 30_000;
const defaultLimit = 10 * 1024 * 1024;
const maxRedirects = 5;
const redirects = new Set([301, 302, 303, 307, 308]);
/** Never carried to another host (HOK-25). */
const secretHeaders = new Set(['authorization', 'cookie', 'proxy-authorization']);

const withoutProxy: ProxySettings = { PROXY_ENABLED: false, PROXY_URL: '', PROXY_HOSTS: '' };

/** HTTP to addresses that users name. */
export function createOutbound({
  settings,
  proxy = withoutProxy,
  log,
  userAgent = 'Mortise',
}: OutboundServices): Outbound {
  const proxies = new ProxyChoice(proxy);
  const lists = new Map<string, AllowedHosts>();
  const listOf = (text: string): AllowedHosts => {
    let list = lists.get(text);
    if (!list) {
      if (lists.size > 100) lists.clear();
      lists.set(text, (list = new AllowedHosts(text)));
    }
    return list;
  };
  listOf(settings.ALLOWED_HOST_LIST);

  async function ask<T>(address: string, init: OutboundRequest, take: (head: Head) => Promise<T>): Promise<T> {
    const allowed = listOf(init.allowedHosts ?? settings.ALLOWED_HOST_LIST);
    const limit = timeLimit(init.timeoutMs ?? defaultTimeout, init.signal);
    const started = Date.now();
    const host = hostForLog(address);
    try {
      const way = { allowed, signal: limit.signal, userAgent, proxies };
      return await follow(httpAddress(address), init, way, async (head) => {
        const taken = await take(head);
        log.debug('outbound request', { host, status: head.status, ms: Date.now() - started });
        return taken;
      });
    } catch (error) {
      const reason = (error as Error).message;
      log.debug('outbound request failed', { host, reason, ms: Date.now() - started });
      throw limit.isOver() ? limit.signal.reason : plainError(error);
    } finally {
      limit.clear();
    }
  }

  async function opened<T>(
    host: string,
    { allowedHosts, timeoutMs = defaultTimeout, signal }: OutboundConnectionOptions,
    open: (way: { readonly allowed: AllowedHosts; readonly signal: AbortSignal }) => Promise<T>,
  ): Promise<T> {
    const limit = timeLimit(timeoutMs, signal);
    try {
      return await open({ allowed: listOf(allowedHosts ?? settings.ALLOWED_HOST_LIST), signal: limit.signal });
    } catch (error) {
      log.debug('outbound connection failed', { host, reason: (error as Error).message });
      throw limit.isOver() ? limit.signal.reason : plainError(error);
    } finally {
      limit.clear();
    }
  }

  const limitOf = ({ maxResponseBytes = defaultLimit }: OutboundRequest) => maxResponseBytes;
  return {
    fetch: (address, init) =>
      ask(address, init, async ({ response, ...head }) => ({ ...head, body: await readBody(response, limitOf(init)) })),
    async stream(address, init, take) {
      let own: { readonly error: unknown } | undefined;
      const taking = ask(address, init, async ({ response, ...head }) => {
        const body = openBody(response, limitOf(init));
        return take({ ...head, body }).catch((error: unknown) => {
          // what went wrong where the body went to is no failure of the receiver
          if (!body.errored) own = { error };
          throw error;
        });
      });
      return taking.catch((error: unknown) => {
        throw own ? own.error : error;
      });
    },
    connect: ({ host, port, ...options }) =>
      opened(`${host}:${port}`, options, ({ allowed, signal }) => openConnection({ host, port, allowed, signal })),
    connectHttp: (address, options) =>
      opened(hostForLog(address), options, (way) => openHttp(httpAddress(address), { ...way, proxies })),
  };
}

interface Way {
  readonly allowed: AllowedHosts;
  readonly signal: AbortSignal;
  readonly proxies: ProxyChoice;
}

/** Directly, through a tunnel of the proxy, or to the proxy itself. */
async function openHttp(url: URL, { allowed, signal, proxies }: Way): Promise<OutboundHttpConnection> {
  const target = { host: hostOf(url), port: portOf(url) };
  const direct = { target: `${url.pathname}${url.search}`, headers: {} };
  const proxy = proxies.for(url);
  if (!proxy) return { ...direct, socket: await openConnection({ ...target, allowed, signal }) };
  await checkResolved(target.host, allowed);
  if (url.protocol === 'https:')
    return { ...direct, socket: await openTunnel(proxy, target.host, target.port, signal) };
  return { socket: await openProxy(proxy, signal), target: url.href, headers: proxyAuthorization(proxy) };
}

async function follow<T>(
  start: URL,
  init: OutboundRequest,
  { allowed, signal, userAgent, proxies }: Way & { readonly userAgent: string },
  take: (head: Head) => Promise<T>,
): Promise<T> {
  let url = start;
  let method = (init.method ?? 'GET').toUpperCase();
  let body = init.body;
  let headers: Record<string, string> = { 'user-agent': userAgent, accept: '*/*' };
  for (const [name, value] of Object.entries(init.headers ?? {})) headers[name.toLowerCase()] = value;
  const given = init.proxy ? new URL(init.proxy) : undefined;
  for (let hop = 0; ; hop++) {
    const isRedirect = ({ status, headers: { location } }: Head) =>
      init.redirect !== 'manual' && !isStreamed(init.body) && redirects.has(status) && Boolean(location);
    const answer = await exchange(
      {
        url,
        method,
        headers,
        body,
        allowed,
        signal,
        proxy: given ?? proxies.for(url),
        skipTlsVerify: init.skipTlsVerify ?? false,
        ...(init.certificates ? { certificates: init.certificates } : {}),
      },
      async (head) =>
        isRedirect(head)
          ? ({ isTaken: false, to: head.headers.location!, status: head.status } as const)
          : ({ isTaken: true, taken: await take(head) } as const),
    );
    if (answer.isTaken) return answer.taken;
    if (hop >= maxRedirects) throw new Error(`more than ${maxRedirects} redirects`);
    const next = httpAddress(new URL(answer.to, url).href);
    if (next.origin !== url.origin)
      headers = Object.fromEntries(Object.entries(headers).filter(([name]) => !secretHeaders.has(name)));
    // as browsers do: only 307 and 308 repeat the request as it was
    if (answer.status === 303 || ((answer.status === 301 || answer.status === 302) && method === 'POST')) {
      if (method !== 'HEAD') method = 'GET';
      body = undefined;
      headers = Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith('content-')));
    }
    url = next;
  }
}

function httpAddress(address: string): URL {
  let url: URL;
  try {
    url = new URL(address);
  } catch {
    throw BadRequest('The address is not a valid URL.');
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw BadRequest('Only http and https URLs are allowed.');
  return url;
}

/** Paths and queries may hold secrets of hooks. */
function hostForLog(address: string): string {
  try {
    return new URL(address).host;
  } catch {
    return '';
  }
}
