import type { Database, Site } from '@mortise/plugin-sdk';
import { t } from '../texts/index.js';
import type { Account } from './account.js';
import type { Accounts } from './accounts.js';
import type { Emails } from './emails.js';
import type { AccountCodes, AccountMail } from './mail.js';

export interface ActivationDeps {
  readonly database: Database;
  readonly accounts: Accounts;
  readonly emails: Emails;
  readonly accountMail: AccountMail;
  readonly accountCodes: AccountCodes;
  readonly site: Site;
}

/** Whatever an administrator does with the account afterwards ends the code. */
const boundTo = ({ email, isActive, updatedAt }: Account) => `${email.toLowerCase()} ${isActive ? 1 : 0} ${updatedAt}`;

/** New accounts that wait until the mail to their address was answered: what each way of registering does about them. */
export class AccountActivation {
  readonly #deps: ActivationDeps;
  readonly #isWanted: boolean;
  readonly #purpose: string;
  readonly #path: string;

  /** `purpose` of the codes, and `path` of the page that takes them. */
  constructor(deps: ActivationDeps, isWanted: boolean, { purpose, path }: { purpose: string; path: string }) {
    this.#deps = deps;
    this.#isWanted = isWanted;
    this.#purpose = purpose;
    this.#path = path;
  }

  /** New accounts wait for a mail; without it they wait for an administrator. */
  get isOffered(): boolean {
    return this.#isWanted && this.#deps.accountMail.isEnabled;
  }

  /**
   * Does the account wait for nothing but its mail? One that an administrator made or turned off waits for them: its
   * address is vouched for, or it was in use.
   */
  async isAwaited(account: Account): Promise<boolean> {
    if (!this.isOffered || account.isActive || account.prohibitLogin || account.lastLoginAt !== 0) return false;
    const primary = (await this.#deps.emails.list(account.id)).find((one) => one.isPrimary);
    return primary !== undefined && !primary.isConfirmed;
  }

  /** A mail with a link; false when mail is off, or the address or the client has had enough for now. */
  async send(account: Account, client: string, language: string): Promise<boolean> {
    const { accountCodes, accountMail, site } = this.#deps;
    const allowed = await accountMail.allow('activate', { client, address: account.email });
    if (allowed !== 'yes') return false;
    const minutes = accountCodes.activeMinutes;
    const bound = { purpose: this.#purpose, userId: account.id, bound: boundTo(account) };
    const code = await accountCodes.make(bound, minutes);
    return accountMail.send(account, {
      language,
      subject: t.later('mail.activateSubject', { site: site.name }),
      body: [
        t.later('mail.activateText', { name: account.name, site: site.name }),
        { link: site.url(`${this.#path}?code=${code}`), label: t.later('mail.activateLink') },
        t.later('mail.expires', { minutes }),
        t.later('mail.activateIgnore'),
      ],
    });
  }

  /** The account that a code activates; undefined when the code is worth nothing. */
  async find(code: string): Promise<Account | undefined> {
    let account: Account | undefined;
    const of = await this.#deps.accountCodes.read(this.#purpose, code, async ({ userId }) => {
      account = await this.#deps.accounts.byId(userId);
      return account && !account.isActive && !account.prohibitLogin ? boundTo(account) : undefined;
    });
    return of && account;
  }

  /** Who has read the mail has the address. */
  async activate(account: Account): Promise<Account> {
    const { accounts, database, emails } = this.#deps;
    return database.write(async () => {
      await emails.confirm(account.id, account.email);
      return accounts.update(account.id, { isActive: true });
    });
  }
}
