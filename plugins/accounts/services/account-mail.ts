import { networkOf } from '@mortise/plugin-sdk';
import type { Mailer } from '@mortise/mail/api';
import { type Account, type AccountMail } from '../api.js';
import { signInName } from '../contract/names.js';
import type { MailToAccount } from '../contract/mail.js';
import { t } from '../texts/index.js';

/** A person asks a few times; who asks for many addresses is no person. */
const perAddress = { max: 3, minutes: 60 };
const perClient = { max: 20, minutes: 60 };

/** Mail to accounts; without the plugin `mail` nothing is sent. */
export class MailToAccounts implements AccountMail {
  constructor(private readonly mailer: Mailer | undefined) {}

  get isEnabled(): boolean {
    return this.mailer?.isEnabled ?? false;
  }

  async send(account: Account, { address, language, body, ...mail }: MailToAccount): Promise<boolean> {
    const to = address ?? account.email;
    if (!this.mailer || !this.isEnabled || !to) return false;
    return this.mailer.send({
      ...mail,
      body: [t.later('mail.hello', { name: account.fullName || account.name }), ...body],
      to: { address: to, name: account.fullName || account.name, language: account.language || (language ?? '') },
    });
  }

  async allow(purpose: string, asked: { client: string; address: string }): Promise<'yes' | 'client' | 'address'> {
    const client = { key: `${purpose} by ${networkOf(asked.client)}`, ...perClient };
    const address = { key: `${purpose} to ${signInName(asked.address).toLowerCase()}`, ...perAddress };
    const full = await this.mailer?.allow([client, address]);
    return full === undefined ? 'yes' : full === client.key ? 'client' : 'address';
  }
}
