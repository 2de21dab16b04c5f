import type { Database } from '@mortise/plugin-sdk';
import { AcmeChallengeRow } from '../models/challenge.js';

/** Longer than an ACME server takes to ask, in milliseconds: what killed processes have left goes then. */
const maxAgeMs = 86_400_000;

/** What any process of the site answers to the ACME server. */
export class Challenges {
  constructor(private readonly database: Database) {}

  async add(token: string, key_authorization: string): Promise<void> {
    const created_at = Date.now();
    await this.database.write(async () => {
      await this.database
        .query(AcmeChallengeRow)
        .delete()
        .where('created_at', '<', created_at - maxAgeMs);
      await this.database.query(AcmeChallengeRow).delete().where({ token });
      await this.database.query(AcmeChallengeRow).insert({ token, key_authorization, created_at });
    });
  }

  async remove(token: string): Promise<void> {
    await this.database.write(() => this.database.query(AcmeChallengeRow).delete().where({ token }));
  }

  /** The key authorization; undefined where nobody waits for it. */
  async answer(token: string): Promise<string | undefined> {
    return (await this.database.query(AcmeChallengeRow).findOne({ token }))?.key_authorization;
  }
}
