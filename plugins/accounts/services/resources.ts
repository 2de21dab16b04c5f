import { Forbidden, NotFound, reply, type Site, type ResourceResolver } from '@mortise/plugin-sdk';
import { anyUserResource, userResource, type Account, type Accounts } from '../api.js';

/** What follows a name in addresses such as /ada.keys. */
const endings = /\.(keys|gpg|png|rss|atom)$/;

/** The same address with the new name in the place of the old one. */
export function movedUrl(url: string, from: string, to: string): string {
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

/** Finds the account of `{username}` (GEN-06); `any` also those whose profile the actor may not see. */
function userResolver(key: string, any: boolean, accounts: Accounts, site: Site): ResourceResolver<Account> {
  return {
    key,
    async resolve({ actor, params, url }) {
      const name = params.username ?? '';
      const account = await accounts.byName(name);
      if (!account) {
        const renamed = await accounts.renamedTo(name);
        const moved = renamed === undefined ? undefined : await accounts.byName(renamed);
        // Whom the actor may not see is not told by a redirect either.
        if (!moved || !accounts.mayView(actor, moved)) throw NotFound('user');
        return reply.redirect(site.path(movedUrl(url, name, moved.name)), 307);
      }
      if (!any && !accounts.mayView(actor, account)) throw NotFound('user');
      // TOK-26
      if (actor.publicOnly && account.visibility !== 'public')
        throw Forbidden('the token reaches only public accounts');
      return account;
    },
  };
}

export const userResolvers = (services: { accounts: Accounts; site: Site }) => [
  userResolver(userResource.id, false, services.accounts, services.site),
  userResolver(anyUserResource.id, true, services.accounts, services.site),
];
