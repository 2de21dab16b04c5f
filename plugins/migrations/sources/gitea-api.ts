import {
  SourceFailure,
  type SourceAnswer,
  type SourceOptions,
  type SourcePage,
  type SourceTools,
} from '../contract/source.js';
import type { SourceUser } from '../contract/records.js';
import { basicAuthorization, httpUrl } from './http-source.js';

/** What an API answers; nothing of it is believed. */
export type Answered = Readonly<Record<string, unknown>>;

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
export const numberOf = (value: unknown): number => (typeof value === 'number' && Number.isFinite(value) ? value : 0);
export const recordOf = (value: unknown): Answered =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Answered) : {};
export const recordsOf = (value: unknown): Answered[] => (Array.isArray(value) ? value.map(recordOf) : []);
export const timeOf = (value: unknown): number | undefined => {
  const time = Date.parse(textOf(value));
  return Number.isNaN(time) || time <= 0 ? undefined : time;
};

/** An account; what is gone has no name, or is a ghost. */
export const userOf = (value: unknown): SourceUser => {
  const { id, login, username, email } = recordOf(value);
  const address = textOf(email);
  return {
    id: Math.max(0, numberOf(id)),
    name: textOf(login) || textOf(username) || 'Ghost',
    ...(address && { email: address }),
  };
};

/** Who wrote something: what was imported there once names an author of its own. */
export const authorOf = (record: Answered): SourceUser => {
  const name = textOf(record.original_author);
  return name ? { id: Math.max(0, numberOf(record.original_author_id)), name } : userOf(record.user ?? record.author);
};

/** Services give pages of a hundred at most; each record may ask for more requests. */
const maxPageRecords = 1000;

/** The records of one page; throws where there are more than any service gives. */
export function pageRecords(data: unknown): Answered[] {
  if (Array.isArray(data) && data.length > maxPageRecords)
    throw new SourceFailure('invalidData', `The source gives more than ${maxPageRecords} records in one page.`);
  return recordsOf(data);
}

export interface RepositoryAddress {
  /** `https://git.example/api/v1` */
  readonly api: string;
  /** `https://git.example`, with the path below which the service lies. */
  readonly base: string;
  readonly origin: string;
  readonly owner: string;
  readonly name: string;
}

/** `https://git.example/sub/ada/abacus.git`; throws for other forms. */
export function repositoryAddress(address: string): RepositoryAddress {
  const { base, origin, parts } = split(address);
  const [owner = '', name = ''] = parts.slice(-2);
  if (parts.length < 2 || !owner || !name)
    throw new SourceFailure('notFound', 'The address names no repository: https://host/owner/name');
  const below = parts.slice(0, -2).map((part) => `/${encodeURIComponent(part)}`);
  return { ...paths(base, below.join('')), origin, owner, name: name.replace(/\.git$/, '') };
}

/** `https://git.example/sub/ada` */
export function ownerAddress(address: string): Omit<RepositoryAddress, 'name'> {
  const { base, origin, parts } = split(address);
  const owner = parts.at(-1) ?? '';
  if (!owner) throw new SourceFailure('notFound', 'The address names no owner: https://host/owner');
  const below = parts.slice(0, -1).map((part) => `/${encodeURIComponent(part)}`);
  return { ...paths(base, below.join('')), origin, owner };
}

function split(address: string) {
  const url = httpUrl(address);
  const parts = url.pathname.split('/').filter(Boolean).map(decoded);
  return { base: url.origin, origin: url.origin, parts };
}

/** A part of an address without its escapes; as it is where they are broken. */
export const decoded = (part: string): string => {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
};
const paths = (origin: string, below: string) => ({ base: `${origin}${below}`, api: `${origin}${below}/api/v1` });

/** Requests to the API of a service of the kind of Gitea and Gogs. */
export class GiteaApi {
  readonly #headers: Readonly<Record<string, string>>;

  constructor(
    private readonly tools: SourceTools,
    readonly address: Omit<RepositoryAddress, 'name'>,
    { values }: Pick<SourceOptions, 'values'>,
  ) {
    const { auth_username: username = '', auth_password: password = '', auth_token: token = '' } = values;
    this.#headers = token
      ? { authorization: `token ${token}` }
      : username || password
        ? { authorization: basicAuthorization(username, password) }
        : {};
  }

  get = (path: string, okStatuses: readonly number[] = []): Promise<SourceAnswer<unknown>> =>
    this.tools.client.json(`${this.address.api}${path}`, { headers: this.#headers, okStatuses });

  /** For files: the credentials go to the service itself alone. */
  headersFor = (url: string): Readonly<Record<string, string>> =>
    URL.canParse(url) && new URL(url).origin === this.address.origin ? this.#headers : {};

  /** Pages of a list, from a page on; its number is the position. */
  async *pages<T>(
    path: string,
    limit: number,
    after: string | undefined,
    read: (records: readonly Answered[]) => Promise<readonly T[]> | readonly T[],
  ): AsyncGenerator<SourcePage<T>> {
    for (let page = Number(after ?? 1); ; page++) {
      const sign = path.includes('?') ? '&' : '?';
      const { data, headers } = await this.get(`${path}${sign}page=${page}&limit=${limit}`);
      const records = pageRecords(data);
      const total = /^\d{1,9}$/.test(headers['x-total-count'] ?? '') ? Number(headers['x-total-count']) : undefined;
      const hasMore =
        records.length > 0 && hasNext(headers.link, total, page * records.length, records.length >= limit);
      yield {
        items: await read(records),
        ...(total !== undefined && { total }),
        ...(hasMore && { next: String(page + 1) }),
      };
      if (!hasMore) return;
    }
  }
}

/** By the header `Link`, else by the number of all, else by whether the page is full. */
function hasNext(link: string | undefined, total: number | undefined, seen: number, isFull: boolean): boolean {
  if (link) return /rel="next"/.test(link);
  return total === undefined ? isFull : seen < total;
}
