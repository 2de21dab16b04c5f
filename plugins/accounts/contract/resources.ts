import { defineResource } from '@mortise/plugin-sdk';
import type { Account } from './account.js';

/** The account named by `{username}`: 404 when missing or not visible, 307 to the new name after a rename (GEN-06). */
export const userResource = defineResource<Account>('accounts.user');
/** Like {@link userResource}, for operations that also reach accounts whose profile is not visible (blocks, following). */
export const anyUserResource = defineResource<Account>('accounts.anyUser');
/** Like {@link userResource}, for lists of an account: clients are told that one which they may not see has nothing. */
export const listedUserResource = defineResource<Account>('accounts.listedUser');

/** What follows a name in addresses such as /ada.keys. */
const endings = /\.(keys|gpg|png|rss|atom)$/;

/** The same address with the new name in the place of the old one. */
export function movedAddress(url: string, from: string, to: string): string {
  const [path = '', query] = url.split(/\?(.*)/s);
  const segments = path.split('/');
  const decoded = (segment: string) => {
    try {
      return decodeURIComponent(segment);
    } catch {
      return segment;
    }
  };
  // `/api/v1` in front is never a name.
  const named = (segment: string) => decoded(segment) === from || decoded(segment).replace(endings, '') === from;
  const at = segments.findIndex(
    (segment, index) => (path.startsWith('/api/v1/') ? index > 2 : index > 0) && named(segment),
  );
  const old = segments[at];
  if (old !== undefined)
    segments[at] = encodeURIComponent(to) + (decoded(old) === from ? '' : (endings.exec(old)?.[0] ?? ''));
  return query ? `${segments.join('/')}?${query}` : segments.join('/');
}
