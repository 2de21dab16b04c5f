import type { Actor, Database, Site } from '@mortise/plugin-sdk';
import type { Repositories, RepositoryAccess } from '@mortise/repositories/api';
import type { StatusNumber } from '../../contract/states.js';
import { JobRow } from '../../models/job.js';
import { RunRow } from '../../models/run.js';
import { TaskRow } from '../../models/task.js';

/** A task as the page of its runner lists it. */
export interface RunnerTask {
  readonly id: number;
  readonly status: StatusNumber;
  /** `owner/name` */
  readonly repository: string;
  readonly title: string;
  readonly job: string;
  readonly href: string;
  readonly startedAt: number;
}

/** What runners have done, newest first; what the actor may not see stays out. */
export class RunnerTasks {
  constructor(
    private readonly deps: {
      readonly database: Database;
      readonly repositories: Repositories;
      readonly access: RepositoryAccess;
      readonly site: Site;
    },
  ) {}

  async of(
    runnerId: number,
    { limit, offset }: { limit: number; offset: number },
    actor: Actor,
  ): Promise<RunnerTask[]> {
    const { database, repositories, access, site } = this.deps;
    const tasks = await database
      .query(TaskRow)
      .where('runner_id', runnerId)
      .orderBy('id', 'desc')
      .limit(limit)
      .offset(offset);
    if (tasks.length === 0) return [];
    const repositoriesById = await repositories.byIds([...new Set(tasks.map((task) => task.repository_id))]);
    const contexts = await access.contexts(actor, [...repositoriesById.values()]);
    const jobs = await database.query(JobRow).findByIds(tasks.map((task) => task.job_id));
    const runs = await database.query(RunRow).findByIds([...new Set(tasks.map((task) => task.run_id))]);
    return tasks.flatMap((task) => {
      const repository = repositoriesById.get(task.repository_id);
      const run = runs.find(({ id }) => id === task.run_id);
      const job = jobs.find(({ id }) => id === task.job_id);
      if (!repository || !run || !job || !contexts.get(repository.id)?.may('read', 'actions')) return [];
      const path = `${repository.ownerName}/${repository.name}`;
      return [
        {
          id: task.id,
          status: task.status,
          repository: path,
          title: run.title,
          job: job.name,
          href: site.path(`/${path}/actions/runs/${run.id}/jobs/${job.id}`),
          startedAt: Number(task.started_at),
        },
      ];
    });
  }
}
