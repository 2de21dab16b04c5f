import type { Page } from '@mortise/plugin-sdk';
import type { ApiSettings } from './settings.js';

type Query = Readonly<Record<string, unknown>>;

const first = (value: unknown): unknown => (Array.isArray(value) ? value[0] : value);

function whole(value: unknown): number | undefined {
  const text = first(value);
  if (typeof text === 'number') return Number.isSafeInteger(text) ? text : undefined;
  if (typeof text !== 'string' || !/^[+-]?\d{1,15}$/.test(text.trim())) return undefined;
  return Number(text);
}

/** Reads `page` and `limit`; what is no number counts as absent (GEN-07). */
export function pageOf(query: Query, settings: Readonly<ApiSettings>): Page {
  const page = Math.max(1, whole(query.page) ?? 1);
  const wanted = whole(query.limit) ?? 0;
  const limit =
    wanted > 0
      ? Math.min(wanted, settings.MAX_RESPONSE_ITEMS)
      : Math.min(settings.DEFAULT_PAGING_NUM, settings.MAX_RESPONSE_ITEMS);
  return { page, limit, offset: (page - 1) * limit };
}

/** Never repeated in links: they would carry credentials on. */
const secretParameters = new Set(['token', 'access_token']);

function address(base: () => string, query: Query, page: number): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (name === 'page' || secretParameters.has(name)) continue;
    for (const one of Array.isArray(value) ? value : [value]) parameters.append(name, String(one));
  }
  parameters.set('page', String(page));
  return `<${base()}?${parameters.toString()}>`;
}

/**
 * Headers of one page of a list (GEN-07, GEN-08, GEN-09). `X-Total` is never among them. A page behind the end counts
 * as the last one, so that its links lead back. `base` gives the address of the list, which few answers need.
 */
export function pagingHeaders(
  base: () => string,
  query: Query,
  page: Page,
  total: number,
  extended: boolean,
): Record<string, string> {
  const pages = Math.max(1, Math.ceil(total / page.limit));
  const current = Math.min(page.page, pages);
  const links: string[] = [];
  if (current < pages)
    links.push(`${address(base, query, current + 1)}; rel="next"`, `${address(base, query, pages)}; rel="last"`);
  if (current > 1)
    links.push(`${address(base, query, 1)}; rel="first"`, `${address(base, query, current - 1)}; rel="prev"`);
  const headers: Record<string, string> = { 'x-total-count': String(total) };
  const exposed = ['X-Total-Count'];
  if (links.length > 0) {
    headers.link = links.join(',');
    exposed.push('Link');
  }
  if (extended) {
    headers['x-page'] = String(page.page);
    headers['x-perpage'] = String(page.limit);
    headers['x-pagecount'] = String(total === 0 ? 0 : pages);
    headers['x-hasmore'] = String(page.page < pages);
    exposed.push('X-Page', 'X-PerPage', 'X-PageCount', 'X-HasMore');
  }
  headers['access-control-expose-headers'] = exposed.join(', ');
  return headers;
}
