import { Invalid, type Actor, type PointReader } from '@mortise/plugin-sdk';
import type { AccountFeatures, Accounts, LoginSourceKind, LoginSources } from '@mortise/accounts/api';
import type { Sessions } from '@mortise/sessions/api';
import { t } from '../texts/index.js';

/** Milliseconds after signing in for which those without a password need not sign in again. */
const freshSpan = 15 * 60_000;

export interface ConfirmParts {
  readonly accountFeatures: AccountFeatures;
  readonly accounts: Accounts;
  readonly loginSources: LoginSources;
  readonly sessions: Sessions;
}

/** Makes sure that it is still the owner who sits at a signed-in browser, before the ways into the account change. */
export class Confirmation {
  constructor(
    private readonly parts: ConfirmParts,
    private readonly kinds: PointReader<LoginSourceKind>,
  ) {}

  /** Does the account have a password, here or at its source? */
  async hasPassword(userId: number): Promise<boolean> {
    const account = await this.parts.accounts.byId(userId);
    if (!account) return false;
    if (account.sourceId === 0) return account.hasPassword;
    const source = await this.parts.loginSources.byId(account.sourceId);
    return this.kinds.list().some(({ key, checkPassword }) => key === source?.kind && checkPassword !== undefined);
  }

  /** Has the operator, or the source of the account, taken it away to change second factors? */
  async isFixed(userId: number): Promise<boolean> {
    const account = await this.parts.accounts.byId(userId);
    return account !== undefined && this.parts.accountFeatures.isOff(account, 'manage_mfa');
  }

  /** Forbidden where it is taken away. */
  mayChange(userId: number): Promise<void> {
    return this.parts.accountFeatures.check(userId, 'manage_mfa');
  }

  /** See {@link mayChange}. Throws Invalid for a wrong password; for accounts without one, unless they have just signed in. */
  async check(actor: Actor, password: string, address: string): Promise<void> {
    await this.mayChange(actor.id);
    if (await this.hasPassword(actor.id)) {
      const account = password ? await this.parts.accounts.checkPassword(actor.name, password, address) : undefined;
      if (account?.id === actor.id) return;
      throw Invalid(t.later('error.password'), { inputs: { password: t.later('error.password') } });
    }
    const own = await this.parts.sessions.list(actor.id);
    const session = own.find(({ id }) => actor.method === 'session' && id === actor.credentialId);
    if (!session || session.createdAt < Date.now() - freshSpan) throw Invalid(t.later('error.signInAgain'));
  }
}
