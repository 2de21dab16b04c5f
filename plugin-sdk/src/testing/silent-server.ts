import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A server that accepts connections and says nothing beyond `words`: what a client meets where the other side has stopped. */
export class SilentServer {
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;
  /** Sent to each new connection, for instance the beginning of an answer. */
  words = '';
  /** Connections so far. */
  accepted = 0;

  private constructor() {
    this.#server = createServer((socket) => {
      this.accepted++;
      this.#sockets.add(socket);
      socket.on('error', () => undefined).once('close', () => this.#sockets.delete(socket));
      socket.resume().write(this.words);
    });
  }

  static async start(): Promise<SilentServer> {
    const server = new SilentServer();
    await new Promise<void>((resolve) => server.#server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Ends when clients have closed every connection; a test that waits for ever shows that one was kept. */
  async abandoned(): Promise<void> {
    while (this.#sockets.size > 0) await new Promise((resolve) => setTimeout(resolve, 10));
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }
}

/** The head of an answer of HTTP, and the beginning of a body that never ends. */
export const halfAnswer = (type = 'application/json'): string =>
  `HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\ncontent-length: 100000\r\n\r\n{"begun":`;
