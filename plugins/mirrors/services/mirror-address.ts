import type { RemoteAddress, RemoteCredentials } from '@mortise/git/api';

/** Explicit credentials take precedence over those in the URL. */
export function credentialsOf(
  address: RemoteAddress,
  { username = '', password = '' }: { readonly username?: string; readonly password?: string },
): RemoteCredentials {
  if (address.protocol === 'ssh') return {};
  return username || password ? { username, password } : { username: address.username, password: address.password };
}

/** Of the wiki that belongs to a repository, as compatible services name it. */
export const wikiAddress = (url: string): string => `${url.replace(/\/+$/, '').replace(/\.git$/, '')}.wiki.git`;
