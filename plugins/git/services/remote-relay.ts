/**
 * The way to another server: git talks to this process, which opens each connection after a check of its address, counts
 * what comes, and closes everything when the work is over. For http and https it is a proxy, so that redirects come here
 * too; for other protocols it leads to one host and port.
 */
import { randomBytes } from 'node:crypto';
import { createServer, request, type IncomingMessage, type Server as HttpServer, type ServerResponse } from 'node:http';
import { createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** Where a connection leads. */
export interface RelayTarget {
  /** Of HTTP: the operator's proxy may be on the way. */
  readonly protocol: 'http' | 'https' | 'tcp';
  readonly host: string;
  readonly port: number;
}

export interface RelayConnection {
  readonly socket: Socket;
  /** What a request of http begins with, and headers for a proxy. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
}

interface RelayOptions {
  /** Opens a connection, or throws when it may not be. `path`: of a request of http. */
  open(target: RelayTarget, path: string, signal: AbortSignal): Promise<RelayConnection>;
  readonly maxBytes: number;
  /** Connections are closed when less than {@link minBytes} moves in so long. */
  readonly idleMs: number;
}

/** Bytes in a window of {@link RelayOptions.idleMs}; signs of life of a server that works bring more. */
const minBytes = 1024;

export class Relay {
  readonly password = randomBytes(16).toString('hex');
  /** The first thing that went wrong on the way. */
  failure: Error | undefined;
  isTooLarge = false;
  isIdle = false;
  bytes = 0;
  readonly #ending = new AbortController();
  readonly #sockets = new Set<Duplex>();
  readonly #remotes = new Set<Socket>();
  #server: Server | HttpServer | undefined;
  #moved = 0;
  #watch: NodeJS.Timeout | undefined;

  constructor(private readonly options: RelayOptions) {}

  /** A proxy for http and https; gives its address with what signs in there. */
  async startProxy(): Promise<string> {
    const server = createServer((incoming, outgoing) => void this.#forward(incoming, outgoing));
    server.on(
      'connect',
      (incoming: IncomingMessage, socket: Duplex, head: Buffer) => void this.#tunnel(incoming, socket, head),
    );
    server.on('connection', (socket) => this.#hold(socket));
    server.requestTimeout = 0;
    return `http://mortise:${this.password}@127.0.0.1:${await this.#listen(server)}`;
  }

  /** A port of this machine that leads to one host; gives its number. */
  async startForward(host: string, port: number): Promise<number> {
    const server = createTcpServer((socket) => {
      this.#hold(socket);
      this.#connect({ protocol: 'tcp', host, port }).then(
        (remote) => this.#join(socket, remote.socket),
        () => socket.destroy(),
      );
    });
    return this.#listen(server);
  }

  close(): void {
    this.#ending.abort(new Error('the work is over'));
    clearInterval(this.#watch);
    for (const socket of this.#sockets) socket.destroy();
    this.#server?.close();
  }

  async #listen(server: Server | HttpServer): Promise<number> {
    this.#server = server;
    this.#watch = setInterval(() => this.#closeIdle(), this.options.idleMs);
    await new Promise<void>((resolve, reject) => {
      // exclusive: workers of a cluster would share one port, and each get connections of the others
      server.once('error', reject).listen({ port: 0, host: '127.0.0.1', exclusive: true }, resolve);
    });
    return (server.address() as AddressInfo).port;
  }

  #hold(socket: Duplex): void {
    this.#sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => this.#sockets.delete(socket));
  }

  async #connect(target: RelayTarget, path = ''): Promise<RelayConnection> {
    try {
      const connection = await this.options.open(target, path, this.#ending.signal);
      const { socket } = connection;
      this.#hold(socket);
      this.#remotes.add(socket);
      if (this.#ending.signal.aborted) socket.destroy();
      socket.on('data', (chunk: Buffer) => this.#count(chunk.length));
      return connection;
    } catch (error) {
      this.failure ??= error as Error;
      throw error;
    }
  }

  /** Drips keep no connection open. git itself may still work on what has come. */
  #closeIdle(): void {
    const sent = [...this.#remotes].reduce((sum, { bytesWritten }) => sum + bytesWritten, 0);
    const moved = this.bytes + sent;
    const isIdle = moved - this.#moved < minBytes;
    this.#moved = moved;
    if (!isIdle) return;
    for (const remote of this.#remotes) {
      this.isIdle ||= !remote.destroyed;
      remote.destroy();
    }
  }

  #count(length: number): void {
    this.bytes += length;
    if (this.bytes <= this.options.maxBytes) return;
    this.isTooLarge = true;
    this.close();
  }

  #join(socket: Duplex, remote: Socket): void {
    socket.once('close', () => remote.destroy());
    remote.once('close', () => socket.destroy());
    socket.pipe(remote);
    remote.pipe(socket);
  }

  /** Other programs of this machine do not know the password. */
  #isOurs({ headers }: IncomingMessage): boolean {
    return headers['proxy-authorization'] === `Basic ${Buffer.from(`mortise:${this.password}`).toString('base64')}`;
  }

  async #tunnel(incoming: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    this.#hold(socket);
    const [, host = '', port = ''] = /^\[?([^\]]+?)\]?:(\d+)$/.exec(incoming.url ?? '') ?? [];
    if (!this.#isOurs(incoming) || !host) return void socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
    try {
      const remote = await this.#connect({ protocol: 'https', host, port: Number(port) });
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      if (head.length) remote.socket.write(head);
      this.#join(socket, remote.socket);
    } catch {
      socket.end('HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n');
    }
  }

  async #forward(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const target = incoming.url ?? '';
    if (!this.#isOurs(incoming) || !URL.canParse(target)) return void outgoing.writeHead(407).end();
    const url = new URL(target);
    if (url.protocol !== 'http:') return void outgoing.writeHead(400).end();
    try {
      const target = {
        protocol: 'http',
        host: url.hostname.replace(/^\[|\]$/g, ''),
        port: Number(url.port || 80),
      } as const;
      this.#pass(incoming, outgoing, url, await this.#connect(target, `${url.pathname}${url.search}`));
    } catch {
      outgoing.writeHead(502).end();
    }
  }

  #pass(incoming: IncomingMessage, outgoing: ServerResponse, { host }: URL, remote: RelayConnection): void {
    const headers = { ...incoming.headers, host, connection: 'close' };
    for (const name of ['proxy-authorization', 'proxy-connection'])
      delete (headers as IncomingMessage['headers'])[name];
    const asked = request({
      method: incoming.method,
      path: remote.target,
      headers: { ...headers, ...remote.headers },
      createConnection: () => remote.socket,

      setHost: false,
    });
    asked.once('response', (answer) => {
      const { connection: _connection, 'transfer-encoding': _encoding, ...passed } = answer.headers;
      outgoing.writeHead(answer.statusCode ?? 502, passed);
      answer.once('error', () => outgoing.destroy());
      answer.once('aborted', () => outgoing.destroy());
      answer.pipe(outgoing);
    });
    asked.once('error', () => (outgoing.headersSent ? outgoing.destroy() : outgoing.writeHead(502).end()));
    outgoing.once('close', () => remote.socket.destroy());
    incoming.pipe(asked);
  }
}
