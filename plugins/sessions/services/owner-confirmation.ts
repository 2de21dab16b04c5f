import { Invalid, type Actor, type PointReader } from '@mortise/plugin-sdk';
import type { Accounts, LoginSourceKind, LoginSources } from '@mortise/accounts/api';
import type { OwnerConfirmation, Sessions } from '../contract/sessions.js';
import { t } from '../texts/index.js';

/** Milliseconds after signing in for which those without a password need not sign in again. */
const freshSpan = 15 * 60_000;

interface OwnerDeps {
  readonly accounts: Accounts;
  readonly loginSources: LoginSources;
  readonly sessions: Sessions;
}

/** By the password, or by a session that has just begun. */
export class Owners implements OwnerConfirmation {
  constructor(
    private readonly deps: OwnerDeps,
    private readonly kinds: PointReader<LoginSourceKind>,
  ) {}

  async hasPassword(userId: number): Promise<boolean> {
    const account = await this.deps.accounts.byId(userId);
    if (!account) return false;
    if (account.sourceId === 0) return account.hasPassword;
    const source = await this.deps.loginSources.byId(account.sourceId);
    return this.kinds.list().some(({ key, checkPassword }) => key === source?.kind && checkPassword !== undefined);
  }

  async check(actor: Actor, password: string, address: string, field = 'password'): Promise<void> {
    if (await this.hasPassword(actor.id)) {
      const account = password ? await this.deps.accounts.checkPassword(actor.name, password, address) : undefined;
      if (account?.id === actor.id) return;
      throw Invalid(t.later('error.password'), { inputs: { [field]: t.later('error.password') } });
    }
    const own = await this.deps.sessions.list(actor.id);
    const session = own.find(({ id }) => actor.method === 'session' && id === actor.credentialId);
    if (!session || session.createdAt < Date.now() - freshSpan) throw Invalid(t.later('error.signInAgain'));
  }
}
