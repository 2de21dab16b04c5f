import type { WebSocket } from 'ws';
import type { Actor } from '@mortise/plugin-sdk';
import type { Connection } from '../channels/index.js';

/** A socket of nes, and the WebSocket that it speaks over. */
export interface NesSocket {
  readonly _ws: WebSocket;
  send(message: unknown): Promise<void>;
}

/** Clients of nes say hello as soon as the connection is open; whoever says nothing for so long is none. */
const helloMs = 500;
/** Messages that wait for that. */
const maxEarly = 20;
/** Bytes that a client may be behind. */
const maxBehind = 256 * 1024;
/** What a client has to say within a minute. */
const maxSaid = 60;
const partMs = 2000;

/** A connection: clients of nes get its updates, others the same object as one JSON text frame (PSH-03). */
export class SocketConnection implements Connection {
  #nes: NesSocket | undefined;
  #early: unknown[] | undefined = [];
  #isAlive = true;
  #sent = 0;
  #saidSince = Date.now();

  constructor(
    private readonly ws: WebSocket,
    readonly actor: Actor,
    readonly address: string,
    readonly identify: () => Promise<Actor | undefined | 'unknown'>,
    /** It is known how to speak to it; once more where it turns out later that it is in the words of nes. */
    private readonly ready: () => void,
  ) {
    const timer = setTimeout(() => this.#settle(), helloMs);
    timer.unref();
    ws.once('close', () => clearTimeout(timer));
    ws.on('pong', () => (this.#isAlive = true));
    ws.on('message', () => this.#hear());
  }

  /** It has said hello in the words of nes. */
  speaksNes(socket: NesSocket): void {
    this.#nes = socket;
    // after the answer to the hello
    setImmediate(() => this.#settle(true));
  }

  send(message: unknown): void {
    if (this.ws.bufferedAmount > maxBehind) return this.ws.terminate();
    if (this.#early) {
      if (this.#early.length < maxEarly) this.#early.push(message);
      return;
    }
    if (this.#nes) this.#nes.send(message).catch(() => undefined);
    else this.ws.send(JSON.stringify(message), () => undefined);
  }

  close(code: number, reason: string): void {
    this.#settle();
    // nes sends what it was given one by one
    setImmediate(() => {
      this.ws.close(code, reason);
      setTimeout(() => this.ws.terminate(), partMs).unref();
    });
  }

  ping(): void {
    if (!this.#isAlive) return this.ws.terminate();
    this.#isAlive = false;
    this.ws.ping();
  }

  #settle(isNews = this.#early !== undefined): void {
    const early = this.#early ?? [];
    this.#early = undefined;
    for (const message of early) this.send(message);
    if (isNews && this.ws.readyState === this.ws.OPEN) this.ready();
  }

  #hear(): void {
    const now = Date.now();
    if (now - this.#saidSince > 60_000) {
      this.#saidSince = now;
      this.#sent = 0;
    }
    if (++this.#sent > maxSaid) this.ws.close(1008, 'too many messages');
  }
}
