import { createHmac } from 'node:crypto';
import type { MemoryCache } from '@mortise/plugin-sdk';
import type { LoginSource } from '../api.js';

/**
 * Passwords that a login source has confirmed a moment ago: clients of git and the API send theirs with each request, and a
 * directory need not be asked every time. Forgotten when the source is changed, and by the time of the cache.
 */
export class RecentChecks {
  constructor(
    private readonly secret: Buffer,
    /** Undefined: nothing is remembered. */
    private readonly known: MemoryCache<true> | undefined,
  ) {}

  has(source: LoginSource, loginName: string, password: string): boolean {
    return this.known?.get(this.#key(source, loginName, password)) === true;
  }

  add(source: LoginSource, loginName: string, password: string): void {
    this.known?.set(this.#key(source, loginName, password), true);
  }

  #key({ id, updatedAt }: LoginSource, loginName: string, password: string): string {
    return createHmac('sha256', this.secret)
      .update(JSON.stringify([id, updatedAt, loginName, password]))
      .digest('base64');
  }
}
