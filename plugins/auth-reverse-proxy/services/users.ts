import { actOrigins, anonymous, Problem, type AuthRequest, type Text } from '@mortise/plugin-sdk';
import { externalAccountName, isEmailAddress, type Account, type Accounts } from '@mortise/accounts/api';
import { t } from '../texts/index.js';

/** What a trusted proxy says of a user; at least a name or an address. */
export interface ProxyIdentity {
  readonly user: string | undefined;
  /** Only where `ENABLE_REVERSE_PROXY_EMAIL` is on. */
  readonly email: string | undefined;
  readonly fullName: string | undefined;
}

interface UserRules {
  /** Addresses name accounts too. */
  readonly usesEmail: boolean;
  readonly createsAccounts: boolean;
}

/** No account, and why. */
interface Refusal {
  readonly reason: Text;
  /** The same in English, for the log. */
  readonly message: string;
}

type AccountStore = Pick<Accounts, 'byName' | 'byConfirmedEmails' | 'search' | 'create'>;

/** Finds the account of whom a proxy names, or creates it. */
export class ProxyUsers {
  constructor(
    private readonly accounts: AccountStore,
    private readonly rules: UserRules,
  ) {}

  /** Undefined: there is none, and none may be created. */
  async resolve(
    identity: ProxyIdentity,
    { remoteAddress, surface }: Pick<AuthRequest, 'remoteAddress' | 'surface'>,
  ): Promise<Account | Refusal | undefined> {
    const known = await this.#find(identity);
    if (known || !this.rules.createsAccounts) return known;
    const origin = { actor: anonymous, remoteAddress, surface, plugin: 'auth-reverse-proxy' };
    return actOrigins.run(origin, () => this.#create(identity));
  }

  /**
   * By name; an address, or a name that no account can have, by the account that was created for it. An account that is
   * merely called like the part before the `@` is somebody else's: several domains have an `admin`.
   */
  async #find({ user, email }: ProxyIdentity): Promise<Account | undefined> {
    if (user === undefined) return email === undefined ? undefined : this.#byAddress(email);
    if (externalAccountName(user) === user) return this.accounts.byName(user);
    const { items } = await this.accounts.search({ kind: 'user', sourceId: 0, loginName: user, limit: 10, offset: 0 });
    // databases may not tell capitals apart
    return items.find((one) => one.loginName === user) ?? (this.rules.usesEmail ? this.#byAddress(user) : undefined);
  }

  /** Addresses that their owner has only claimed say nothing. */
  async #byAddress(address: string): Promise<Account | undefined> {
    return (await this.accounts.byConfirmedEmails([address])).get(address.toLowerCase());
  }

  async #create(identity: ProxyIdentity): Promise<Account | Refusal> {
    const { user = identity.email ?? '', fullName = '' } = identity;
    const name = externalAccountName(user);
    if (name === undefined) return { reason: t.later('error.name'), message: 'no account can have this name' };
    const address = identity.email ?? (this.rules.usesEmail && isEmailAddress(user) ? user : undefined);
    try {
      return await this.accounts.create({
        name,
        // a domain reserved for none (RFC 2606)
        email: address ?? `${name}@proxy.invalid`,
        isEmailProven: address !== undefined,
        fullName,
        ...(identity.user !== undefined && name !== user && { loginName: user }),
      });
    } catch (error) {
      if (!Problem.is(error)) throw error;
      // two requests of a new browser come at once
      return (await this.#find(identity)) ?? { reason: error.text, message: error.message };
    }
  }
}
