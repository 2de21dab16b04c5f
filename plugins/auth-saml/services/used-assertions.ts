import { createHash } from 'node:crypto';
import { Problem, refuseDuplicate, type Database } from '@mortise/plugin-sdk';
import { UsedAssertionRow } from '../models/used-assertion.js';
import type { Source } from '../routes/active-sources.js';
import { assertionLifetimeMs, type Assertion } from './client.js';

/** Assertions are good once, whichever process they come to. They are remembered until their age refuses them. */
export class UsedAssertions {
  constructor(private readonly database: Database) {}

  /** False for one that was used before. */
  async use(source: Source, { id }: Assertion): Promise<boolean> {
    const { database } = this;
    const now = Date.now();
    const store = () =>
      database.write(async () => {
        await database.query(UsedAssertionRow).delete().where('expires_at', '<', now);
        await database.query(UsedAssertionRow).insert({
          source_id: source.id,
          assertion_hash: createHash('sha256').update(id).digest('hex'),
          expires_at: now + assertionLifetimeMs,
        });
      });
    try {
      await refuseDuplicate('The assertion was used before.', store);
      return true;
    } catch (error) {
      if (!Problem.is(error)) throw error;
      return false;
    }
  }
}
