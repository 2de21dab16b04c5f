import { notOffered, type SourceAnswer, type SourceOptions, type SourcePage, type SourceTools } from '../api.js';
import { recordsOf, type Answered } from './gitea-api.js';

const perPage = 100;
const maxPosition = 500;
const atOnce = 4;

/** Requests to the REST API of GitLab, version 4. */
export class GitLabApi {
  readonly #headers: Readonly<Record<string, string>>;

  constructor(
    private readonly tools: SourceTools,
    readonly origin: string,
    { values }: Pick<SourceOptions, 'values'>,
  ) {
    const token = values.auth_token || values.auth_password || '';
    this.#headers = token ? { 'private-token': token } : {};
  }

  get = (path: string, okStatuses: readonly number[] = []): Promise<SourceAnswer<unknown>> =>
    this.tools.client.json(`${this.origin}/api/v4${path}`, { headers: this.#headers, okStatuses });

  /** For files: the token goes to the service itself alone. */
  headersFor = (url: string): Readonly<Record<string, string>> => (this.isOwn(url) ? this.#headers : {});

  isOwn = (url: string): boolean => URL.canParse(url) && new URL(url).origin === this.origin;

  /**
   * Pages of a list; the position is the query of the next page, by the header `Link` (which keyset paging has alone) or
   * `X-Next-Page`. Status 403: what it lists is switched off there.
   */
  async *pages<T>(
    path: string,
    query: Readonly<Record<string, string>>,
    after: string | undefined,
    read: (records: readonly Answered[]) => Promise<readonly T[]> | readonly T[],
  ): AsyncGenerator<SourcePage<T>> {
    for (let position = after ?? this.#first(query); ;) {
      const { status, headers, data } = await this.get(`${path}?${position}`, [403]);
      if (status === 403) throw notOffered('The source has this switched off.');
      const next = this.#next(headers, position);
      const total = /^\d{1,9}$/.test(headers['x-total'] ?? '') ? Number(headers['x-total']) : undefined;
      yield {
        items: await read(recordsOf(data)),
        ...(next !== undefined && { next }),
        ...(total !== undefined && { total }),
      };
      if (next === undefined) return;
      position = next;
    }
  }

  /** The same work for each, a few at once, in their order. */
  async each<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
    const results: R[] = [];
    for (let at = 0; at < items.length; at += atOnce)
      results.push(...(await Promise.all(items.slice(at, at + atOnce).map(work))));
    return results;
  }

  #first = (query: Readonly<Record<string, string>>): string =>
    new URLSearchParams({ ...query, per_page: String(perPage) }).toString();

  /** Only its query is taken of an address: requests stay with the project, whatever a header says. */
  #next(headers: Readonly<Record<string, string>>, position: string): string | undefined {
    const address = /<([^>]*)>\s*;[^,]*\brel="?next"?/.exec(headers.link ?? '')?.[1];
    if (address && URL.canParse(address, this.origin)) {
      const query = new URL(address, this.origin).search.slice(1);
      return query.length <= maxPosition ? query : undefined;
    }
    const page = headers['x-next-page'];
    if (!page || !/^\d{1,9}$/.test(page)) return undefined;
    const query = new URLSearchParams(position);
    query.set('page', page);
    return query.toString();
  }
}
