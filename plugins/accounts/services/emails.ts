import { Invalid, NotFound, type Database } from '@mortise/plugin-sdk';
import type { EmailAddress, Emails } from '../api.js';
import { AccountRow } from '../models/account.js';
import { EmailRow } from '../models/others.js';
import { checkEmail } from './names.js';
import { uniquely } from './unique.js';

const toEmail = (row: EmailRow): EmailAddress => ({
  id: row.id,
  userId: row.user_id,
  email: row.email,
  isPrimary: row.is_primary,
  isVerified: row.is_verified,
});

/** Further addresses of an account; each belongs to one account only. */
export class EmailService implements Emails {
  constructor(private readonly database: Database) {}

  async list(userId: number): Promise<EmailAddress[]> {
    const rows = await this.database.query(EmailRow).where('user_id', userId).orderBy('id');
    return rows.map(toEmail);
  }

  async add(userId: number, emails: readonly string[], { verified = true } = {}): Promise<EmailAddress[]> {
    if (emails.length === 0) throw Invalid('Give at least one e-mail address.');
    if (emails.length > 50) throw Invalid('Give at most 50 e-mail addresses at once.');
    for (const email of emails) checkEmail(email.trim());
    const lower = emails.map((email) => email.trim().toLowerCase());
    if (new Set(lower).size !== lower.length) throw Invalid('An e-mail address is given twice.');
    const store = async () => {
      const taken = await this.database.query(EmailRow).select('id').whereIn('lower_email', lower).first();
      if (taken) throw Invalid('The e-mail address is in use.');
      for (const email of emails) {
        await this.database.query(EmailRow).insert({
          user_id: userId,
          email: email.trim(),
          lower_email: email.trim().toLowerCase(),
          is_primary: false,
          is_verified: verified,
        });
      }
      return this.list(userId);
    };
    return uniquely('The e-mail address is in use.', () => this.database.write(store));
  }

  async remove(userId: number, emails: readonly string[]): Promise<void> {
    const lower = [...new Set(emails.map((email) => email.toLowerCase()))];
    if (lower.length === 0) return;
    await this.database.write(async () => {
      const rows = await this.database.query(EmailRow).where('user_id', userId).whereIn('lower_email', lower);
      if (rows.length !== lower.length) throw NotFound('e-mail address');
      if (rows.some((row) => row.is_primary)) throw Invalid('The primary e-mail address has to stay.');
      await this.database
        .query(EmailRow)
        .delete()
        .whereIn(
          'id',
          rows.map((row) => row.id),
        );
    });
  }

  async makePrimary(userId: number, email: string): Promise<void> {
    await this.database.write(async () => {
      const row = await this.database.query(EmailRow).findOne({ user_id: userId, lower_email: email.toLowerCase() });
      if (!row) throw NotFound('e-mail address');
      await this.database.query(EmailRow).patch({ is_primary: false }).where('user_id', userId);
      await this.database.query(EmailRow).findById(row.id).patch({ is_primary: true });
      await this.database.query(AccountRow).findById(userId).patch({ email: row.email, updated_at: Date.now() });
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
      const like = `%${text.replace(/[!%_]/g, '!$&')}%`;
      void query.join('user as u', 'u.id', 'e.user_id').where((any) => {
        for (const column of ['e.lower_email', 'u.lower_name', 'lower(u.full_name)'])
          void any.orWhereRaw(`${column} like ? escape '!'`, [like]);
      });
    }
    const total = await query.clone().resultSize();
    const rows = await query.select('e.*').orderBy('e.lower_email').limit(search.limit).offset(search.offset);
    return { items: rows.map(toEmail), total };
  }
}
