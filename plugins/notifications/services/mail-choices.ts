import { retryDuplicate, type Database } from '@mortise/plugin-sdk';
import { MailChoiceRow } from '../models/mail-choice.js';

/**
 * `enabled`: all that one is told; `onmention`: only what concerns one in person; `andyourown`: also what one did
 * oneself.
 */
export const mailChoices = ['enabled', 'onmention', 'andyourown', 'disabled'] as const;
export type MailChoice = (typeof mailChoices)[number];

/** How accounts want mail. */
export class MailChoices {
  constructor(
    private readonly database: Database,
    private readonly standard: MailChoice,
  ) {}

  async of(userIds: readonly number[]): Promise<(userId: number) => MailChoice> {
    const rows = userIds.length ? await this.database.query(MailChoiceRow).whereIn('user_id', [...userIds]) : [];
    const chosen = new Map(rows.map((row) => [row.user_id, row.mail]));
    return (userId) => mailChoices.find((one) => one === chosen.get(userId)) ?? this.standard;
  }

  async set(userId: number, mail: MailChoice): Promise<void> {
    const { database } = this;
    await retryDuplicate(() =>
      database.write(async () => {
        if (await database.query(MailChoiceRow).findById(userId))
          await database.query(MailChoiceRow).findById(userId).patch({ mail });
        else await database.query(MailChoiceRow).insert({ user_id: userId, mail });
      }),
    );
  }
}
