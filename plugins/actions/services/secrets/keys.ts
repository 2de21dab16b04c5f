import { randomBytes } from 'node:crypto';
import { Vault, type Database } from '@mortise/plugin-sdk';
import { SecretKeyRow } from '../../models/secret.js';

/** A key that secrets are sealed with. */
export interface SecretKey {
  readonly id: number;
  readonly vault: Vault;
}

/**
 * Keys of secrets. They stand in the database, sealed with the secret of the installation, so that they can be changed
 * while it stays.
 */
export class SecretKeys {
  constructor(
    private readonly database: Database,
    private readonly master: Vault,
  ) {}

  /** The newest one, made when there is none; in the transaction that seals with it. */
  async current(): Promise<SecretKey> {
    const row = await this.database.query(SecretKeyRow).orderBy('id', 'desc').first();
    const vault = row && this.#open(row);
    // One that cannot be opened any more seals nothing either.
    return vault ? { id: row.id, vault } : this.add();
  }

  /** In a transaction. */
  async add(): Promise<SecretKey> {
    const key = randomBytes(32);
    const { id } = await this.database
      .query(SecretKeyRow)
      .insertAndFetch({ sealed: this.master.seal(key.toString('base64')), created_at: Date.now() });
    return { id, vault: new Vault(key) };
  }

  /** By id; without those that cannot be opened any more. */
  async byIds(ids: readonly number[]): Promise<Map<number, SecretKey>> {
    const rows = ids.length ? await this.database.query(SecretKeyRow).findByIds([...new Set(ids)]) : [];
    return new Map(
      rows.flatMap((row) => {
        const vault = this.#open(row);
        return vault ? [[row.id, { id: row.id, vault }] as const] : [];
      }),
    );
  }

  #open(row: SecretKeyRow): Vault | undefined {
    const key = Buffer.from(this.master.open(row.sealed), 'base64');
    return key.length === 32 ? new Vault(key) : undefined;
  }
}
