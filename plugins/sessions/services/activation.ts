import type { Database, Site } from '@mortise/plugin-sdk';
import type { Account, AccountCodes, AccountMail, Accounts, Emails } from '@mortise/accounts/api';
import { t } from '../texts/index.js';

export interface ActivationDeps {
  readonly database: Database;
  readonly accounts: Accounts;
  readonly emails: Emails;
  readonly accountMail: AccountMail;
  readonly accountCodes: AccountCodes;
  readonly site: Site;
}

const purpose = 'activate';
/** Whatever an administrator does with the account afterwards ends the code. */
const boundTo = ({ email, isActive, updatedAt }: Account) => `${email.toLowerCase()} ${isActive ? 1 : 0} ${updatedAt}`;

/** New accounts that wait until the mail to their address was answered (`REGISTER_EMAIL_CONFIRM`). */
export class Activation {
  constructor(
    private readonly deps: ActivationDeps,
    private readonly isWanted: boolean,
  ) {}

  get isOffered(): boolean {
    return this.isWanted && this.deps.accountMail.isEnabled;
  }

  /**
   * Does the account wait for nothing but its mail? One that an administrator made or turned off waits for them: its
   * address is vouched for, or it was in use.
   */
  async isAwaited(account: Account): Promise<boolean> {
    if (!this.isOffered || account.isActive || account.prohibitLogin || account.lastLoginAt !== 0) return false;
    const primary = (await this.deps.emails.list(account.id)).find((one) => one.isPrimary);
    return primary !== undefined && !primary.isConfirmed;
  }

  async send(account: Account, language: string): Promise<boolean> {
    const { accountCodes, accountMail, site } = this.deps;
    const minutes = accountCodes.activeMinutes;
    const code = await accountCodes.make({ purpose, userId: account.id, bound: boundTo(account) }, minutes);
    return accountMail.send(account, {
      language,
      subject: t.later('mail.activateSubject', { site: site.name }),
      body: [
        t.later('mail.activateText', { name: account.name, site: site.name }),
        { link: site.url(`/user/activate?code=${code}`), label: t.later('mail.activateLink') },
        t.later('mail.expires', { minutes }),
        t.later('mail.activateIgnore'),
      ],
    });
  }

  /** One more mail; false when the address or the client has had enough for now. */
  async sendAgain(account: Account, client: string, language: string): Promise<boolean> {
    const allowed = await this.deps.accountMail.allow('activate', { client, address: account.email });
    return allowed === 'yes' && this.send(account, language);
  }

  /** The account that a code activates; undefined when the code is worth nothing. */
  async find(code: string): Promise<Account | undefined> {
    let found: Account | undefined;
    const of = await this.deps.accountCodes.read(purpose, code, async ({ userId }) => {
      found = await this.deps.accounts.byId(userId);
      return found && !found.isActive && !found.prohibitLogin ? boundTo(found) : undefined;
    });
    return of && found;
  }

  /** Who has read the mail has the address. */
  async activate(account: Account): Promise<Account> {
    const { accounts, database, emails } = this.deps;
    return database.write(async () => {
      await emails.confirm(account.id, account.email);
      return accounts.update(account.id, { isActive: true });
    });
  }
}
