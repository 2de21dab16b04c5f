import {
  actAudited,
  pageOf,
  checkFields,
  Invalid,
  refuseDuplicate,
  writeBehind,
  type Database,
  type Events,
  type Logger,
  type WriteBehind,
} from '@mortise/plugin-sdk';
import { publicKeyAdding, type Account, type PublicKey, type PublicKeys } from '../api.js';
import type { ParsedPublicKey } from '../contract/keys.js';
import { PublicKeyRow } from '../models/public-key.js';
import { syncAuthorizedKeys } from './authorized-keys-sync.js';
import { parseKey } from './ssh-key.js';
import { t } from '../texts/index.js';
import { fieldRefusal } from './field-refusal.js';

const toKey = (row: PublicKeyRow): PublicKey => ({
  id: row.id,
  userId: row.user_id,
  title: row.title,
  content: row.content,
  fingerprint: row.fingerprint,
  keyType: 'user',
  readOnly: row.read_only,
  createdAt: Number(row.created_at),
  lastUsedAt: Number(row.last_used_at),
});

const maxTitle = 255;

/** SSH keys of accounts (ACC-01, ACC-03, LIM-14). A key belongs to one account only. */
export class PublicKeyService implements PublicKeys {
  /** Key id → time of the last use. */
  readonly uses: WriteBehind;

  constructor(
    private readonly database: Database,
    private readonly events: Events,
    private readonly minimumRsaBits: number,
    private readonly log: Logger,
  ) {
    this.uses = writeBehind({
      name: 'uses of keys',
      keep: 'latest',
      delayMs: 60_000,
      log,
      write: (uses) =>
        database.write(async () => {
          for (const [id, at] of uses) await database.query(PublicKeyRow).findById(id).patch({ last_used_at: at });
        }),
    });
  }

  async list(search: {
    userId: number;
    fingerprint?: string;
    limit: number;
    offset: number;
  }): Promise<{ items: PublicKey[]; total: number }> {
    const query = this.database.query(PublicKeyRow).where('user_id', search.userId);
    if (search.fingerprint) void query.where('fingerprint', search.fingerprint);
    const { rows, total } = await pageOf(query.orderBy('id'), search);
    return { items: rows.map(toKey), total };
  }

  async byId(id: number): Promise<PublicKey | undefined> {
    const row = await this.database.query(PublicKeyRow).findById(id);
    return row && toKey(row);
  }

  async byFingerprint(fingerprint: string): Promise<PublicKey | undefined> {
    const row = await this.database.query(PublicKeyRow).findOne({ fingerprint });
    return row && toKey(row);
  }

  parse(text: string): ParsedPublicKey {
    return parseKey(text, this.minimumRsaBits);
  }

  async add(userId: number, given: { title: string; key: string; readOnly?: boolean }): Promise<PublicKey> {
    const title = given.title.trim();
    await checkFields({
      title: () => {
        if (!title || title.length > maxTitle) throw Invalid(t.later('error.keyTitle', { max: maxTitle }));
      },
      key: () => this.parse(given.key),
    });
    const parsed = this.parse(given.key);
    const store = async () => {
      const same = await this.database
        .query(PublicKeyRow)
        .where('fingerprint', parsed.fingerprint)
        .orWhere((own) => void own.where('user_id', userId).where('title', title))
        .first();
      if (same)
        throw same.fingerprint === parsed.fingerprint
          ? fieldRefusal('key', Invalid, t.later('error.keyInUse'))
          : fieldRefusal('title', Invalid, t.later('error.keyTitleInUse'));
      await this.events.emit(publicKeyAdding, { userId, fingerprint: parsed.fingerprint });
      const now = Date.now();
      const row = await this.database.query(PublicKeyRow).insertAndFetch({
        user_id: userId,
        title,
        content: parsed.content,
        fingerprint: parsed.fingerprint,
        algorithm: parsed.algorithm,
        read_only: given.readOnly ?? false,
        created_at: now,
        last_used_at: now,
      });
      await this.#audit('create', row);
      return toKey(row);
    };
    return refuseDuplicate(t.later('error.keyInUse'), () => this.database.write(store));
  }

  async remove(id: number): Promise<void> {
    await this.database.write(async () => {
      const row = await this.database.query(PublicKeyRow).findById(id);
      if (!row) return;
      await this.database.query(PublicKeyRow).deleteById(id);
      await this.#audit('delete', row);
    });
  }

  #audit(verb: 'create' | 'delete', { id, user_id: userId, title, fingerprint }: PublicKeyRow): Promise<void> {
    return this.events.emit(actAudited, {
      action: `public_key.${verb}`,
      target: { kind: 'public_key', id, name: title },
      userId,
      details: { fingerprint },
    });
  }

  sync(account: Pick<Account, 'id' | 'name'>, source: string, wanted: readonly string[]): Promise<void> {
    return syncAuthorizedKeys({ publicKeys: this, log: this.log }, account, source, wanted);
  }

  used(id: number): void {
    this.uses.add(id, Date.now());
  }
}
