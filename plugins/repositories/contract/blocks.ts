import { Forbidden, type Actor } from '@mortise/plugin-sdk';
import type { Account, Accounts } from '@mortise/accounts/api';
import { t } from '../texts/index.js';

interface Person {
  readonly id: number;
  readonly isAdmin: boolean;
}

/** Refuses what a person does with what belongs to an account that blocks it; administrators are not kept away. */
export async function refuseBlocked(
  accounts: Pick<Accounts, 'blocks'>,
  person: Person,
  blockerId: number,
): Promise<void> {
  if (person.isAdmin || person.id === blockerId) return;
  if (await accounts.blocks(blockerId, person.id)) throw Forbidden(t.later('error.blocked'));
}

/** TOK-26: a public-only token does not act for an account that is not public. */
export function mustBeOpen(actor: Actor, account: Account | undefined): void {
  if (actor.publicOnly && account && account.visibility !== 'public') throw Forbidden(t.later('error.publicAccounts'));
}
