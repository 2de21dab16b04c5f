import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { defineService } from './references.js';

/** A body that is not held in memory. It can be sent once, so that a redirect is the answer. */
export interface OutboundStream {
  readonly stream: Readable;
  /** Bytes. */
  readonly size: number;
}

export interface OutboundRequest {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer | OutboundStream;
  /** For all of it, reading the answer included; default 30 s. */
  readonly timeoutMs?: number;
  /** Overrides `[security] ALLOWED_HOST_LIST`. */
  readonly allowedHosts?: string;
  /** Bytes of the answer after unpacking; default 10 MiB. More is `too_large`. */
  readonly maxResponseBytes?: number;
  /** `manual`: a redirect is the answer, as where a request holds a secret in its body. Default `follow`. */
  readonly redirect?: 'follow' | 'manual';
  readonly skipTlsVerify?: boolean;
  /** Certificates in PEM, of authorities of one's own, that count beside the public ones. */
  readonly certificates?: string;
  /** Instead of the one of `[proxy]`. */
  readonly proxy?: string;
  readonly signal?: AbortSignal;
}

export interface OutboundAnswer<Body> {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Record<string, string>;
  readonly body: Body;
}

export interface OutboundConnectionOptions {
  /** Overrides `[security] ALLOWED_HOST_LIST`. */
  readonly allowedHosts?: string;
  /** Until the connection stands; default 30 s. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

interface OutboundTarget extends OutboundConnectionOptions {
  /** A name or an address, IPv6 without brackets. */
  readonly host: string;
  readonly port: number;
}

/** A connection for HTTP. Of https it leads to the server itself, and TLS is the caller's. */
export interface OutboundHttpConnection {
  readonly socket: Socket;
  /** What stands in the first line of a request of http for the address: of a proxy the whole address. */
  readonly target: string;
  /** More headers of a request of http, which a proxy takes away. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Requests to hosts that users name: each connection's resolved address passes the allowed host list. HTTP goes by the
 * proxy of the operator where one is set for the host (`[proxy]`).
 */
export interface Outbound {
  fetch(url: string, init: OutboundRequest): Promise<OutboundAnswer<Buffer>>;
  /** For large answers: `take` reads the body, and gives the result. Everything is closed when it has ended. */
  stream<T>(url: string, init: OutboundRequest, take: (answer: OutboundAnswer<Readable>) => Promise<T>): Promise<T>;
  /** For protocols other than HTTP: a TCP connection, which the caller closes. */
  connect(target: OutboundTarget): Promise<Socket>;
  /** For HTTP that the caller writes and reads: a connection for one request, which the caller closes. */
  connectHttp(url: string, options: OutboundConnectionOptions): Promise<OutboundHttpConnection>;
}
export const outbound = defineService<Outbound>('core.outbound');
