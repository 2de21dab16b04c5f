import {
  SourceFailure,
  type SourceAnswer,
  type SourceOptions,
  type SourcePage,
  type SourceTools,
} from '../contract/source.js';
import { decoded, pageRecords, type Answered } from './gitea-api.js';
import { basicAuthorization, httpUrl } from './http-source.js';

/** What one request gives at most, by the service's own bound. */
const pageSize = 100;

interface OneDevAddress {
  readonly origin: string;
  /** Of the project: `group/name`. */
  readonly path: string;
}

/** `https://onedev.example/group/name`, as the page or as git clones it; older versions have `/projects/` before it. */
export function oneDevAddress(address: string): OneDevAddress {
  const url = httpUrl(address);
  const path = decoded(url.pathname)
    .replace(/^\/+|\/+$/g, '')
    .replace(/^projects\//, '')
    .replace(/\.git$/, '');
  if (!path) throw new SourceFailure('notFound', 'The address names no project: https://host/project');
  return { origin: url.origin, path };
}

/** A text in its query language. */
export const quoted = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`;

/** Requests to the REST API of OneDev, at `/~api`. */
export class OneDevApi {
  readonly #headers: Readonly<Record<string, string>>;

  constructor(
    private readonly tools: SourceTools,
    private readonly origin: string,
    { values }: Pick<SourceOptions, 'values'>,
  ) {
    const { auth_username: username = '', auth_password: password = '', auth_token: token = '' } = values;
    this.#headers = token
      ? { authorization: `Bearer ${token}` }
      : username || password
        ? { authorization: basicAuthorization(username, password) }
        : {};
  }

  get = (path: string, okStatuses: readonly number[] = []): Promise<SourceAnswer<unknown>> =>
    this.tools.client.json(`${this.origin}/~api${path}`, { headers: this.#headers, okStatuses });

  /** Pages of a list; the position is the offset of the next page. */
  async *pages<T>(
    path: string,
    query: Readonly<Record<string, string>>,
    after: string | undefined,
    read: (records: readonly Answered[]) => Promise<readonly T[]> | readonly T[],
  ): AsyncGenerator<SourcePage<T>> {
    for (let offset = Number(after ?? 0); ; offset += pageSize) {
      const range = new URLSearchParams({ ...query, offset: String(offset), count: String(pageSize) });
      const records = pageRecords((await this.get(`${path}?${range}`)).data);
      const hasMore = records.length >= pageSize;
      yield { items: await read(records), ...(hasMore && { next: String(offset + pageSize) }) };
      if (!hasMore) return;
    }
  }
}
