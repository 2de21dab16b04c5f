import { Forbidden, type Actor } from '@mortise/plugin-sdk';
import type { Account, Accounts } from '@mortise/accounts/api';
import { t } from '../texts/index.js';

interface BlockableActor {
  readonly id: number;
  readonly isAdmin: boolean;
}

/** Refuses what a person does with what belongs to an account that blocks it; administrators are not kept away. */
export async function refuseBlocked(
  accounts: Pick<Accounts, 'blocks'>,
  person: BlockableActor,
  blockerId: number,
): Promise<void> {
  if (person.isAdmin || person.id === blockerId) return;
  if (await accounts.blocks(blockerId, person.id)) throw Forbidden(t.later('error.blocked'));
}

/**
 * Refuses to bring an account into what belongs to others (an organization, a repository, whoever asks for it) where one
 * of the two blocks the other; administrators may be the ones who ask.
 */
export async function refuseBlockedPair(
  accounts: Pick<Accounts, 'blocks'>,
  account: Pick<BlockableActor, 'id'>,
  ownerId: number,
  actor?: BlockableActor,
): Promise<void> {
  const others = new Set([ownerId, ...(actor && actor.id > 0 && !actor.isAdmin ? [actor.id] : [])]);
  others.delete(account.id);
  for (const other of others)
    if ((await accounts.blocks(other, account.id)) || (await accounts.blocks(account.id, other)))
      throw Forbidden(t.later('error.blockedPair'));
}

/** TOK-26: a public-only token does not act for an account that is not public. */
export function mustBeOpen(actor: Actor, account: Pick<Account, 'visibility'> | undefined): void {
  if (actor.publicOnly && account && account.visibility !== 'public') throw Forbidden(t.later('error.publicAccounts'));
}
