import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** Encrypts mails that wait in the database, since links in them open accounts: AES-256-GCM with a key of this installation. */
export class MailEncryption {
  constructor(private readonly key: Buffer) {}

  encrypt(value: unknown): string {
    const nonce = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', this.key, nonce);
    const encrypted = Buffer.concat([cipher.update(JSON.stringify(value), 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), encrypted]).toString('base64');
  }

  /** Undefined when it was encrypted with another key, before the secret of the installation was changed. */
  decrypt(encrypted: string): unknown {
    const bytes = Buffer.from(encrypted, 'base64');
    try {
      const decipher = createDecipheriv('aes-256-gcm', this.key, bytes.subarray(0, 12));
      decipher.setAuthTag(bytes.subarray(12, 28));
      return JSON.parse(Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8'));
    } catch {
      return undefined;
    }
  }
}
