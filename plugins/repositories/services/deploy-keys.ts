import { Invalid, NotFound, type Database } from '@mortise/plugin-sdk';
import type { PublicKeys } from '@mortise/accounts/api';
import { DeployKeyRow } from '../models/others.js';

/** Keys that reach one repository, for reading or for writing. */
export class DeployKeyService {
  constructor(private readonly parts: { database: Database; keys: PublicKeys }) {}

  async list(repositoryId: number, search: { keyId?: number; fingerprint?: string; limit: number; offset: number }) {
    const query = this.parts.database.query(DeployKeyRow).where('repository_id', repositoryId);
    if (search.keyId) void query.where('id', search.keyId);
    if (search.fingerprint) void query.where('fingerprint', search.fingerprint);
    const total = await query.clone().resultSize();
    return { items: await query.orderBy('id').limit(search.limit).offset(search.offset), total };
  }

  async get(repositoryId: number, id: number): Promise<DeployKeyRow> {
    const row = await this.parts.database.query(DeployKeyRow).findOne({ id, repository_id: repositoryId });
    if (!row) throw NotFound('deploy key');
    return row;
  }

  async add(
    repositoryId: number,
    { title, key, readOnly }: { title: string; key: string; readOnly: boolean },
  ): Promise<DeployKeyRow> {
    const { database, keys } = this.parts;
    const { content, fingerprint } = keys.parse(key);
    if (await keys.byFingerprint(fingerprint)) throw Invalid('the key belongs to an account');
    return database.write(async () => {
      const there = await database
        .query(DeployKeyRow)
        .where('repository_id', repositoryId)
        .where((either) => void either.where({ fingerprint }).orWhere({ title }))
        .first();
      if (there)
        throw Invalid(
          there.fingerprint === fingerprint
            ? 'the repository has this key already'
            : 'the repository has a key with this title',
        );
      return database.query(DeployKeyRow).insertAndFetch({
        repository_id: repositoryId,
        title,
        content,
        fingerprint,
        read_only: readOnly,
        created_at: Date.now(),
      });
    });
  }

  async remove(repositoryId: number, id: number): Promise<void> {
    await this.get(repositoryId, id);
    await this.parts.database.write(async () => void (await this.parts.database.query(DeployKeyRow).deleteById(id)));
  }
}
