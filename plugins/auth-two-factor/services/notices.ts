import type { Site } from '@mortise/plugin-sdk';
import type { AccountMail, Accounts } from '@mortise/accounts/api';
import type { SecondFactorChange } from '../contract/auth-two-factor.js';
import { t } from '../texts/index.js';

interface Services {
  readonly accounts: Accounts;
  readonly accountMail: AccountMail;
  readonly site: Site;
}

/** Tells people by mail that a way into their account has changed. */
export async function notifyChange(
  { userId, change, name: key = '' }: SecondFactorChange,
  { accounts, accountMail, site }: Services,
): Promise<void> {
  const account = accountMail.isEnabled ? await accounts.byId(userId) : undefined;
  if (account?.kind !== 'user') return;
  const { name } = account;
  const what = {
    totpAdded: t.later('mail.totpAdded', { name }),
    totpRemoved: t.later('mail.totpRemoved', { name }),
    keyAdded: t.later('mail.keyAdded', { name, key }),
    keyRemoved: t.later('mail.keyRemoved', { name, key }),
    codesMade: t.later('mail.codesMade', { name }),
    reset: t.later('mail.reset', { name }),
  }[change];
  await accountMail.send(account, {
    subject: t.later('mail.subject', { site: site.name }),
    body: [what, t.later('mail.notYou')],
  });
}
