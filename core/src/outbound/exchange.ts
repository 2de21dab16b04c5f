import { request as plainRequest, type IncomingMessage } from 'node:http';
import { request as secureRequest } from 'node:https';
import { connect as connectTls } from 'node:tls';
import type { Socket } from 'node:net';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Readable } from 'node:stream';
import { Problem } from '@mortise/plugin-sdk';
import { checkLiteral, guardedLookup } from './connect.js';
import type { AllowedHosts } from './hosts.js';

export interface Exchange {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  readonly allowed: AllowedHosts;
  readonly maxResponseBytes: number;
  readonly skipTlsVerify: boolean;
  readonly proxy?: URL;
  readonly signal: AbortSignal;
}

export interface Answer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: Buffer;
}

/** One request and its answer, without following redirects. */
export async function exchange(given: Exchange): Promise<Answer> {
  const { url, proxy } = given;
  if (proxy && url.protocol === 'https:') return ask(given, await tunnel(given, proxy));
  return ask(given);
}

const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '');

function ask(given: Exchange, socket?: Socket): Promise<Answer> {
  const { url, proxy, method, body, signal, allowed } = given;
  const direct = !proxy;
  // through a proxy the operator's proxy decides where names lead; addresses are still judged here
  checkLiteral(hostOf(url), allowed);
  const target = proxy && !socket ? proxy : url;
  const send = target.protocol === 'https:' && !socket ? secureRequest : plainRequest;
  return new Promise((resolve, reject) => {
    const request = send({
      protocol: socket ? 'http:' : target.protocol,
      hostname: hostOf(target),
      port: target.port || undefined,
      path: proxy && !socket ? url.href : `${url.pathname}${url.search}`,
      method,
      headers: {
        host: url.host,
        ...given.headers,
        ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
        ...proxyAuthorization(socket ? undefined : proxy),
      },
      agent: false,
      signal,
      ...eachAddress,
      ...(direct ? { lookup: guardedLookup(allowed) } : {}),
      ...(socket ? { createConnection: () => socket } : {}),
      ...(url.protocol === 'https:' && !socket ? { rejectUnauthorized: !given.skipTlsVerify } : {}),
    });
    request.once('error', reject);
    request.once('response', (response) => {
      read(response, given.maxResponseBytes).then(
        (content) => resolve({ status: response.statusCode ?? 0, headers: flat(response), body: content }),
        reject,
      );
    });
    request.end(body);
  });
}

/**
 * Of a host with several addresses each may be far away, and node's own patience is a quarter of a second; yet the next
 * must be tried well before a webhook's five seconds are over.
 */
const eachAddress = { autoSelectFamilyAttemptTimeout: 1000 };

function proxyAuthorization(proxy: URL | undefined): Record<string, string> {
  if (!proxy?.username) return {};
  const credentials = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(credentials).toString('base64')}` };
}

/** A TLS connection through a proxy's CONNECT. */
function tunnel({ url, allowed, signal, skipTlsVerify }: Exchange, proxy: URL): Promise<Socket> {
  const host = hostOf(url);
  checkLiteral(host, allowed);
  return new Promise((resolve, reject) => {
    const request = (proxy.protocol === 'https:' ? secureRequest : plainRequest)({
      hostname: hostOf(proxy),
      port: proxy.port || undefined,
      method: 'CONNECT',
      path: `${host}:${url.port || 443}`,
      agent: false,
      signal,
      ...eachAddress,
      headers: { host: url.host, ...proxyAuthorization(proxy) },
    });
    request.once('error', reject);
    request.once('connect', (response, socket) => {
      if (response.statusCode !== 200) return reject(new Error(`the proxy answered ${response.statusCode}`));
      const secure = connectTls({ socket, servername: host, rejectUnauthorized: !skipTlsVerify });
      secure.once('error', reject);
      secure.once('secureConnect', () => resolve(secure));
    });
    request.end();
  });
}

function flat(response: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(response.headers))
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(', ') : value;
  return headers;
}

function unpacked(response: IncomingMessage): Readable {
  switch (response.headers['content-encoding']) {
    case 'gzip':
      return response.pipe(createGunzip());
    case 'deflate':
      return response.pipe(createInflate());
    case 'br':
      return response.pipe(createBrotliDecompress());
    default:
      return response;
  }
}

/** The whole body after unpacking; larger ones are cut off, so that nobody fills our memory. */
function read(response: IncomingMessage, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const stream = unpacked(response);
    const chunks: Buffer[] = [];
    let size = 0;
    stream.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > limit) {
        response.destroy();
        reject(new Problem('too_large', `the answer is larger than ${limit} bytes`));
      } else chunks.push(chunk);
    });
    stream.once('end', () => resolve(Buffer.concat(chunks, size)));
    stream.once('error', reject);
    response.once('aborted', () => reject(new Error('the answer ended too early')));
  });
}
