import { createHmac, randomBytes } from 'node:crypto';
import { matchesImported } from '@mortise/accounts/api';
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
  /** Last eight digits of tokens that a server that was taken over has made. */
  #imported: ReadonlySet<string> = new Set();

  constructor(private readonly secret: Buffer) {}

  recognizeImported(lastEight: readonly string[]): void {
    this.#imported = new Set(lastEight);
  }

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
    if (!tokenPattern.test(token)) return false;
    return this.#check(token.slice(0, 32)) === token.slice(32) || this.#imported.has(token.slice(32));
  }

  async is(token: string, stored: StoredToken): Promise<boolean> {
    if (stored.token_hash.startsWith('$')) return matchesImported(stored.token_hash, token);
    return isHashOf(stored.token_hash, stored.token_salt, token);
  }

  #check(digits: string): string {
    return createHmac('sha256', this.secret).update(digits).digest('hex').slice(0, 8);
  }
}
