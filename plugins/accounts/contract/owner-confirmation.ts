import { definePoint, type Actor, type Keyed } from '@mortise/plugin-sdk';

/** Makes sure that it is still the owner who sits at a signed-in browser, before the ways into their account change. */
export interface OwnerConfirmation {
  /** Does the account have a password, here or at its login source? Then {@link check} wants it. */
  hasPassword(userId: number): Promise<boolean>;
  /**
   * Throws Invalid for a wrong password, at the input `field` (default `password`); for accounts without one, unless their
   * session began less than 15 minutes ago. `address`: of the client, see `Accounts.checkPassword`.
   */
  check(actor: Actor, password: string, address: string, field?: string): Promise<void>;
}

/** Extension point: what signs people in for long contributes how it knows that they are still there; all must agree. */
export const ownerConfirmations = definePoint.keyed<OwnerConfirmation & Keyed>('accounts.ownerConfirmations');
