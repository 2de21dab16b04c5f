import { defineService } from '@mortise/plugin-sdk';
import type { Account } from './account.js';

/** What operators can take away from accounts: `[admin] USER_DISABLED_FEATURES`, `EXTERNAL_USER_DISABLE_FEATURES`. */
export const accountFeatureNames = [
  'deletion',
  'manage_ssh_keys',
  'manage_gpg_keys',
  'manage_mfa',
  'manage_credentials',
  'change_username',
  'change_full_name',
] as const;
export type AccountFeature = (typeof accountFeatureNames)[number];

/** What people may do with their own accounts; administrators act on those of others all the same. */
export interface AccountFeatures {
  isOff(account: Account, feature: AccountFeature): Promise<boolean>;
  /** Forbidden where it is off. */
  check(userId: number, feature: AccountFeature): Promise<void>;
}
export const accountFeatures = defineService<AccountFeatures>('accounts.features');
