import { anonymous, type Cache, type Language, type QueryCache } from '@mortise/plugin-sdk';
import type { RenderedPage } from '../web/index.js';
import type { RequestContext } from './context.js';

/** What a page says of the time, such as "3 minutes ago", may be so much behind. */
const maxAgeMs = 10_000;

interface VisitorPage {
  readonly page: RenderedPage;
  readonly madeAt: number;
}

/** Thrown while a page is made that belongs to one visitor alone, or is no page at all. */
export class NotForAll extends Error {}

/**
 * Pages of routes that are `isCachedForVisitors`, as everybody gets them who is not signed in and carries no cookie: valid as
 * long as nothing changes from which they were made, what the visitor may see included.
 */
export class VisitorPages {
  readonly #pages: QueryCache<VisitorPage>;

  constructor(cache: Pick<Cache, 'query'>) {
    this.#pages = cache.query('core.visitorPages');
  }

  static isFor({ actor, method, headers }: RequestContext): boolean {
    return actor === anonymous && method === 'GET' && !headers.cookie && !headers.authorization;
  }

  /** `make`: throws {@link NotForAll} for what others must not be given; then this gives undefined. */
  async find(url: string, language: Language, make: () => Promise<RenderedPage>): Promise<RenderedPage | undefined> {
    const key = `${language.tag} ${url}`;
    const load = async (): Promise<VisitorPage> => ({ madeAt: Date.now(), page: await make() });
    const options = { size: ({ page }: VisitorPage) => page.html.length };
    try {
      let found = await this.#pages.load(key, load, options);
      if (Date.now() - found.madeAt > maxAgeMs) {
        // unless somebody else has been here meanwhile
        if (this.#pages.peek(key) === found) this.#pages.delete(key);
        found = await this.#pages.load(key, load, options);
      }
      return found.page;
    } catch (error) {
      if (error instanceof NotForAll) return undefined;
      throw error;
    }
  }
}
