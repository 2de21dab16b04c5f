import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Server } from '@hapi/hapi';
import type { WebSocket, WebSocketServer } from 'ws';
import { defineRoute, reply, type Actor, type Route } from '@mortise/plugin-sdk';
import type { ChannelHub } from '../channels/index.js';
import { unauthenticated } from '../channels/hub.js';
import type { HttpKernel } from './kernel.js';
import { SocketConnection, type NesSocket } from './socket-connection.js';

const path = '/-/ws';
/** Clients say hello, and nothing longer. */
const maxPayload = 4096;
const pingMs = 30_000;
/** Whoever is told to go goes, or is put out. */
const partMs = 2000;

/** Filled by the route below for a request that comes from an upgrade. */
interface SocketClient {
  actor?: Actor;
  address?: string;
}
type OpeningSocket = { readonly pendingSignIn?: SocketClient } | undefined;

/** Answers those who do not ask for a WebSocket; tells of those who do who they are, by the auth methods of pages. */
export const socketRoute: Route = defineRoute({
  method: 'GET',
  path,
  surface: 'page',
  access: { actor: 'anyone', always: true },
  handler({ actor, raw, remoteAddress }) {
    const pendingSignIn = (raw.request.app as OpeningSocket)?.pendingSignIn;
    if (!pendingSignIn) return reply.text('This address speaks WebSocket.', 426).header('upgrade', 'websocket');
    pendingSignIn.actor = actor;
    pendingSignIn.address = remoteAddress;
    return reply.none();
  },
});

/** What of nes lies behind its interface: which connection a socket of its belongs to, and who makes connections. */
interface NesListener {
  readonly _wss: WebSocketServer;
}

/** WebSockets at `/-/ws`: looks at who comes, and hands them over to nes, which speaks its protocol with them. */
export class Sockets {
  readonly #connections = new Map<WebSocket, SocketConnection>();
  #opening: Promise<WebSocketServer> | undefined;
  #pings: NodeJS.Timeout | undefined;

  constructor(
    private readonly kernel: HttpKernel,
    private readonly server: Server,
    private readonly hub: ChannelHub,
  ) {
    server.listener.on('upgrade', this.#arrived);
  }

  /** Clients come back to another process, or to this one after its restart. */
  stop(): void {
    clearInterval(this.#pings);
    for (const connection of this.#connections.values()) connection.close(1001, 'going away');
  }

  readonly #arrived = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    socket.on('error', () => undefined);
    const isSocket = request.headers.upgrade?.toLowerCase() === 'websocket' && request.method === 'GET';
    const [asked] = this.kernel.withoutBase(request.url ?? '').split('?');
    if (!isSocket || asked !== path) return this.#asPlain(request, socket, head);
    this.#admit(request, socket, head).catch((error: unknown) => {
      this.kernel.log.error('could not open a WebSocket', { event: 'http.webSocket', error });
      refuse(socket, 500);
    });
  };

  /** Node takes each request with `Upgrade` out of its hands, also those of HTTP/2 clients: they are put back without it. */
  #asPlain(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const lines = [`${request.method} ${request.url} HTTP/${request.httpVersion}`];
    for (let at = 0; at < request.rawHeaders.length; at += 2) {
      const name = request.rawHeaders[at]!;
      if (!/^(upgrade|connection|http2-settings)$/i.test(name)) lines.push(`${name}: ${request.rawHeaders[at + 1]}`);
    }
    socket.removeAllListeners('error');
    socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
    const isTls = 'encrypted' in socket && socket.encrypted === true;
    this.server.listener.emit(isTls ? 'secureConnection' : 'connection', socket);
  }

  async #admit(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const { kernel } = this;
    if (kernel.stopping) return refuse(socket, 503);
    // a page of another site would be signed in as its visitor
    if (kernel.csrf.isForeign(request.headers as Record<string, string | undefined>)) return refuse(socket, 403);
    const pendingSignIn: SocketClient = {};
    const status = await this.#identify(request, pendingSignIn);
    // who shows what is no good is as little signed in as who shows nothing
    if (status !== 204 && status !== 401) return refuse(socket, status);
    const wss = await (this.#opening ??= this.#open());
    wss.handleUpgrade(request, socket, head, (ws) => {
      ws.on('error', () => undefined);
      if (pendingSignIn.actor?.kind !== 'user') return part(ws, unauthenticated.code, unauthenticated.reason);
      this.#accept(wss, ws, request, { actor: pendingSignIn.actor, address: pendingSignIn.address ?? '' });
    });
  }

  async #identify(request: IncomingMessage, pendingSignIn: SocketClient): Promise<number> {
    const { remoteAddress } = request.socket;
    // as a plain request for the same address, with the same credentials
    const { upgrade: _upgrade, connection: _connection, ...headers } = request.headers;
    const answer = await this.server.inject({
      method: 'GET',
      url: request.url ?? path,
      headers: headers as Record<string, string>,
      ...(remoteAddress && { remoteAddress }),
      app: { pendingSignIn } satisfies OpeningSocket as never,
    });
    return answer.statusCode;
  }

  #accept(
    wss: WebSocketServer,
    ws: WebSocket,
    request: IncomingMessage,
    { actor, address }: { readonly actor: Actor; readonly address: string },
  ): void {
    const asked = new URLSearchParams(request.url?.split('?')[1]);
    // whoever signed in meanwhile as somebody else
    if (asked.has('user') && asked.get('user') !== String(actor.id))
      return part(ws, unauthenticated.code, unauthenticated.reason);
    const identify = async () => {
      const pendingSignIn: SocketClient = {};
      const status = await this.#identify(request, pendingSignIn);
      if (status === 204 || status === 401) return pendingSignIn.actor;
      // not told who it is, which says nothing about the session: the client is to come again
      return 'unknown';
    };
    const connection = new SocketConnection(ws, actor, address, identify, () => {
      if (asked.has('state')) this.hub.tellState(connection);
    });
    if (!this.hub.add(connection)) return part(ws, 1013, 'too many connections');
    this.#connections.set(ws, connection);
    ws.once('close', () => {
      this.#connections.delete(ws);
      this.hub.remove(connection);
    });
    wss.emit('connection', ws, request);
  }

  /** When the first comes: most starts end without. */
  async #open(): Promise<WebSocketServer> {
    const { default: nes } = await import('@hapi/nes');
    const { server } = this;
    // what nes does before a server starts is for its heartbeat, and it is too late for it
    const started: Server = Object.create(server, {
      ext: {
        value: (event: 'onPreStart' | 'onPreStop', run: () => Promise<void>) =>
          event === 'onPreStart' ? undefined : server.ext(event, run),
      },
    });
    await nes.plugin.register(started, {
      auth: false,
      // it would ask clients that do not know it; what is needed here is the ping of WebSockets
      heartbeat: false,
      onConnection: (socket: unknown) => {
        const { _ws: ws } = socket as NesSocket;
        this.#connections.get(ws)?.speaksNes(socket as NesSocket);
      },
    });
    // requests of other routes come by HTTP, where their origin and their token are looked at
    server.ext('onRequest', (request, toolkit) =>
      'nes' in request.plugins ? toolkit.response('Forbidden').code(403).takeover() : toolkit.continue,
    );
    const { _wss: wss } = (server.plugins as { nes: { _listener: NesListener } }).nes._listener;
    wss.options.maxPayload = maxPayload;
    server.listener.removeAllListeners('upgrade');
    server.listener.on('upgrade', this.#arrived);
    this.#pings = setInterval(() => {
      for (const connection of this.#connections.values()) connection.ping();
    }, pingMs);
    this.#pings.unref();
    return wss;
  }
}

const reasons: Readonly<Record<number, string>> = {
  403: 'Forbidden',
  429: 'Too Many Requests',
  503: 'Service Unavailable',
};

function refuse(socket: Duplex, status: number): void {
  const line = `${status} ${reasons[status] ?? 'Error'}`;
  socket.end(`HTTP/1.1 ${line}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
}

/** Closes it in good form, or else at once. */
function part(ws: WebSocket, code: number, reason: string): void {
  ws.close(code, reason);
  const late = setTimeout(() => ws.terminate(), partMs);
  late.unref();
  ws.once('close', () => clearTimeout(late));
}
