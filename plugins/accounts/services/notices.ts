import type { Site } from '@mortise/plugin-sdk';
import type { AccountMail, Accounts } from '../api.js';
import { t } from '../texts/index.js';

interface Services {
  readonly accounts: Accounts;
  readonly accountMail: AccountMail;
  readonly site: Site;
}

/** Tells an account that its password is another one: its owner may not know. */
export async function notifyPasswordChange(userId: number, { accounts, accountMail, site }: Services): Promise<void> {
  const account = accountMail.isEnabled ? await accounts.byId(userId) : undefined;
  if (account?.kind !== 'user') return;
  await accountMail.send(account, {
    subject: t.later('mail.passwordSubject', { site: site.name }),
    body: [t.later('mail.passwordText', { name: account.name, site: site.name }), t.later('mail.notYou')],
  });
}

/** Tells an account that an address went to somebody who proved that it is theirs, where another address is left. */
export async function notifyReleasedClaim(
  { userId, email }: { userId: number; email: string },
  { accounts, accountMail, site }: Services,
): Promise<void> {
  const account = accountMail.isEnabled ? await accounts.byId(userId) : undefined;
  if (account?.kind !== 'user' || account.email.endsWith('.invalid')) return;
  await accountMail.send(account, {
    subject: t.later('mail.claimSubject', { site: site.name }),
    body: [t.later('mail.claimText', { email, name: account.name, site: site.name })],
  });
}

/** Tells the old address: whoever took an account over would begin with the address. */
export async function notifyAddressChange(
  { userId, from, to }: { userId: number; from: string; to: string },
  { accounts, accountMail, site }: Services,
): Promise<void> {
  const account = accountMail.isEnabled && from ? await accounts.byId(userId) : undefined;
  if (account?.kind !== 'user') return;
  await accountMail.send(account, {
    address: from,
    subject: t.later('mail.addressSubject', { site: site.name }),
    body: [t.later('mail.addressText', { name: account.name, site: site.name, email: to }), t.later('mail.notYou')],
  });
}
