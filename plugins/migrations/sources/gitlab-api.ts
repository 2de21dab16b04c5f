import { notOffered, type SourceAnswer, type SourceOptions, type SourcePage, type SourceTools } from '../api.js';
import { pageRecords, type Answered } from './gitea-api.js';
import { nextAddress, perPage, positionOf } from './linked-pages.js';

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
        items: await read(pageRecords(data)),
        ...(next !== undefined && { next }),
        ...(total !== undefined && { total }),
      };
      if (next === undefined) return;
      position = next;
    }
  }

  #first = (query: Readonly<Record<string, string>>): string =>
    new URLSearchParams({ ...query, per_page: String(perPage) }).toString();

  #next(headers: Readonly<Record<string, string>>, position: string): string | undefined {
    const address = nextAddress(headers.link, this.origin);
    if (address) return positionOf(address);
    const page = headers['x-next-page'];
    if (!page || !/^\d{1,9}$/.test(page)) return undefined;
    const query = new URLSearchParams(position);
    query.set('page', page);
    return query.toString();
  }
}
