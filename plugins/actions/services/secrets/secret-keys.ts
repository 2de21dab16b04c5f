import { randomBytes } from 'node:crypto';
import { Encryption, type Database } from '@mortise/plugin-sdk';
import { SecretKeyRow } from '../../models/secret-key.js';

/** A key that secrets are sealed with. */
interface SecretKey {
  readonly id: number;
  readonly encryption: Encryption;
}

/**
 * Keys of secrets. They stand in the database, sealed with the secret of the installation, so that they can be changed
 * while it stays.
 */
export class SecretKeys {
  constructor(
    private readonly database: Database,
    private readonly master: Encryption,
  ) {}

  /** The newest one, made when there is none; in the transaction that seals with it. */
  async current(): Promise<SecretKey> {
    const row = await this.database.query(SecretKeyRow).orderBy('id', 'desc').first();
    const encryption = row && this.#open(row);
    // One that cannot be opened any more seals nothing either.
    return encryption ? { id: row.id, encryption } : this.add();
  }

  /** In a transaction. */
  async add(): Promise<SecretKey> {
    const key = randomBytes(32);
    const { id } = await this.database
      .query(SecretKeyRow)
      .insertAndFetch({ sealed: this.master.encrypt(key.toString('base64')), created_at: Date.now() });
    return { id, encryption: new Encryption(key) };
  }

  /** By id; without those that cannot be opened any more. */
  async byIds(ids: readonly number[]): Promise<Map<number, SecretKey>> {
    const rows = ids.length ? await this.database.query(SecretKeyRow).findByIds([...new Set(ids)]) : [];
    return new Map(
      rows.flatMap((row) => {
        const encryption = this.#open(row);
        return encryption ? [[row.id, { id: row.id, encryption }] as const] : [];
      }),
    );
  }

  #open(row: SecretKeyRow): Encryption | undefined {
    const key = Buffer.from(this.master.decrypt(row.sealed), 'base64');
    return key.length === 32 ? new Encryption(key) : undefined;
  }
}
