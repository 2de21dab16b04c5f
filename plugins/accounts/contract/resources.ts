import { defineResource } from '@mortise/plugin-sdk';
import type { Account } from './account.js';

/** The account named by `{username}`: 404 when missing or not visible, 307 to the new name after a rename (GEN-06). */
export const userResource = defineResource<Account>('accounts.user');
/** Like {@link userResource}, for operations that also reach accounts whose profile is not visible (blocks, following). */
export const anyUserResource = defineResource<Account>('accounts.anyUser');
/** Like {@link userResource}, for lists of an account: clients are told that one which they may not see has nothing. */
export const listedUserResource = defineResource<Account>('accounts.listedUser');
