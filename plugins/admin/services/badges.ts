import { Conflict, Invalid, NotFound, type Database } from '@mortise/plugin-sdk';
import { BadgeRow } from '../models/badge.js';
import { UserBadgeRow } from '../models/user-badge.js';

const slugPattern = /^[a-z0-9][a-z0-9_-]{0,99}$/;
const isWebAddress = (text: string) => /^https?:\/\/[^\s]+$/.test(text) && URL.canParse(text);

/** Marks of distinction that administrators make and give to accounts. */
export class Badges {
  constructor(private readonly database: Database) {}

  async create(slug: string, description: string, imageUrl: string): Promise<void> {
    if (!slugPattern.test(slug))
      throw Invalid('The slug of a badge can only have lowercase letters, digits, "-" and "_".');
    if (description.length > 255) throw Invalid('The description can have at most 255 characters.');
    if (imageUrl && (imageUrl.length > 1000 || !isWebAddress(imageUrl)))
      throw Invalid('The image URL must be an http or https URL.');
    await this.database.write(async () => {
      if (await this.database.query(BadgeRow).findOne({ slug }))
        throw Conflict(`A badge named ${slug} already exists.`);
      await this.database.query(BadgeRow).insert({ slug, description, image_url: imageUrl });
    });
  }

  /** Everybody who had it has it no more. */
  async remove(slug: string): Promise<void> {
    const gone = await this.database.write(async () => this.database.query(BadgeRow).delete().where({ slug }));
    if (!gone) throw NotFound(`Badge ${slug} does not exist.`);
  }

  async list(): Promise<BadgeRow[]> {
    return this.database.query(BadgeRow).orderBy('slug');
  }

  async ofUser(
    userId: number,
    page?: { limit: number; offset: number },
  ): Promise<{ items: BadgeRow[]; total: number }> {
    const ids = this.database.query(UserBadgeRow).select('badge_id').where('user_id', userId);
    const query = this.database.query(BadgeRow).whereIn('id', ids);
    const total = await query.clone().resultSize();
    const ordered = query.orderBy('id');
    return { items: await (page ? ordered.limit(page.limit).offset(page.offset) : ordered), total };
  }

  /** All or none; those that the account has already stay. */
  async give(userId: number, slugs: readonly string[]): Promise<void> {
    await this.database.write(async () => {
      const badges = await this.database.query(BadgeRow).whereIn('slug', [...slugs]);
      const unknown = slugs.find((slug) => !badges.some((badge) => badge.slug === slug));
      if (unknown !== undefined) throw Invalid(`Badge ${unknown} does not exist.`);
      const had = await this.database.query(UserBadgeRow).where('user_id', userId);
      for (const { id } of badges)
        if (!had.some((row) => row.badge_id === id))
          await this.database.query(UserBadgeRow).insert({ user_id: userId, badge_id: id });
    });
  }

  /** Those that it has not do not matter. */
  async take(userId: number, slugs: readonly string[]): Promise<void> {
    await this.database.write(async () => {
      const ids = this.database
        .query(BadgeRow)
        .select('id')
        .whereIn('slug', [...slugs]);
      await this.database.query(UserBadgeRow).delete().where('user_id', userId).whereIn('badge_id', ids);
    });
  }
}
