import { randomBytes } from 'node:crypto';
import { Invalid, type Database, type Events } from '@mortise/plugin-sdk';
import { emailClaimReleased } from '../api.js';
import { AccountRow } from '../models/account.js';
import { EmailRow } from '../models/email.js';
import { t } from '../texts/index.js';
import { fieldRefusal } from './field-refusal.js';

/** How well an account's right to an address is known; see {@link EmailAddress}. */
interface EmailStatus {
  readonly verified: boolean;
  readonly confirmed: boolean;
  readonly proven: boolean;
}

export const standingColumns = (email: string, { verified, confirmed, proven }: EmailStatus) => ({
  is_verified: verified,
  is_confirmed: confirmed,
  is_proven: proven,
  reserved_email: verified ? email.toLowerCase() : null,
});

/**
 * At most one account holds an address: the one that uses it. Who proves that an address is theirs takes it from an
 * account that has only claimed it.
 */
export class EmailHolders {
  constructor(
    private readonly database: Database,
    private readonly events: Events,
  ) {}

  /** Throws where the addresses are held by others against whom `standing` counts for nothing. */
  async check(
    emails: readonly string[],
    standing: Pick<EmailStatus, 'verified' | 'proven'>,
    { userId = 0, problem = Invalid }: { userId?: number; problem?: Parameters<typeof fieldRefusal>[1] } = {},
  ): Promise<EmailRow[]> {
    const lower = emails.map((email) => email.toLowerCase());
    const holders = await this.database.query(EmailRow).whereIn('reserved_email', lower).whereNot('user_id', userId);
    const mayClaim = !standing.verified || standing.proven;
    if (holders.some((holder) => holder.is_confirmed || !mayClaim))
      throw fieldRefusal('email', problem, t.later('error.emailInUse'));
    return holders;
  }

  /** The same, and ends the claims of others where the address is proven. In a transaction. */
  async releaseClaims(...given: Parameters<EmailHolders['check']>): Promise<void> {
    const holders = await this.check(...given);
    if (given[1].proven) for (const holder of holders) await this.#release(holder);
  }

  /** An account always has a primary address: another one of its own, else one of a domain reserved for none (RFC 2606). */
  async #release(claim: EmailRow): Promise<void> {
    const { user_id: userId, email } = claim;
    await this.database.query(EmailRow).deleteById(claim.id);
    if (claim.is_primary) {
      const own = this.database.query(EmailRow).where({ user_id: userId, is_verified: true });
      const next = await own.orderBy([{ column: 'is_confirmed', order: 'desc' }, 'id']).first();
      const address = next?.email ?? `account-${userId}.${randomBytes(8).toString('hex')}@released.invalid`;
      if (next) await this.database.query(EmailRow).findById(next.id).patch({ is_primary: true });
      else {
        const standing = standingColumns(address, { verified: true, confirmed: false, proven: false });
        const row = { user_id: userId, email: address, lower_email: address, is_primary: true, ...standing };
        await this.database.query(EmailRow).insert(row);
      }
      await this.database.query(AccountRow).findById(userId).patch({ email: address, updated_at: Date.now() });
    }
    await this.events.emit(emailClaimReleased, { userId, email });
  }
}
