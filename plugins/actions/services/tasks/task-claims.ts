import type { Database, MemoryCache } from '@mortise/plugin-sdk';
import type { Knex } from 'knex';
import type { Repositories } from '@mortise/repositories/api';
import type { JobStates } from '../../contract/runs.js';
import { statusNumbers } from '../../contract/states.js';
import { JobPayloadRow } from '../../models/job-payload.js';
import { JobRow } from '../../models/job.js';
import { RunnerRow } from '../../models/runner.js';
import { RunRow } from '../../models/run.js';
import { StepRow } from '../../models/step.js';
import { TaskRow } from '../../models/task.js';
import { canRun } from '../../units/actions.js';
import { fits } from '../runners/runner-records.js';
import { stepNamesOf } from './step-names.js';
import type { TaskTokens } from './task-tokens.js';

const { waiting, running, cancelling } = statusNumbers;
/** Groups of waiting jobs considered for one runner, those that wait longest first. */
const maxGroups = 2000;
/** Sets of labels of one repository among them: others have a turn, however many it has. */
const perRepository = 20;
/** Sets of labels that are read at once, and how often. */
const maxKeys = 1000;
const maxPages = 50;
/** Jobs of a group that are tried before the next group: others may be faster. */
const perGroup = 8;

/** Jobs of a repository that wait for the same labels. */
interface Group {
  readonly repository_id: number;
  readonly runs_on_key: string;
  readonly oldest: number;
  readonly sample: number;
}

/** A job that was given to a runner. */
export interface ClaimedTask {
  readonly taskId: number;
  readonly jobId: number;
  readonly runId: number;
  readonly attemptId: number;
  readonly repositoryId: number;
  readonly ownerId: number;
  /** Known only now. */
  readonly token: string;
}

interface TaskClaimDeps {
  readonly database: Database;
  readonly repositories: Repositories;
  readonly jobStates: JobStates;
  readonly tokens: TaskTokens;
  /** Labels by their hash, which never change. */
  readonly labels: MemoryCache<readonly string[]>;
}

/** Gives jobs to runners: each once, the oldest first, and to repositories in turn. */
export class TaskClaims {
  /** One after the other in this process: the database would have them wait for each other anyway. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(private readonly deps: TaskClaimDeps) {}

  claim(runner: RunnerRow): Promise<ClaimedTask | undefined> {
    const next = this.#last.then(
      () => this.#claim(runner),
      () => this.#claim(runner),
    );
    this.#last = next.catch(() => undefined);
    return next;
  }

  async #claim(runner: RunnerRow): Promise<ClaimedTask | undefined> {
    for (const group of await this.#groupsFor(runner)) {
      for (const job of await this.#oldest(group)) {
        const claim = await this.#take(runner, job);
        if (claim === 'unusable') return undefined;
        if (claim) return claim;
      }
    }
    return undefined;
  }

  /** What the runner could do: repositories with the least under way first, of those the one that waits longest. */
  async #groupsFor(runner: RunnerRow): Promise<Group[]> {
    const open: Group[] = [];
    for await (const keys of this.#keysFor(runner)) {
      await this.#addOpen(open, runner, keys);
      if (open.length >= maxGroups) break;
    }
    const busy = open.length > 1 ? await this.#underWay(open) : new Map<number, number>();
    const load = (group: Group) => busy.get(group.repository_id) ?? 0;
    return open.sort((a, b) => load(a) - load(b) || Number(a.oldest) - Number(b.oldest) || a.sample - b.sample);
  }

  /** Skips groups whose repository is archived or has the unit disabled. */
  async #addOpen(open: Group[], runner: RunnerRow, keys: readonly string[]): Promise<void> {
    for (let page = 0; page < maxPages && open.length < maxGroups; page++) {
      const rows = await this.#fitting(runner, keys, page);
      const known = await this.deps.repositories.byIds([...new Set(rows.map((one) => one.repository_id))]);
      for (const group of rows) {
        const repository = known.get(group.repository_id);
        if (repository && canRun(repository)) open.push(group);
      }
      if (rows.length < maxGroups) return;
    }
  }

  /** Some of the groups with one of these sets of labels, the longest waiting first. */
  async #fitting(runner: RunnerRow, keys: readonly string[], page: number): Promise<Group[]> {
    const knex = this.deps.database.knex();
    const turn = 'row_number() over (partition by repository_id order by min(updated_at), min(id)) as turn';
    const groups = this.#queuedJobs(runner)
      .select('repository_id', 'runs_on_key', knex.raw(turn))
      .min('updated_at as oldest')
      .min('id as sample')
      .whereIn('runs_on_key', [...keys])
      .groupBy('repository_id', 'runs_on_key')
      .as('waiting_group');
    return (await knex
      .select('repository_id', 'runs_on_key', 'oldest', 'sample')
      .from(groups)
      .where('turn', '<=', perRepository)
      .orderBy(['oldest', 'sample'])
      .limit(maxGroups)
      .offset(page * maxGroups)) as unknown as Group[];
  }

  #queuedJobs(runner: RunnerRow): Knex.QueryBuilder {
    const query = this.deps.database.knex()('action_job').where('status', waiting);
    if (runner.repository_id) return query.where('repository_id', runner.repository_id);
    return runner.owner_id ? query.where('owner_id', runner.owner_id) : query;
  }

  /** Sets of labels that the runner has, some at a time, looked for among all: what no runner has must not hide them. */
  async *#keysFor(runner: RunnerRow): AsyncGenerator<readonly string[], void, undefined> {
    for (let after = '', page = 0; page < maxPages; page++) {
      const matching: string[] = [];
      const rows = (await this.#queuedJobs(runner)
        .select('runs_on_key')
        .min('id as sample')
        .where('runs_on_key', page ? '>' : '>=', after)
        .groupBy('runs_on_key')
        .orderBy('runs_on_key')
        .limit(maxKeys)) as unknown as Pick<Group, 'runs_on_key' | 'sample'>[];
      const labelsOf = await this.#labels(rows);
      for (const { runs_on_key: key } of rows) {
        const runsOn = labelsOf(key);
        if (runsOn && fits(runner, runsOn)) matching.push(key);
      }
      if (matching.length > 0) yield matching;
      if (rows.length < maxKeys) return;
      after = rows.at(-1)!.runs_on_key;
    }
  }

  async #labels(
    groups: readonly Pick<Group, 'runs_on_key' | 'sample'>[],
  ): Promise<(hash: string) => readonly string[] | undefined> {
    const { database, labels } = this.deps;
    const missing = new Map(
      groups.filter((one) => !labels.get(one.runs_on_key)).map((one) => [one.runs_on_key, one.sample]),
    );
    const rows = missing.size
      ? await database
          .query(JobRow)
          .select('runs_on_key', 'runs_on')
          .findByIds([...missing.values()])
      : [];
    for (const row of rows) labels.set(row.runs_on_key, Object.freeze([...row.runs_on]));
    return (hash) => labels.get(hash);
  }

  async #underWay(groups: readonly Group[]): Promise<Map<number, number>> {
    const ids = [...new Set(groups.map((one) => one.repository_id))];
    const rows = (await this.deps.database
      .knex()('action_job')
      .select('repository_id')
      .count('id as count')
      .whereIn('status', [running, cancelling])
      .whereIn('repository_id', ids)
      .groupBy('repository_id')) as unknown as { repository_id: number; count: number }[];
    return new Map(rows.map((row) => [row.repository_id, Number(row.count)]));
  }

  #oldest(group: Group): Promise<JobRow[]> {
    return this.deps.database
      .query(JobRow)
      .select('id', 'run_id')
      .where({
        status: waiting,
        repository_id: group.repository_id,
        runs_on_key: group.runs_on_key,
        task_id: 0,
        is_reusable_caller: false,
      })
      .orderBy([{ column: 'updated_at' }, { column: 'id' }])
      .limit(perGroup) as unknown as Promise<JobRow[]>;
  }

  /** Undefined: somebody else was faster; `unusable`: the runner may not take anything now. */
  async #take(runner: RunnerRow, { id, run_id: runId }: JobRow): Promise<ClaimedTask | 'unusable' | undefined> {
    const { database, jobStates, tokens } = this.deps;
    const steps = stepNamesOf(await database.query(JobPayloadRow).findById(id));
    return database.write(async () => {
      if (!(await jobStates.lockRun(runId))) return undefined;
      const now = Date.now();
      const present = await database.query(RunnerRow).findById(runner.id).forUpdate();
      if (!present || present.is_disabled || (present.is_ephemeral && present.used_by_task !== null)) return 'unusable';
      const job = await database.query(JobRow).findById(id).forUpdate();
      if (!job || job.status !== waiting || job.task_id !== 0 || job.is_reusable_caller) return undefined;
      const run = await database.query(RunRow).findById(runId);
      const repository = await this.deps.repositories.byId(job.repository_id);
      // Archived, or switched off, since it was looked for.
      if (!run || !repository || !canRun(repository)) return undefined;
      // The row may be of a run that began while the repository got another owner.
      if (runner.owner_id && runner.owner_id !== repository.ownerId) return undefined;
      const { token, stored: kept } = tokens.make();
      const task = await database.query(TaskRow).insertAndFetch({
        job_id: job.id,
        run_id: job.run_id,
        run_attempt_id: job.run_attempt_id,
        repository_id: job.repository_id,
        owner_id: repository.ownerId,
        attempt: job.attempt,
        runner_id: runner.id,
        status: running,
        commit_sha: run.commit_sha,
        is_fork: run.is_fork,
        ...kept,
        started_at: now,
        created_at: now,
        updated_at: now,
      });
      for (const [number, name] of steps.entries())
        await database.query(StepRow).insert({ task_id: task.id, number, name, status: waiting });
      await database
        .query(JobRow)
        .findById(job.id)
        .patch({ task_id: task.id, status: running, started_at: now, updated_at: now });
      if (present.is_ephemeral) await database.query(RunnerRow).findById(runner.id).patch({ used_by_task: task.id });
      await jobStates.jobChanged([job.id]);
      return {
        taskId: task.id,
        jobId: job.id,
        runId: job.run_id,
        attemptId: job.run_attempt_id,
        repositoryId: job.repository_id,
        ownerId: repository.ownerId,
        token,
      };
    });
  }

  /** Returns the job to the queue. `isUntouched`: only while its runner has not reported on it. */
  release(taskId: number, { isUntouched = false } = {}): Promise<void> {
    const { database, jobStates } = this.deps;
    return database.write(async () => {
      const task = await database.query(TaskRow).findById(taskId);
      if (!task || !(await jobStates.lockRun(task.run_id))) return;
      const now = await database.query(TaskRow).findById(taskId).forUpdate();
      // One that was cancelled meanwhile has ended; one that reports was delivered after all.
      if (now?.status !== running) return;
      if (isUntouched && Number(now.updated_at) !== Number(now.created_at)) return;
      await database.query(JobRow).where({ id: task.job_id, task_id: taskId }).patch({
        task_id: 0,
        status: waiting,
        started_at: 0,
        updated_at: Date.now(),
      });
      await database.query(RunnerRow).where({ id: task.runner_id, used_by_task: taskId }).patch({ used_by_task: null });
      await database.query(TaskRow).deleteById(taskId);
      await jobStates.jobChanged([task.job_id]);
    });
  }
}
