import { createHash } from 'node:crypto';
import { Invalid, isWebLink, type Cache, type Database, type Events, type QueryCache } from '@mortise/plugin-sdk';
import {
  combineStates,
  commitStatusCreated,
  type CommitStatus,
  type CommitStatuses,
  type StatusState,
} from '../api.js';
import { statusStates, type CombinedState, type NewCommitStatus } from '../contract/commit-status.js';
import { CommitStatusRow, statusOf } from '../models/commit-status.js';
import { PositionRow } from '../models/position.js';

export const sortings = ['oldest', 'recentupdate', 'leastupdate', 'leastindex', 'highestindex'] as const;
type Sorting = (typeof sortings)[number];

/** As clients of the interface know the words: `leastindex` begins with the newest. */
const orders: Readonly<Record<Sorting | 'newest', readonly { column: string; order: 'asc' | 'desc' }[]>> = {
  newest: [{ column: 'position', order: 'desc' }],
  oldest: [{ column: 'position', order: 'asc' }],
  recentupdate: [
    { column: 'updated_at', order: 'desc' },
    { column: 'position', order: 'desc' },
  ],
  leastupdate: [
    { column: 'updated_at', order: 'asc' },
    { column: 'position', order: 'asc' },
  ],
  leastindex: [{ column: 'position', order: 'desc' }],
  highestindex: [{ column: 'position', order: 'asc' }],
};

/** How far back contexts are recent, newest statuses of a repository searched for them, and most contexts returned. */
const recentMs = 7 * 24 * 3_600_000;
const maxConsidered = 500;
const maxContexts = 50;

interface StatusSearch {
  readonly sort?: Sorting;
  readonly state?: StatusState;
  readonly limit: number;
  readonly offset: number;
}

export class StatusService implements CommitStatuses {
  /** The newest of each context by repository and commit; empty lists too, for most commits have none. */
  readonly #latest: QueryCache<readonly CommitStatus[]>;

  constructor(private readonly deps: { readonly database: Database; readonly events: Events; readonly cache: Cache }) {
    this.#latest = deps.cache.query('commit-status.latest');
  }

  async create(status: NewCommitStatus): Promise<CommitStatus> {
    if (!statusStates.includes(status.state)) throw Invalid(`state must be one of: ${statusStates.join(', ')}.`);
    if (!isWebLink(status.targetUrl ?? '')) throw Invalid('target_url must be a path or an http or https URL.');
    const { database, events } = this.deps;
    return database.write(async () => {
      const position = await this.#nextPosition(status.repositoryId, status.sha);
      const now = Date.now();
      const context = status.context ?? '';
      const row = await database.query(CommitStatusRow).insertAndFetch({
        repository_id: status.repositoryId,
        sha: status.sha,
        position,
        state: status.state,
        context,
        context_hash: createHash('sha1').update(context).digest('hex'),
        description: status.description ?? '',
        target_url: status.targetUrl ?? '',
        creator_id: status.creatorId,
        created_at: now,
        updated_at: now,
      });
      await events.emit(commitStatusCreated, {
        statusId: row.id,
        repositoryId: row.repository_id,
        sha: row.sha,
        context,
        state: row.state,
        creatorId: row.creator_id,
      });
      return statusOf(row);
    });
  }

  /** The first statement locks the row of the commit until the transaction ends, so that no position is given twice. */
  async #nextPosition(repositoryId: number, sha: string): Promise<number> {
    const { database } = this.deps;
    const knex = database.knex();
    await database
      .query(PositionRow)
      .insert({ repository_id: repositoryId, sha, taken: 1 })
      .onConflict(['repository_id', 'sha'])
      .merge({ taken: knex.raw('?? + 1', ['commit_status_position.taken']) as unknown as number });
    const row = await database.query(PositionRow).findOne({ repository_id: repositoryId, sha });
    return row!.taken;
  }

  async byId(id: number): Promise<CommitStatus | undefined> {
    const row = await this.deps.database.query(CommitStatusRow).findById(id);
    return row && statusOf(row);
  }

  /** All statuses of a commit, replaced ones too. */
  async list(
    repositoryId: number,
    sha: string,
    search: StatusSearch,
  ): Promise<{ items: CommitStatus[]; total: number }> {
    const query = this.deps.database.query(CommitStatusRow).where({ repository_id: repositoryId, sha });
    if (search.state) void query.where('state', search.state);
    const total = await query.clone().resultSize();
    if (total === 0) return { items: [], total };
    const rows = await query
      .orderBy([...orders[search.sort ?? 'newest']])
      .limit(search.limit)
      .offset(search.offset);
    return { items: rows.map(statusOf), total };
  }

  async latest(repositoryId: number, oids: readonly string[]): Promise<ReadonlyMap<string, readonly CommitStatus[]>> {
    const keys = oids.map((oid) => `${repositoryId}:${oid}`);
    const latest = await this.#latest.loadMany(keys, async (missing) => {
      const wanted = missing.map((key) => key.slice(key.indexOf(':') + 1));
      const loaded = await this.#load(repositoryId, wanted);
      return new Map(wanted.map((oid) => [`${repositoryId}:${oid}`, loaded.get(oid) ?? []]));
    });
    return new Map(
      oids.flatMap((oid) => {
        const statuses = latest.get(`${repositoryId}:${oid}`) ?? [];
        return statuses.length > 0 ? [[oid, statuses] as const] : [];
      }),
    );
  }

  async #load(repositoryId: number, oids: readonly string[]): Promise<Map<string, CommitStatus[]>> {
    const { database } = this.deps;
    const newest = (await database
      .knex()('commit_status')
      .max('id as id')
      .where('repository_id', repositoryId)
      .whereIn('sha', [...oids])
      .groupBy('sha', 'context_hash')) as { id: number }[];
    const rows = newest.length
      ? await database.query(CommitStatusRow).whereIn(
          'id',
          newest.map(({ id }) => id),
        )
      : [];
    const byOid = new Map<string, CommitStatus[]>(oids.map((oid) => [oid, []]));
    for (const row of rows) byOid.get(row.sha)!.push(statusOf(row));
    for (const statuses of byOid.values()) statuses.sort((a, b) => (a.context < b.context ? -1 : 1));
    return byOid;
  }

  async recentContexts(repositoryId: number): Promise<readonly string[]> {
    const { database } = this.deps;
    const rows = await database
      .query(CommitStatusRow)
      .select('context')
      .where('repository_id', repositoryId)
      .where('created_at', '>=', Date.now() - recentMs)
      .orderBy('id', 'desc')
      .limit(maxConsidered);
    return [...new Set(rows.map(({ context }) => context).filter(Boolean))].sort().slice(0, maxContexts);
  }

  async combined(repositoryId: number, oid: string): Promise<CombinedState> {
    const statuses = (await this.latest(repositoryId, [oid])).get(oid) ?? [];
    return { state: combineStates(statuses.map(({ state }) => state)), statuses };
  }
}
