import {
  BadRequest,
  Invalid,
  viewerKey,
  type Actor,
  type Cache,
  type Database,
  type QueryCache,
} from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import type { RepositoryAccess } from '@mortise/repositories/api';
import type { Model, QueryBuilder } from 'objection';
import { finalStatuses, statusNumbers } from '../../contract/states.js';
import { JobRow } from '../../models/job.js';
import { RunRow } from '../../models/run.js';

const { success, failure, cancelled, skipped, waiting, running, blocked, cancelling } = statusNumbers;

/** Failed runs of one account that its dashboard looks at. */
const maxFailed = 100;

/** Words of the filter, and what they mean. */
const statusFilters: Readonly<Record<string, readonly number[]>> = {
  pending: [blocked],
  waiting: [blocked],
  requested: [blocked],
  action_required: [blocked],
  queued: [waiting],
  in_progress: [running, cancelling],
  completed: finalStatuses,
  failure: [failure],
  success: [success],
  skipped: [skipped],
  neutral: [skipped],
  cancelled: [cancelled],
  timed_out: [cancelled],
};

/** Whose runs or jobs: of a repository, of all of an owner, or of the site. */
export type ListScope =
  | { readonly repositoryId: number }
  | { readonly ownerId: number }
  | { readonly userId: number }
  | { readonly site: true };

interface RunFilter {
  /** Words of the filter, or one of `statusNumbers`; 0 and empty ones: any. */
  readonly status?: string | readonly string[] | number;
  readonly event?: string;
  readonly branch?: string;
  /** Name of an account; an unknown name matches no runs. */
  readonly actor?: string;
  readonly head_sha?: string;
  readonly workflowId?: string;
  readonly sourceId?: number;
}

interface JobFilter {
  readonly status?: string | readonly string[];
  readonly sort?: string;
  readonly order?: string;
  /** Of one attempt alone. */
  readonly attemptId?: number;
  readonly runId?: number;
}

interface PageRange {
  readonly limit: number;
  readonly offset: number;
}

/** What is asked of one table, without how they stand. */
interface ListQuery<M extends RunRow | JobRow> {
  readonly model: { new (): M; readonly tableName: string };
  readonly restrict: (query: QueryBuilder<Model>) => void;
  readonly statuses: readonly number[] | undefined;
  readonly direction: 'asc' | 'desc';
  /** Everything that the result depends on, the actor included. */
  readonly key: string;
}

/** Lists of runs and jobs, filtered in SQL. */
export class RunQueries {
  /** Counting is what takes long where there are very many: it is done once while nothing changes. */
  readonly #totals: QueryCache<number>;

  constructor(
    private readonly deps: {
      readonly database: Database;
      readonly cache: Pick<Cache, 'query'>;
      readonly accounts: Accounts;
      readonly access: RepositoryAccess;
    },
  ) {
    this.#totals = deps.cache.query('actions.totals');
  }

  /** Cache key of a scope, including the actor where visibility matters. */
  keyOf(scope: ListScope, actor: Actor): unknown {
    const isSameForAll = 'repositoryId' in scope || ('site' in scope && !actor.publicOnly);
    return isSameForAll ? scope : [scope, viewerKey(actor)];
  }

  /** Newest first. */
  async runs(
    scope: ListScope,
    filter: RunFilter,
    page: PageRange,
    actor: Actor,
  ): Promise<{ rows: RunRow[]; total: number }> {
    const { event, branch, head_sha: commit, workflowId, sourceId } = filter;
    const starter = filter.actor ? ((await this.deps.accounts.byName(filter.actor))?.id ?? -1) : 0;
    const statuses = statusesOf(filter.status);
    const restrict = (query: QueryBuilder<Model>) => {
      this.#restrictToScope(query, scope, actor);
      if (event) void query.where('trigger_event', event);
      if (branch) void query.where('head_branch', branch);
      if (commit) void query.where('commit_sha', commit);
      if (starter) void query.where('trigger_user_id', starter);
      if (workflowId === undefined) return;
      void query.where({ workflow_id: workflowId, is_scoped_run: Boolean(sourceId) });
      if (sourceId) void query.where('workflow_repo_id', sourceId);
    };
    const of = [event, branch, commit, starter, workflowId, sourceId, statuses];
    const key = JSON.stringify(['runs', this.keyOf(scope, actor), of]);
    return this.#page({ model: RunRow, restrict, statuses, direction: 'desc', key }, page);
  }

  /**
   * Failed runs that the actor started since then and may read, newest first, of the last hundred; without those after which
   * the same workflow ran again for the same branch or tag.
   */
  async failedOf(
    actor: Actor,
    { since, limit }: { readonly since: number; readonly limit: number },
  ): Promise<{ rows: RunRow[]; total: number }> {
    const { database, access } = this.deps;
    const recent = await database
      .query(RunRow)
      .select('id')
      .where({ trigger_user_id: actor.id, status: failure })
      .where('created_at', '>=', since)
      .orderBy('created_at', 'desc')
      .limit(maxFailed);
    if (recent.length === 0) return { rows: [], total: 0 };
    const rows = await database
      .query(RunRow)
      .findByIds(recent.map(({ id }) => id))
      .whereIn('repository_id', (visible: QueryBuilder<Model>) => {
        access.visibleTo(actor, ['actions'])(visible.select('repository.id').from('repository'));
      })
      .whereNotExists(
        database
          .query(RunRow)
          .alias('newer')
          .whereColumn('newer.repository_id', 'action_run.repository_id')
          .whereColumn('newer.workflow_id', 'action_run.workflow_id')
          .whereColumn('newer.workflow_repo_id', 'action_run.workflow_repo_id')
          .whereColumn('newer.is_scoped_run', 'action_run.is_scoped_run')
          .whereColumn('newer.ref', 'action_run.ref')
          .whereColumn('newer.id', '>', 'action_run.id'),
      )
      .orderBy('id', 'desc');
    return { rows: rows.slice(0, limit), total: rows.length };
  }

  /** By id. Invalid (422) for an order that there is not. */
  async jobs(
    scope: ListScope,
    filter: JobFilter,
    page: PageRange,
    actor: Actor,
  ): Promise<{ rows: JobRow[]; total: number }> {
    const { sort = '', order = '', runId, attemptId } = filter;
    if (sort !== '' && sort !== 'id') throw Invalid('sort must be id');
    if (order !== '' && order !== 'asc' && order !== 'desc') throw Invalid('order must be asc or desc');
    const statuses = statusesOf(filter.status);
    const restrict = (query: QueryBuilder<Model>) => {
      this.#restrictToScope(query, scope, actor);
      if (runId !== undefined) void query.where('run_id', runId);
      if (attemptId !== undefined) void query.where('run_attempt_id', attemptId);
    };
    const key = JSON.stringify(['jobs', this.keyOf(scope, actor), [runId, attemptId, statuses]]);
    return this.#page({ model: JobRow, restrict, statuses, direction: order === 'desc' ? 'desc' : 'asc', key }, page);
  }

  async #page<M extends RunRow | JobRow>(listQuery: ListQuery<M>, { limit, offset }: PageRange) {
    const rows = limit > 0 ? await this.#rows(listQuery, { limit, offset }) : [];
    const isLast = rows.length < limit && (rows.length > 0 || offset === 0);
    if (isLast) return { rows, total: offset + rows.length };
    const count = () => this.#query(listQuery, listQuery.statuses).resultSize();
    // filters come from the request and may be long
    const size = () => 200 + 2 * listQuery.key.length;
    return { rows, total: await this.#totals.load(listQuery.key, count, { size }) };
  }

  /** Their ids first: an index alone has those, in their order, and each of the rows is looked up but once. */
  async #rows<M extends RunRow | JobRow>(listQuery: ListQuery<M>, page: PageRange): Promise<M[]> {
    const ids = await this.#ids(listQuery, page);
    const rows = this.deps.database.query<Model>(listQuery.model as never).findByIds(ids.map(({ id }) => id));
    return (await (rows as unknown as QueryBuilder<Model>).orderBy('id', listQuery.direction)) as M[];
  }

  async #ids<M extends RunRow | JobRow>(
    listQuery: ListQuery<M>,
    { limit, offset }: PageRange,
  ): Promise<readonly { readonly id: number }[]> {
    const { statuses = [], direction } = listQuery;
    const first = (of: readonly number[] | undefined) =>
      this.#query(listQuery, of).select('id').orderBy('id', direction);
    if (statuses.length < 2)
      return (await first(listQuery.statuses).limit(limit).offset(offset)) as unknown as { id: number }[];
    // of several statuses, which an index has one by one, the first ones of each are put together
    const knex = this.deps.database.knex();
    const each = statuses.map((status) =>
      knex.select('id').from(
        first([status])
          .limit(offset + limit)
          .toKnexQuery()
          .as(`of_${status}`),
      ),
    );
    return (await knex.unionAll(each).orderBy('id', direction).limit(limit).offset(offset)) as { id: number }[];
  }

  #query<M extends RunRow | JobRow>(
    { model, restrict }: ListQuery<M>,
    statuses: readonly number[] | undefined,
  ): QueryBuilder<Model> {
    const query = this.deps.database.query<Model>(model as never) as unknown as QueryBuilder<Model>;
    restrict(query);
    if (statuses?.length === 1) void query.where('status', statuses[0]!);
    else if (statuses) void query.whereIn('status', [...statuses]);
    return query;
  }

  #restrictToScope(query: QueryBuilder<Model>, scope: ListScope, actor: Actor): void {
    if ('repositoryId' in scope) return void query.where('repository_id', scope.repositoryId);
    const repositories = (sub: QueryBuilder<Model>) => sub.select('repository.id').from('repository');
    if ('site' in scope) {
      // an administrator sees all of them, a token that is for public ones alone does not (TOK-24)
      if (actor.publicOnly)
        void query.whereIn('repository_id', (visible: QueryBuilder<Model>) => {
          this.deps.access.visibleTo(actor, ['actions'])(repositories(visible));
        });
      return;
    }
    const ownerId = 'ownerId' in scope ? scope.ownerId : scope.userId;
    // without the hidden ones: asked for the visible ones, MySQL sorts the runs of them all
    void query.where('owner_id', ownerId).whereNotIn('repository_id', (hidden: QueryBuilder<Model>) => {
      void repositories(hidden)
        .where('repository.owner_id', ownerId)
        .whereNotIn('repository.id', (visible: QueryBuilder<Model>) => {
          this.deps.access.visibleTo(actor, ['actions'])(repositories(visible));
        });
    });
  }
}

/** Undefined: all. Bad request (400) for a word that is none. */
function statusesOf(given: RunFilter['status']): readonly number[] | undefined {
  if (typeof given === 'number') return given ? [given] : undefined;
  const list = (typeof given === 'string' ? [given] : (given ?? [])).filter(Boolean);
  if (list.length === 0) return undefined;
  const numbers = list.flatMap((word) => {
    const states = Object.hasOwn(statusFilters, word) ? statusFilters[word] : undefined;
    if (!states) throw BadRequest(`invalid status: ${word.slice(0, 50)}`);
    return states;
  });
  return [...new Set(numbers)].sort();
}
