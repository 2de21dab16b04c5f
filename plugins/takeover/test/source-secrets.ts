import { createCipheriv, createHash } from 'node:crypto';

const iv = Buffer.alloc(16, 7);
const encoded = (text: string): string => Buffer.from(text).toString('base64');

/** As the other server encrypts secrets: AES-256 in CFB mode over base64, in hex. */
export function encryptSecret(text: string, secretKey = 'key'): string {
  const cipher = createCipheriv('aes-256-cfb', createHash('sha256').update(secretKey).digest(), iv);
  return Buffer.concat([iv, cipher.update(encoded(text)), cipher.final()]).toString('hex');
}

/** As it encrypts secrets of one-time codes: AES-128 in CFB mode over base64. */
export function encryptTotp(secret: string, secretKey = 'key'): string {
  const cipher = createCipheriv('aes-128-cfb', createHash('md5').update(secretKey).digest(), iv);
  return Buffer.concat([iv, cipher.update(encoded(secret)), cipher.final()]).toString('base64');
}

/** As Gogs does: AES-128 in GCM mode. */
export function encryptGogsTotp(secret: string, secretKey = 'key'): string {
  const nonce = iv.subarray(0, 12);
  const cipher = createCipheriv('aes-128-gcm', createHash('md5').update(secretKey).digest(), nonce);
  const encrypted = Buffer.concat([cipher.update(secret), cipher.final()]);
  return Buffer.concat([nonce, encrypted, cipher.getAuthTag()]).toString('base64');
}
