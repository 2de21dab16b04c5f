import { NotFound, type Database, type Site } from '@mortise/plugin-sdk';
import type { Account, AccountCodes, AccountMail, EmailAddress, Emails } from '../api.js';
import { t } from '../texts/index.js';

interface ConfirmationDeps {
  readonly database: Database;
  readonly emails: Emails;
  readonly accountMail: AccountMail;
  readonly accountCodes: AccountCodes;
  readonly site: Site;
}

const purpose = 'email';
/** The id is a new one when an address is removed and added again. */
const boundTo = ({ email, isProven }: EmailAddress) => `${email.toLowerCase()} ${isProven ? 1 : 0}`;

/** Addresses that somebody adds to their account prove nothing until a mail to them was answered. */
export class EmailConfirmation {
  constructor(private readonly deps: ConfirmationDeps) {}

  /** Is there something that can be confirmed at all? */
  get isOffered(): boolean {
    return this.deps.accountMail.isEnabled;
  }

  /**
   * Adds addresses on behalf of the account itself; without mail they are in use at once. A mail that would be one too many
   * from this client, or for this address, is not sent: it can be asked for later.
   */
  async add(account: Account, addresses: readonly string[], client: string, language?: string): Promise<void> {
    const { accountMail, database, emails } = this.deps;
    await database.write(async () => {
      const before = new Set((await emails.list(account.id)).map(({ id }) => id));
      const now = await emails.add(account.id, addresses, { verified: !this.isOffered });
      for (const one of now) {
        if (before.has(one.id) || !this.isOffered) continue;
        const allowed = await accountMail.allow('confirm', { client, address: one.email });
        if (allowed === 'yes') await this.#send(account, one, language);
      }
    });
  }

  /** One more mail for an address that was not confirmed; false when it has had enough for now. */
  async sendAgain(account: Account, email: string, client: string, language?: string): Promise<boolean> {
    const { accountMail, emails } = this.deps;
    const one = (await emails.list(account.id)).find((entry) => entry.email.toLowerCase() === email.toLowerCase());
    if (!one || !this.isOffered) throw NotFound(t.later('error.emailMissing'));
    if (one.isProven && one.isVerified) return true;
    if ((await accountMail.allow('confirm', { client, address: one.email })) !== 'yes') return false;
    return this.#send(account, one, language);
  }

  /** The address that a code is for; undefined when the code is worth nothing. */
  async find(code: string): Promise<EmailAddress | undefined> {
    let address: EmailAddress | undefined;
    const of = await this.deps.accountCodes.read(purpose, code, async ({ userId, subjectId }) => {
      address = (await this.deps.emails.list(userId)).find(({ id }) => id === subjectId);
      return address && boundTo(address);
    });
    return of && address;
  }

  async #send(account: Account, one: EmailAddress, language: string | undefined): Promise<boolean> {
    const { accountCodes, accountMail, site } = this.deps;
    if (!this.isOffered) return false;
    const minutes = accountCodes.activeMinutes;
    const code = await accountCodes.make(
      { purpose, userId: account.id, subjectId: one.id, bound: boundTo(one) },
      minutes,
    );
    return accountMail.send(account, {
      address: one.email,
      ...(language === undefined ? {} : { language }),
      subject: t.later('mail.confirmSubject', { site: site.name }),
      body: [
        t.later('mail.confirmText', { email: one.email, name: account.name, site: site.name }),
        { link: site.url(`/user/activate_email?code=${code}`), label: t.later('mail.confirmLink') },
        t.later('mail.expires', { minutes }),
        t.later('mail.confirmIgnore'),
      ],
    });
  }
}
