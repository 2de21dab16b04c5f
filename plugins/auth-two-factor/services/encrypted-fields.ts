import type { Encryption } from '@mortise/plugin-sdk';

/** What a form brings back unread and unchanged; nothing is stored for forms that are never sent. */
interface FieldContent {
  readonly purpose: string;
  readonly userId: number;
  readonly value: string;
  /** Milliseconds since 1970 UTC. */
  readonly end: number;
}

export const formSpan = 15 * 60_000;

export class EncryptedFields {
  constructor(private readonly encryption: Encryption) {}

  encrypt(purpose: string, userId: number, value: string): string {
    return this.encryption.encrypt(
      JSON.stringify({ purpose, userId, value, end: Date.now() + formSpan } satisfies FieldContent),
    );
  }

  /** Undefined for what is not from here, is somebody else's, or is too old. */
  decrypt(purpose: string, userId: number, encrypted: string): string | undefined {
    const text = this.encryption.decrypt(encrypted);
    if (!text) return undefined;
    const content = JSON.parse(text) as FieldContent;
    return content.purpose === purpose && content.userId === userId && content.end > Date.now()
      ? content.value
      : undefined;
  }
}
