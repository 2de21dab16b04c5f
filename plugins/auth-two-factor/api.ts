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

/** In the transaction: an account got or lost a second factor. `reset`: an administrator took all of them. */
export const secondFactorChanged = defineEvent<{
  userId: number;
  change: 'totpAdded' | 'totpRemoved' | 'keyAdded' | 'keyRemoved' | 'codesMade' | 'reset';
  /** Of a key. */
  name?: string;
}>('auth-two-factor.changed');
