import { Readable } from 'node:stream';
import { Problem, type Outbound } from '@mortise/plugin-sdk';
import { SourceFailure, type SourceClient, type SourceFailureReason, type SourceRequest } from '../contract/source.js';
import { backoffMs, limitedUntil, maxSleepMs, pausedUntil, refusedUntil, sleep } from './pacing.js';

interface ClientSettings {
  /** Attempts in all for what fails for a moment. */
  readonly MAX_ATTEMPTS: number;
  /** Seconds between them, twice as many after each. */
  readonly RETRY_BACKOFF: number;
}

interface ClientDeps {
  readonly outbound: Pick<Outbound, 'fetch' | 'stream'>;
  /** What to give to `outbound` for a host; throws a Problem where it may not be used. */
  readonly allowedHosts: (host: string) => string;
  readonly settings: ClientSettings;
  readonly signal: AbortSignal;
}

const jsonBytes = 32 * 1024 * 1024;
const fileBytes = 4 * 1024 ** 3;
const requestMs = 60_000;
const fileMs = 3_600_000;
const maxHops = 5;
const minPauseMs = 1000;
const maxRefusals = 20;
const stuckPauseMs = 600_000;
const redirects = new Set([301, 302, 303, 307, 308]);
/** Not carried to another host. */
const secretHeaders = /^(?:authorization|cookie|private-token|job-token|x-.*(?:token|key))$/i;

/** What went wrong where a content goes to: no fault of the source, and not better at a second attempt. */
class ConsumerFailure extends Error {
  constructor(readonly failure: unknown) {
    super('The content could not be taken.');
  }
}

interface Answer<Body> {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Body;
}

/** One request, with what becomes of its answer. */
interface Exchange<T> {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly sign?: SourceRequest['sign'];
  readonly isLimit?: SourceRequest['isLimit'];
  readonly send: (
    url: string,
    init: Parameters<Outbound['fetch']>[1],
    isOk: (status: number) => boolean,
  ) => Promise<Answer<T | Buffer>>;
  readonly isOk: (status: number) => boolean;
}

/** Requests of one import to its source. */
export class PacedClient implements SourceClient {
  /** Nobody asks before. */
  #resumesAt = 0;

  constructor(private readonly deps: ClientDeps) {}

  text: SourceClient['text'] = async (url, request = {}) => {
    const method = request.body === undefined ? 'GET' : 'POST';
    const { status, headers, body } = await this.#buffered(url, { ...request, method });
    return { status, headers, data: body.toString('utf8') };
  };

  json: SourceClient['json'] = async <T>(url: string, request: SourceRequest = {}) => {
    const answer = await this.text(url, { ...request, headers: { accept: 'application/json', ...request.headers } });
    try {
      return { ...answer, data: JSON.parse(answer.data) as T };
    } catch {
      throw new SourceFailure(
        'invalidData',
        `The source answered ${hostAndPath(url)} with something that is not JSON.`,
      );
    }
  };

  read: SourceClient['read'] = async <T>(
    url: string,
    take: (content: Readable) => Promise<T>,
    { headers = {}, okStatuses = [] }: SourceRequest = {},
  ) => {
    const answer = await this.#ask<T>({
      url,
      method: 'GET',
      headers,
      isOk: (status) => (status >= 200 && status < 300) || okStatuses.includes(status),
      send: (address, init, isOk) =>
        this.deps.outbound.stream(
          address,
          { ...init, timeoutMs: fileMs, maxResponseBytes: fileBytes },
          async ({ status, headers: got, body }) => ({
            status,
            headers: got,
            body: isOk(status) ? await consume(body, take) : Buffer.alloc(0),
          }),
        ),
    });
    return answer.body as T;
  };

  readonly fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    const body = request.body ? await request.text() : undefined;
    const answer = await this.#buffered(request.url, {
      method: request.method,
      headers: Object.fromEntries(request.headers),
      ...(body !== undefined && { body }),
      // client libraries read statuses by themselves
      okStatuses: 'any',
    });
    const hasBody = ![101, 204, 205, 304].includes(answer.status) && request.method !== 'HEAD';
    const headers = { ...answer.headers };
    // the body is unpacked already
    for (const name of ['content-encoding', 'content-length', 'transfer-encoding']) delete headers[name];
    return new Response(hasBody ? new Uint8Array(answer.body) : null, { status: answer.status, headers });
  };

  async #buffered(
    url: string,
    request: Omit<SourceRequest, 'okStatuses'> & {
      readonly method: string;
      readonly body?: string;
      readonly okStatuses?: readonly number[] | 'any';
    },
  ): Promise<Answer<Buffer>> {
    const { okStatuses = [], method, headers = {}, body, sign, isLimit } = request;
    const answer = await this.#ask<Buffer>({
      url,
      method,
      headers,
      ...(body !== undefined && { body }),
      ...(sign && { sign }),
      ...(isLimit && { isLimit }),
      isOk: (status) => (status >= 200 && status < 300) || okStatuses === 'any' || okStatuses.includes(status),
      send: (address, init) =>
        this.deps.outbound.fetch(address, { ...init, timeoutMs: requestMs, maxResponseBytes: jsonBytes }),
    });
    return answer as Answer<Buffer>;
  }

  /** Paces, tries again, and follows redirects by hand, so that each host on the way is one that may be used. */
  async #ask<T>(exchange: Exchange<T>): Promise<Answer<T | Buffer>> {
    const { MAX_ATTEMPTS: maxAttempts, RETRY_BACKOFF: seconds } = this.deps.settings;
    let refusals = 0;
    for (let attempt = 1; ; attempt++) {
      await this.#pause(this.#resumesAt);
      const headers = { ...exchange.headers, ...(await exchange.sign?.()) };
      const outcome = await this.#follow({ ...exchange, headers }).catch((error: unknown) => {
        if (error instanceof ConsumerFailure) throw error.failure;
        return failureOf(error, exchange.url);
      });
      if (SourceFailure.is(outcome)) {
        this.deps.signal.throwIfAborted();
        if (outcome.reason !== 'unreachable' || attempt >= maxAttempts) throw outcome;
      } else {
        const now = Date.now();
        const text =
          Buffer.isBuffer(outcome.body) && outcome.status >= 400 ? outcome.body.toString('utf8', 0, 2000) : '';
        const until =
          refusedUntil(outcome.status, outcome.headers, text, now) ??
          (text && exchange.isLimit?.(outcome.status, text) ? now + backoffMs(1, refusals + 1) : undefined);
        if (until !== undefined) {
          attempt--;
          // a source that says "at once" again and again is not asked without end
          const isStuck = ++refusals >= maxRefusals;
          this.#resumesAt = Math.max(until, now + (isStuck ? stuckPauseMs : minPauseMs));
          continue;
        }
        this.#resumesAt = Math.max(this.#resumesAt, pausedUntil(outcome.headers, now) ?? 0);
        if (exchange.isOk(outcome.status)) return outcome;
        if (outcome.status < 500 || attempt >= maxAttempts) throw statusFailure(outcome.status, exchange.url);
      }
      await sleep(backoffMs(seconds, attempt), this.deps.signal);
    }
  }

  async #follow<T>({ url, method, headers, body, send, isOk }: Exchange<T>): Promise<Answer<T | Buffer>> {
    const { allowedHosts, signal } = this.deps;
    if (!/^https?:\/\//i.test(url) || !URL.canParse(url))
      throw new SourceFailure('invalidData', 'The source gives an address that is not one of http or https.');
    let address = new URL(url);
    let sent = headers;
    for (let hop = 0; ; hop++) {
      const init = {
        method,
        headers: { ...sent },
        ...(body !== undefined && { body }),
        allowedHosts: allowedHosts(address.hostname.replace(/^\[|\]$/g, '')),
        redirect: 'manual' as const,
        signal,
      };
      const answer = await send(address.href, init, isOk);
      const { location } = answer.headers;
      if (!redirects.has(answer.status) || !location) return answer;
      if (hop >= maxHops)
        throw new SourceFailure('invalidData', `More than ${maxHops} redirects from ${address.host}.`);
      const next = new URL(location, address);
      if (next.protocol !== 'http:' && next.protocol !== 'https:')
        throw new SourceFailure('invalidData', `${address.host} redirects to something that is not http.`);
      if (next.origin !== address.origin)
        sent = Object.fromEntries(Object.entries(sent).filter(([name]) => !secretHeaders.test(name)));
      address = next;
    }
  }

  async #pause(until: number): Promise<void> {
    const { signal } = this.deps;
    signal.throwIfAborted();
    const left = until - Date.now();
    if (left > maxSleepMs) throw limitedUntil(until);
    if (left > 0) await sleep(left, signal);
  }
}

/** Gives a content to its consumer; throws {@link ConsumerFailure} where that fails while the content itself comes. */
async function consume<T>(body: Readable, take: (content: Readable) => Promise<T>): Promise<T> {
  let isBroken = false;
  // a consumer that fails destroys what it reads: behind this it is known which of the two failed
  async function* content() {
    try {
      for await (const chunk of body) yield chunk as Buffer;
    } catch (error) {
      isBroken = true;
      throw error;
    }
  }
  try {
    return await take(Readable.from(content(), { objectMode: false }));
  } catch (error) {
    throw isBroken ? error : new ConsumerFailure(error);
  }
}

/** Without query, which may hold secrets. */
function hostAndPath(url: string): string {
  if (!URL.canParse(url)) return 'an address that is none';
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`.slice(0, 200);
}

const statusReasons: Readonly<Record<number, SourceFailureReason>> = {
  401: 'unauthorized',
  403: 'forbidden',
  404: 'notFound',
  410: 'notFound',
};

function statusFailure(status: number, url: string): SourceFailure {
  const reason = statusReasons[status] ?? (status >= 500 ? 'unreachable' : 'invalidData');
  return new SourceFailure(reason, `The source answered ${hostAndPath(url)} with status ${status}.`);
}

/** What went wrong on the way, without credentials in its words. */
function failureOf(error: unknown, url: string): SourceFailure {
  if (SourceFailure.is(error)) return error;
  const where = hostAndPath(url);
  if (Problem.is(error)) {
    if (error.code === 'too_large') return new SourceFailure('tooLarge', `The answer of ${where} is too large.`);
    return new SourceFailure('forbidden', error.message);
  }
  return new SourceFailure('unreachable', `${where}: ${(error as Error).message}`.slice(0, 400));
}
