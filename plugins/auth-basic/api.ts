/** The contract of `auth-basic`: further checks of somebody who gave the right password. */
import { definePoint, type AuthRequest, type Text } from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';

/** Runs after the password was right, for instance to ask for a second factor. */
export interface CredentialCheck {
  readonly key: string;
  /** Why this password is not enough for this request (answered with 401), or undefined. */
  refuse(account: Account, request: AuthRequest): Promise<Text | undefined>;
}
export const credentialChecks = definePoint.keyed<CredentialCheck>('auth-basic.credentialChecks');
