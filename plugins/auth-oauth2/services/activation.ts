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

const purpose = 'oauth2-activate';
/** Whatever an administrator does with the account afterwards ends the code. */
const boundTo = ({ email, isActive, updatedAt }: Account) => `${email.toLowerCase()} ${isActive ? 1 : 0} ${updatedAt}`;

/** New accounts without a password that wait until the mail to their address was answered. */
export class OAuth2Activation {
  constructor(
    private readonly deps: ActivationDeps,
    /** New accounts wait for a mail; others that are not active wait for an administrator. */
    private readonly isWanted: boolean,
  ) {}

  /** Does the account wait for nothing but its mail? */
  async isAwaited(account: Account): Promise<boolean> {
    if (!this.isWanted || !this.deps.accountMail.isEnabled || account.isActive || account.prohibitLogin) return false;
    if (account.sourceId === 0 || account.lastLoginAt !== 0) return false;
    return !(await this.#isConfirmed(account));
  }

  /** False when mail is off, or the address or the client has had enough for now. */
  async send(account: Account, client: string, language: string): Promise<boolean> {
    const { accountCodes, accountMail, site } = this.deps;
    const allowed = await accountMail.allow('activate', { client, address: account.email });
    if (allowed !== 'yes') return false;
    const minutes = accountCodes.activeMinutes;
    const code = await accountCodes.make({ purpose, userId: account.id, bound: boundTo(account) }, minutes);
    return accountMail.send(account, {
      language,
      subject: t.later('mail.activateSubject', { site: site.name }),
      body: [
        t.later('mail.activateText', { name: account.name, site: site.name }),
        { link: site.url(`/user/oauth2_activate?code=${code}`), label: t.later('activate.submit') },
        t.later('mail.expires', { minutes }),
        t.later('mail.activateIgnore'),
      ],
    });
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
  async activate(account: Account): Promise<void> {
    const { accounts, database, emails } = this.deps;
    await database.write(async () => {
      await emails.confirm(account.id, account.email);
      await accounts.update(account.id, { isActive: true });
    });
  }

  async #isConfirmed({ id }: Account): Promise<boolean> {
    const primary = (await this.deps.emails.list(id)).find((one) => one.isPrimary);
    return primary?.isConfirmed ?? true;
  }
}
