import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** Encrypts secrets for the database: AES-256-GCM with a key of this installation, such as `site.secret(purpose)`. */
export class Encryption {
  constructor(private readonly key: Buffer) {}

  encrypt(text: string): string {
    if (text === '') return '';
    const nonce = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', this.key, nonce);
    const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return `1:${Buffer.concat([nonce, cipher.getAuthTag(), encrypted]).toString('base64')}`;
  }

  /** Empty when it cannot be decrypted, for instance after the secret of the installation was changed. */
  decrypt(encrypted: string): string {
    if (!encrypted.startsWith('1:')) return '';
    try {
      const bytes = Buffer.from(encrypted.slice(2), 'base64');
      const decipher = createDecipheriv('aes-256-gcm', this.key, bytes.subarray(0, 12));
      decipher.setAuthTag(bytes.subarray(12, 28));
      return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8');
    } catch {
      return '';
    }
  }
}
