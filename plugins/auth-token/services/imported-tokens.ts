/**
 * Hashes of tokens that another server made, in the PHC string format
 * (https://github.com/P-H-C/phc-string-format). A token that is used gets a hash of our own.
 */
import type { Database } from '@mortise/plugin-sdk';
import { matchesImported } from '@mortise/accounts/api';
import { AccessTokenRow } from '../models/access-token.js';

/** Digests of 16 bytes at least, and rounds that a request can wait for. */
const checked = /^\$pbkdf2-sha256\$i=\d{1,7}\$[A-Za-z0-9+/]+\$[A-Za-z0-9+/]{22,}$/;
/** Tokens that end alike and are tried: more of them are no accident. */
const maxCandidates = 8;

/** Gives the row of the token our hash of it. False: no token of another server is this one. */
export async function renewImported(database: Database, token: string, ownHash: string): Promise<boolean> {
  const candidates = await database
    .query(AccessTokenRow)
    .where('last_eight', token.slice(-8))
    .where('token_hash', 'like', '$pbkdf2-sha256$%')
    .orderBy('id')
    .limit(maxCandidates);
  for (const { id, token_hash } of candidates) {
    if (!checked.test(token_hash) || !(await matchesImported(token_hash, token))) continue;
    await database.write(async () => {
      await database.query(AccessTokenRow).where({ id, token_hash }).patch({ token_hash: ownHash });
    });
    return true;
  }
  return false;
}
