import type { Readable } from 'node:stream';

const replyBrand: unique symbol = Symbol.for('mortise.reply') as never;

/** An answer with more than a JSON body. Make it with {@link reply}. */
export class Reply {
  /** The same mark in every installed copy of the SDK: `instanceof` recognises the replies of all of them. */
  readonly [replyBrand] = true;

  static [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === 'object' && value !== null && replyBrand in value;
  }

  status = 200;
  headers: Record<string, string | string[]> = {};
  body: unknown = undefined;
  /** Total of a list: makes `X-Total-Count` and `Link`. */
  total?: number;
  extendedPaging = false;
  /** Entries per page of a list that has a bound of its own; default: what the request asked for. */
  limit?: number;
  etag?: { value: string; weak?: boolean };
  cookies: { name: string; value: string | null; options?: CookieOptions }[] = [];

  header(name: string, value: string | string[]): this {
    this.headers[name.toLowerCase()] = value;
    return this;
  }

  type(contentType: string): this {
    return this.header('content-type', contentType);
  }

  /** Answers 304 when the client already has it. */
  tag(value: string, weak = false): this {
    this.etag = { value, weak };
    return this;
  }

  cookie(name: string, value: string | null, options?: CookieOptions): this {
    this.cookies.push({ name, value, options });
    return this;
  }
}

const longText = 16 * 1024;
const preparedBrand: unique symbol = Symbol.for('mortise.preparedJson') as never;

/** A JSON body whose text is made once: for answers that are kept. Give it to `reply.json`, or as the answer. */
export class PreparedJson<T = unknown> {
  static readonly #known = new WeakMap<object, PreparedJson>();
  readonly [preparedBrand] = true;
  #value: T | undefined;
  #text: string | undefined;
  #bytes: Buffer | undefined;

  constructor(value: T) {
    this.#value = value;
  }

  /** Of what is kept as it is sent, without the objects that it was made of. */
  static serialized<T>(value: T): PreparedJson<T> {
    const made = new PreparedJson(value);
    if (Buffer.isBuffer(made.body)) made.#text = undefined;
    made.#value = undefined;
    return made;
  }

  /** The same one for the same frozen object; an object that can change is prepared anew. */
  static of<T extends object>(value: T): PreparedJson<T> {
    let known = this.#known.get(value) as PreparedJson<T> | undefined;
    if (!known) {
      known = new PreparedJson(value);
      if (Object.isFrozen(value)) this.#known.set(value, known);
    }
    return known;
  }

  static [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === 'object' && value !== null && preparedBrand in value;
  }

  get value(): T {
    return this.#value ?? (JSON.parse(this.text) as T);
  }

  get text(): string {
    if (this.#text === undefined && this.#bytes) return this.#bytes.toString();
    return (this.#text ??= JSON.stringify(this.#value));
  }

  /** The text as it is sent. A long one is kept as bytes, since encoding it costs more than all else of an answer. */
  get body(): string | Buffer {
    if (this.#bytes) return this.#bytes;
    if (this.text.length < longText) return this.text;
    return (this.#bytes = Buffer.from(this.text));
  }
}

export interface CookieOptions {
  /** Seconds; absent: until the browser closes. */
  readonly maxAge?: number;
  readonly path?: string;
  readonly httpOnly?: boolean;
  readonly sameSite?: 'Lax' | 'Strict' | 'None';
}

function make(status: number, body?: unknown): Reply {
  const answer = new Reply();
  answer.status = status;
  answer.body = body;
  return answer;
}

/** Answers: `reply.created(record)`, `reply.none()`, `reply.list(items, total)`, `reply.stream(readable, type)`, … */
export const reply = {
  json: (body: unknown, status = 200): Reply => make(status, body),
  created: (body?: unknown): Reply => make(201, body),
  accepted: (body?: unknown): Reply => make(202, body),
  /** 204 */
  none: (): Reply => make(204),
  /** Any status without a body. */
  empty: (status: number): Reply => make(status),
  text: (text: string, status = 200): Reply => make(status, text).type('text/plain; charset=utf-8'),
  html: (html: string, status = 200): Reply => make(status, html).type('text/html; charset=utf-8'),
  /** Bytes or a stream of them. */
  bytes: (body: Buffer | Readable, contentType: string, status = 200): Reply => make(status, body).type(contentType),
  /** A list with its total over all pages. */
  list: (items: readonly unknown[] | PreparedJson<readonly unknown[]>, total: number, extended = false): Reply => {
    const answer = make(200, items);
    answer.total = total;
    answer.extendedPaging = extended;
    return answer;
  },
  redirect: (location: string, status: 301 | 302 | 303 | 307 | 308 = 303): Reply =>
    make(status).header('location', location),
};
