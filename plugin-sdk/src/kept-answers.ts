import { anonymous, type Actor } from './actor.js';
import { PreparedJson, reply, type Reply } from './reply.js';
import type { Cache, FreshCache } from './cache.js';

/** For keys of what is kept: all about an actor that what it is shown may depend on. */
export const viewerKey = (actor: Actor): string => (actor === anonymous ? '' : JSON.stringify(actor));

interface Answer {
  readonly body: PreparedJson;
  readonly total: number;
  /** In memory, about. */
  readonly bytes: number;
}

interface Made<T> {
  readonly items: T;
  readonly total: number;
}

/** Bytes beside the text: key, entry and headers. */
const overhead = 500;

/** Of a text each character may take two. */
const sizeOf = (body: string | Buffer): number => body.length * (typeof body === 'string' ? 2 : 1);

/** What keeps an answer from being kept: something in it that is in no table yet. */
const passing = Infinity;

export interface KeptAnswerOptions<T> {
  /** False: something in it changes without the database, so that it is made anew each time. */
  readonly mayKeep?: (value: T) => boolean;
}

/**
 * Answers of the API as they are sent, kept while the tables stay from which they were made: many ask for the same between
 * two changes. Keys name the question with all that the answer depends on and that is not read from the database while it
 * is made: the {@link viewerKey} where actors see different things, and `identityOf` each row that the route resolved.
 */
export class KeptAnswers {
  readonly #kept: FreshCache<Answer>;

  /** `name` as of {@link Cache.fresh}; `maxSize` in bytes. */
  constructor(cache: Pick<Cache, 'fresh'>, name: string, { maxSize = 8 << 20 }: { readonly maxSize?: number } = {}) {
    this.#kept = cache.fresh(name, { max: 2000, maxSize });
  }

  /** An answer with one thing. */
  async one<T>(key: string, make: () => Promise<T>, options?: KeptAnswerOptions<T>): Promise<PreparedJson<T>> {
    const { body } = await this.#load(key, async () => ({ items: await make(), total: 0 }), options);
    return body as PreparedJson<T>;
  }

  /** A page of a list; `total` counts all pages. */
  async list<T>(
    key: string,
    make: () => Promise<Made<readonly T[]>>,
    options?: KeptAnswerOptions<readonly T[]>,
  ): Promise<Reply> {
    const { body, total } = await this.#load(key, make, options);
    return reply.list(body as PreparedJson<readonly unknown[]>, total);
  }

  /** A page of a list that stands in its body under the name `field`, beside its `total_count`. */
  async counted<T>(field: string, key: string, make: () => Promise<Made<readonly T[]>>): Promise<Reply> {
    const { body, total } = await this.#load(key, async () => {
      const { items, total: count } = await make();
      return { items: { [field]: items, total_count: count }, total: count };
    });
    const answer = reply.json(body);
    answer.total = total;
    return answer;
  }

  #load<T>(key: string, make: () => Promise<Made<T>>, { mayKeep }: KeptAnswerOptions<T> = {}): Promise<Answer> {
    return this.#kept.load(
      key,
      async () => {
        const { items, total } = await make();
        const body = PreparedJson.sealed(items);
        const bytes = mayKeep?.(items) === false ? passing : overhead + 2 * key.length + sizeOf(body.body);
        return { body, total, bytes };
      },
      { size: ({ bytes }) => bytes },
    );
  }
}
