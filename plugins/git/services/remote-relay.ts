/**
 * The way to another server: git talks to this process, which opens each connection after a check of its address, counts
 * what comes, and closes everything when the work is over. For http and https it is a proxy, so that redirects come here
 * too; for other protocols it leads to one host and port.
 */
import { randomBytes } from 'node:crypto';
import { createServer, request, type IncomingMessage, type Server as HttpServer, type ServerResponse } from 'node:http';
import { createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';

export interface RelayOptions {
  /** Opens a connection, or throws when it may not be. */
  open(host: string, port: number, signal: AbortSignal): Promise<Socket>;
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
      this.#connect(host, port).then(
        (remote) => this.#join(socket, remote),
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
      server.once('error', reject).listen(0, '127.0.0.1', resolve);
    });
    return (server.address() as AddressInfo).port;
  }

  #hold(socket: Duplex): void {
    this.#sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => this.#sockets.delete(socket));
  }

  async #connect(host: string, port: number): Promise<Socket> {
    try {
      const remote = await this.options.open(host, port, this.#ending.signal);
      this.#hold(remote);
      this.#remotes.add(remote);
      if (this.#ending.signal.aborted) remote.destroy();
      remote.on('data', (chunk: Buffer) => this.#count(chunk.length));
      return remote;
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
      const remote = await this.#connect(host, Number(port));
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      if (head.length) remote.write(head);
      this.#join(socket, remote);
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
      const remote = await this.#connect(url.hostname.replace(/^\[|\]$/g, ''), Number(url.port || 80));
      this.#pass(incoming, outgoing, url, remote);
    } catch {
      outgoing.writeHead(502).end();
    }
  }

  #pass(incoming: IncomingMessage, outgoing: ServerResponse, url: URL, remote: Socket): void {
    const headers = { ...incoming.headers, host: url.host, connection: 'close' };
    for (const name of ['proxy-authorization', 'proxy-connection'])
      delete (headers as IncomingMessage['headers'])[name];
    const path = `${url.pathname}${url.search}`;
    const asked = request({
      method: incoming.method,
      path,
      headers,
      createConnection: () => remote,

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
    outgoing.once('close', () => remote.destroy());
    incoming.pipe(asked);
  }
}
