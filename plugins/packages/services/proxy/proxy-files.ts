import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import {
  contentDisposition,
  downloadPolicy,
  NotFound,
  Problem,
  reply,
  serveDownload,
  TooLarge,
  type Locks,
  type Logger,
  type Reply,
} from '@mortise/plugin-sdk';
import { isWebPage, type ProxySource } from '../../api.js';
import type { ProxyFileRequest } from '../../contract/proxy-sources.js';
import { singleFlight } from './single-flight.js';
import { isMissing, statusProblem, sourceProblem, type SourceClient } from './source-client.js';
import type { ByteBudget } from './byte-budget.js';
import { ProxyCache } from './proxy-cache.js';
import { StagingFile } from './staging-file.js';
import { visitorOf, type ConcurrencyLimit } from './concurrency-limit.js';

interface FileDeps {
  readonly cache: ProxyCache;
  readonly locks: Locks;
  readonly limit: ConcurrencyLimit;
  readonly budget: ByteBudget;
  /** For what is on its way. */
  readonly folder: string;
  readonly maxBytes: number;
  readonly timeoutMs: number;
  readonly log: Logger;
}

type ClientRequest = Parameters<ProxySource['file']>[0];

interface StartedDownload {
  readonly stagingFile: StagingFile;
  readonly size: number | undefined;
}

/** A file on its way. */
interface Flight {
  /** When enough of it is there to begin with an answer; rejects before that. */
  readonly begun: Promise<StartedDownload>;
  /** When it is kept. */
  readonly ended: Promise<void>;
  /** Gives it up. */
  readonly stop: AbortController;
  /** This visitor wants it too. */
  join(visitor: string): void;
  /** How many wait for it or read it. */
  readers: number;
  readonly progress: Progress;
}

interface Progress {
  now?: StartedDownload;
}

interface FetchDeps {
  readonly progress: Progress;
  readonly signal: AbortSignal;
  readonly started: (value: StartedDownload) => void;
}

/** Below this size a failure becomes an error answer; larger files break the connection. */
const maxTextBytes = 256 * 1024;
const headTimeoutMs = 30_000;
/** Share of a file after which it is fetched to its end although no client waits any more. */
const nearlyComplete = 0.9;

/** Files of proxy sources. Concurrent requests for one file share a download, also across processes. */
export class ProxyFiles {
  private readonly flights = new Map<string, Flight>();
  private swept: Promise<void> | undefined;

  constructor(private readonly deps: FileDeps) {}

  async answer(client: SourceClient, format: string, request: ClientRequest, wanted: ProxyFileRequest): Promise<Reply> {
    const sums = wanted.checksums.map(({ algorithm, hex }) => `${algorithm}:${hex}`).sort();
    const key = ProxyCache.key('file', format, client.address(wanted.path), ...sums);
    const kept = await this.kept(key, request, wanted);
    if (kept) return kept;
    const visitor = visitorOf(request.actor);
    if (request.method === 'HEAD' && !this.flights.has(key)) {
      const head = await this.head(key, client, visitor, request, wanted);
      if (head) return head;
    }
    const flight = this.flights.get(key) ?? this.begin(key, client, visitor, wanted);
    flight.join(visitor);
    const leave = this.enter(key, flight, request.signal);
    let content: Readable | undefined;
    try {
      const answer = await this.fromFlight(key, flight, request, wanted);
      if (!('content' in answer)) return answer.whole;
      ({ content } = answer);
      content.once('close', leave);
      return answer.reply;
    } finally {
      if (!content) leave();
    }
  }

  /** Counts a reader, until the function is called that it gives, or the client has gone. */
  private enter(key: string, flight: Flight, signal: AbortSignal): () => void {
    let isIn = true;
    flight.readers++;
    const leave = () => {
      if (!isIn) return;
      isIn = false;
      signal.removeEventListener('abort', leave);
      flight.readers--;
      if (flight.readers > 0 || flight.progress.now?.stagingFile.isVerified) return;
      const { stagingFile, size } = flight.progress.now ?? {};
      if (stagingFile && size !== undefined && stagingFile.received >= size * nearlyComplete) return;
      if (this.flights.get(key) === flight) this.flights.delete(key);
      flight.stop.abort(new Problem('unavailable', 'The file is not requested any more.'));
    };
    signal.addEventListener('abort', leave, { once: true });
    if (signal.aborted) leave();
    return leave;
  }

  private async fromFlight(
    key: string,
    flight: Flight,
    request: ClientRequest,
    wanted: ProxyFileRequest,
  ): Promise<{ readonly whole: Reply } | { readonly reply: Reply; readonly content: Readable }> {
    const isHead = request.method === 'HEAD';
    // a part is of what is there
    if (!isHead && request.headers.range !== undefined) {
      await flight.ended;
      const whole = await this.kept(key, request, wanted);
      if (whole) return { whole };
    }
    const { stagingFile, size } = await flight.begun;
    if (isHead && size !== undefined) return { whole: await headOf(key, size, request, wanted) };
    const content = await stagingFile.read().catch(() => undefined);
    if (!content) {
      // cached meanwhile
      await flight.ended;
      const whole = await this.kept(key, request, wanted);
      if (whole) return { whole };
      throw new Problem('unavailable', 'The file of the upstream registry could not be read. Try again.');
    }
    const answer = reply
      .bytes(content, wanted.type ?? 'application/octet-stream')
      .tag(tagOf(key))
      .header('accept-ranges', 'bytes')
      .header('content-security-policy', downloadPolicy)
      .header('x-content-type-options', 'nosniff');
    if (size !== undefined) answer.header('content-length', String(size));
    return { reply: named(answer, wanted), content };
  }

  /** What the upstream says of a file without giving it; undefined: it does not say. */
  private async head(
    key: string,
    client: SourceClient,
    visitor: string,
    request: ClientRequest,
    wanted: ProxyFileRequest,
  ): Promise<Reply | undefined> {
    const { maxBytes, timeoutMs, limit } = this.deps;
    const asked = {
      method: 'HEAD',
      path: wanted.path,
      headers: fileHeaders,
      timeoutMs: Math.min(headTimeoutMs, timeoutMs),
      maxBytes: maxBytes < 0 ? Number.MAX_SAFE_INTEGER : maxBytes,
      signal: request.signal,
      ...(wanted.scope !== undefined && { scope: wanted.scope }),
    } as const;
    const take = ({ status, headers }: { readonly status: number; readonly headers: Record<string, string> }) =>
      Promise.resolve({ status, size: sizeOf(headers) });
    const { status, size } = await limit
      .add(visitor, () => client.stream(asked, take))
      .result.catch((error: unknown) => {
        throw sourceProblem(error);
      });
    if (status === 404 || status === 410 || status === 451) throw NotFound('package file');
    const isKnown = status === 200 && size !== undefined && (maxBytes < 0 || size <= maxBytes);
    return isKnown ? headOf(key, size, request, wanted) : undefined;
  }

  private async kept(key: string, request: ClientRequest, wanted: ProxyFileRequest): Promise<Reply | undefined> {
    const { cache } = this.deps;
    const info = await cache.stat(key);
    if (!info) return undefined;
    cache.used(key);
    const answer = await serveDownload(
      {
        size: info.size,
        type: wanted.type ?? 'application/octet-stream',
        tag: tagOf(key),
        modifiedAt: info.modifiedAt,
        open: (part) => cache.open(key, part),
      },
      { method: request.method, headers: { ...request.headers } },
    );
    return named(answer, wanted);
  }

  private begin(key: string, client: SourceClient, visitor: string, wanted: ProxyFileRequest): Flight {
    let started!: (value: StartedDownload) => void;
    let failed!: (error: unknown) => void;
    const begun = new Promise<StartedDownload>((resolve, reject) => {
      started = resolve;
      failed = reject;
    });
    const stop = new AbortController();
    const progress: Progress = {};
    const task = this.deps.limit.add(visitor, async () => {
      stop.signal.throwIfAborted();
      await singleFlight(this.deps.locks, key, () =>
        this.fetch(key, client, visitor, wanted, { progress, signal: stop.signal, started }),
      );
    });
    const ended = task.result
      .catch((error: unknown) => {
        const problem = Problem.is(error) && error.code === 'not_found' ? error : sourceProblem(error);
        if (problem.code !== 'not_found' && !stop.signal.aborted)
          this.deps.log.warn('could not fetch a file of a proxied registry', {
            event: 'packages.proxy.fetch',
            address: withoutQuery(client.address(wanted.path)),
            reason: (error as Error).message,
          });
        failed(problem);
        throw problem;
      })
      .finally(() => {
        if (this.flights.get(key) === flight) this.flights.delete(key);
      });
    // the other waiter gets the error
    ended.catch(() => undefined);
    begun.catch(() => undefined);
    const flight: Flight = { begun, ended, stop, progress, join: (other) => task.join(other), readers: 0 };
    this.flights.set(key, flight);
    return flight;
  }

  /** What killed processes left behind. */
  async sweep(): Promise<void> {
    await StagingFile.sweep(this.deps.folder).catch((error: unknown) => {
      this.swept = undefined;
      this.deps.log.warn('could not remove abandoned staging files', {
        event: 'packages.proxy.staging',
        error: (error as Error).message,
      });
    });
  }

  private async fetch(
    key: string,
    client: SourceClient,
    visitor: string,
    wanted: ProxyFileRequest,
    { progress, signal, started }: FetchDeps,
  ): Promise<void> {
    const { budget, folder, cache, maxBytes, timeoutMs, log } = this.deps;
    await (this.swept ??= this.sweep());
    const share = budget.open(visitor);
    const stagingFile = await StagingFile.make(folder, (bytes) => share.grow(bytes)).catch((error: unknown) => {
      share.close();
      throw error;
    });
    const take = async (body: Readable, size: number | undefined) => {
      if (size !== undefined) share.grow(size);
      progress.now = { stagingFile, size };
      void stagingFile.until(maxTextBytes).then(
        () => started({ stagingFile, size }),
        () => undefined,
      );
      await receive(body, stagingFile, wanted);
    };
    try {
      signal.throwIfAborted();
      // another process has fetched it meanwhile
      const there = await cache.stat(key);
      if (there) await take(await cache.open(key), there.size);
      else
        await client.stream(
          {
            path: wanted.path,
            headers: fileHeaders,
            timeoutMs,
            maxBytes: maxBytes < 0 ? Number.MAX_SAFE_INTEGER : maxBytes,
            signal,
            ...(wanted.scope !== undefined && { scope: wanted.scope }),
          },
          async ({ status, headers, body }) => {
            if (isMissing(status)) throw NotFound('package file');
            if (status !== 200) throw statusProblem(status);
            const size = sizeOf(headers);
            if (size !== undefined && maxBytes >= 0 && size > maxBytes)
              throw TooLarge(`the file has more than ${maxBytes} bytes`);
            if (wanted.checksums.length === 0 && isWebPage(headers) && !/\.x?html?$/i.test(wanted.path))
              throw otherContent();
            await take(body, size);
          },
        );
      stagingFile.finish();
      // who waits for the whole of a small one must be answered before its file is gone
      started({ stagingFile, size: stagingFile.received });
      if (!there)
        await cache.put(key, stagingFile.content()).catch((error: unknown) =>
          log.warn('could not cache a file of a proxied registry', {
            event: 'packages.proxy.cache',
            error: (error as Error).message,
          }),
        );
    } catch (error) {
      stagingFile.fail(error as Error);
      throw error;
    } finally {
      share.close();
      await stagingFile.remove();
    }
  }
}

/** Throws unless it begins as it must, and all checksums are right. */
async function receive(
  body: Readable,
  stagingFile: StagingFile,
  { checksums, prefix: begins, path }: ProxyFileRequest,
): Promise<void> {
  const hashes = checksums.map((sum) => ({ ...sum, hash: createHash(sum.algorithm) }));
  let missing: Buffer = begins ?? Buffer.alloc(0);
  for await (const chunk of body as AsyncIterable<Buffer>) {
    const known = Math.min(missing.length, chunk.length);
    if (!missing.subarray(0, known).equals(chunk.subarray(0, known))) throw otherContent();
    missing = missing.subarray(known);
    for (const { hash } of hashes) hash.update(chunk);
    await stagingFile.write(chunk);
  }
  if (missing.length > 0) throw otherContent();
  const wrong = hashes.find(({ hash, hex }) => hash.digest('hex') !== hex);
  if (wrong)
    throw new Problem('bad_gateway', `The upstream registry gave other content than its index names: ${nameOf(path)}`, {
      fields: { algorithm: wrong.algorithm },
    });
}

const otherContent = (): Problem =>
  new Problem('bad_gateway', 'The upstream registry gave something else than what was asked for.');

const fileHeaders = { 'accept-encoding': 'identity', accept: '*/*' } as const;

/** Of a path or address: queries may be signatures. */
const withoutQuery = (path: string): string => path.replace(/[?#].*$/s, '');
const nameOf = (path: string): string => withoutQuery(path).split('/').at(-1)!;
const tagOf = (key: string): string => key.slice(0, 40);

function sizeOf(headers: Readonly<Record<string, string>>): number | undefined {
  const { 'content-length': text, 'content-encoding': packing = 'identity' } = headers;
  return packing === 'identity' && text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

async function headOf(key: string, size: number, request: ClientRequest, wanted: ProxyFileRequest): Promise<Reply> {
  const type = wanted.type ?? 'application/octet-stream';
  const none = () => Promise.resolve(Readable.from([]));
  const answer = await serveDownload(
    { size, type, tag: tagOf(key), open: none },
    { method: 'HEAD', headers: { ...request.headers } },
  );
  return named(answer, wanted);
}

function named(answer: Reply, { name }: ProxyFileRequest): Reply {
  return name === null ? answer : answer.header('content-disposition', contentDisposition('attachment', name));
}
