import {
  actAudited,
  pageOf,
  Invalid,
  NotFound,
  type Database,
  type Events,
  refuseDuplicate,
} from '@mortise/plugin-sdk';
import type { Emails } from '@mortise/accounts/api';
import type { GpgKey, GpgKeyPart, GpgKeys } from '../contract/signatures.js';
import { GpgKeyRow } from '../models/gpg-key.js';
import { GpgSubkeyRow } from '../models/gpg-subkey.js';
import { parseGpgKeys, type ParsedKey, type ParsedPart } from './openpgp-key.js';
import type { Challenges } from './challenge.js';
import { t } from '../texts/index.js';

const toPart = (row: GpgKeyRow | GpgSubkeyRow): GpgKeyPart => ({
  id: row.id,
  keyId: row.key_id,
  fingerprint: row.fingerprint,
  publicKey: row.public_key,
  canSign: row.can_sign,
  canEncryptComms: row.can_encrypt_comms,
  canEncryptStorage: row.can_encrypt_storage,
  canCertify: row.can_certify,
  createdAt: Number(row.created_at),
  expiresAt: Number(row.expires_at),
});

/** What a key and a subkey have in common. */
export const partColumns = (part: ParsedPart) => ({
  key_id: part.keyId,
  fingerprint: part.fingerprint,
  public_key: part.publicKey,
  can_sign: part.canSign,
  can_encrypt_comms: part.canEncryptComms,
  can_encrypt_storage: part.canEncryptStorage,
  can_certify: part.canCertify,
  created_at: part.createdAt,
  expires_at: part.expiresAt,
});

const inUse = 'The key is in use already.';

/** GPG keys of people (account-gpg-keys). A key belongs to one account only. */
export class GpgKeyService implements GpgKeys {
  constructor(
    private readonly database: Database,
    private readonly emails: Emails,
    private readonly challenges: Challenges,
    private readonly events: Events,
  ) {}

  async #withSubkeys(rows: readonly GpgKeyRow[]): Promise<GpgKey[]> {
    if (rows.length === 0) return [];
    const ids = rows.map((row) => row.id);
    const subkeys = await this.database.query(GpgSubkeyRow).whereIn('gpg_key_id', ids).orderBy('id');
    return rows.map((row) => ({
      ...toPart(row),
      userId: row.user_id,
      armored: row.armored,
      emails: row.emails,
      verified: row.verified,
      addedAt: Number(row.added_at),
      subkeys: subkeys.filter((sub) => sub.gpg_key_id === row.id).map(toPart),
    }));
  }

  async list(search: { userId: number; limit: number; offset: number }): Promise<{ items: GpgKey[]; total: number }> {
    const query = this.database.query(GpgKeyRow).where('user_id', search.userId);
    const { rows, total } = await pageOf(query.orderBy('id'), search);
    return { items: await this.#withSubkeys(rows), total };
  }

  async byId(id: number): Promise<GpgKey | undefined> {
    const row = await this.database.query(GpgKeyRow).findById(id);
    return row && (await this.#withSubkeys([row]))[0];
  }

  async byKeyIds(keyIds: readonly string[]): Promise<GpgKey[]> {
    if (keyIds.length === 0) return [];
    const ids = [...new Set(keyIds)];
    const rows = await this.database
      .query(GpgKeyRow)
      .whereIn('key_id', ids)
      .orWhereIn('id', GpgSubkeyRow.query().select('gpg_key_id').whereIn('key_id', ids))
      .orderBy('id');
    return this.#withSubkeys(rows);
  }

  token(userId: number): string {
    return this.challenges.token(userId);
  }

  async add(userId: number, armored: string, signature?: string): Promise<GpgKey[]> {
    const parsed = await parseGpgKeys(armored);
    // Said first, so that nobody is asked to prove a key that cannot be added.
    await this.#refuseUsed(parsed);
    const own = await this.emails.list(userId);
    const verifiedOwn = new Set(own.filter((one) => one.isVerified).map((one) => one.email.toLowerCase()));
    const proven: boolean[] = [];
    for (const key of parsed) {
      const holds = signature ? await this.challenges.isAnswered(userId, key.armored, signature) : false;
      if (signature && !holds) throw Invalid(t.later('error.signature'));
      if (!holds && !key.emails.some((email) => verifiedOwn.has(email.toLowerCase())))
        throw NotFound(t.later('error.address'));
      proven.push(holds);
    }
    const store = async () => {
      await this.#refuseUsed(parsed);
      const ids: number[] = [];
      for (const [index, key] of parsed.entries()) ids.push(await this.#insert(userId, key, proven[index]!));
      const rows = await this.database.query(GpgKeyRow).whereIn('id', ids).orderBy('id');
      return this.#withSubkeys(rows);
    };
    return refuseDuplicate(inUse, () => this.database.write(store));
  }

  async #refuseUsed(parsed: readonly ParsedKey[]): Promise<void> {
    const prints = parsed.map((key) => key.fingerprint);
    if (new Set(prints).size !== prints.length) throw Invalid(t.later('error.twice'));
    if (await this.database.query(GpgKeyRow).select('id').whereIn('fingerprint', prints).first()) throw Invalid(inUse);
  }

  async #insert(userId: number, key: ParsedKey, verified: boolean): Promise<number> {
    const { id } = await this.database.query(GpgKeyRow).insert({
      user_id: userId,
      ...partColumns(key),
      armored: key.armored,
      emails: [...key.emails],
      verified,
      added_at: Date.now(),
    });
    for (const subkey of key.subkeys)
      await this.database.query(GpgSubkeyRow).insert({ gpg_key_id: id, ...partColumns(subkey) });
    await this.#audit('create', id, userId, key.keyId);
    return id;
  }

  async prove(userId: number, keyId: string, signature: string): Promise<GpgKey> {
    const row = await this.database
      .query(GpgKeyRow)
      .findOne({ user_id: userId, key_id: keyId.toUpperCase().replace(/^0X/, '') });
    if (!row) throw NotFound('key');
    if (!(await this.challenges.isAnswered(userId, row.armored, signature))) throw Invalid(t.later('error.signature'));
    await this.database.write(async () => this.database.query(GpgKeyRow).findById(row.id).patch({ verified: true }));
    return (await this.#withSubkeys([Object.assign(row, { verified: true })]))[0]!;
  }

  async remove(id: number): Promise<void> {
    await this.database.write(async () => {
      const row = await this.database.query(GpgKeyRow).findById(id);
      if (!row) return;
      await this.database.query(GpgSubkeyRow).delete().where('gpg_key_id', id);
      await this.database.query(GpgKeyRow).deleteById(id);
      await this.#audit('delete', id, row.user_id, row.key_id);
    });
  }

  #audit(verb: 'create' | 'delete', id: number, userId: number, keyId: string): Promise<void> {
    const target = { kind: 'gpg_key', id, name: keyId };
    return this.events.emit(actAudited, { action: `gpg_key.${verb}`, target, userId });
  }
}
