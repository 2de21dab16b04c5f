import { createHash } from 'node:crypto';
import type { CryptoKey, JWK, JWTPayload } from 'jose';
import { isUniqueViolation, type Database, type Encryption } from '@mortise/plugin-sdk';
import { IdKeyRow } from '../models/id-key.js';

/** Loaded with the first key that is needed. */
const jose = () => import('jose');
export const idAlgorithm = 'RS256';
const bits = 2048;

interface OpenKey {
  readonly id: string;
  readonly key: CryptoKey;
  readonly publicJwk: JWK;
}

/** The key of identity tokens: made when first needed, the same in all processes, sealed in the database. */
export class IdKeys {
  #open: Promise<OpenKey> | undefined;

  constructor(
    private readonly database: Database,
    private readonly encryption: Encryption,
  ) {}

  async sign(claims: JWTPayload): Promise<string> {
    const { id, key } = await this.#current();
    const { SignJWT } = await jose();
    return new SignJWT(claims).setProtectedHeader({ alg: idAlgorithm, kid: id, typ: 'JWT' }).sign(key);
  }

  /** JSON Web Key Set (RFC 7517). */
  async publicKeys(): Promise<{ readonly keys: readonly JWK[] }> {
    return { keys: [(await this.#current()).publicJwk] };
  }

  #current(): Promise<OpenKey> {
    this.#open ??= this.#load().catch((error: unknown) => {
      this.#open = undefined;
      throw error;
    });
    return this.#open;
  }

  async #load(): Promise<OpenKey> {
    const { database, encryption } = this;
    const newest = () => database.query(IdKeyRow).orderBy('generation', 'desc').first();
    const known = await newest();
    // sealed with another secret than the site has now: what it has signed is over soon, and a new one takes its place
    const text = known && encryption.decrypt(known.private_key);
    if (known && text) return open(known, text);
    return this.#make((known?.generation ?? 0) + 1, newest);
  }

  async #make(generation: number, newest: () => PromiseLike<IdKeyRow | undefined>): Promise<OpenKey> {
    const { database, encryption } = this;
    const { exportPKCS8, generateKeyPair } = await jose();
    const { privateKey } = await generateKeyPair(idAlgorithm, { extractable: true, modulusLength: bits });
    const text = await exportPKCS8(privateKey);
    const key_id = createHash('sha256').update(text).digest('base64url').slice(0, 22);
    try {
      const row = { generation, key_id, private_key: encryption.encrypt(text), created_at: Date.now() };
      return await open(await database.write(async () => database.query(IdKeyRow).insertAndFetch(row)), text);
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      const other = (await newest())!;
      return open(other, encryption.decrypt(other.private_key));
    }
  }
}

async function open(row: IdKeyRow, text: string): Promise<OpenKey> {
  const { exportJWK, importPKCS8 } = await jose();
  const key = await importPKCS8(text, idAlgorithm, { extractable: true });
  const { kty, n, e } = await exportJWK(key);
  return { id: row.key_id, key, publicJwk: { kty, n, e, kid: row.key_id, alg: idAlgorithm, use: 'sig' } };
}
