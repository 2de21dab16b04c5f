import {
  actAudited,
  pageOf,
  Invalid,
  NotFound,
  type Database,
  type Events,
  refuseDuplicate,
  contains,
  containsInAnyCase,
} from '@mortise/plugin-sdk';
import { primaryEmailChanged, type EmailAddress, type Emails } from '../api.js';
import { AccountRow } from '../models/account.js';
import { EmailRow } from '../models/email.js';
import { auditedEmailAct } from './audited-account.js';
import { EmailHolders, standingColumns } from './email-holders.js';
import { checkEmail } from './names.js';
import { t } from '../texts/index.js';
import { fieldRefusal } from './field-refusal.js';

const toEmail = (row: EmailRow): EmailAddress => ({
  id: row.id,
  userId: row.user_id,
  email: row.email,
  isPrimary: row.is_primary,
  isVerified: row.is_verified,
  isConfirmed: row.is_confirmed,
  isProven: row.is_proven,
});

/** In one request. */
const maxEmails = 50;

/** Addresses of accounts; each is in use by one account only. */
export class EmailService implements Emails {
  readonly #holders: EmailHolders;

  constructor(
    private readonly database: Database,
    private readonly events: Events,
  ) {
    this.#holders = new EmailHolders(database, events);
  }

  async list(userId: number): Promise<EmailAddress[]> {
    const rows = await this.database.query(EmailRow).where('user_id', userId).orderBy('id');
    return rows.map(toEmail);
  }

  async add(
    userId: number,
    emails: readonly string[],
    { verified = true, confirmed = false } = {},
  ): Promise<EmailAddress[]> {
    if (emails.length === 0) throw fieldRefusal('email', Invalid, t.later('error.emailNone'));
    if (emails.length > maxEmails) throw fieldRefusal('email', Invalid, t.later('error.emailMany', { max: maxEmails }));
    for (const email of emails) checkEmail(email.trim());
    const lower = emails.map((email) => email.trim().toLowerCase());
    if (new Set(lower).size !== lower.length) throw fieldRefusal('email', Invalid, t.later('error.emailTwice'));
    const store = async () => {
      await this.#holders.check(lower, { verified, proven: false }, { userId });
      const own = this.database.query(EmailRow).where('user_id', userId).whereIn('lower_email', lower);
      if (await own.select('id').first()) throw fieldRefusal('email', Invalid, t.later('error.emailInUse'));
      for (const email of emails) {
        await this.database.query(EmailRow).insert({
          user_id: userId,
          email: email.trim(),
          lower_email: email.trim().toLowerCase(),
          is_primary: false,
          ...standingColumns(email.trim(), { verified, confirmed, proven: false }),
        });
        await this.events.emit(actAudited, auditedEmailAct('add', userId, email.trim()));
      }
      return this.list(userId);
    };
    return refuseDuplicate(t.later('error.emailInUse'), () => this.database.write(store));
  }

  async confirm(userId: number, email: string): Promise<void> {
    await this.#stand(userId, email, true);
  }

  async vouch(userId: number, email: string): Promise<void> {
    await this.#stand(userId, email, false);
  }

  async #stand(userId: number, email: string, isProof: boolean): Promise<void> {
    const store = async () => {
      const row = await this.database.query(EmailRow).findOne({ user_id: userId, lower_email: email.toLowerCase() });
      if (!row) throw NotFound(t.later('error.emailMissing'));
      const standing = { verified: true, confirmed: true, proven: isProof || row.is_proven };
      await this.#holders.releaseClaims([row.email], standing, { userId });
      await this.database.query(EmailRow).findById(row.id).patch(standingColumns(row.email, standing));
      await this.events.emit(actAudited, auditedEmailAct('confirm', userId, row.email, { isProven: standing.proven }));
    };
    await refuseDuplicate(t.later('error.emailInUse'), () => this.database.write(store));
  }

  async remove(userId: number, emails: readonly string[]): Promise<void> {
    const lower = [...new Set(emails.map((email) => email.toLowerCase()))];
    if (lower.length === 0) return;
    await this.database.write(async () => {
      const rows = await this.database.query(EmailRow).where('user_id', userId).whereIn('lower_email', lower);
      if (rows.length !== lower.length) throw NotFound(t.later('error.emailMissing'));
      if (rows.some((row) => row.is_primary)) throw Invalid(t.later('error.emailPrimary'));
      await this.database
        .query(EmailRow)
        .delete()
        .whereIn(
          'id',
          rows.map((row) => row.id),
        );
      for (const { email } of rows) await this.events.emit(actAudited, auditedEmailAct('delete', userId, email));
    });
  }

  async makePrimary(userId: number, email: string): Promise<void> {
    await this.database.write(async () => {
      const row = await this.database.query(EmailRow).findOne({ user_id: userId, lower_email: email.toLowerCase() });
      if (!row) throw NotFound(t.later('error.emailMissing'));
      if (!row.is_verified) throw Invalid(t.later('error.emailUnverified'));
      if (row.is_primary) return;
      const before = await this.database.query(AccountRow).findById(userId).select('email');
      await this.database.query(EmailRow).patch({ is_primary: false }).where('user_id', userId);
      await this.database.query(EmailRow).findById(row.id).patch({ is_primary: true });
      await this.database.query(AccountRow).findById(userId).patch({ email: row.email, updated_at: Date.now() });
      const from = before?.email ?? '';
      await this.events.emit(primaryEmailChanged, { userId, from, to: row.email });
      await this.events.emit(actAudited, auditedEmailAct('change_primary', userId, row.email, { from }));
    });
  }

  async search(search: {
    text?: string;
    limit: number;
    offset: number;
  }): Promise<{ items: EmailAddress[]; total: number }> {
    const query = this.database.query(EmailRow).alias('e');
    const text = search.text?.trim().toLowerCase();
    if (text) {
      void query.join('user as u', 'u.id', 'e.user_id').where((any) => {
        for (const column of ['e.lower_email', 'u.lower_name']) void any.orWhere(contains(column, text));
        void any.orWhere(containsInAnyCase('u.full_name', text));
      });
    }
    const { rows, total } = await pageOf(query.select('e.*').orderBy('e.lower_email'), search);
    return { items: rows.map(toEmail), total };
  }
}
