import { NotFound, pageOf, retryDuplicate, type Database, type Events, type Logger } from '@mortise/plugin-sdk';
import { ownerScope, repositoryScope, type ActionScope, type ScopedRepository } from '../../contract/scopes.js';
import type { NewSecret, SecretSummary, Secrets } from '../../contract/secrets.js';
import { SecretKeyRow } from '../../models/secret-key.js';
import { SecretRow } from '../../models/secret.js';
import { auditInScope } from '../audited-scope.js';
import type { SecretKeys } from './secret-keys.js';
import { checkedName, checkedValue, cutDescription, nameOf } from './secret-names.js';
import { lockEnvironment, inScope } from './value-scope.js';

const batch = 100;
/** Secrets that one job gets. */
const maxSecrets = 2000;

/** Secrets of jobs: sealed as they come, opened for the runner that gets them. */
export class SecretService implements Secrets {
  constructor(
    private readonly database: Database,
    private readonly keys: SecretKeys,
    private readonly events: Events,
    private readonly log: Logger,
  ) {}

  async list(
    scope: ActionScope,
    page: { limit: number; offset: number },
  ): Promise<{ items: SecretSummary[]; total: number }> {
    const query = this.database.query(SecretRow).select('name', 'description', 'created_at').where(inScope(scope));
    const { rows, total } = await pageOf(query.orderBy('name'), page);
    return {
      items: rows.map((row) => ({ name: row.name, description: row.description, createdAt: row.created_at })),
      total,
    };
  }

  put(scope: ActionScope, given: NewSecret): Promise<boolean> {
    const name = checkedName(given.name);
    const data = checkedValue(given.data);
    const description = cutDescription(given.description);
    return retryDuplicate(() =>
      this.database.write(async () => {
        const now = Date.now();
        const audited = await lockEnvironment(this.database, scope);
        const changes = { ...(await this.stored(data)), description, updated_at: now };
        const changed = await this.database
          .query(SecretRow)
          .where({ ...inScope(scope), name })
          .patch(changes);
        await auditInScope(this.events, scope, { action: 'secret.set', target: { kind: 'secret', name }, ...audited });
        if (changed > 0) return false;
        await this.database.query(SecretRow).insert({ ...inScope(scope), name, ...changes, created_at: now });
        return true;
      }),
    );
  }

  /** Columns of a row with this value, encrypted with the current key. */
  stored(value: string): Promise<Pick<SecretRow, 'sealed' | 'key_id'>> {
    return this.database.write(async () => {
      const { id, encryption } = await this.keys.current();
      return { sealed: encryption.encrypt(value), key_id: id };
    });
  }

  remove(scope: ActionScope, name: string): Promise<void> {
    return this.database.write(async () => {
      const audited = await lockEnvironment(this.database, scope);
      const gone = await this.database
        .query(SecretRow)
        .delete()
        .where({ ...inScope(scope), name: nameOf(name) });
      if (gone === 0) throw NotFound('secret');
      const target = { kind: 'secret', name: nameOf(name) };
      await auditInScope(this.events, scope, { action: 'secret.delete', target, ...audited });
    });
  }

  async secretsOf(repository: ScopedRepository): Promise<Record<string, string>> {
    return this.#open(await this.#rowsOf(repository));
  }

  async environmentSecretsOf(environmentId: number): Promise<Record<string, string>> {
    return this.#open(await this.database.query(SecretRow).where('environment_id', environmentId).limit(maxSecrets));
  }

  async #open(rows: readonly SecretRow[]): Promise<Record<string, string>> {
    const keys = await this.keys.byIds(rows.map((row) => row.key_id));
    const values: Record<string, string> = {};
    for (const row of rows) {
      const value = keys.get(row.key_id)?.encryption.decrypt(row.sealed) ?? '';
      if (value === '' && row.sealed !== '')
        this.log.warn('could not decrypt a secret', { event: 'actions.secret.decrypt', name: row.name, id: row.id });
      values[row.name] = value;
    }
    return values;
  }

  async secretNamesOf(repository: ScopedRepository): Promise<ReadonlySet<string>> {
    const rows = await this.database.query(SecretRow).select('name').where(ofJobs(repository));
    return new Set(rows.map(({ name }) => name));
  }

  /**
   * New secrets are sealed with the new key from the first moment; the old ones follow in small transactions. A key goes
   * when nothing is sealed with it, which the database itself makes sure of.
   */
  async rotate(): Promise<number> {
    const fresh = await this.database.write(() => this.keys.add());
    let count = 0;
    for (let after = 0; ;) {
      const step = await this.database.write(() => this.#reseal(fresh.id, after));
      count += step.count;
      if (step.last === undefined) break;
      after = step.last;
    }
    await this.database.write(async () => {
      const used = this.database.query(SecretRow).distinct('key_id');
      await this.database.query(SecretKeyRow).delete().where('id', '<', fresh.id).whereNotIn('id', used);
    });
    return count;
  }

  async #reseal(freshId: number, after: number): Promise<{ count: number; last?: number }> {
    const rows = await this.database
      .query(SecretRow)
      .where('id', '>', after)
      .where('key_id', '<', freshId)
      .orderBy('id')
      .limit(batch)
      .forUpdate();
    const keys = await this.keys.byIds([freshId, ...rows.map((row) => row.key_id)]);
    const fresh = keys.get(freshId)!;
    let count = 0;
    for (const row of rows) {
      const value = keys.get(row.key_id)?.encryption.decrypt(row.sealed) ?? '';
      // What cannot be opened stays as it is, with its key: the secret of the installation may come back.
      if (value === '' && row.sealed !== '') continue;
      await this.database
        .query(SecretRow)
        .findById(row.id)
        .patch({ sealed: fresh.encryption.encrypt(value), key_id: freshId });
      count++;
    }
    return { count, last: rows.length < batch ? undefined : rows.at(-1)!.id };
  }

  /** The owner's before the repository's, which win. */
  async #rowsOf(repository: ScopedRepository): Promise<SecretRow[]> {
    return this.database.query(SecretRow).where(ofJobs(repository)).orderBy('repository_id').limit(maxSecrets);
  }
}

const ofJobs =
  (repository: ScopedRepository) =>
  (either: { orWhere(where: object): unknown }): void => {
    void either.orWhere(inScope(ownerScope(repository.ownerId)));
    void either.orWhere(inScope(repositoryScope(repository.id)));
  };
