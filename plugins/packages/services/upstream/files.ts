import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import {
  contentDisposition,
  downloadFence,
  NotFound,
  Problem,
  reply,
  serveDownload,
  TooLarge,
  type Logger,
  type Reply,
} from '@mortise/plugin-sdk';
import { isWebPage, type Upstream, type UpstreamFileRequest } from '../../api.js';
import { isMissing, statusProblem, upstreamProblem, type UpstreamClient } from './client.js';
import { KeptContent } from './kept.js';
import { Spool } from './spool.js';
import type { Turns } from './turns.js';

export interface FileParts {
  readonly kept: KeptContent;
  readonly turns: Turns;
  /** For what is on its way. */
  readonly folder: string;
  readonly maxBytes: number;
  readonly timeoutMs: number;
  readonly log: Logger;
}

type Asking = Parameters<Upstream['file']>[0];

/** A file on its way. */
interface Flight {
  /** When enough of it is there to begin with an answer; rejects before that. */
  readonly begun: Promise<{ readonly spool: Spool; readonly size: number | undefined }>;
  /** When it is kept. */
  readonly ended: Promise<void>;
}

/** Up to here a client is told of a failure in words; of what is larger it hears a connection that breaks. */
const wordsBytes = 256 * 1024;

/** Files of upstreams. Whoever wants one at the same time shares one request. */
export class Files {
  private readonly flights = new Map<string, Flight>();
  private swept: Promise<void> | undefined;

  constructor(private readonly parts: FileParts) {}

  async answer(client: UpstreamClient, format: string, request: Asking, wanted: UpstreamFileRequest): Promise<Reply> {
    const sums = wanted.checksums.map(({ algorithm, hex }) => `${algorithm}:${hex}`).sort();
    const key = KeptContent.key('file', format, client.address(wanted.path), ...sums);
    const kept = await this.kept(key, request, wanted);
    if (kept) return kept;
    const flight = this.flights.get(key) ?? this.begin(key, client, wanted);
    // parts, and what it would be, are told of what is there
    if (request.method === 'HEAD' || request.headers.range !== undefined) {
      await flight.ended;
      const whole = await this.kept(key, request, wanted);
      if (whole) return whole;
    }
    const { spool, size } = await flight.begun;
    const content = await spool.read().catch(() => undefined);
    if (!content) {
      // it was kept in this very moment
      await flight.ended;
      const whole = await this.kept(key, request, wanted);
      if (whole) return whole;
      throw new Problem('unavailable', 'The file of the upstream registry could not be read. Try again.');
    }
    const answer = reply
      .bytes(content, wanted.type ?? 'application/octet-stream')
      .tag(tagOf(key))
      .header('accept-ranges', 'bytes')
      .header('content-security-policy', downloadFence)
      .header('x-content-type-options', 'nosniff');
    if (size !== undefined) answer.header('content-length', String(size));
    return named(answer, wanted);
  }

  private async kept(key: string, request: Asking, wanted: UpstreamFileRequest): Promise<Reply | undefined> {
    const { kept } = this.parts;
    const info = await kept.stat(key);
    if (!info) return undefined;
    kept.used(key);
    const answer = await serveDownload(
      {
        size: info.size,
        type: wanted.type ?? 'application/octet-stream',
        tag: tagOf(key),
        modifiedAt: info.modifiedAt,
        open: (part) => kept.open(key, part),
      },
      { method: request.method, headers: { ...request.headers } },
    );
    return named(answer, wanted);
  }

  private begin(key: string, client: UpstreamClient, wanted: UpstreamFileRequest): Flight {
    let started!: (value: Awaited<Flight['begun']>) => void;
    let failed!: (error: unknown) => void;
    const begun = new Promise<Awaited<Flight['begun']>>((resolve, reject) => {
      started = resolve;
      failed = reject;
    });
    const ended = this.parts.turns
      .run(() => this.fetch(key, client, wanted, started))
      .catch((error: unknown) => {
        const problem = Problem.is(error) && error.code === 'not_found' ? error : upstreamProblem(error);
        if (problem.code !== 'not_found')
          this.parts.log.warn('a file of an upstream registry was not kept', {
            address: client.address(wanted.path),
            reason: problem.message,
          });
        failed(problem);
        throw problem;
      })
      .finally(() => this.flights.delete(key));
    // somebody else hears of it
    ended.catch(() => undefined);
    begun.catch(() => undefined);
    const flight = { begun, ended };
    this.flights.set(key, flight);
    return flight;
  }

  private async fetch(
    key: string,
    client: UpstreamClient,
    wanted: UpstreamFileRequest,
    started: (value: Awaited<Flight['begun']>) => void,
  ): Promise<void> {
    const { folder, kept, maxBytes, timeoutMs, log } = this.parts;
    await (this.swept ??= Spool.sweep(folder));
    const spool = await Spool.make(folder);
    try {
      await client.stream(
        {
          path: wanted.path,
          headers: { 'accept-encoding': 'identity', accept: '*/*' },
          timeoutMs,
          maxBytes: maxBytes < 0 ? Number.MAX_SAFE_INTEGER : maxBytes,
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
          void spool.until(wordsBytes).then(
            () => started({ spool, size }),
            () => undefined,
          );
          await receive(body, spool, wanted);
        },
      );
      spool.finish();
      // who waits for the whole of a small one must be answered before its file is gone
      started({ spool, size: spool.received });
      await kept
        .put(key, spool.content())
        .catch((error: unknown) => log.warn('a file of an upstream was not kept', { error: (error as Error).message }));
    } catch (error) {
      spool.fail(error as Error);
      throw error;
    } finally {
      await spool.remove();
    }
  }
}

/** Throws unless it begins as it must, and all checksums are right. */
async function receive(body: Readable, spool: Spool, { checksums, begins, path }: UpstreamFileRequest): Promise<void> {
  const hashes = checksums.map((sum) => ({ ...sum, hash: createHash(sum.algorithm) }));
  let missing: Buffer = begins ?? Buffer.alloc(0);
  for await (const chunk of body as AsyncIterable<Buffer>) {
    const known = Math.min(missing.length, chunk.length);
    if (!missing.subarray(0, known).equals(chunk.subarray(0, known))) throw otherContent();
    missing = missing.subarray(known);
    for (const { hash } of hashes) hash.update(chunk);
    await spool.write(chunk);
  }
  if (missing.length > 0) throw otherContent();
  const wrong = hashes.find(({ hash, hex }) => hash.digest('hex') !== hex);
  if (wrong)
    throw new Problem('bad_gateway', `The upstream registry gave other content than its index names: ${path}`, {
      fields: { algorithm: wrong.algorithm },
    });
}

const otherContent = (): Problem =>
  new Problem('bad_gateway', 'The upstream registry gave something else than what was asked for.');

const tagOf = (key: string): string => key.slice(0, 40);

function sizeOf(headers: Readonly<Record<string, string>>): number | undefined {
  const { 'content-length': text, 'content-encoding': packing = 'identity' } = headers;
  return packing === 'identity' && text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

function named(answer: Reply, { name }: UpstreamFileRequest): Reply {
  return name === null ? answer : answer.header('content-disposition', contentDisposition('attachment', name));
}
