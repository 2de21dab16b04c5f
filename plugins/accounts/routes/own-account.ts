import { Forbidden, Joi, Unauthorized, type Actor } from '@mortise/plugin-sdk';
import type { Account, Accounts } from '../api.js';

/** The signed-in account; a public-only token does not reach one that is not public (TOK-26). */
export async function ownAccount(accounts: Accounts, actor: Actor): Promise<Account> {
  const account = await accounts.byId(actor.id);
  if (!account) throw Unauthorized();
  if (actor.publicOnly && account.visibility !== 'public')
    throw Forbidden('The token can only access public accounts.');
  return account;
}

export const idParams = Joi.object<{ readonly id: number }>({ id: Joi.number().integer().min(1).required() });
