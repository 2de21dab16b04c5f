import type { Site } from '@mortise/plugin-sdk';
import type { Account, AccountMail } from '@mortise/accounts/api';
import { t } from '../texts/index.js';

/** Tells somebody of the account that was made for them; the password is for who made it to hand over. */
export const sendWelcome = (account: Account, accountMail: AccountMail, site: Site): Promise<boolean> =>
  accountMail.send(account, {
    subject: t.later('mail.welcomeSubject', { site: site.name }),
    body: [
      t.later('mail.welcomeText', { name: account.name, site: site.name }),
      { link: site.url('/user/login'), label: t.later('mail.welcomeLink') },
      ...(account.mustChangePassword ? [t.later('mail.welcomePassword')] : []),
    ],
  });
