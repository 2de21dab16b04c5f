import { anonymous, type Actor } from './actor.js';
import { PreparedJson, reply, type Reply } from './reply.js';
import type { Cache, QueryCache } from './cache.js';

/** Part of a cache key: all about an actor that what it may see can depend on. */
export const viewerKey = (actor: Actor): string => (actor === anonymous ? '' : JSON.stringify(actor));

interface CachedResponse {
  readonly body: PreparedJson;
  readonly total: number;
  /** In memory, about. */
  readonly bytes: number;
}

interface Content<T> {
  readonly items: T;
  readonly total: number;
}

/** Bytes beside the text: headers. */
const overhead = 300;

/** Of a text each character may take two. */
const sizeOf = (body: string | Buffer): number => body.length * (typeof body === 'string' ? 2 : 1);

/** The size of an answer that must not be cached: something in it is in no table yet. */
const uncacheable = Infinity;

interface ResponseCacheOptions<T> {
  /** False: something in it changes without the database, so it is rendered anew each time. */
  readonly isCacheable?: (value: T) => boolean;
}

/**
 * Caches answers of the API as they are sent, valid while the tables stay unchanged from which they were made. A key holds
 * all that the answer depends on and that is not read from the database while it is made: the {@link viewerKey} where
 * actors see different things, and `identityOf` each row that the route resolved.
 */
export class ResponseCache {
  readonly #cache: QueryCache<CachedResponse>;

  /** `name` as of {@link Cache.query}. */
  constructor(cache: Pick<Cache, 'query'>, name: string) {
    this.#cache = cache.query(name);
  }

  /** An answer with one thing. */
  async one<T>(key: string, make: () => Promise<T>, options?: ResponseCacheOptions<T>): Promise<PreparedJson<T>> {
    const { body } = await this.#load(key, async () => ({ items: await make(), total: 0 }), options);
    return body as PreparedJson<T>;
  }

  /** A page of a list; `total` counts all pages. */
  async list<T>(
    key: string,
    make: () => Promise<Content<readonly T[]>>,
    options?: ResponseCacheOptions<readonly T[]>,
  ): Promise<Reply> {
    const { body, total } = await this.#load(key, make, options);
    return reply.list(body as PreparedJson<readonly unknown[]>, total);
  }

  /** A page of a list that stands in its body under the name `field`, beside its `total_count`. */
  async counted<T>(field: string, key: string, make: () => Promise<Content<readonly T[]>>): Promise<Reply> {
    const { body, total } = await this.#load(key, async () => {
      const { items, total: count } = await make();
      return { items: { [field]: items, total_count: count }, total: count };
    });
    const answer = reply.json(body);
    answer.total = total;
    return answer;
  }

  #load<T>(
    key: string,
    make: () => Promise<Content<T>>,
    { isCacheable }: ResponseCacheOptions<T> = {},
  ): Promise<CachedResponse> {
    return this.#cache.load(
      key,
      async () => {
        const { items, total } = await make();
        const body = PreparedJson.serialized(items);
        const bytes = isCacheable?.(items) === false ? uncacheable : overhead + sizeOf(body.body);
        return { body, total, bytes };
      },
      { size: ({ bytes }) => bytes },
    );
  }
}
