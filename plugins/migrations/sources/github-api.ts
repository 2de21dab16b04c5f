import {
  notOffered,
  type SourceAnswer,
  type SourceOptions,
  type SourcePage,
  type SourceTools,
} from '../contract/source.js';
import { pageRecords, type Answered } from './gitea-api.js';
import { nextAddress, perPage, positionOf } from './linked-pages.js';
import { basicAuthorization } from './http-source.js';

/** Of a list that is read at once. */
const maxPages = 100;

export interface GitHubDialect {
  /** Whether the last page is known by the header `Link`, or by the empty page behind it. */
  readonly pagesEnd: 'link' | 'empty';
  /** How the token stands in the header. */
  readonly scheme: 'Bearer' | 'token';
}

/** Requests to the REST API of GitHub (docs.github.com/rest), and of those who offer the same. */
export class GitHubApi {
  readonly #headers: Readonly<Record<string, string>>;

  constructor(
    private readonly tools: SourceTools,
    readonly base: string,
    { values }: Pick<SourceOptions, 'values'>,
    private readonly dialect: GitHubDialect,
  ) {
    const { auth_token: token = '', auth_username: username = '', auth_password: password = '' } = values;
    const credentials = token
      ? `${dialect.scheme} ${token}`
      : username || password
        ? basicAuthorization(username, password)
        : '';
    this.#headers = {
      accept: 'application/vnd.github+json',
      'x-github-api-version': '2022-11-28',
      ...(credentials && { authorization: credentials }),
    };
  }

  get = (path: string, okStatuses: readonly number[] = []): Promise<SourceAnswer<unknown>> =>
    this.tools.client.json(`${this.base}${path}`, { headers: this.#headers, okStatuses });

  /** For files: the credentials go to the service itself alone, which leads on to where the content lies. */
  headersFor = (url: string): Readonly<Record<string, string>> => {
    const accept = { accept: 'application/octet-stream' };
    const isOurs = URL.canParse(url) && new URL(url).origin === new URL(this.base).origin;
    return isOurs ? { ...this.#headers, ...accept } : accept;
  };

  /** Pages of a list; the position is the query of the next page. Status 410: what it lists is switched off there. */
  async *pages<T>(
    path: string,
    query: Readonly<Record<string, string>>,
    after: string | undefined,
    read: (records: readonly Answered[]) => Promise<readonly T[]> | readonly T[],
  ): AsyncGenerator<SourcePage<T>> {
    for (let position = after ?? this.#first(query); ;) {
      const { status, headers, data } = await this.get(`${path}?${position}`, [410]);
      if (status === 410) throw notOffered('The source has this switched off.');
      const records = pageRecords(data);
      const next = this.#next(headers.link, position, records.length);
      yield { items: await read(records), ...(next !== undefined && { next }) };
      if (next === undefined) return;
      position = next;
    }
  }

  /** All of a short list; a source whose pages lead on without end is no longer followed. */
  async all(path: string, max: number): Promise<Answered[]> {
    const records: Answered[] = [];
    let pages = 0;
    for await (const { items } of this.pages(path, {}, undefined, (some) => some)) {
      records.push(...items);
      if (records.length >= max || ++pages >= maxPages) break;
    }
    return records.slice(0, max);
  }

  #first = (query: Readonly<Record<string, string>>): string =>
    new URLSearchParams({ ...query, per_page: String(perPage), page: '1' }).toString();

  #next(link: string | undefined, position: string, count: number): string | undefined {
    if (link === undefined && this.dialect.pagesEnd === 'empty') {
      if (count === 0) return undefined;
      const query = new URLSearchParams(position);
      query.set('page', String(Number(query.get('page')) + 1));
      return query.toString();
    }
    const address = nextAddress(link, this.base);
    return address && positionOf(address);
  }
}
