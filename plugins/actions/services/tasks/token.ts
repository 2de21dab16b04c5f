import { createHmac, randomBytes } from 'node:crypto';
import { hashOf, isHashOf } from '../runners/rows.js';

const form = /^[0-9a-f]{40}$/;

/** A token as the database keeps it. */
export interface KeptToken {
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

  make(): { token: string; kept: KeptToken } {
    const digits = randomBytes(16).toString('hex');
    const token = digits + this.#check(digits);
    const salt = randomBytes(16).toString('hex');
    return {
      token,
      kept: { token_hash: hashOf(salt, token), token_salt: salt, token_last_eight: token.slice(-8) },
    };
  }

  mayBe(token: string): boolean {
    return form.test(token) && this.#check(token.slice(0, 32)) === token.slice(32);
  }

  is(token: string, kept: KeptToken): boolean {
    return isHashOf(kept.token_hash, kept.token_salt, token);
  }

  #check(digits: string): string {
    return createHmac('sha256', this.secret).update(digits).digest('hex').slice(0, 8);
  }
}
