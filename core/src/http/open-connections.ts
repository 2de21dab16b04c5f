import { Server as NetServer, Socket } from 'node:net';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** For how long after an answer a client may send another request on its connection, in milliseconds. */
const idleMs = 2000;
const pollMs = 25;

/**
 * Connections whose clients send several requests for one operation: a push asks for the references and then sends the
 * objects. A server that stops takes no new connections, but lets such clients finish.
 */
export class OpenConnections {
  /** When the last answer on it ended; Infinity while one is being made. */
  readonly #open = new Map<Socket, number>();

  /** A request of a protocol has come. */
  track(socket: Socket, response: ServerResponse): void {
    // injected requests have no connection, and a closed one emits no further event
    if (!(socket instanceof Socket) || socket.destroyed) return;
    if (!this.#open.has(socket)) socket.once('close', () => this.#open.delete(socket));
    this.#open.set(socket, Infinity);
    response.once('close', () => {
      if (!socket.destroyed) this.#open.set(socket, Date.now());
    });
  }

  /**
   * Stops listening, and waits until no connection is in the middle of an operation, at most `maxMs`. Where another process
   * goes on to serve, clients that send one request after the other also learn from an answer that theirs ends.
   */
  async drain(listener: NetServer, maxMs: number, isReplaced = false): Promise<void> {
    // `http.Server` would end idle connections too
    if (listener.listening) NetServer.prototype.close.call(listener);
    if (isReplaced) await sleep(Math.min(idleMs, maxMs));
    for (const end = Date.now() + maxMs; Date.now() < end; await sleep(pollMs)) {
      const since = Date.now() - Math.min(idleMs, maxMs);
      if (![...this.#open.values()].some((at) => at > since)) return;
    }
  }
}
