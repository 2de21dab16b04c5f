import { defineEvent } from '@mortise/plugin-sdk';
import type { Account } from './account.js';

export const userCreated = defineEvent<{ userId: number; name: string }>('accounts.userCreated');
/** In the transaction: update what repeats the name. */
export const userRenamed = defineEvent<{ userId: number; from: string; to: string }>('accounts.userRenamed');
/**
 * Subscribe `within`: refuse (throw Invalid) when the account still owns something and `purge` is false, else remove
 * what belongs to it.
 */
export const userDeleting = defineEvent<{ userId: number; name: string; purge: boolean }>('accounts.userDeleting');
export const userDeleted = defineEvent<{ userId: number; name: string }>('accounts.userDeleted');
/** In the transaction: update what repeats who may see the account. */
export const userVisibilityChanged = defineEvent<{ userId: number; visibility: Account['visibility'] }>(
  'accounts.userVisibilityChanged',
);
/** In the transaction: take back what ties the two together. */
export const userBlocked = defineEvent<{ blockerId: number; blockedId: number }>('accounts.userBlocked');
/** Subscribe `within`: refuse (throw Invalid) a key that opens something else already. */
export const publicKeyAdding = defineEvent<{ userId: number; fingerprint: string }>('accounts.publicKeyAdding');
/** In the transaction. `from` is empty where there was none. */
export const primaryEmailChanged = defineEvent<{ userId: number; from: string; to: string }>(
  'accounts.primaryEmailChanged',
);
/** In the transaction: somebody else proved that the address is theirs, and the account has it no more. */
export const emailClaimReleased = defineEvent<{ userId: number; email: string }>('accounts.emailClaimReleased');
/** Password, state or rights changed. After a new password other sessions than `keepSession` are void. */
export const credentialsChanged = defineEvent<{ userId: number; passwordChanged: boolean; keepSession?: number }>(
  'accounts.credentialsChanged',
);
