import {
  actAudited,
  pageOf,
  NotFound,
  anonymous,
  type Actor,
  type Database,
  type Events,
  writeBehind,
  type Logger,
  type WriteBehind,
  refusedField,
} from '@mortise/plugin-sdk';
import type { PublicKeys } from '@mortise/accounts/api';
import { deployKeyGrant, type DeployKeys } from '../api.js';
import type { DeployKey } from '../contract/repositories.js';
import { DeployKeyRow } from '../models/deploy-key.js';
import { lockRepositoryRow } from './row-locks.js';
import { t } from '../texts/index.js';

/** Keys that reach one repository, for reading or for writing. */
export class DeployKeyService implements DeployKeys {
  /** Key id → time of the last use. */
  readonly uses: WriteBehind;

  constructor(private readonly deps: { database: Database; events: Events; keys: PublicKeys; log: Logger }) {
    const { database, log } = deps;
    this.uses = writeBehind({
      name: 'uses of deploy keys',
      keep: 'latest',
      delayMs: 60_000,
      log,
      write: (uses) =>
        database.write(async () => {
          for (const [id, at] of uses) await database.query(DeployKeyRow).findById(id).patch({ last_used_at: at });
        }),
    });
  }

  async byFingerprint(fingerprint: string): Promise<DeployKey[]> {
    const rows = await this.deps.database.query(DeployKeyRow).where({ fingerprint }).orderBy('id');
    return rows.map((row) => ({
      id: row.id,
      repositoryId: row.repository_id,
      title: row.title,
      fingerprint: row.fingerprint,
      readOnly: row.read_only,
    }));
  }

  used(id: number): void {
    this.uses.add(id, Date.now());
  }

  actor(key: DeployKey): Actor {
    return {
      ...anonymous,
      kind: 'deploy-key',
      name: key.title,
      method: 'deploy-key',
      credentialId: key.id,
      grants: deployKeyGrant.make({ repositoryId: key.repositoryId, readOnly: key.readOnly }),
    };
  }

  async list(repositoryId: number, search: { keyId?: number; fingerprint?: string; limit: number; offset: number }) {
    const query = this.deps.database.query(DeployKeyRow).where('repository_id', repositoryId);
    if (search.keyId) void query.where('id', search.keyId);
    if (search.fingerprint) void query.where('fingerprint', search.fingerprint);
    const { rows: items, total } = await pageOf(query.orderBy('id'), search);
    return { items, total };
  }

  async get(repositoryId: number, id: number): Promise<DeployKeyRow> {
    const row = await this.deps.database.query(DeployKeyRow).findOne({ id, repository_id: repositoryId });
    if (!row) throw NotFound(t.later('error.keyMissing'));
    return row;
  }

  /** Refuses what is no public key. */
  check(key: string): void {
    this.deps.keys.parse(key);
  }

  async add(
    repositoryId: number,
    { title, key, readOnly }: { title: string; key: string; readOnly: boolean },
  ): Promise<DeployKeyRow> {
    const { database, keys } = this.deps;
    const { content, fingerprint } = keys.parse(key);
    return database.write(async () => {
      await lockRepositoryRow(database, repositoryId);
      if (await keys.byFingerprint(fingerprint)) throw refusedField('key', t.later('error.keyOfAccount'));
      const there = await database
        .query(DeployKeyRow)
        .where('repository_id', repositoryId)
        .where((either) => void either.where({ fingerprint }).orWhere({ title }))
        .first();
      if (there)
        throw there.fingerprint === fingerprint
          ? refusedField('key', t.later('error.keyTwice'))
          : refusedField('title', t.later('error.keyTitleTaken'));
      const row = await database.query(DeployKeyRow).insertAndFetch({
        repository_id: repositoryId,
        title,
        content,
        fingerprint,
        read_only: readOnly,
        created_at: Date.now(),
      });
      await this.#audit('create', row);
      return row;
    });
  }

  async remove(repositoryId: number, id: number): Promise<void> {
    await this.deps.database.write(async () => {
      const row = await this.get(repositoryId, id);
      await this.deps.database.query(DeployKeyRow).deleteById(id);
      await this.#audit('delete', row);
    });
  }

  #audit(verb: 'create' | 'delete', row: DeployKeyRow): Promise<void> {
    return this.deps.events.emit(actAudited, {
      action: `deploy_key.${verb}`,
      target: { kind: 'deploy_key', id: row.id, name: row.title },
      repositoryId: row.repository_id,
      details: { fingerprint: row.fingerprint, readOnly: row.read_only },
    });
  }
}
