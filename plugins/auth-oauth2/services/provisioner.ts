import { Forbidden, Problem } from '@mortise/plugin-sdk';
import type { Account, Accounts, Emails, LoginSources } from '@mortise/accounts/api';
import type { Registrations } from '@mortise/sessions/api';
import type { ClientSettings } from '../settings.js';
import { t } from '../texts/index.js';
import type { AvatarUpdates } from './avatars.js';
import type { Source } from './client.js';
import type { Identity } from './identity.js';
import type { Links } from './links.js';

interface ProvisionerDeps {
  readonly accounts: Accounts;
  readonly emails: Emails;
  readonly loginSources: LoginSources;
  readonly links: Links;
  readonly registrations: Registrations;
  readonly avatars: AvatarUpdates;
}

/** What becomes of somebody who has come from a provider. */
type Outcome =
  | { readonly kind: 'known'; readonly account: Account; readonly isNewLink: boolean }
  | { readonly kind: 'made'; readonly account: Account; readonly waitsFor: 'mail' | 'administrator' | undefined }
  /** They are asked: which account is theirs, or what a new one is called. */
  | { readonly kind: 'ask' };

/** What a new account is called, where the provider does not say it or it is somebody else's. */
interface NewUserInput {
  readonly name: string;
  readonly email: string;
}

/** Makes people of providers accounts here. */
export class OAuth2Provisioner {
  constructor(
    private readonly deps: ProvisionerDeps,
    private readonly settings: ClientSettings,
  ) {}

  /** Forbidden where nothing can be done. */
  async provision(source: Source, identity: Identity): Promise<Outcome> {
    const { accounts, links, registrations } = this.deps;
    const existing = await links.accountOf(source, identity);
    if (existing) return { kind: 'known', account: existing, isNewLink: false };
    if (!this.settings.ENABLE_AUTO_REGISTRATION || !registrations.takesExternal) return { kind: 'ask' };
    const { name, email } = identity;
    if (name === '' || email === '' || !isGoodName(accounts, name)) return { kind: 'ask' };
    const isTaken = (await accounts.byName(name)) !== undefined || (await this.isHeld(email, identity));
    if (!isTaken) return { kind: 'made', ...(await this.register(source, identity, { name, email })) };
    switch (this.settings.ACCOUNT_LINKING) {
      case 'disabled':
        throw Forbidden(t.later('error.taken', { source: source.name }));
      case 'login':
        return { kind: 'ask' };
      case 'auto': {
        const owner = await this.#provenOwner(identity);
        return owner ? { kind: 'known', account: owner, isNewLink: true } : { kind: 'ask' };
      }
    }
  }

  /** May somebody choose an account of theirs that exists? */
  get takesExisting(): boolean {
    return this.settings.ACCOUNT_LINKING !== 'disabled';
  }

  /** Does another account have the address, more than by claiming it where this one is proven now or by mail? */
  async isHeld(email: string, identity: Identity): Promise<boolean> {
    const { accounts } = this.deps;
    const holders = this.provesEmail(email, identity)
      ? await accounts.byConfirmedEmails([email])
      : await accounts.byEmails([email]);
    return holders.size > 0;
  }

  /** Is the address of a new account proven, by the provider or by a mail that it waits for? */
  provesEmail(email: string, identity: Identity): boolean {
    const isSaid = identity.isEmailVerified && email.toLowerCase() === identity.email.toLowerCase();
    return isSaid || (this.settings.REGISTER_EMAIL_CONFIRM ?? this.deps.registrations.confirmsEmail);
  }

  /** Throws what is wrong with name or address, at the fields. */
  async register(source: Source, identity: Identity, { name, email }: NewUserInput) {
    const { registrations, loginSources } = this.deps;
    const { REGISTER_EMAIL_CONFIRM: confirms } = this.settings;
    const { isAdmin, isRestricted } = identity.said;
    const made = await registrations.registerExternal({
      name,
      email,
      isEmailVerified: identity.isEmailVerified && email.toLowerCase() === identity.email.toLowerCase(),
      ...(identity.fullName && { fullName: identity.fullName }),
      ...(isAdmin !== undefined && { isAdmin }),
      ...(isRestricted !== undefined && { isRestricted }),
      sourceId: source.id,
      loginName: identity.subject,
      confirmsEmail: confirms,
    });
    // the first administrator stays one
    const { isAdmin: _admin, ...said } = identity.said;
    const account = await loginSources.refresh(source, made.account, {
      ...said,
      loginName: identity.subject,
      name,
      email,
    });
    await this.deps.avatars.want(account, source, identity);
    return { account, waitsFor: made.waitsFor };
  }

  /** Takes over what the provider says of somebody who signs in as this account, where it is its own account. */
  async refresh(source: Source, account: Account, identity: Identity): Promise<Account> {
    const { avatars, links, loginSources } = this.deps;
    const { name, email, subject, said } = identity;
    const isOwn = account.sourceId === source.id;
    // rights, groups, names and keys of other accounts are this site's, their own source's or their owners'
    const fresh = isOwn
      ? await loginSources.refresh(source, account, { ...said, loginName: subject, name, email })
      : account;
    if (!isOwn) await links.used(source, identity);
    await avatars.want(fresh, source, identity);
    return fresh;
  }

  /** Both sides must have seen that the address is theirs: the provider, and this site. */
  async #provenOwner({ email, isEmailVerified }: Identity): Promise<Account | undefined> {
    if (!isEmailVerified) return undefined;
    const owners = await this.deps.accounts.byConfirmedEmails([email]);
    const owner = owners.get(email.toLowerCase());
    if (owner?.kind !== 'user') return undefined;
    // the hidden form of an address leads to its owner too, and nobody has confirmed that
    const stored = (await this.deps.emails.list(owner.id)).find(
      (one) => one.email.toLowerCase() === email.toLowerCase(),
    );
    return stored?.isVerified && stored.isProven ? owner : undefined;
  }
}

function isGoodName(accounts: Accounts, name: string): boolean {
  try {
    accounts.checkName(name);
    return true;
  } catch (error) {
    if (!Problem.is(error)) throw error;
    return false;
  }
}
