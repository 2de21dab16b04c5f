import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

type Exchange = readonly [request: IncomingMessage, response: ServerResponse];

/** Requests of one connection that are worked on at once; clients that want more at the same time open more connections. */
export const maxInWork = 4;

/** The requests of one connection that came before the answers to those before them. */
class Pipeline {
  readonly #inWork = new Set<IncomingMessage>();
  #waiting: Exchange[] = [];
  #onAnswered: (() => void) | undefined;

  constructor(
    private readonly socket: Socket,
    private readonly handle: (...exchange: Exchange) => void,
  ) {
    socket.once('close', () => (this.#waiting = []));
    // node reads on when an answer has ended; nothing has been read by now
    socket.on('resume', () => this.#holdBack());
  }

  take(...exchange: Exchange): void {
    if (this.#inWork.size < maxInWork && this.#waiting.length === 0) return this.#begin(exchange);
    this.#waiting.push(exchange);
    this.#holdBack();
  }

  /** Runs `then` once every request that came whole has its answer; one whose body broke off would wait for ever. */
  afterAnswers(then: () => void): void {
    if (this.#isAnswered()) then();
    else this.#onAnswered ??= then;
  }

  #isAnswered(): boolean {
    const requests = [...this.#inWork, ...this.#waiting.map(([request]) => request)];
    return requests.every(({ complete }) => !complete);
  }

  /** What the client sends beyond this stays in its network, not in our memory. */
  #holdBack(): void {
    if (this.#waiting.length > 0) this.socket.pause();
  }

  #begin(exchange: Exchange): void {
    const [request, response] = exchange;
    this.#inWork.add(request);
    response.once('close', () => {
      this.#inWork.delete(request);
      // after what has come on other connections
      if (this.#onAnswered && this.#isAnswered()) setImmediate(this.#onAnswered);
      else if (this.#waiting.length > 0) setImmediate(() => this.#next());
    });
    this.handle(request, response);
  }

  #next(): void {
    const exchange = this.#waiting.shift();
    if (!exchange) return;
    if (this.#waiting.length === 0) this.socket.resume();
    this.#begin(exchange);
  }
}

/**
 * Keeps a client that sends many requests on one connection without waiting for their answers (HTTP/1.1 pipelining,
 * RFC 9112, 9.3.2) from holding up all others: a few are worked on at a time, and the rest waits.
 */
export function limitPipelining(listener: Server): void {
  const handlers = listener.listeners('request') as ((...exchange: Exchange) => void)[];
  listener.removeAllListeners('request');
  const pipelines = new WeakMap<Socket, Pipeline>();
  listener.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request;
    let pipeline = pipelines.get(socket);
    if (!pipeline) {
      pipeline = new Pipeline(socket, (...exchange) => {
        for (const handle of handlers) handle.apply(listener, exchange);
      });
      pipelines.set(socket, pipeline);
    }
    pipeline.take(request, response);
  });
  answerBeforeErrors(listener, pipelines);
}

/** What cannot be read as a request ends the connection, but the requests before it have their answers first. */
function answerBeforeErrors(listener: Server, pipelines: WeakMap<Socket, Pipeline>): void {
  type Handler = (error: Error, socket: Socket) => void;
  const handlers = listener.listeners('clientError') as Handler[];
  listener.removeAllListeners('clientError');
  listener.on('clientError', (error: Error, stream) => {
    const socket = stream as Socket;
    const end = () => {
      for (const handle of handlers) handle.call(listener, error, socket);
    };
    const pipeline = pipelines.get(socket);
    if (!pipeline || socket.destroyed) return end();
    // nothing that follows can be read either
    socket.pause();
    pipeline.afterAnswers(end);
  });
}
