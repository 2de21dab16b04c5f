import { createHmac } from 'node:crypto';
import type { Database } from '@mortise/plugin-sdk';
import type { MailLimit } from '../contract/mail.js';

/** Takes back what was counted for the keys before the one that is full. */
class Full extends Error {
  constructor(readonly key: string) {
    super(`${key} has had its share`);
  }
}

/** Counts mails by what they are about, in the database: processes and restarts make no difference. */
export class Limits {
  constructor(
    private readonly database: Database,
    private readonly secret: Buffer,
  ) {}

  async allow(limits: readonly MailLimit[]): Promise<string | undefined> {
    try {
      await this.database.write(async () => {
        for (const limit of limits) if (!(await this.#count(limit))) throw new Full(limit.key);
      });
      return undefined;
    } catch (error) {
      if (error instanceof Full) return error.key;
      throw error;
    }
  }

  async sweep(): Promise<void> {
    await this.database.write(
      async () => void (await this.database.knex()('mail_limit').where('ends_at', '<', Date.now()).delete()),
    );
  }

  async #count({ key, max, minutes }: MailLimit): Promise<boolean> {
    const name = createHmac('sha256', this.secret).update(key.toLowerCase()).digest('base64url');
    const now = Date.now();
    const fresh = { count: 0, ends_at: now + minutes * 60_000 };
    const rows = () => this.database.knex()('mail_limit').where({ name });
    await this.database
      .knex()('mail_limit')
      .insert({ name, ...fresh })
      .onConflict('name')
      .ignore();
    await rows().where('ends_at', '<=', now).update(fresh);
    return (await rows().where('count', '<', max).increment('count', 1)) === 1;
  }
}
