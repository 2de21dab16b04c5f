import {
  addressWith,
  Forbidden,
  NotFound,
  reply,
  type Reply,
  type Site,
  type ResourceResolver,
} from '@mortise/plugin-sdk';
import {
  anyUserResource,
  listedUserResource,
  userResource,
  type Account,
  type Accounts,
  type Memberships,
} from '../api.js';

/** Finds the account of `{username}` (GEN-06); `ofHidden`: what stands for one whose profile the actor may not see. */
function userResolver(
  key: string,
  ofHidden: (account: Account) => Account | Reply,
  { accounts, memberships, site }: { accounts: Accounts; memberships: Memberships; site: Site },
): ResourceResolver<Account> {
  return {
    key,
    async resolve(request) {
      const { actor, params } = request;
      const name = params.username ?? '';
      const account = await accounts.byName(name);
      if (!account) {
        const renamed = await accounts.renamedTo(name);
        const moved = renamed === undefined ? undefined : await accounts.byName(renamed);
        // Whom the actor may not see is not told by a redirect either.
        if (!moved || !(await memberships.mayView(actor, moved))) throw NotFound('user');
        return reply.redirect(site.path(addressWith(request, { username: moved.name })), 307);
      }
      const isHidden = !(await memberships.mayView(actor, account));
      const resource = isHidden ? ofHidden(account) : account;
      // TOK-26
      if (actor.publicOnly && account.visibility !== 'public')
        throw Forbidden('the token reaches only public accounts');
      return resource;
    },
  };
}

export const userResolvers = (services: Parameters<typeof userResolver>[2]) => [
  userResolver(
    userResource.id,
    () => {
      throw NotFound('user');
    },
    services,
  ),
  userResolver(anyUserResource.id, (account) => account, services),
  userResolver(listedUserResource.id, () => reply.list([], 0), services),
];
