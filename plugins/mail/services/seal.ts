import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** Mails wait in the database, and links in them open accounts: AES-256-GCM with a key of this installation. */
export class Seal {
  constructor(private readonly key: Buffer) {}

  close(value: unknown): string {
    const nonce = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', this.key, nonce);
    const sealed = Buffer.concat([cipher.update(JSON.stringify(value), 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64');
  }

  /** Undefined when it was sealed with another key: the secret of the installation was changed. */
  open(sealed: string): unknown {
    const bytes = Buffer.from(sealed, 'base64');
    try {
      const decipher = createDecipheriv('aes-256-gcm', this.key, bytes.subarray(0, 12));
      decipher.setAuthTag(bytes.subarray(12, 28));
      return JSON.parse(Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8'));
    } catch {
      return undefined;
    }
  }
}
