import { NotFound, pageOf, toId, type Database } from '@mortise/plugin-sdk';
import type { Account, Accounts } from '@mortise/accounts/api';
import type { QueryBuilder } from 'objection';
import { JobRow } from '../../models/job.js';
import { AttemptRow, RunRow } from '../../models/run.js';
import { StepRow } from '../../models/task.js';

export interface RunListFilter {
  readonly workflow: string;
  readonly source: number;
  readonly actor: string;
  /** A number of `statusNumbers`; 0: all. */
  readonly status: number;
  readonly branch: string;
}

/** An attempt of a run as its page shows it; `attempt` is undefined of runs from before there were attempts. */
export interface ShownRun {
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

/** Workflows with runs that are looked at. */
const maxWorkflows = 200;

/** What pages of runs read: few statements, however many rows. */
export class RunReader {
  constructor(private readonly parts: { readonly database: Database; readonly accounts: Accounts }) {}

  async list(repositoryId: number, filter: RunListFilter, page: { limit: number; offset: number }) {
    const { database, accounts } = this.parts;
    const query = database.query(RunRow).where('repository_id', repositoryId);
    if (filter.workflow) {
      query.where('workflow_id', filter.workflow);
      if (filter.source) query.where({ is_scoped_run: true, workflow_repo_id: filter.source });
      else query.where('is_scoped_run', false);
    }
    if (filter.status) query.where('status', filter.status);
    if (filter.branch) query.where('head_branch', filter.branch);
    if (filter.actor) query.where('trigger_user_id', (await accounts.byName(filter.actor))?.id ?? -1);
    const found = await pageOf(query.orderBy('id', 'desc') as unknown as QueryBuilder<RunRow>, page);
    return { ...found, actors: await this.actors(found.rows) };
  }

  async byIds(repositoryId: number, ids: readonly number[]) {
    const rows = await this.parts.database
      .query(RunRow)
      .where('repository_id', repositoryId)
      .whereIn('id', [...ids])
      .orderBy('id', 'desc');
    return { rows, actors: await this.actors(rows) };
  }

  /** Workflows that have runs, by their ids: one look into an index for each, however many runs there are. */
  async workflowsWithRuns(repositoryId: number): Promise<{ id: string; name: string; source: number }[]> {
    const { database } = this.parts;
    const knex = database.knex();
    const next = 'select min(workflow_id) from action_run where repository_id = ?';
    const known = knex.raw(
      `${next} union all select (${next} and workflow_id > known_workflow.workflow_id) from known_workflow where known_workflow.workflow_id is not null`,
      [repositoryId, repositoryId],
    );
    const newest =
      'select max(id) from action_run where repository_id = ? and workflow_id = known_workflow.workflow_id';
    const ids = (await knex
      .withRecursive('known_workflow', ['workflow_id'], known)
      .select(knex.raw(`(${newest}) as newest`, [repositoryId]))
      .from('known_workflow')
      .whereNotNull('workflow_id')
      .limit(maxWorkflows)) as unknown as { newest: number }[];
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

  /** By id. */
  actors(rows: readonly Pick<RunRow, 'trigger_user_id'>[]): Promise<Map<number, Account>> {
    return this.parts.accounts.byIds([...new Set(rows.map((row) => row.trigger_user_id))]);
  }

  /**
   * The run that an address names, by id or `latest`. Where there is none of that id, `index`: its number, which leads to
   * another address.
   */
  async run(
    repositoryId: number,
    text: string,
    by: { id: boolean; index: boolean },
  ): Promise<{ row: RunRow; moved: boolean }> {
    const runs = () => this.parts.database.query(RunRow).where('repository_id', repositoryId);
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
  async shown(run: RunRow, number = 0): Promise<ShownRun> {
    const { database, accounts } = this.parts;
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
    const people = await accounts.byIds(
      [...new Set([run.trigger_user_id, rerunId, run.approved_by])].filter((id) => id > 0),
    );
    const [rerunBy, approvedBy] = [people.get(rerunId), people.get(run.approved_by)];
    return {
      ...{ run, attempt, attempts, jobs, actor: people.get(run.trigger_user_id) },
      ...(rerunBy && { rerunBy }),
      ...(approvedBy && { approvedBy }),
    };
  }

  /** The job that an address names: by id, or in old addresses by its place in the newest attempt. */
  async job(run: RunRow, text: string): Promise<{ job: JobRow; moved: boolean }> {
    const jobs = () => this.parts.database.query(JobRow).where('run_id', run.id);
    const found = await jobs().findById(toId(text));
    if (found) return { job: found, moved: false };
    const place = /^\d{1,6}$/.test(text) ? Number(text) : -1;
    const [older] =
      place < 0 ? [] : await jobs().where('run_attempt_id', run.latest_attempt_id).orderBy('id').offset(place).limit(1);
    if (!older) throw NotFound('job');
    return { job: older, moved: true };
  }

  steps(taskId: number): Promise<StepRow[]> {
    return Promise.resolve(taskId ? this.parts.database.query(StepRow).where('task_id', taskId).orderBy('number') : []);
  }
}
