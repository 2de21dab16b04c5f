import { apiTime, systemActor } from '@mortise/plugin-sdk';
import type { ApiUser } from '@mortise/accounts/api';
import type { ActivityModels } from '@mortise/activity-events/api';
import type { PullRequest } from '@mortise/pulls/api';
import type { ApiRepository, Repository } from '@mortise/repositories/api';
import { apiStatus } from '../../contract/states.js';
import type { JobRow } from '../../models/job.js';
import { AttemptRow } from '../../models/attempt.js';
import type { RunRow } from '../../models/run.js';
import { StepRow } from '../../models/step.js';
import { TaskRow } from '../../models/task.js';
import type { RunDeps } from './run-deps.js';
import { apiSender } from './api-sender.js';

const siteActor = systemActor('actions');

/** What has not begun, or not ended, did so in 1970 for clients of these records; elsewhere such times are of the year 1. */
const momentOf = (time: number): string => (Number(time) ? apiTime(Number(time)) : '1970-01-01T00:00:00Z');

interface PresentOptions {
  /** Leaves `pull_requests` empty. */
  readonly withoutPulls?: boolean;
  /** Another attempt than the newest; of one run. */
  readonly attempt?: AttemptRow;
}

const isOf = (pull: PullRequest, row: RunRow): boolean =>
  pull.repositoryId === row.repository_id && pull.index === row.pull_index;
const isFrom = (pull: PullRequest, row: RunRow): boolean =>
  pull.repositoryId === row.repository_id &&
  pull.headRepositoryId === row.repository_id &&
  pull.headBranch === row.head_branch;

/** Records of runs and jobs (ACT-19 to ACT-21). A batch of queries however many. */
export class RunPresenter {
  constructor(private readonly deps: RunDeps & { readonly models: ActivityModels }) {}

  runUrl(repository: Repository, run: Pick<RunRow, 'id'>): string {
    return `${this.deps.repositories.apiUrl(repository)}/actions/runs/${run.id}`;
  }

  runPage(repository: Repository, run: Pick<RunRow, 'id'>): string {
    return `${this.deps.repositories.htmlUrl(repository)}/actions/runs/${run.id}`;
  }

  async runs(rows: readonly RunRow[], options: PresentOptions = {}): Promise<Record<string, unknown>[]> {
    const { repositories, database } = this.deps;
    const repositoriesById = await repositories.byIds([...new Set(rows.map((row) => row.repository_id))]);
    const records = await this.#repositories([...repositoriesById.values()]);
    const attempts = await this.#attempts(database, rows, options);
    const users = await this.#users([
      ...rows.map((row) => row.trigger_user_id),
      ...[...attempts.values()].map((one) => one.trigger_user_id),
    ]);
    const pulls = options.withoutPulls ? new Map<number, PullRequest[]>() : await this.#pulls(rows);
    return rows.flatMap((row) => {
      const repository = repositoriesById.get(row.repository_id);
      if (!repository) return [];
      const attempt = attempts.get(row.id);
      return [
        this.#run(row, repository, {
          attempt,
          record: records.get(repository.id)!,
          actor: users.get(row.trigger_user_id)!,
          triggerActor: users.get(attempt?.trigger_user_id ?? row.trigger_user_id)!,
          pulls: pulls.get(row.id) ?? [],
          isOlder: Boolean(options.attempt),
        }),
      ];
    });
  }

  #run(
    row: RunRow,
    repository: Repository,
    more: {
      readonly attempt: AttemptRow | undefined;
      readonly record: ApiRepository;
      readonly actor: ApiUser;
      readonly triggerActor: ApiUser;
      readonly pulls: readonly PullRequest[];
      readonly isOlder: boolean;
    },
  ): Record<string, unknown> {
    const { attempt } = more;
    const url = this.runUrl(repository, row);
    const number = attempt?.number ?? 0;
    const page = this.runPage(repository, row);
    const state = more.isOlder && attempt ? attempt : row;
    return {
      id: row.id,
      url: more.isOlder ? `${url}/attempts/${number}` : url,
      html_url: page,
      display_title: row.title,
      path: `${row.workflow_id}@${row.ref}`,
      event: row.trigger_event,
      run_attempt: number,
      previous_attempt_url: number > 1 ? `${url}/attempts/${number - 1}` : null,
      run_number: row.number,
      repository_id: row.repository_id,
      head_sha: row.commit_sha,
      head_branch: this.headBranch(row),
      ...apiStatus(state.status),
      actor: more.actor,
      trigger_actor: more.triggerActor,
      repository: more.record,
      head_repository: more.record,
      pull_requests: more.pulls.map((pull) => this.#pull(repository, pull)),
      started_at: momentOf(state.started_at),
      completed_at: momentOf(state.stopped_at),
      created_at: apiTime(Number(row.created_at)),
      updated_at: apiTime(Number(state.updated_at)),
      jobs_url: `${url}/jobs`,
      logs_url: `${url}/logs`,
      artifacts_url: `${url}/artifacts`,
      cancel_url: `${url}/cancel`,
      rerun_url: `${url}/rerun`,
    };
  }

  /** A branch by its name, a pull request by its reference. */
  headBranch(row: Pick<RunRow, 'ref' | 'head_branch'>): string {
    return row.head_branch;
  }

  #pull(repository: Repository, pull: PullRequest): Record<string, unknown> {
    const side = (ref: string, sha: string, repositoryId: number) => ({
      ref,
      sha,
      repo: { id: repositoryId, name: repository.name, url: this.deps.repositories.apiUrl(repository) },
    });
    return {
      id: pull.issueId,
      number: pull.index,
      url: `${this.deps.repositories.apiUrl(repository)}/pulls/${pull.index}`,
      head: side(pull.headBranch, pull.headOid, pull.headRepositoryId),
      base: side(pull.baseBranch, pull.baseOid, pull.repositoryId),
    };
  }

  async #repositories(list: readonly Repository[]): Promise<ReadonlyMap<number, ApiRepository>> {
    const records = await this.deps.repositories.toApi(list, siteActor);
    return new Map(list.map(({ id }, at) => [id, records[at]!]));
  }

  async #attempts(
    database: RunDeps['database'],
    rows: readonly RunRow[],
    { attempt }: PresentOptions,
  ): Promise<ReadonlyMap<number, AttemptRow>> {
    if (attempt) return new Map([[attempt.run_id, attempt]]);
    const attempts = await database.query(AttemptRow).findByIds(rows.map((row) => row.latest_attempt_id));
    return new Map(attempts.map((one) => [one.run_id, one]));
  }

  async #users(ids: readonly number[]): Promise<ReadonlyMap<number, ApiUser>> {
    const wanted = [...new Set(ids)];
    // all at once; one by one they are known then
    await this.deps.accounts.byIds(wanted.filter((id) => id > 0));
    const users = new Map<number, ApiUser>();
    for (const id of wanted) users.set(id, await apiSender(this.deps.models, id));
    return users;
  }

  /** Of the event, or open ones with this head. */
  async #pulls(rows: readonly RunRow[]): Promise<ReadonlyMap<number, PullRequest[]>> {
    const { pulls, issues } = this.deps;
    const of = rows.filter((row) => row.pull_index > 0);
    const byRef = await issues.byRefs(of.map((row) => ({ repositoryId: row.repository_id, index: row.pull_index })));
    const known = await pulls.byIssueIds(byRef.map(({ id }) => id));
    const pushed = rows.filter((row) => row.pull_index === 0 && row.event === 'push' && row.head_branch);
    const heads = pushed.map((row) => ({ headRepositoryId: row.repository_id, headBranch: row.head_branch }));
    const open = await pulls.openFromAny(heads);
    return new Map([
      ...of.map((row) => [row.id, [...known.values()].filter((pull) => isOf(pull, row))] as const),
      ...pushed.map((row) => [row.id, open.filter((pull) => isFrom(pull, row))] as const),
    ]);
  }

  // ---------------------------------------------------------------- jobs

  async jobs(rows: readonly JobRow[], runs: ReadonlyMap<number, RunRow>): Promise<Record<string, unknown>[]> {
    const { database, repositories, environment } = this.deps;
    const repositoriesById = await repositories.byIds([...new Set(rows.map((row) => row.repository_id))]);
    const taskIds = rows.map((row) => row.task_id || row.source_task_id).filter(Boolean);
    const tasks = new Map((await database.query(TaskRow).findByIds(taskIds)).map((task) => [task.id, task]));
    const steps = new Map<number, StepRow[]>();
    if (taskIds.length > 0)
      for (const step of await database.query(StepRow).whereIn('task_id', taskIds).orderBy(['task_id', 'number']))
        steps.set(step.task_id, [...(steps.get(step.task_id) ?? []), step]);
    const names = await environment.runnerNames([...tasks.values()].map((task) => task.runner_id));
    return rows.flatMap((row) => {
      const [repository, run] = [repositoriesById.get(row.repository_id), runs.get(row.run_id)];
      if (!repository || !run) return [];
      const taskId = row.task_id || row.source_task_id;
      const runnerId = tasks.get(taskId)?.runner_id ?? 0;
      return [
        {
          id: row.id,
          url: `${repositories.apiUrl(repository)}/actions/jobs/${row.id}`,
          html_url: `${this.runPage(repository, run)}/jobs/${row.id}`,
          run_id: row.run_id,
          run_url: this.runUrl(repository, run),
          name: row.name,
          labels: row.runs_on,
          run_attempt: row.attempt,
          head_sha: run.commit_sha,
          head_branch: this.headBranch(run),
          ...apiStatus(row.status),
          runner_id: runnerId,
          runner_name: names.get(runnerId) ?? '',
          steps: (steps.get(taskId) ?? []).map((step) => ({
            name: step.name,
            number: step.number,
            ...apiStatus(step.status),
            started_at: momentOf(step.started_at),
            completed_at: momentOf(step.stopped_at),
          })),
          created_at: apiTime(Number(row.created_at)),
          started_at: momentOf(row.started_at),
          completed_at: momentOf(row.stopped_at),
        },
      ];
    });
  }
}
