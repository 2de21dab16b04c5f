import { NotFound, type Actor } from '@mortise/plugin-sdk';
import type { Account, Accounts } from '@mortise/accounts/api';

/** Who acts for an owner on the command line: the owner, or for an organization an administrator. */
export async function responsibleFor(owner: Account, accounts: Accounts): Promise<Actor> {
  if (owner.kind === 'user') return accounts.actorOf(owner, '');
  const { items } = await accounts.search({ kind: 'user', isAdmin: true, isActive: true, limit: 1, offset: 0 });
  if (!items[0]) throw NotFound('user');
  return accounts.actorOf(items[0], '');
}
