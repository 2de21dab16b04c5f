import {
  identityOf,
  NotFound,
  toId,
  type Actor,
  type Cache,
  type Database,
  type QueryCache,
} from '@mortise/plugin-sdk';
import type { Account, Accounts } from '@mortise/accounts/api';
import { finalStatuses } from '../../contract/states.js';
import { JobRow } from '../../models/job.js';
import { AttemptRow } from '../../models/attempt.js';
import { RunRow } from '../../models/run.js';
import { StepRow } from '../../models/step.js';
import type { RunQueries } from '../../services/runs/run-queries.js';
import type { RunSearch } from '../run-search.js';
import type { TimedRun } from './duration-chart.js';

export interface RunListFilter extends RunSearch {
  readonly workflow: string;
  readonly source: number;
  readonly branch: string;
}

/** A page of the list. */
interface RunListPage {
  readonly rows: readonly RunRow[];
  readonly total: number;
  readonly actors: ReadonlyMap<number, Account>;
}

/** Which run an address names, which of its attempts, and whether it has another address now. */
interface RunLookup {
  readonly row: RunRow;
  readonly moved: boolean;
}

interface KnownWorkflow {
  readonly id: string;
  readonly name: string;
  readonly source: number;
}

/** An attempt of a run as its page shows it; `attempt` is undefined of runs from before there were attempts. */
export interface RunDetails {
  readonly run: RunRow;
  readonly attempt: AttemptRow | undefined;
  readonly attempts: readonly AttemptRow[];
  readonly jobs: readonly JobRow[];
  /** Who started the run. */
  readonly actor: Account | undefined;
  /** Who started the attempt, where it is not the first. */
  readonly rerunBy?: Account;
  readonly approvedBy?: Account;
}

type WorkflowKey = Pick<RunRow, 'repository_id' | 'workflow_id' | 'is_scoped_run' | 'workflow_repo_id'>;

/** Runs of a workflow whose durations are drawn. */
const maxTimed = 30;
/** Workflows listed at most because they have runs. */
const maxWorkflows = 200;

/** Bytes of a row in memory, about: some columns hold what a workflow says, which can be long. */
const bytesOf = (row: object): number =>
  Object.values(row).reduce<number>((sum, value) => sum + (typeof value === 'string' ? 2 * value.length : 0), 1000);
const bytesOfAll = (rows: readonly object[]): number => rows.reduce<number>((sum, row) => sum + bytesOf(row), 1000);
const sizes = {
  list: { size: ({ rows }: RunListPage) => bytesOfAll(rows) },
  workflows: { size: bytesOfAll },
  found: { size: ({ row }: RunLookup) => bytesOf(row) },
  shown: { size: ({ run, attempts, jobs }: RunDetails) => bytesOfAll([run, ...attempts, ...jobs]) },
  steps: { size: bytesOfAll },
  timed: { size: bytesOfAll },
};

/** What pages of runs read: few statements, however many rows, and none while nothing changes. */
export class RunReader {
  readonly #lists: QueryCache<RunListPage>;
  readonly #workflows: QueryCache<readonly KnownWorkflow[]>;
  readonly #lookups: QueryCache<RunLookup>;
  readonly #details: QueryCache<RunDetails>;
  readonly #steps: QueryCache<readonly StepRow[]>;
  readonly #lastRuns: QueryCache<readonly TimedRun[]>;

  constructor(
    private readonly deps: {
      readonly database: Database;
      readonly cache: Pick<Cache, 'query'>;
      readonly accounts: Accounts;
      readonly runQueries: RunQueries;
    },
  ) {
    const { cache } = deps;
    this.#lists = cache.query('actions.lists');
    this.#workflows = cache.query('actions.workflows-with-runs');
    this.#lookups = cache.query('actions.found-runs');
    this.#details = cache.query('actions.shown-runs');
    this.#steps = cache.query('actions.steps');
    this.#lastRuns = cache.query('actions.last-runs');
  }

  list(
    repositoryId: number,
    { workflow, source, ...filter }: RunListFilter,
    { limit, offset }: { readonly limit: number; readonly offset: number },
    actor: Actor,
  ): Promise<RunListPage> {
    const of = workflow ? { ...filter, workflowId: workflow, sourceId: source } : filter;
    const load = async () => {
      const runs = await this.deps.runQueries.runs({ repositoryId }, of, { limit, offset }, actor);
      return { ...runs, actors: await this.actors(runs.rows) };
    };
    return this.#lists.load(JSON.stringify([repositoryId, of, limit, offset]), load, sizes.list);
  }

  async byIds(repositoryId: number, ids: readonly number[]) {
    const rows = await this.deps.database
      .query(RunRow)
      .where('repository_id', repositoryId)
      .whereIn('id', [...ids])
      .orderBy('id', 'desc');
    return { rows, actors: await this.actors(rows) };
  }

  /** Workflows that have runs, by their ids: one look into an index for each, however many runs there are. */
  workflowsWithRuns(repositoryId: number): Promise<readonly KnownWorkflow[]> {
    return this.#workflows.load(String(repositoryId), () => this.#workflowsWithRuns(repositoryId), sizes.workflows);
  }

  async #workflowsWithRuns(repositoryId: number): Promise<KnownWorkflow[]> {
    const { database } = this.deps;
    const knex = database.knex();
    const next = 'select min(workflow_id) from action_run where repository_id = ?';
    const known = knex.raw(
      `${next} union all select (${next} and workflow_id > known_workflow.workflow_id) from known_workflow where known_workflow.workflow_id is not null`,
      [repositoryId, repositoryId],
    );
    // as the index has them
    const newest = (isScoped: 0 | 1) =>
      knex.raw(
        `(select max(id) from action_run where repository_id = ? and workflow_id = known_workflow.workflow_id and is_scoped_run = ${isScoped}) as of_${isScoped}`,
        [repositoryId],
      );
    const found = (await knex
      .withRecursive('known_workflow', ['workflow_id'], known)
      .select(newest(0), newest(1))
      .from('known_workflow')
      .whereNotNull('workflow_id')
      .limit(maxWorkflows)) as unknown as { of_0: number | null; of_1: number | null }[];
    const ids = found.map((one) => ({ newest: Math.max(one.of_0 ?? 0, one.of_1 ?? 0) }));
    const rows = await database
      .query(RunRow)
      .findByIds(ids.map((one) => one.newest))
      .orderBy('workflow_id');
    return rows.map((row) => ({
      id: row.workflow_id,
      name: row.workflow_name || row.workflow_id,
      source: row.is_scoped_run ? row.workflow_repo_id : 0,
    }));
  }

  /** The last runs of a workflow that have ended, in the order in which they began. */
  lastRuns(of: WorkflowKey): Promise<readonly TimedRun[]> {
    const key = JSON.stringify([of.repository_id, of.workflow_id, of.is_scoped_run && of.workflow_repo_id]);
    return this.#lastRuns.load(key, () => this.#readLastRuns(of), sizes.timed);
  }

  async #readLastRuns(of: WorkflowKey): Promise<readonly TimedRun[]> {
    const { repository_id, workflow_id, is_scoped_run, workflow_repo_id } = of;
    const rows = await this.deps.database
      .query(RunRow)
      .select('id', 'number', 'status', 'started_at', 'stopped_at')
      .where({ repository_id, workflow_id, is_scoped_run, ...(is_scoped_run && { workflow_repo_id }) })
      .whereIn('status', [...finalStatuses])
      .where('started_at', '>', 0)
      .orderBy('id', 'desc')
      .limit(maxTimed);
    return rows.reverse();
  }

  /** By id. */
  actors(rows: readonly Pick<RunRow, 'trigger_user_id'>[]): Promise<Map<number, Account>> {
    return this.deps.accounts.byIds([...new Set(rows.map((row) => row.trigger_user_id))]);
  }

  /**
   * The run that an address names, by id or `latest`. Where there is none of that id, `index`: its number, which leads to
   * another address.
   */
  run(repositoryId: number, text: string, by: { id: boolean; index: boolean }): Promise<RunLookup> {
    const key = JSON.stringify([repositoryId, text, by.id, by.index]);
    return this.#lookups.load(key, () => this.#run(repositoryId, text, by), sizes.found);
  }

  async #run(repositoryId: number, text: string, by: { id: boolean; index: boolean }): Promise<RunLookup> {
    const runs = () => this.deps.database.query(RunRow).where('repository_id', repositoryId);
    const latest = text === 'latest' ? await runs().orderBy('id', 'desc').first() : undefined;
    if (latest) return { row: latest, moved: true };
    const id = toId(text);
    const row = by.index ? undefined : await runs().findById(id);
    if (row) return { row, moved: false };
    const numbered = by.id ? undefined : await runs().findOne({ number: id });
    if (!numbered) throw NotFound('run');
    return { row: numbered, moved: true };
  }

  /** `number` 0: the newest attempt. NotFound where there is none of that number. */
  details(run: RunRow, number = 0): Promise<RunDetails> {
    const key = `${identityOf(run)} ${number}`;
    return this.#details.load(key, () => this.#readDetails(run, number), sizes.shown);
  }

  async #readDetails(run: RunRow, number: number): Promise<RunDetails> {
    const { database, accounts } = this.deps;
    const attempts = await database.query(AttemptRow).where('run_id', run.id).orderBy('number');
    const attempt = number
      ? attempts.find((one) => one.number === number)
      : attempts.find(({ id }) => id === run.latest_attempt_id);
    if (number && !attempt) throw NotFound('attempt');
    const jobs = await database
      .query(JobRow)
      .where({ run_id: run.id, run_attempt_id: attempt?.id ?? 0 })
      .orderBy('id');
    const rerunId = attempt && attempt.number > 1 ? attempt.trigger_user_id : 0;
    const users = await accounts.byIds(
      [...new Set([run.trigger_user_id, rerunId, run.approved_by])].filter((id) => id > 0),
    );
    const [rerunBy, approvedBy] = [users.get(rerunId), users.get(run.approved_by)];
    return {
      ...{ run, attempt, attempts, jobs, actor: users.get(run.trigger_user_id) },
      ...(rerunBy && { rerunBy }),
      ...(approvedBy && { approvedBy }),
    };
  }

  /** The job that an address names: by id, or in old addresses by its place in the newest attempt. */
  async job(run: RunRow, text: string): Promise<{ job: JobRow; moved: boolean }> {
    const jobs = () => this.deps.database.query(JobRow).where('run_id', run.id);
    const job = await jobs().findById(toId(text));
    if (job) return { job, moved: false };
    const place = /^\d{1,6}$/.test(text) ? Number(text) : -1;
    const [older] =
      place < 0 ? [] : await jobs().where('run_attempt_id', run.latest_attempt_id).orderBy('id').offset(place).limit(1);
    if (!older) throw NotFound('job');
    return { job: older, moved: true };
  }

  steps(taskId: number): Promise<readonly StepRow[]> {
    if (!taskId) return Promise.resolve([]);
    const load = async () => this.deps.database.query(StepRow).where('task_id', taskId).orderBy('number');
    return this.#steps.load(String(taskId), load, sizes.steps);
  }
}
