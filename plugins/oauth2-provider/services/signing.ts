import { createHash } from 'node:crypto';
import type { CryptoKey, JWK, JWTPayload } from 'jose';
import { isUniqueViolation, type Database, type Encryption } from '@mortise/plugin-sdk';
import { KeyRow } from '../models/key.js';
import type { OAuth2Settings } from '../settings.js';

/** Loaded with the first key that is needed. */
const jose = () => import('jose');

interface SigningKey {
  readonly id: string;
  readonly key: CryptoKey;
  readonly publicJwk: JWK;
}

/** The private parts of keys, which nobody is shown. */
const hidden = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k'];

/** Signs ID tokens. The key is made when first needed and is the same in all processes. */
export class Signing {
  #key: Promise<SigningKey> | undefined;

  constructor(
    private readonly database: Database,
    private readonly encryption: Encryption,
    private readonly algorithm: OAuth2Settings['JWT_SIGNING_ALGORITHM'],
  ) {}

  async sign(claims: JWTPayload, lifetimeSeconds: number): Promise<string> {
    const { id, key } = await this.#current();
    const { SignJWT } = await jose();
    return new SignJWT(claims)
      .setProtectedHeader({ alg: this.algorithm, kid: id, typ: 'JWT' })
      .setIssuedAt()
      .setExpirationTime(`${lifetimeSeconds} s`)
      .sign(key);
  }

  /** JSON Web Key Set (RFC 7517). */
  async keys(): Promise<{ keys: JWK[] }> {
    return { keys: [(await this.#current()).publicJwk] };
  }

  #current(): Promise<SigningKey> {
    this.#key ??= this.#load();
    this.#key.catch(() => (this.#key = undefined));
    return this.#key;
  }

  async #load(): Promise<SigningKey> {
    const stored = await this.database.query(KeyRow).findOne({ algorithm: this.algorithm });
    if (stored) return this.#open(stored);
    const { exportPKCS8, generateKeyPair } = await jose();
    const { privateKey } = await generateKeyPair(this.algorithm, { extractable: true, modulusLength: 3072 });
    const text = await exportPKCS8(privateKey);
    const id = createHash('sha256').update(text).digest('base64url').slice(0, 22);
    const row = {
      algorithm: this.algorithm,
      key_id: id,
      private_key: this.encryption.encrypt(text),
      created_at: Date.now(),
    };
    try {
      return await this.#open(await this.database.write(async () => this.database.query(KeyRow).insertAndFetch(row)));
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      return this.#open((await this.database.query(KeyRow).findOne({ algorithm: this.algorithm }))!);
    }
  }

  async #open(row: KeyRow): Promise<SigningKey> {
    const text = this.encryption.decrypt(row.private_key);
    if (!text)
      throw new Error(
        'the key of ID tokens cannot be opened: the secret of this site is not the one it was sealed with',
      );
    const { exportJWK, importPKCS8 } = await jose();
    const key = await importPKCS8(text, this.algorithm, { extractable: true });
    const jwk = Object.fromEntries(Object.entries(await exportJWK(key)).filter(([name]) => !hidden.includes(name)));
    return { id: row.key_id, key, publicJwk: { ...jwk, kid: row.key_id, alg: this.algorithm, use: 'sig' } };
  }
}
