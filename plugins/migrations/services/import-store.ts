import { Joi, Encryption, type Database } from '@mortise/plugin-sdk';
import { importKinds, type ImportKind } from '../contract/source.js';
import type { AuthorMapping } from '../contract/importer.js';
import { type FailureReason, ImportRow, type ImportState } from '../models/import.js';

/** What was asked for, without credentials. */
interface StoredImportOptions {
  readonly kinds: readonly ImportKind[];
  readonly authors: AuthorMapping;
  /** Fields of the source that are no credentials. */
  readonly values: Readonly<Record<string, string>>;
  /** Where objects of LFS are fetched from; empty: as the clone address says. */
  readonly lfsEndpoint: string;
  /** Texts that the importer gave, in place of those of the source. */
  readonly description: string;
  /** What the source remembers between runs. */
  readonly memory?: Readonly<Record<string, string>>;
}

/** An import of one repository. Times are milliseconds since 1970 UTC. */
export interface RepositoryImport {
  readonly id: number;
  readonly repositoryId: number;
  readonly userId: number;
  readonly batch: string;
  readonly service: string;
  /** Without credentials. */
  readonly address: string;
  readonly options: StoredImportOptions;
  readonly state: ImportState;
  readonly error: string;
  readonly reason: FailureReason;
  readonly run: string;
  readonly pauses: number;
  readonly resumesAt: number;
  /** Milliseconds that its runs took since it was begun, or let go on. */
  readonly ranMs: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

interface NewImport extends Pick<
  RepositoryImport,
  'repositoryId' | 'userId' | 'batch' | 'service' | 'address' | 'options'
> {
  /** By the name of the field: user name, password, token. */
  readonly credentials: Readonly<Record<string, string>>;
}

/** States in which somebody will go on. */
export const activeStates: readonly ImportState[] = ['queued', 'running', 'paused'];
export const isActive = ({ state }: Pick<RepositoryImport, 'state'>): boolean => activeStates.includes(state);

const maxError = 1000;

const optionsSchema = Joi.object<StoredImportOptions>({
  kinds: Joi.array()
    .items(Joi.string().valid(...importKinds))
    .required(),
  authors: Joi.object({
    by: Joi.string().valid('none', 'email', 'name').required(),
    accounts: Joi.object().pattern(Joi.string().allow(''), Joi.number().integer()).required(),
  }).required(),
  values: Joi.object().pattern(Joi.string(), Joi.string().allow('')).required(),
  lfsEndpoint: Joi.string().allow('').required(),
  description: Joi.string().allow('').required(),
  memory: Joi.object().pattern(Joi.string(), Joi.string().allow('')),
});

const toImport = (row: ImportRow): RepositoryImport => ({
  id: row.id,
  repositoryId: row.repository_id,
  userId: row.user_id,
  batch: row.batch,
  service: row.service,
  address: row.address,
  options: Joi.attempt(row.options, optionsSchema) as StoredImportOptions,
  state: row.state,
  error: row.error,
  reason: row.reason,
  run: row.run,
  pauses: row.pauses,
  resumesAt: Number(row.resumes_at),
  ranMs: Number(row.ran_ms),
  createdAt: Number(row.created_at),
  updatedAt: Number(row.updated_at),
});

/** Rows of imports. */
export class ImportStore {
  constructor(
    private readonly database: Database,
    private readonly encryption: Encryption,
  ) {}

  async of(repositoryId: number): Promise<RepositoryImport | undefined> {
    const row = await this.database.query(ImportRow).findOne('repository_id', repositoryId);
    return row && toImport(row);
  }

  /** The newest first. */
  async ofUser(userId: number, limit: number, batch?: string): Promise<RepositoryImport[]> {
    const query = this.database.query(ImportRow).where('user_id', userId);
    if (batch !== undefined) void query.where('batch', batch);
    return (await query.orderBy('id', 'desc').limit(limit)).map(toImport);
  }

  async credentials(repositoryId: number): Promise<Readonly<Record<string, string>>> {
    const row = await this.database.query(ImportRow).findOne('repository_id', repositoryId);
    const text = row?.secret ? this.encryption.decrypt(row.secret) : '';
    return text ? (JSON.parse(text) as Record<string, string>) : {};
  }

  /** What the source of an import needs when it goes on. */
  async remember(repositoryId: number, memory: Readonly<Record<string, string>>): Promise<void> {
    await this.database.write(async () => {
      const row = await this.database.query(ImportRow).findOne('repository_id', repositoryId);
      if (row)
        await this.database
          .query(ImportRow)
          .where('id', row.id)
          .patch({ options: { ...row.options, memory } });
    });
  }

  /** Joins the caller's transaction. */
  async add({ credentials, options, ...repositoryImport }: NewImport): Promise<void> {
    const now = Date.now();
    await this.database.query(ImportRow).insert({
      repository_id: repositoryImport.repositoryId,
      user_id: repositoryImport.userId,
      batch: repositoryImport.batch,
      service: repositoryImport.service,
      address: repositoryImport.address,
      options: { ...options },
      secret: this.#encrypt(credentials),
      state: 'queued',
      error: '',
      reason: '',
      run: '',
      pauses: 0,
      resumes_at: 0,
      ran_ms: 0,
      created_at: now,
      updated_at: now,
    });
  }

  /** Joins the caller's transaction. False: it is in none of these states, or another run has it. */
  async move(
    repositoryId: number,
    from: { readonly states: readonly ImportState[]; readonly run?: string },
    to: {
      readonly state: ImportState;
      readonly run?: string;
      readonly error?: string;
      readonly reason?: FailureReason;
      readonly pauses?: number;
      readonly resumesAt?: number;
      readonly ranMs?: number;
      /** What signs in from now on; none: nothing does. */
      readonly credentials?: Readonly<Record<string, string>>;
    },
  ): Promise<boolean> {
    const query = this.database
      .query(ImportRow)
      .where('repository_id', repositoryId)
      .whereIn('state', [...from.states]);
    if (from.run !== undefined) void query.where('run', from.run);
    const changed = await query.patch({
      state: to.state,
      run: to.run ?? '',
      error: (to.error ?? '').slice(0, maxError),
      reason: to.reason ?? '',
      resumes_at: to.resumesAt ?? 0,
      ...(to.pauses !== undefined && { pauses: to.pauses }),
      ...(to.ranMs !== undefined && { ran_ms: to.ranMs }),
      ...(to.credentials && { secret: this.#encrypt(to.credentials) }),
      updated_at: Date.now(),
    });
    return changed > 0;
  }

  /** Is it still this run that writes? Also notes that it is alive, and for how long. In the caller's transaction. */
  async beat(repositoryId: number, run: string): Promise<boolean> {
    const now = Date.now();
    const knex = this.database.knex();
    const changed = await knex('repository_import')
      .where({ repository_id: repositoryId, run, state: 'running' })
      .update({
        // before the column that it reads: MySQL assigns one after the other
        ran_ms: knex.raw('ran_ms + (? - updated_at)', [now]),
        updated_at: now,
      });
    return changed > 0;
  }

  #encrypt(credentials: Readonly<Record<string, string>>): string {
    return Object.keys(credentials).length ? this.encryption.encrypt(JSON.stringify(credentials)) : '';
  }

  /** Do others wait for a run, also those whose pause is over? */
  async areOthersQueued(repositoryId: number): Promise<boolean> {
    const waiting = await this.database
      .query(ImportRow)
      .select('id')
      .whereNot('repository_id', repositoryId)
      .whereIn('state', ['queued', 'paused'])
      .where('resumes_at', '<=', Date.now())
      .first();
    return waiting !== undefined;
  }

  /** Those of an account that wait or run. */
  async countActive(userId: number): Promise<number> {
    return this.database
      .query(ImportRow)
      .where('user_id', userId)
      .whereIn('state', [...activeStates])
      .resultSize();
  }

  /** Of imports that have ended before that time without success. Joins the caller's transaction. */
  async forgetCredentials(before: number): Promise<void> {
    await this.database
      .query(ImportRow)
      .whereIn('state', ['failed', 'cancelled'])
      .where('updated_at', '<', before)
      .whereNot('secret', '')
      .patch({ secret: '' });
  }

  /**
   * Those whose process seems to be gone, or that nobody began, the longest unseen first. They stand behind the others
   * from then on, so that many that wait hide none. Joins the caller's transaction.
   */
  async takeStale(before: number, limit: number): Promise<Pick<RepositoryImport, 'repositoryId' | 'userId'>[]> {
    const rows = await this.database
      .query(ImportRow)
      .select('repository_id', 'user_id')
      .whereIn('state', [...activeStates])
      .where('updated_at', '<', before)
      .where('resumes_at', '<', before)
      .orderBy(['updated_at', 'id'])
      .limit(limit);
    const stalled = rows.map((row) => ({ repositoryId: row.repository_id, userId: row.user_id }));
    if (stalled.length)
      await this.database
        .query(ImportRow)
        .whereIn(
          'repository_id',
          stalled.map(({ repositoryId }) => repositoryId),
        )
        .where('updated_at', '<', before)
        .patch({ updated_at: Date.now() });
    return stalled;
  }
}
