import type { Account, Accounts, LoginSource, LoginSources } from '@mortise/accounts/api';
import type { SecondFactors } from '@mortise/auth-two-factor/api';
import { accountName, type Principal } from './principal.js';
import { realmsOf, type SourceSettings } from './source-settings.js';

export const kindKey = 'sspi';

interface PrincipalAccountsDeps {
  readonly accounts: Accounts;
  readonly loginSources: LoginSources;
  /** Absent: there are no second factors here. */
  readonly secondFactors?: SecondFactors;
}

type Source = LoginSource<SourceSettings>;

/** Whose accounts principals are. */
export class PrincipalAccounts {
  constructor(private readonly deps: PrincipalAccountsDeps) {}

  /** Can anybody sign in so? */
  async isOffered(): Promise<boolean> {
    return (await this.#sources()).length > 0;
  }

  /**
   * The account of that principal at the source that takes its realm; made where the source says so. Never one that is
   * merely called the same. Undefined: nobody's. Throws Forbidden where the name is somebody else's.
   */
  async of(principal: Principal): Promise<Account | undefined> {
    const source = (await this.#sources()).find(({ settings }) => realmsOf(settings).includes(principal.realm));
    if (!source) return undefined;
    return (await this.#known(source, principal)) ?? (await this.#make(source, principal));
  }

  /** Must the account show a second factor that cannot be shown together with a ticket? */
  async lacksFactor(account: Account): Promise<boolean> {
    const { loginSources, secondFactors } = this.deps;
    if (!secondFactors || !(await secondFactors.has(account.id))) return false;
    return !(await loginSources.byId(account.sourceId))?.skipsSecondFactor;
  }

  async #sources(): Promise<readonly Source[]> {
    const all = await this.deps.loginSources.list({ kind: kindKey, isActive: true });
    return all as readonly LoginSource<unknown>[] as readonly Source[];
  }

  async #known({ id }: Source, { full }: Principal): Promise<Account | undefined> {
    const { items } = await this.deps.accounts.search({
      kind: 'user',
      sourceId: id,
      loginName: full,
      limit: 10,
      offset: 0,
    });
    // databases may not tell capitals apart, Kerberos does
    return items.find(({ loginName }) => loginName === full);
  }

  async #make(source: Source, principal: Principal): Promise<Account | undefined> {
    const { settings } = source;
    if (!settings.autoCreateUsers) return undefined;
    const name = accountName(principal, settings);
    return this.deps.loginSources.provision(source as unknown as LoginSource, {
      loginName: principal.full,
      name,
      // a realm is no domain of mail; nobody has an address of the one that is reserved for none (RFC 2606)
      email: `${name.toLowerCase().replace(/[^\w.-]/g, '-')}@sspi.invalid`,
      isActive: settings.autoActivateUsers,
      language: settings.defaultLanguage,
    });
  }
}
