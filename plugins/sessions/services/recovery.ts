import { defineJob, type Jobs, type Locks, type Site } from '@mortise/plugin-sdk';
import {
  isEmailAddress,
  type Account,
  type AccountCodes,
  type AccountMail,
  type Accounts,
  type Emails,
} from '@mortise/accounts/api';
import { t } from '../texts/index.js';

interface RecoveryDeps {
  readonly jobs: Jobs;
  readonly locks: Locks;
  readonly accounts: Accounts;
  readonly emails: Emails;
  readonly accountMail: AccountMail;
  readonly accountCodes: AccountCodes;
  readonly site: Site;
}

interface RecoveryRules {
  /** There is a sign-in page that takes passwords. */
  readonly hasForm: boolean;
  /** `[service] RESET_PASSWD_CODE_LIVE_MINUTES` */
  readonly minutes: number;
}

/** Looks for the account of an address and writes to it. */
export const sendRecovery = defineJob<{ email: string; language: string }>('sessions.sendRecovery');

const purpose = 'recover';

/** New passwords for who has forgotten theirs, by mail. */
export class Recovery {
  constructor(
    private readonly deps: RecoveryDeps,
    private readonly rules: RecoveryRules,
  ) {}

  get isOffered(): boolean {
    return this.rules.hasForm && this.deps.accountMail.isEnabled;
  }

  /**
   * Takes a wish for a mail; false when this client has had its share. Does the same whatever the address is: who has an
   * account is looked up by a job, and neither the answer nor its time tells.
   */
  async request(email: string, client: string, language: string): Promise<boolean> {
    const { accountMail, jobs } = this.deps;
    const allowed = await accountMail.allow('recover', { client, address: email });
    if (allowed === 'client') return false;
    // something else than an address may be a password, and is not kept
    const address = allowed === 'yes' && isEmailAddress(email) ? email : '';
    await jobs.enqueue(sendRecovery, { email: address, language });
    return true;
  }

  /** The job. */
  async send(email: string, language: string): Promise<void> {
    const { accounts, accountCodes, accountMail, site } = this.deps;
    const account = email ? await accounts.byEmail(email) : undefined;
    if (!account || !this.#mayRecover(account)) return;
    const { minutes } = this.rules;
    const code = await accountCodes.make({ purpose, userId: account.id, bound: account.email.toLowerCase() }, minutes);
    await accountMail.send(account, {
      language,
      subject: t.later('mail.recoverSubject', { site: site.name }),
      body: [
        t.later('mail.recoverText', { name: account.name, site: site.name }),
        { link: site.url(`/user/recover_account?code=${code}`), label: t.later('mail.recoverLink') },
        t.later('mail.expires', { minutes }),
        t.later('mail.recoverIgnore'),
      ],
    });
  }

  /** The account that a code is for; undefined when the code is worth nothing. */
  async find(code: string): Promise<Account | undefined> {
    let account: Account | undefined;
    const of = await this.deps.accountCodes.read(purpose, code, async ({ userId }) => {
      account = await this.deps.accounts.byId(userId);
      return account && this.#mayRecover(account) ? account.email.toLowerCase() : undefined;
    });
    return of && account;
  }

  /**
   * Ends all sessions. Who has read the mail has the address. The code is spent by its first use, also when several come
   * at once: false for those that came later.
   */
  async reset(account: Account, code: string, password: string): Promise<boolean> {
    const { accounts, emails, locks } = this.deps;
    return locks.hold(`sessions.recover.${account.id}`, async () => {
      if ((await this.find(code))?.id !== account.id) return false;
      await accounts.update(account.id, { password, mustChangePassword: false });
      await emails.confirm(account.id, account.email);
      return true;
    });
  }

  /** Accounts of login sources have their password there; those that may not sign in would gain nothing. */
  #mayRecover(account: Account): boolean {
    const { accounts } = this.deps;
    return (
      account.kind === 'user' &&
      account.sourceId === 0 &&
      account.hasPassword &&
      accounts.refusal({ ...account, mustChangePassword: false }) === undefined
    );
  }
}
