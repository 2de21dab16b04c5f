import {
  SourceFailure,
  notOffered,
  type SourceAnswer,
  type SourceOptions,
  type SourcePage,
  type SourceTools,
} from '../contract/source.js';
import { pageRecords, recordOf, type Answered } from './gitea-api.js';
import { nextAddress, perPage, positionOf } from './linked-pages.js';

/** Lists that belong to more than the feature of their name: refused where all of these are switched off. */
const featuresOf: Readonly<Record<string, readonly string[]>> = {
  milestones: ['issues', 'merge_requests'],
  labels: ['issues', 'merge_requests'],
  boards: ['issues'],
};

/** Requests to the REST API of GitLab, version 4. */
export class GitLabApi {
  readonly #headers: Readonly<Record<string, string>>;
  readonly isSignedIn: boolean;

  constructor(
    private readonly tools: SourceTools,
    readonly origin: string,
    { values }: Pick<SourceOptions, 'values'>,
  ) {
    const token = values.auth_token || values.auth_password || '';
    this.isSignedIn = token !== '';
    this.#headers = token ? { 'private-token': token } : {};
  }

  get = (path: string, okStatuses: readonly number[] = []): Promise<SourceAnswer<unknown>> =>
    this.tools.client.json(`${this.origin}/api/v4${path}`, { headers: this.#headers, okStatuses });

  /** For files: the token goes to the service itself alone. */
  headersFor = (url: string): Readonly<Record<string, string>> => (this.isOwn(url) ? this.#headers : {});

  isOwn = (url: string): boolean => URL.canParse(url) && new URL(url).origin === this.origin;

  /**
   * Pages of a list; the position is the query of the next page, by the header `Link` (which keyset paging has alone) or
   * `X-Next-Page`. Status 403 may mean that what it lists is switched off there; see {@link #refusal}.
   */
  async *pages<T>(
    path: string,
    query: Readonly<Record<string, string>>,
    after: string | undefined,
    read: (records: readonly Answered[]) => Promise<readonly T[]> | readonly T[],
  ): AsyncGenerator<SourcePage<T>> {
    for (let position = after ?? this.#first(query); ;) {
      const { status, headers, data } = await this.get(`${path}?${position}`, [403]);
      if (status === 403) throw await this.#refusal(path);
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

  /**
   * Why a list of a project is refused. Those who are not signed in see no settings of projects: to them it is not
   * offered. To others it is where the project has it switched off; else their token has not the rights.
   */
  async #refusal(path: string): Promise<SourceFailure> {
    if (!this.isSignedIn) return notOffered('The source has this switched off, or shows it to its members alone.');
    const [, project = '', list = ''] = /^(\/projects\/[^/]+)\/([a-z_]+)/.exec(path) ?? [];
    const record = project ? recordOf((await this.get(project, [403, 404])).data) : {};
    const features = featuresOf[list] ?? [list];
    const isOff = (feature: string) =>
      record[`${feature}_access_level`] === 'disabled' || record[`${feature}_enabled`] === false;
    return features.every(isOff)
      ? notOffered('The source has this switched off.')
      : new SourceFailure(
          'forbidden',
          `The source refuses to list ${list || path} with these credentials (status 403).`,
        );
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
