import { Conflict, Forbidden, Invalid, type Locks } from '@mortise/plugin-sdk';
import type { Account, Accounts, NewAccount } from '@mortise/accounts/api';
import type { NewExternalAccount, Registrations } from '../contract/sessions.js';
import type { RegistrationSettings } from '../settings.js';
import { t } from '../texts/index.js';
import type { Activation } from './activation.js';

const words = (list: string) =>
  list
    .split(',')
    .map((word) => word.trim().toLowerCase())
    .filter(Boolean);

function fits(domain: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) =>
    new RegExp(
      `^${pattern
        .split('*')
        .map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
        .join('.*')}$`,
    ).test(domain),
  );
}

/** Who may make an account of their own. The first account of a site becomes its administrator. */
export class Registration implements Registrations {
  constructor(
    private readonly accounts: Accounts,
    private readonly locks: Locks,
    private readonly settings: RegistrationSettings,
    private readonly activation: Activation,
  ) {}

  get isOpen(): boolean {
    return !this.settings.DISABLE_REGISTRATION && !this.settings.ALLOW_ONLY_EXTERNAL_REGISTRATION;
  }

  get isOpenToExternal(): boolean {
    return !this.settings.DISABLE_REGISTRATION && this.takesExternal;
  }

  get confirmsEmail(): boolean {
    return this.settings.REGISTER_EMAIL_CONFIRM;
  }

  /** Are new accounts inactive until a mail is answered or an administrator lets them in? */
  get waits(): boolean {
    return this.settings.REGISTER_MANUAL_CONFIRM || this.settings.REGISTER_EMAIL_CONFIRM;
  }

  get takesExternal(): boolean {
    return !this.settings.ALLOW_ONLY_INTERNAL_REGISTRATION;
  }

  get isShown(): boolean {
    return this.isOpen && this.settings.SHOW_REGISTRATION_BUTTON;
  }

  /** Throws Invalid for an address whose domain the settings do not allow. */
  checkDomain(email: string): void {
    const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase();
    const allowed = words(this.settings.EMAIL_DOMAIN_ALLOWLIST);
    if (allowed.length > 0 ? !fits(domain, allowed) : fits(domain, words(this.settings.EMAIL_DOMAIN_BLOCKLIST)))
      throw Invalid(t.later('error.domain'), { inputs: { email: t.later('error.domain') } });
  }

  /** `language`: of the mail that asks to confirm, where that is wanted; `client`: address that too many may come from. */
  async register(given: {
    name: string;
    email: string;
    password: string;
    language: string;
    client: string;
  }): Promise<Account> {
    if (!this.isOpen) throw Forbidden(t.later('error.closed'));
    this.checkDomain(given.email);
    const account = await this.#create((isFirst) => ({
      name: given.name,
      email: given.email,
      password: given.password,
      isEmailClaimed: !isFirst,
      isAdmin: isFirst,
      isActive: isFirst || !this.waits,
    }));
    if (await this.activation.isAwaited(account)) await this.activation.send(account, given.client, given.language);
    return account;
  }

  async registerExternal(given: NewExternalAccount) {
    const { confirmsEmail = this.settings.REGISTER_EMAIL_CONFIRM, isEmailVerified, ...properties } = given;
    if (!this.takesExternal) throw Forbidden(t.later('error.closed'));
    this.checkDomain(given.email);
    const waits = confirmsEmail || this.settings.REGISTER_MANUAL_CONFIRM;
    const account = await this.#create(async (isFirst) => {
      await this.#refuseKnown(given);
      return {
        ...properties,
        // an address that is still to be confirmed by mail is only claimed, whatever the source says
        isEmailClaimed: !(isFirst || (isEmailVerified && !confirmsEmail)),
        isEmailProven: isEmailVerified && !confirmsEmail,
        isAdmin: isFirst || (properties.isAdmin ?? false),
        isActive: isFirst || !waits,
      };
    });
    const waitsFor = confirmsEmail ? ('mail' as const) : ('administrator' as const);
    return { account, waitsFor: account.isActive ? undefined : waitsFor };
  }

  /** Two forms that are sent at the same moment must not make one person two accounts. */
  async #refuseKnown({ sourceId, loginName }: NewExternalAccount): Promise<void> {
    const { items } = await this.accounts.search({ kind: 'user', sourceId, loginName, limit: 10, offset: 0 });
    // databases may not tell capitals apart
    if (items.some((one) => one.loginName === loginName)) throw Conflict(t.later('error.knownAlready'));
  }

  #create(make: (isFirst: boolean) => NewAccount | Promise<NewAccount>): Promise<Account> {
    // Two people who register first at the same moment must not both become administrators.
    return this.locks.hold('sessions.register', async () =>
      this.accounts.create(await make((await this.accounts.count()) === 0)),
    );
  }
}
