import { BadRequest, Invalid, pageOf, type Actor, type Database } from '@mortise/plugin-sdk';
import type { Accounts } from '@mortise/accounts/api';
import type { RepositoryAccess } from '@mortise/repositories/api';
import type { Model, QueryBuilder } from 'objection';
import { finalStatuses, statusNumbers } from '../../contract/states.js';
import { JobRow } from '../../models/job.js';
import { RunRow } from '../../models/run.js';

const { success, failure, cancelled, skipped, waiting, running, blocked, cancelling } = statusNumbers;

/** Words of the filter, and what they mean. */
const words: Readonly<Record<string, readonly number[]>> = {
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
export type Place =
  | { readonly repositoryId: number }
  | { readonly ownerId: number }
  | { readonly userId: number }
  | { readonly site: true };

export interface RunFilter {
  readonly status?: string | readonly string[];
  readonly event?: string;
  readonly branch?: string;
  /** Name of an account; nobody's runs for one that is none. */
  readonly actor?: string;
  readonly head_sha?: string;
  readonly workflowId?: string;
  readonly sourceId?: number;
}

export interface JobFilter {
  readonly status?: string | readonly string[];
  readonly sort?: string;
  readonly order?: string;
  /** Of one attempt alone. */
  readonly attemptId?: number;
  readonly runId?: number;
}

interface PageAsked {
  readonly limit: number;
  readonly offset: number;
}

/** Lists of runs and jobs, filtered in SQL. */
export class Listing {
  constructor(
    private readonly parts: {
      readonly database: Database;
      readonly accounts: Accounts;
      readonly access: RepositoryAccess;
    },
  ) {}

  /** Newest first. */
  async runs(
    place: Place,
    filter: RunFilter,
    page: PageAsked,
    actor: Actor,
  ): Promise<{ rows: RunRow[]; total: number }> {
    const query = this.parts.database.query(RunRow);
    this.#narrow(query, place, actor);
    const statuses = statusesOf(filter.status);
    if (statuses) query.whereIn('action_run.status', [...statuses]);
    if (filter.event) query.where('action_run.trigger_event', filter.event);
    if (filter.branch) query.where('action_run.head_branch', filter.branch);
    if (filter.head_sha) query.where('action_run.commit_sha', filter.head_sha);
    if (filter.actor) {
      const account = await this.parts.accounts.byName(filter.actor);
      query.where('action_run.trigger_user_id', account?.id ?? -1);
    }
    if (filter.workflowId !== undefined) {
      query.where('action_run.workflow_id', filter.workflowId);
      if (filter.sourceId) query.where({ is_scoped_run: true, workflow_repo_id: filter.sourceId });
      else query.where('action_run.is_scoped_run', false);
    }
    return pageOf(query.orderBy('action_run.id', 'desc') as unknown as QueryBuilder<RunRow>, page);
  }

  /** By id. Invalid (422) for an order that there is not. */
  async jobs(
    place: Place,
    filter: JobFilter,
    page: PageAsked,
    actor: Actor,
  ): Promise<{ rows: JobRow[]; total: number }> {
    const { sort = '', order = '' } = filter;
    if (sort !== '' && sort !== 'id') throw Invalid('sort must be id');
    if (order !== '' && order !== 'asc' && order !== 'desc') throw Invalid('order must be asc or desc');
    const query = this.parts.database.query(JobRow);
    this.#narrow(query, place, actor);
    const statuses = statusesOf(filter.status);
    if (statuses) query.whereIn('action_job.status', [...statuses]);
    if (filter.runId !== undefined) query.where('action_job.run_id', filter.runId);
    if (filter.attemptId !== undefined) query.where('action_job.run_attempt_id', filter.attemptId);
    const direction = order === 'desc' ? 'desc' : 'asc';
    return pageOf(query.orderBy('action_job.id', direction) as unknown as QueryBuilder<JobRow>, page);
  }

  #narrow<M extends Model>(query: { where: QueryBuilder<M>['where'] } & object, place: Place, actor: Actor): void {
    const narrowed = query as unknown as QueryBuilder<Model>;
    if ('repositoryId' in place) narrowed.where('repository_id', place.repositoryId);
    if ('ownerId' in place) narrowed.where('owner_id', place.ownerId);
    if ('userId' in place) narrowed.where('owner_id', place.userId);
    if ('ownerId' in place || 'userId' in place)
      narrowed.whereIn('repository_id', (sub: QueryBuilder<Model>) => {
        void sub.select('repository.id').from('repository');
        this.parts.access.visibleTo(actor, ['actions'])(sub);
      });
  }
}

/** Undefined: all. Bad request (400) for a word that is none. */
export function statusesOf(given: string | readonly string[] | undefined): ReadonlySet<number> | undefined {
  const list = (typeof given === 'string' ? [given] : (given ?? [])).filter(Boolean);
  if (list.length === 0) return undefined;
  return new Set(
    list.flatMap((word) => {
      const meant = Object.hasOwn(words, word) ? words[word] : undefined;
      if (!meant) throw BadRequest(`invalid status: ${word.slice(0, 50)}`);
      return meant;
    }),
  );
}
