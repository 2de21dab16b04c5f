/** The contract of `auth-two-factor`: who has a second factor. */
import { defineEvent, defineService } from '@mortise/plugin-sdk';

/** What an account has besides its password. */
export interface EnrolledFactors {
  /** One-time codes of an app. */
  readonly totp: boolean;
  /** Number of security keys and passkeys. */
  readonly keys: number;
}

export interface SecondFactors {
  /** A hot read. */
  of(userId: number): Promise<EnrolledFactors>;
  /** One-time codes, or at least one key. */
  has(userId: number): Promise<boolean>;
  /** Takes all of them from an account, for somebody who has lost them. False when there were none. */
  reset(userId: number): Promise<boolean>;
}
export const secondFactors = defineService<SecondFactors>('auth-two-factor.secondFactors');

export interface SecondFactorChange {
  readonly userId: number;
  /** `codesMade`: new recovery codes; `reset`: an administrator took all factors. */
  readonly change: 'totpAdded' | 'totpRemoved' | 'keyAdded' | 'keyRemoved' | 'codesMade' | 'reset';
  /** Of a key. */
  readonly name?: string;
}

/** In the transaction: an account got or lost a second factor. */
export const secondFactorChanged = defineEvent<SecondFactorChange>('auth-two-factor.changed');
