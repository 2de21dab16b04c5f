import { request as plainRequest, type IncomingMessage } from 'node:http';
import { request as secureRequest } from 'node:https';
import { pipeline } from 'node:stream';
import * as tls from 'node:tls';
import { isIP, type Socket } from 'node:net';
import { checkLiteral, checkResolved, eachAddress, guardedLookup, hostOf, portOf } from './connect.js';
import type { OutboundRequest, OutboundStream } from '@mortise/plugin-sdk';
import { untilAborted, type Hold } from './deadline.js';
import type { AllowedHosts } from './hosts.js';
import { openTunnel, proxyAuthorization } from './proxy.js';

interface Exchange {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: OutboundRequest['body'];
  readonly allowed: AllowedHosts;
  readonly skipTlsVerify: boolean;
  /** Certificates in PEM that count beside those that node knows. */
  readonly certificates?: string;
  readonly proxy?: URL;
  readonly signal: AbortSignal;
}

/** What an answer begins with, and the rest of it, which is still packed. */
export interface Head {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly response: IncomingMessage;
}

/** Interim responses (1xx) that a receiver may send before its answer. */
const maxInterim = 16;

/**
 * One request and what `take` makes of its answer, without following redirects; ends with the signal at the latest, and
 * closes what it has opened.
 */
export function exchange<T>(given: Exchange, take: (head: Head) => Promise<T>): Promise<T> {
  return untilAborted(given.signal, async (hold) => {
    const { url, proxy } = given;
    if (proxy) await checkResolved(hostOf(url), given.allowed);
    const socket = proxy && url.protocol === 'https:' ? await tunnel(given, proxy, hold) : undefined;
    const response = await ask(given, hold, socket);
    return take({ status: response.statusCode ?? 0, headers: flat(response), response });
  });
}

/** Naming certificates replaces those that node knows, so both are named. */
const trusted = ({ certificates }: Pick<Exchange, 'certificates'>): { ca?: string[] } =>
  certificates ? { ca: [...knownCertificates(), certificates] } : {};
/** Newer versions of node also know those of `NODE_EXTRA_CA_CERTS`. */
const knownCertificates = (): readonly string[] =>
  (tls as { getCACertificates?: () => string[] }).getCACertificates?.() ?? tls.rootCertificates;

const switching = () => new Error('the receiver wants to switch to another protocol');

function ask(given: Exchange, hold: Hold, socket?: Socket): Promise<IncomingMessage> {
  const { url, proxy, method, body, allowed } = given;
  const direct = !proxy;
  if (direct) checkLiteral(hostOf(url), allowed);
  const target = proxy && !socket ? proxy : url;
  const send = target.protocol === 'https:' && !socket ? secureRequest : plainRequest;
  const request = hold(
    send({
      protocol: socket ? 'http:' : target.protocol,
      hostname: hostOf(target),
      port: target.port || undefined,
      path: proxy && !socket ? url.href : `${url.pathname}${url.search}`,
      method,
      headers: {
        host: url.host,
        ...given.headers,
        ...(body === undefined
          ? {}
          : { 'content-length': String(isStreamed(body) ? body.size : Buffer.byteLength(body)) }),
        ...proxyAuthorization(socket ? undefined : proxy),
      },
      agent: false,
      ...eachAddress,
      ...(direct ? { lookup: guardedLookup(allowed) } : {}),
      ...(socket ? { createConnection: () => socket } : {}),
      ...(url.protocol === 'https:' && !socket ? { rejectUnauthorized: !given.skipTlsVerify, ...trusted(given) } : {}),
    }),
  );
  return new Promise((resolve, reject) => {
    let interim = 0;
    request
      .on('error', reject)
      .on('information', () => {
        if (++interim > maxInterim) reject(new Error('the receiver sends interim responses without end'));
      })
      // without a listener node closes the connection and tells nobody
      .once('upgrade', (_response, upgraded) => {
        upgraded.destroy();
        reject(switching());
      })
      .once('response', (response) => {
        hold(response);
        if (response.statusCode === 101) reject(switching());
        else resolve(response);
      })
      .once('close', () => reject(new Error('the connection was closed without an answer')));
    if (isStreamed(body)) pipeline(hold(body.stream), request, (error) => error && reject(error));
    else request.end(body);
  });
}

/** Its content is on its way once, and cannot be sent again. */
export const isStreamed = (body: OutboundRequest['body']): body is OutboundStream =>
  typeof body === 'object' && 'stream' in body;

/** A TLS connection through a proxy's CONNECT. */
async function tunnel({ url, signal, skipTlsVerify, certificates }: Exchange, proxy: URL, hold: Hold): Promise<Socket> {
  const host = hostOf(url);
  const socket = hold(await openTunnel(proxy, host, portOf(url), signal));
  const secure = hold(
    tls.connect({
      socket,
      ...(isIP(host) ? {} : { servername: host }),
      host,
      rejectUnauthorized: !skipTlsVerify,
      ...trusted({ certificates }),
    }),
  );
  return new Promise((resolve, reject) => {
    secure
      .on('error', reject)
      .once('secureConnect', () => resolve(secure))
      .once('close', () => reject(new Error('the proxy closed the connection')));
  });
}

function flat(response: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(response.headers))
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(', ') : value;
  return headers;
}
