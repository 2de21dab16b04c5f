import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import type { Logger, Outbound } from '@mortise/plugin-sdk';
import type { SourcePages, SourceTools } from '../contract/source.js';
import { PacedClient } from '../services/client.js';
import { sourceMemory } from '../services/source-memory.js';

export interface PlayedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface PlayedAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A text is sent as it is, everything else as JSON. */
  readonly body?: unknown;
}

/** A server that plays the API of a service; whatever `play` does not know is 404. */
export class PlayedService {
  readonly requests: PlayedRequest[] = [];
  url = '';
  #server: Server | undefined;

  constructor(private readonly play: (request: PlayedRequest, url: string) => PlayedAnswer | undefined) {}

  async start(): Promise<void> {
    this.#server = createServer((incoming, outgoing) => {
      const pieces: Buffer[] = [];
      incoming.on('data', (piece: Buffer) => pieces.push(piece));
      incoming.on('end', () => {
        const { pathname, searchParams } = new URL(incoming.url ?? '/', this.url);
        const request = {
          method: incoming.method ?? '',
          path: pathname,
          query: searchParams,
          headers: incoming.headers,
          body: Buffer.concat(pieces).toString(),
        };
        this.requests.push(request);
        const { status = 200, headers = {}, body } = this.play(request, this.url) ?? { status: 404, body: {} };
        const isText = typeof body === 'string';
        outgoing.writeHead(status, { 'content-type': isText ? 'text/plain' : 'application/json', ...headers });
        outgoing.end(isText ? body : JSON.stringify(body));
      });
    });
    await new Promise<void>((resolve) => this.#server!.listen(0, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    await new Promise((resolve) => this.#server?.close(resolve));
  }
}

/** A page of a list, as services with `page` and `per_page` cut it. */
export function pageOf<T>(
  all: readonly T[],
  query: URLSearchParams,
  max = 100,
): { items: readonly T[]; page: number; hasNext: boolean } {
  const page = Number(query.get('page') ?? 1);
  const size = Math.min(Number(query.get('per_page') ?? max), max);
  return { items: all.slice((page - 1) * size, page * size), page, hasNext: page * size < all.length };
}

type FetchInit = Parameters<Outbound['fetch']>[1] & {};
const askOutside = async (url: string, { method = 'GET', headers = {}, body }: FetchInit) => {
  const answer = await fetch(url, {
    method,
    headers: headers as Record<string, string>,
    body: body as string,
    redirect: 'manual',
  });
  const got: Record<string, string> = {};
  answer.headers.forEach((value, name) => (got[name] = value));
  return { status: answer.status, headers: got, body: answer.body };
};

/** The client of imports, on connections without the checks of a site. `hosts`: where an origin is played. */
export function tools(
  memory = sourceMemory(),
  hosts: Readonly<Record<string, string>> = {},
): SourceTools & { readonly client: PacedClient } {
  const ask = (url: string, init: FetchInit) => {
    const { origin } = new URL(url);
    return askOutside(url.replace(origin, hosts[origin] ?? origin), init);
  };
  const outbound: Pick<Outbound, 'fetch' | 'stream'> = {
    async fetch(url, init = {}) {
      const { status, headers, body } = await ask(url, init);
      return { status, headers, body: Buffer.from(await new Response(body).arrayBuffer()) };
    },
    async stream(url, init, take) {
      const { status, headers, body } = await ask(url, init);
      return take({ status, headers, body: body ? Readable.fromWeb(body as never) : Readable.from([]) });
    },
  };
  const { signal } = new AbortController();
  const settings = { MAX_ATTEMPTS: 3, RETRY_BACKOFF: 0 };
  const log = { debug() {}, info() {}, warn() {}, error() {} } as unknown as Logger;
  return { client: new PacedClient({ outbound, allowedHosts: () => '*', settings, signal }), memory, log, signal };
}

/** All items of all pages; each position also leads to the rest when it is given to a new iteration. */
export async function collect<T>(read: (after?: string) => SourcePages<T>): Promise<T[]> {
  const items: T[] = [];
  let after: string | undefined;
  do {
    let next: string | undefined;
    // one page of each iteration: what an import does that is killed after every page
    for await (const page of read(after)) {
      items.push(...page.items);
      next = page.next;
      break;
    }
    after = next;
  } while (after !== undefined);
  return items;
}

export const bytesOf = async (content: Readable): Promise<string> => {
  const pieces: Buffer[] = [];
  for await (const piece of content) pieces.push(Buffer.from(piece as Uint8Array));
  return Buffer.concat(pieces).toString();
};
