import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** Stands between a client and an engine, and stops in the middle of whatever it carries when it is told to. */
export class StallingProxy {
  readonly #pairs = new Set<readonly [client: Socket, server: Socket]>();
  readonly #server = createServer((client) => this.#carry(client));
  /** Bytes of answers that still pass; Infinity while it works. */
  #left = Infinity;

  private constructor(private readonly target: { readonly host: string; readonly port: number }) {}

  static async before(address: string): Promise<StallingProxy> {
    const { hostname: host, port } = new URL(address);
    const proxy = new StallingProxy({ host, port: Number(port) });
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Connections that the client has not ended. */
  get open(): number {
    return this.#pairs.size;
  }

  /** Nothing passes any more, but so many bytes of answers. */
  stall(after = 0): void {
    this.#left = after;
  }

  /** As an engine that goes on: what waited passes. */
  resume(): void {
    this.#left = Infinity;
    for (const [client, server] of this.#pairs) {
      client.resume();
      server.resume();
    }
  }

  async close(): Promise<void> {
    for (const [client, server] of this.#pairs) {
      client.destroy();
      server.destroy();
    }
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #carry(client: Socket): void {
    const server = connect(this.target);
    const pair = [client, server] as const;
    this.#pairs.add(pair);
    client.on('error', () => undefined).on('close', () => (this.#pairs.delete(pair), server.destroy()));
    server.on('error', () => undefined).on('close', () => client.destroy());
    client.on('data', (chunk: Buffer) => server.write(chunk));
    server.on('data', (chunk: Buffer) => {
      const passing = chunk.subarray(0, Math.min(chunk.length, this.#left));
      if (passing.length) client.write(passing);
      this.#left -= passing.length;
      if (passing.length === chunk.length) return;
      server.pause();
      server.unshift(chunk.subarray(passing.length));
    });
  }
}
