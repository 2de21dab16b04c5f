/** The operator's way out (`[proxy]`), as compatible services choose it, and connections that go by it. */
import { request as plainRequest } from 'node:http';
import { request as secureRequest } from 'node:https';
import { connect as openPlain, type Socket } from 'node:net';
import { connect as openSecure } from 'node:tls';
import { Joi } from '@mortise/plugin-sdk';
import { eachAddress, hostOf, portOf } from './connect.js';
import { isExcluded, isLoopback } from './no-proxy.js';

export interface ProxySettings {
  PROXY_ENABLED: boolean;
  PROXY_URL: string;
  PROXY_HOSTS: string;
}

/** `[proxy]`, in the words of compatible services. */
export const proxySettings = Joi.object<ProxySettings, true>({
  PROXY_ENABLED: Joi.boolean()
    .default(false)
    .description(
      'Send everything that is asked of other servers over HTTP by a proxy; addresses are checked as without one.',
    ),
  PROXY_URL: Joi.string()
    .uri({ scheme: ['http', 'https'] })
    .allow('')
    .default('')
    .description(
      'The proxy for PROXY_HOSTS, such as http://user:password@proxy.example:3128; empty: for all hosts that of the environment (http_proxy, https_proxy, no_proxy with names, addresses and networks); this machine itself is reached without.',
    )
    .meta({ secret: true }),
  PROXY_HOSTS: Joi.string()
    .allow('')
    .default('')
    .description(
      'Hosts that are reached by PROXY_URL, separated by commas, with `*` for any characters; `**`: all. Others follow the environment.',
    ),
});

type Environment = Readonly<Record<string, string | undefined>>;

/** Which proxy an address is reached by. */
export class ProxyChoice {
  readonly #url: URL | undefined;
  readonly #isNamed: (url: URL) => boolean;

  constructor(
    private readonly settings: Readonly<ProxySettings>,
    private readonly environment: Environment = process.env,
  ) {
    this.#url = settings.PROXY_URL ? new URL(settings.PROXY_URL) : undefined;
    const patterns = words(settings.PROXY_HOSTS).map(hostPattern);
    this.#isNamed = ({ host, hostname }) => patterns.some((one) => one.test(host) || one.test(hostname));
  }

  /** Undefined: directly. */
  for(url: URL): URL | undefined {
    if (!this.settings.PROXY_ENABLED) return undefined;
    return this.#url && this.#isNamed(url) ? this.#url : this.#ofEnvironment(url);
  }

  #ofEnvironment(url: URL): URL | undefined {
    const read = (name: string) => this.environment[name] || this.environment[name.toUpperCase()] || '';
    const text = read(url.protocol === 'https:' ? 'https_proxy' : 'http_proxy');
    if (!text || isLoopback(url)) return undefined;
    if (words(read('no_proxy')).some((one) => isExcluded(one.toLowerCase(), url))) return undefined;
    const address = text.includes('://') ? text : `http://${text}`;
    const proxy = URL.canParse(address) ? new URL(address) : undefined;
    return proxy && /^https?:$/.test(proxy.protocol) ? proxy : undefined;
  }
}

const words = (text: string): string[] => text.split(/[,\s]+/).filter(Boolean);

const hostPattern = (pattern: string): RegExp =>
  new RegExp(
    `^${pattern
      .toLowerCase()
      .replace(/[.+?^${}()|[\]\\]/g, '\\$&')
      .replace(/\*+/g, '.*')}$`,
  );

export function proxyAuthorization(proxy: URL | undefined): Record<string, string> {
  if (!proxy?.username) return {};
  const credentials = `${decoded(proxy.username)}:${decoded(proxy.password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(credentials).toString('base64')}` };
}

/** A password may have a bare `%`. */
const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** A connection to the proxy itself, for requests with whole addresses (RFC 9112, 3.2.2). It is the caller's. */
export function openProxy(proxy: URL, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason as Error);
    const target = { host: hostOf(proxy), port: portOf(proxy), ...eachAddress };
    const isSecure = proxy.protocol === 'https:';
    const socket = isSecure ? openSecure({ ...target, servername: hostOf(proxy) }) : openPlain(target);
    const abort = () => socket.destroy(signal.reason as Error);
    signal.addEventListener('abort', abort, { once: true });
    const done = () => signal.removeEventListener('abort', abort);
    socket.once('error', (error) => {
      done();
      reject(error);
    });
    socket.once(isSecure ? 'secureConnect' : 'connect', () => {
      done();
      resolve(socket);
    });
  });
}

/** A connection through the proxy's CONNECT (RFC 9110, 9.3.6). It is the caller's. */
export function openTunnel(proxy: URL, host: string, port: number, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason as Error);
    const authority = `${host.includes(':') ? `[${host}]` : host}:${port}`;
    const request = (proxy.protocol === 'https:' ? secureRequest : plainRequest)({
      hostname: hostOf(proxy),
      port: portOf(proxy),
      method: 'CONNECT',
      path: authority,
      agent: false,
      ...eachAddress,
      headers: { host: authority, ...proxyAuthorization(proxy) },
    });
    const abort = () => request.destroy(signal.reason as Error);
    signal.addEventListener('abort', abort, { once: true });
    const fail = (error: Error) => {
      signal.removeEventListener('abort', abort);
      request.destroy();
      reject(error);
    };
    request
      .on('error', fail)
      .once('connect', (response, socket: Socket, head: Buffer) => {
        signal.removeEventListener('abort', abort);
        if (response.statusCode !== 200) {
          socket.destroy();
          return reject(new Error(`the proxy answered ${response.statusCode}`));
        }
        if (head.length) socket.unshift(head);
        resolve(socket);
      })
      .once('response', (response) => fail(new Error(`the proxy answered ${response.statusCode}`)))
      .once('close', () => fail(new Error('the proxy closed the connection')))
      .end();
  });
}
