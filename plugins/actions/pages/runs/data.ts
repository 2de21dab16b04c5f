import { NotFound, pageOf, toId, type Database } from '@mortise/plugin-sdk';
import type { Account, Accounts } from '@mortise/accounts/api';
import type { QueryBuilder } from 'objection';
import { JobRow } from '../../models/job.js';
import { AttemptRow, RunRow } from '../../models/run.js';
import { StepRow } from '../../models/task.js';

/** A result that was taken over from an earlier attempt has the log of that attempt. */
export const taskOf = (job: Pick<JobRow, 'task_id' | 'source_task_id'>): number => job.task_id || job.source_task_id;

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
  readonly actor: Account | undefined;
}

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
    return { run, attempt, attempts, jobs, actor: await accounts.byId(run.trigger_user_id) };
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
