import { createHash, randomBytes } from 'node:crypto';
import type { Database } from '@mortise/plugin-sdk';
import { PendingSignInRow } from '../models/pending-sign-in.js';
import type { Source } from '../routes/active-sources.js';
import type { Identity } from './identity.js';

const spanMs = 60_000;
const hashOf = (code: string) => createHash('sha256').update(code).digest('hex');

/**
 * People whom a provider has named, on their way from its POST to a GET of this site: a browser sends its cookies of this site
 * with the second alone, and the request of the provider's answer is in one.
 */
export class PendingSignIns {
  constructor(private readonly database: Database) {}

  /** Gives a code, which is good once, and for a minute. */
  async store(source: Source, requestId: string, identity: Identity): Promise<string> {
    const code = randomBytes(32).toString('base64url');
    const { database } = this;
    const now = Date.now();
    await database.write(async () => {
      await database.query(PendingSignInRow).delete().where('expires_at', '<', now);
      await database.query(PendingSignInRow).insert({
        source_id: source.id,
        code_hash: hashOf(code),
        request_id: requestId,
        identity,
        expires_at: now + spanMs,
      });
    });
    return code;
  }

  /** Undefined: unknown, too old, used, or the answer to another request than `requestId`. */
  async take(source: Source, code: string, requestId: string): Promise<Identity | undefined> {
    const { database } = this;
    return database.write(async () => {
      const row = await database
        .query(PendingSignInRow)
        .findOne({ code_hash: hashOf(code), source_id: source.id, request_id: requestId });
      if (!row || (await database.query(PendingSignInRow).deleteById(row.id)) === 0) return undefined;
      return Number(row.expires_at) < Date.now() ? undefined : row.identity;
    });
  }
}
