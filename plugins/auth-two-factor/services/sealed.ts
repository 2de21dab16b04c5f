import type { Encryption } from '@mortise/plugin-sdk';

/** What a form brings back unread and unchanged; nothing is stored for forms that are never sent. */
interface Kept {
  readonly purpose: string;
  readonly userId: number;
  readonly value: string;
  /** Milliseconds since 1970 UTC. */
  readonly end: number;
}

export const formSpan = 15 * 60_000;

export class SealedFields {
  constructor(private readonly encryption: Encryption) {}

  seal(purpose: string, userId: number, value: string): string {
    return this.encryption.encrypt(
      JSON.stringify({ purpose, userId, value, end: Date.now() + formSpan } satisfies Kept),
    );
  }

  /** Undefined for what is not from here, is somebody else's, or is too old. */
  open(purpose: string, userId: number, sealed: string): string | undefined {
    const text = this.encryption.decrypt(sealed);
    if (!text) return undefined;
    const kept = JSON.parse(text) as Kept;
    return kept.purpose === purpose && kept.userId === userId && kept.end > Date.now() ? kept.value : undefined;
  }
}
