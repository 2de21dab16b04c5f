import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { Problem, type Logger, type MemoryCache } from '@mortise/plugin-sdk';
import type { ProxyDocument } from '../../api.js';
import type { ProxyDocumentRequest } from '../../contract/proxy-sources.js';
import { isMissing, statusProblem, sourceProblem, type SourceClient } from './source-client.js';
import { ProxyCache } from './proxy-cache.js';
import { visitorOf, type ConcurrencyLimit } from './concurrency-limit.js';

interface DocumentLimits {
  readonly freshMs: number;
  readonly staleMs: number;
}

/** A document with what is needed to ask for it again. */
interface CachedDocument extends ProxyDocument {
  /** When the upstream last said that it is so. */
  readonly at: number;
  readonly etag?: string;
  readonly lastModified?: string;
}

export interface DocumentDeps {
  readonly cache: ProxyCache;
  readonly memory: MemoryCache<{ readonly document: CachedDocument; readonly goodUntil: number }>;
  readonly missing: MemoryCache<true>;
  readonly limit: ConcurrencyLimit;
  readonly limits: DocumentLimits;
  /** Of one document, from the connection to its last byte. */
  readonly timeoutMs: number;
  readonly log: Logger;
}

export const longBytes = 1024 * 1024;
const defaultMax = 4 * 1024 * 1024;
/** How long an upstream that failed is left alone where there is something old to serve. */
const retryDelayMs = 15_000;
/** Long documents that are remembered as long as somebody holds them, beside those of the cache. */
const maxHeld = 500;

interface Flight {
  readonly result: Promise<CachedDocument | undefined>;
  join(visitor: string): void;
}

/** Documents of proxy sources: cached, revalidated by conditional requests, and served stale while a source fails. */
export class ProxyDocuments {
  private readonly flights = new Map<string, Flight>();
  /** What is too long for the cache is read once for all who read it at the same time. */
  private readonly held = new Map<string, { readonly document: WeakRef<CachedDocument>; readonly goodUntil: number }>();

  constructor(private readonly deps: DocumentDeps) {}

  async get(client: SourceClient, format: string, wanted: ProxyDocumentRequest): Promise<CachedDocument | undefined> {
    const { cache, memory, missing } = this.deps;
    const key = ProxyCache.key('document', format, client.address(wanted.path), wanted.accept ?? '');
    if (missing.get(key)) return undefined;
    const known = memory.get(key) ?? this.stillHeld(key);
    if (known && Date.now() < known.goodUntil) {
      cache.used(key);
      return known.document;
    }
    const visitor = visitorOf(wanted.actor);
    let flight = this.flights.get(key);
    if (flight) flight.join(visitor);
    else this.flights.set(key, (flight = this.begin(key, client, visitor, wanted)));
    return flight.result;
  }

  private begin(key: string, client: SourceClient, visitor: string, wanted: ProxyDocumentRequest): Flight {
    const visitors = new Set([visitor]);
    let join = (other: string): void => void visitors.add(other);
    const fetchDocument = <T>(work: () => Promise<T>): Promise<T> => {
      const task = this.deps.limit.add(visitor, work);
      join = (other) => task.join(other);
      for (const other of visitors) join(other);
      return task.result;
    };
    const result = this.renew(key, client, wanted, fetchDocument).finally(() => this.flights.delete(key));
    return { result, join: (other) => join(other) };
  }

  private stillHeld(key: string): { readonly document: CachedDocument; readonly goodUntil: number } | undefined {
    const one = this.held.get(key);
    const document = one?.document.deref();
    if (document) return { document, goodUntil: one!.goodUntil };
    this.held.delete(key);
    return undefined;
  }

  private async renew(
    key: string,
    client: SourceClient,
    wanted: ProxyDocumentRequest,
    inTurn: <T>(work: () => Promise<T>) => Promise<T>,
  ): Promise<CachedDocument | undefined> {
    const { cache, missing, limits, log } = this.deps;
    const before = this.stillHeld(key)?.document ?? (await this.readCached(key, inTurn));
    if (before && (wanted.isFinal || Date.now() < before.at + limits.freshMs)) {
      cache.used(key);
      return this.remember(key, before, wanted.isFinal ? Infinity : before.at + limits.freshMs);
    }
    try {
      const answer = await inTurn(() => ask(client, wanted, before, this.deps.timeoutMs));
      if (!answer) {
        missing.set(key, true, { ttl: Math.max(1, limits.freshMs) });
        if (before) await cache.delete(key);
        return undefined;
      }
      // a document that cannot be cached is still served
      await cache.put(key, encodeDocument(answer)).catch((error: unknown) =>
        log.warn('could not cache a document of a proxied registry', {
          event: 'packages.proxy.cache',
          error: (error as Error).message,
        }),
      );
      return this.remember(key, answer, wanted.isFinal ? Infinity : answer.at + limits.freshMs);
    } catch (error) {
      const problem = sourceProblem(error);
      log.warn('proxied registry failed', {
        event: 'packages.proxy.failed',
        address: client.address(wanted.path),
        reason: problem.message,
      });
      if (!before || Date.now() > before.at + limits.staleMs) throw problem;
      cache.used(key);
      return this.remember(key, before, Date.now() + retryDelayMs);
    }
  }

  private async readCached(
    key: string,
    inTurn: <T>(work: () => Promise<T>) => Promise<T>,
  ): Promise<CachedDocument | undefined> {
    // only so many long ones are read at once
    const bytes = await this.deps.cache.read(key, (size, work) => (size > longBytes ? inTurn(work) : work()));
    return bytes && decodeDocument(bytes);
  }

  private remember(key: string, document: CachedDocument, goodUntil: number): CachedDocument {
    if (document.body.length > longBytes) {
      const [oldest] = this.held.keys();
      if (this.held.size >= maxHeld) this.held.delete(oldest!);
      this.held.set(key, { document: new WeakRef(document), goodUntil });
    }
    this.deps.memory.set(key, { document, goodUntil }, { size: document.body.length * 2 + 2048 });
    return document;
  }
}

/** Undefined: the upstream has none. */
async function ask(
  client: SourceClient,
  { path, accept, maxBytes = defaultMax, scope, read }: ProxyDocumentRequest,
  before: CachedDocument | undefined,
  timeoutMs: number,
): Promise<CachedDocument | undefined> {
  const answer = await client.stream(
    {
      path,
      headers: {
        'accept-encoding': 'gzip',
        ...(accept && { accept }),
        ...(before?.etag && { 'if-none-match': before.etag }),
        ...(before?.lastModified && !before.etag && { 'if-modified-since': before.lastModified }),
      },
      timeoutMs,
      maxBytes,
      ...(scope !== undefined && { scope }),
    },
    async ({ status, headers, body }) => {
      if (status === 304 && before) return 'same' as const;
      if (isMissing(status)) {
        // who is refused is not told that it is gone
        if (before && (status === 401 || status === 403)) throw statusProblem(status);
        return undefined;
      }
      if (status !== 200) throw statusProblem(status);
      return { headers, body: await whole(body) };
    },
  );
  if (answer === undefined) return undefined;
  if (answer === 'same') return { ...before!, at: Date.now() };
  const { etag, 'last-modified': lastModified, 'content-type': type = 'application/octet-stream' } = answer.headers;
  const content = await Promise.resolve(read ? read(answer) : answer).catch((error: unknown) => {
    throw Problem.is(error)
      ? error
      : new Problem('bad_gateway', `The upstream registry answered with something that is not understood: ${path}`);
  });
  const body = Buffer.isBuffer(content.body) ? content.body : Buffer.from(content.body);
  return {
    body,
    type: ('type' in content && content.type) || type,
    // hashing a long one would hold the event loop
    tag: createHash('sha256')
      .update(etag !== undefined && body.length > longBytes ? `${path} ${etag} ${body.length}` : body)
      .digest('hex')
      .slice(0, 40),
    properties: 'properties' in content ? content.properties : undefined,
    at: Date.now(),
    ...(etag && { etag }),
    ...(lastModified && { lastModified }),
  };
}

async function whole(body: Readable): Promise<Buffer> {
  return Buffer.concat((await body.toArray()) as Buffer[]);
}

/** A line about it, a line of facts, and the body. */
function encodeDocument({ body, properties: properties, ...about }: CachedDocument): Buffer {
  return Buffer.concat([Buffer.from(`${JSON.stringify(about)}\n${JSON.stringify(properties ?? null)}\n`), body]);
}

function decodeDocument(bytes: Buffer): CachedDocument | undefined {
  const first = bytes.indexOf(10);
  const second = bytes.indexOf(10, first + 1);
  if (first < 0 || second < 0) return undefined;
  try {
    const about = JSON.parse(bytes.toString('utf8', 0, first)) as CachedDocument;
    const properties = JSON.parse(bytes.toString('utf8', first + 1, second)) as unknown;
    return { ...about, properties: properties, body: bytes.subarray(second + 1) };
  } catch {
    return undefined;
  }
}
