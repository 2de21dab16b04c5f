import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

export interface UpstreamReply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer | object;
  /** The second half of the body comes after this. */
  readonly rest?: Promise<void>;
}

/** A registry that other tests ask: it has what it is given, counts what is asked, and can be away. */
export class FakeUpstream {
  readonly #answers = new Map<string, UpstreamReply | ((request: IncomingMessage) => UpstreamReply)>();
  readonly #asked: IncomingMessage[] = [];
  #server: Server | undefined;
  #port = 0;
  #held: Promise<void> | undefined;

  static async start(): Promise<FakeUpstream> {
    const upstream = new FakeUpstream();
    await upstream.open();
    return upstream;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Paths as they are asked, undecoded and with queries. */
  has(path: string, answer: UpstreamReply | ((request: IncomingMessage) => UpstreamReply)): this {
    this.#answers.set(path, answer);
    return this;
  }

  lacks(path: string): void {
    this.#answers.delete(path);
  }

  asked(path?: string): readonly IncomingMessage[] {
    return this.#asked.filter((request) => path === undefined || request.url === path);
  }

  /** Nothing is answered before the given function is called. */
  hold(): () => void {
    let release!: () => void;
    this.#held = new Promise((resolve) => (release = resolve));
    return () => {
      this.#held = undefined;
      release();
    };
  }

  async open(): Promise<void> {
    this.#server = createServer((request, response) => {
      this.#asked.push(request);
      void (async () => {
        await this.#held;
        const found = this.#answers.get(request.url!);
        const {
          status = 200,
          headers = {},
          body = '',
          rest,
        } = typeof found === 'function' ? found(request) : (found ?? { status: 404 });
        const isPlain = typeof body === 'string' || Buffer.isBuffer(body);
        const bytes = Buffer.from(isPlain ? body : JSON.stringify(body));
        const etag = `"${createHash('sha1').update(bytes).digest('hex')}"`;
        const isSame = status === 200 && request.headers['if-none-match'] === etag;
        response.writeHead(isSame ? 304 : status, {
          'content-type': isPlain ? 'text/plain' : 'application/json',
          ...(status === 200 && { etag }),
          ...(!isSame && { 'content-length': String(bytes.length) }),
          ...headers,
        });
        const half = rest && !isSame ? bytes.length >> 1 : 0;
        if (half > 0) response.write(bytes.subarray(0, half));
        await rest;
        response.end(isSame ? undefined : bytes.subarray(half));
      })();
    });
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  /** From now on nobody answers; {@link open} brings it back. */
  async close(): Promise<void> {
    const server = this.#server;
    if (!server) return;
    this.#server = undefined;
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}
