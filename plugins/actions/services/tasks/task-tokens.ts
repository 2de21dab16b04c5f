import { createHmac, randomBytes } from 'node:crypto';
import { hashOf, isHashOf } from '../runners/runner-records.js';

const tokenPattern = /^[0-9a-f]{40}$/;

/** A token as the database keeps it. */
interface StoredToken {
  readonly token_hash: string;
  readonly token_salt: string;
  readonly token_last_eight: string;
}

/**
 * Tokens of tasks: 40 hex digits, as clients expect them. The last eight follow from the others, so that other tokens of
 * this form are told apart without asking the database.
 */
export class TaskTokens {
  constructor(private readonly secret: Buffer) {}

  make(): { token: string; stored: StoredToken } {
    const digits = randomBytes(16).toString('hex');
    const token = digits + this.#check(digits);
    const salt = randomBytes(16).toString('hex');
    return {
      token,
      stored: { token_hash: hashOf(salt, token), token_salt: salt, token_last_eight: token.slice(-8) },
    };
  }

  mayBe(token: string): boolean {
    return tokenPattern.test(token) && this.#check(token.slice(0, 32)) === token.slice(32);
  }

  is(token: string, stored: StoredToken): boolean {
    return isHashOf(stored.token_hash, stored.token_salt, token);
  }

  #check(digits: string): string {
    return createHmac('sha256', this.secret).update(digits).digest('hex').slice(0, 8);
  }
}
