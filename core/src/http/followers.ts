import { Server as NetServer, Socket } from 'node:net';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** So long after an answer a client may come back on its connection, in milliseconds. */
const followMs = 2000;
const lookMs = 25;

/**
 * Connections whose clients ask several times for one piece of work: a push is a look at the references and then the
 * objects. A server that stops takes no new connections, but lets such clients end what they have begun.
 */
export class Followers {
  /** When the last answer on it ended; Infinity while one is being made. */
  readonly #open = new Map<Socket, number>();

  /** A request of a protocol has come. */
  note(socket: Socket, response: ServerResponse): void {
    // injected requests have no connection, and one that is closed says so no more
    if (!(socket instanceof Socket) || socket.destroyed) return;
    if (!this.#open.has(socket)) socket.once('close', () => this.#open.delete(socket));
    this.#open.set(socket, Infinity);
    response.once('close', () => {
      if (!socket.destroyed) this.#open.set(socket, Date.now());
    });
  }

  /** Stops listening, and waits until nobody is in the middle of something, but at most `maxMs`. */
  async wait(listener: NetServer, maxMs: number): Promise<void> {
    // `http.Server` would end idle connections too
    if (listener.listening) NetServer.prototype.close.call(listener);
    for (const end = Date.now() + maxMs; Date.now() < end; await sleep(lookMs)) {
      const since = Date.now() - Math.min(followMs, maxMs);
      if (![...this.#open.values()].some((at) => at > since)) return;
    }
  }
}
