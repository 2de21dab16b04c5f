import { createDecipheriv, createHash } from 'node:crypto';

/** Decrypts what the other server encrypted with its SECRET_KEY: AES in CFB mode over base64. */
function decryptWith(key: Buffer, bytes: Buffer): string | undefined {
  if (bytes.length < 16) return undefined;
  const decipher = createDecipheriv(`aes-${key.length * 8 === 128 ? '128' : '256'}-cfb`, key, bytes.subarray(0, 16));
  const encoded = Buffer.concat([decipher.update(bytes.subarray(16)), decipher.final()]).toString('latin1');
  // with another key it is no base64
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(encoded) || encoded.length % 4 !== 0) return undefined;
  return Buffer.from(encoded, 'base64').toString('utf8');
}

/** AES in GCM mode, which knows by itself whether the key is the right one: nonce, text, tag. */
function decryptGcm(key: Buffer, bytes: Buffer): string | undefined {
  if (bytes.length <= 28) return undefined;
  const decipher = createDecipheriv('aes-128-gcm', key, bytes.subarray(0, 12));
  decipher.setAuthTag(bytes.subarray(-16));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}

/** The key of servers whose app.ini has none (https://github.com/go-gitea/gitea/issues/16832). */
const presetKey = '!#@FDEWREWR&*(';

export class SourceSecrets {
  private readonly secretKey: string;

  constructor(secretKey: string) {
    this.secretKey = secretKey || presetKey;
  }

  /** Hex, with a key of 256 bits. */
  decrypt(encrypted: string): string | undefined {
    const key = createHash('sha256').update(this.secretKey).digest();
    return /^(?:[0-9a-f]{2})+$/i.test(encrypted) ? decryptWith(key, Buffer.from(encrypted, 'hex')) : undefined;
  }

  /** Base64, with a key of 128 bits; Gogs encrypts in another mode. */
  decryptTotp(encrypted: string): string | undefined {
    const key = createHash('md5').update(this.secretKey).digest();
    const bytes = Buffer.from(encrypted, 'base64');
    return decryptGcm(key, bytes) ?? decryptWith(key, bytes);
  }
}
