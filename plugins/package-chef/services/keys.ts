import { generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';
import type { Database } from '@mortise/plugin-sdk';
import { KeyRow } from '../models/key.js';

const makePair = promisify(generateKeyPair);

/** Key pairs of users, one each, for clients that sign their requests. */
export class ChefKeys {
  constructor(private readonly database: Database) {}

  /** Replaces the key pair; returns the private key in PEM, which is not stored. */
  async make(userId: number): Promise<string> {
    const { publicKey, privateKey } = await makePair('rsa', {
      modulusLength: 2048,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    });
    const row = { user_id: userId, public_key: publicKey, created_at: Date.now() };
    await this.database.write(() => this.database.query(KeyRow).insert(row).onConflict('user_id').merge());
    return privateKey;
  }

  /** The public key in PEM. */
  async of(userId: number): Promise<string | undefined> {
    return (await this.database.query(KeyRow).findById(userId))?.public_key;
  }

  /** Milliseconds since 1970 UTC. */
  async madeAt(userId: number): Promise<number | undefined> {
    const row = await this.database.query(KeyRow).findById(userId);
    return row && Number(row.created_at);
  }

  async remove(userId: number): Promise<void> {
    await this.database.write(() => this.database.query(KeyRow).deleteById(userId));
  }
}
