import type { Account, Accounts } from '@mortise/accounts/api';
import type { Signature } from '@mortise/git/api';

/**
 * How an account signs a commit that is made for it now.
 * @deprecated Since 1.1.0; use `signatureOf` of {@link commitWriter}.
 */
export const signatureOf = (accounts: Accounts, account: Account): Signature => ({
  name: account.fullName || account.name,
  email: accounts.commitEmail(account),
  time: Date.now(),
  zone: '+0000',
});
