import { pageOf, type Database } from '@mortise/plugin-sdk';
import type { SiteNotice, SiteNotices } from '../contract/admin.js';
import { NoticeRow } from '../models/notice.js';

/** Somebody reads them, or nobody does: more than so many would only be in the way. */
const maxStored = 5000;
const maxLength = 4000;

/** What administrators should know of: it happened in the background, and nobody was there to be told. */
export class Notices implements SiteNotices {
  constructor(private readonly database: Database) {}

  async add(kind: string, text: string): Promise<void> {
    const row = { kind: kind.slice(0, 32), text: text.slice(0, maxLength), created_at: Date.now() };
    await this.database.write(async () => void (await this.database.query(NoticeRow).insert(row)));
  }

  async list(page: { limit: number; offset: number }): Promise<{ items: SiteNotice[]; total: number; newest: number }> {
    const query = this.database.query(NoticeRow);
    const { rows, total } = await pageOf(query.orderBy('id', 'desc'), page);
    const items = rows.map(({ id, kind, text, created_at }) => ({ id, kind, text, createdAt: Number(created_at) }));
    const newest = await this.database.query(NoticeRow).select('id').orderBy('id', 'desc').first();
    return { items, total, newest: newest?.id ?? 0 };
  }

  async remove(id: number): Promise<void> {
    await this.database.write(async () => void (await this.database.query(NoticeRow).deleteById(id)));
  }

  /** Those up to the newest one that was seen: what came meanwhile stays. */
  async removeAll(upTo: number): Promise<void> {
    await this.database.write(async () => void (await this.database.query(NoticeRow).delete().where('id', '<=', upTo)));
  }

  /** `before` in milliseconds since 1970 UTC; and all beyond the number that is kept. */
  async trim(before: number): Promise<void> {
    await this.database.write(async () => {
      const last = await this.database.query(NoticeRow).select('id').orderBy('id', 'desc').offset(maxStored).first();
      await this.database
        .query(NoticeRow)
        .delete()
        .where('created_at', '<', before)
        .orWhere('id', '<=', last?.id ?? 0);
    });
  }
}
