import { Forbidden, Problem } from '@mortise/plugin-sdk';
import type { Account, Accounts, LoginSource, LoginSources } from '@mortise/accounts/api';
import type { Registrations } from '@mortise/sessions/api';
import type { Source } from '../routes/active-sources.js';
import { t } from '../texts/index.js';
import type { Identity } from './identity.js';

interface Deps {
  readonly accounts: Accounts;
  readonly loginSources: LoginSources;
  readonly registrations: Registrations;
}

/** Makes people of providers accounts here, and takes over what providers say of them. */
export class SamlProvisioner {
  constructor(private readonly deps: Deps) {}

  /**
   * The account of the person, which is made where there is none.
   *
   * @returns `needsActivation`: an administrator has to activate it first
   * @throws Forbidden where the name or address is missing, not allowed, or somebody else's: that it is the same person, nobody has
   *   shown
   */
  async provision(
    source: Source,
    identity: Identity,
  ): Promise<{ readonly account: Account; readonly needsActivation: boolean }> {
    const { accounts, loginSources, registrations } = this.deps;
    const { name, email, fullName, isAdmin, isRestricted } = identity;
    const of = source as unknown as LoginSource;
    const existing = await loginSources.accountOf(of, identity.loginName);
    if (existing) return { account: await loginSources.refresh(of, existing, identity), needsActivation: false };
    if (name === '' || email === '') throw Forbidden(t.later('error.incomplete', { source: source.name }));
    let made: Awaited<ReturnType<Registrations['registerExternal']>>;
    try {
      made = await registrations.registerExternal({
        name,
        email,
        isEmailVerified: true,
        confirmsEmail: false,
        fullName,
        isAdmin,
        isRestricted,
        sourceId: source.id,
        loginName: identity.loginName,
      });
    } catch (error) {
      if (!Problem.is(error) || error.code !== 'invalid') throw error;
      const isTaken = (await accounts.byName(name)) !== undefined || (await accounts.byEmails([email])).size > 0;
      throw Forbidden(isTaken ? t.later('error.taken', { source: source.name }) : error.text);
    }
    // the first administrator stays one
    const { isAdmin: _admin, ...said } = identity;
    const account = await loginSources.refresh(of, made.account, said);
    return { account, needsActivation: made.waitsFor !== undefined };
  }
}
