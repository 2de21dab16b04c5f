import { SourceFailure } from '../contract/source.js';

/** What sources have in common that are asked over HTTP. */

/** The address of such a source; throws for others. */
export function httpUrl(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || !/^https?:$/.test(url.protocol))
    throw new SourceFailure('notFound', 'This source needs an address that begins with http:// or https://.');
  return url;
}

/** RFC 7617. */
export const basicAuthorization = (username: string, password: string): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
