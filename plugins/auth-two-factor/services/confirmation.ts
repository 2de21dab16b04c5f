import type { Actor } from '@mortise/plugin-sdk';
import type { AccountFeatures, Accounts } from '@mortise/accounts/api';
import type { OwnerConfirmation } from '@mortise/sessions/api';

interface ConfirmDeps {
  readonly accountFeatures: AccountFeatures;
  readonly accounts: Accounts;
  readonly ownerConfirmation: OwnerConfirmation;
}

/** Makes sure that factors may change, and that it is still the owner who sits at a signed-in browser. */
export class Confirmation {
  constructor(private readonly deps: ConfirmDeps) {}

  /** Does the account have a password, here or at its source? */
  hasPassword(userId: number): Promise<boolean> {
    return this.deps.ownerConfirmation.hasPassword(userId);
  }

  /** Has the operator, or the source of the account, taken it away to change second factors? */
  async isFixed(userId: number): Promise<boolean> {
    const account = await this.deps.accounts.byId(userId);
    return account !== undefined && this.deps.accountFeatures.isOff(account, 'manage_mfa');
  }

  /** Forbidden where it is taken away. */
  mayChange(userId: number): Promise<void> {
    return this.deps.accountFeatures.check(userId, 'manage_mfa');
  }

  /** See {@link mayChange} and {@link OwnerConfirmation.check}. */
  async check(actor: Actor, password: string, address: string): Promise<void> {
    await this.mayChange(actor.id);
    await this.deps.ownerConfirmation.check(actor, password, address);
  }
}
