import { createHmac, timingSafeEqual } from 'node:crypto';

/** Milliseconds for signing in; then it is asked for again. */
const span = 15 * 60_000;

/**
 * Remembers in the address of a request that a new sign-in was asked for, and since when: who has signed in after that has
 * done what `prompt=login` or `max_age` wanted, and is not asked for ever.
 */
export class FreshSignIns {
  constructor(private readonly secret: Buffer) {}

  issue(now = Date.now()): string {
    return `${now}.${this.#sign(String(now)).toString('base64url')}`;
  }

  /** When it was asked for, in milliseconds since 1970 UTC; undefined: never, or too long ago. */
  read(text: string, now = Date.now()): number | undefined {
    const [, at, signature] = /^(\d{1,15})\.([\w-]{43})$/.exec(text) ?? [];
    if (!at || !signature || Number(at) < now - span) return undefined;
    return timingSafeEqual(this.#sign(at), Buffer.from(signature, 'base64url')) ? Number(at) : undefined;
  }

  #sign(text: string): Buffer {
    return createHmac('sha256', this.secret).update(text).digest();
  }
}
