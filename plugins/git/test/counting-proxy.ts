/** A proxy of an operator for tests: CONNECT and whole addresses, each counted; it alone knows where names lead. */
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';

export class CountingProxy {
  /** `CONNECT host:port`, or the method and the whole address, in the order in which they came. */
  readonly requests: string[] = [];
  /** Requests without these words are refused. */
  readonly login = 'clerk:out-word';

  private constructor(private readonly server: Server) {}

  static async start(): Promise<CountingProxy> {
    const server = createServer();
    const proxy = new CountingProxy(server);
    server.on('request', (incoming: IncomingMessage, outgoing: ServerResponse) => proxy.#forward(incoming, outgoing));
    server.on('connect', (incoming: IncomingMessage, socket: Duplex) => proxy.#tunnel(incoming, socket));
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    return proxy;
  }

  get url(): string {
    return `http://${this.login}@127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  #isKnown({ headers }: IncomingMessage): boolean {
    return headers['proxy-authorization'] === `Basic ${Buffer.from(this.login).toString('base64')}`;
  }

  #forward(incoming: IncomingMessage, outgoing: ServerResponse): void {
    if (!this.#isKnown(incoming) || !URL.canParse(incoming.url ?? '')) return void outgoing.writeHead(407).end();
    this.requests.push(`${incoming.method} ${incoming.url}`);
    const { port, pathname, search } = new URL(incoming.url!);
    const { 'proxy-authorization': _login, ...headers } = incoming.headers;
    const asked = request(
      { host: '127.0.0.1', port, method: incoming.method, path: `${pathname}${search}`, headers },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      },
    );
    asked.once('error', () => outgoing.destroy());
    incoming.pipe(asked);
  }

  #tunnel(incoming: IncomingMessage, socket: Duplex): void {
    socket.on('error', () => undefined);
    if (!this.#isKnown(incoming)) return void socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
    this.requests.push(`CONNECT ${incoming.url}`);
    const remote = connect(Number(incoming.url?.split(':').at(-1)), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      socket.pipe(remote).pipe(socket);
    });
    remote.on('error', () => socket.destroy());
  }
}
