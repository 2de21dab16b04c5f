import type { ActivityModels } from '@mortise/activity-events/api';
import type { Database, Jobs } from '@mortise/plugin-sdk';
import type { Repository } from '@mortise/repositories/api';
import { nextTime } from '../../workflow/index.js';
import { openStatuses } from '../../contract/states.js';
import { ScheduleRow } from '../../models/schedule.js';
import { ScheduleSpecRow } from '../../models/schedule-spec.js';
import { RunRow } from '../../models/run.js';
import { canRun } from '../../units/actions.js';
import type { RunCreator } from './run-creator.js';
import { readSchedules } from './job-definitions.js';
import type { Lifecycle } from './lifecycle.js';
import { summaryOf } from './trigger-events.js';
import { actionsUserId, type RunDeps } from './run-deps.js';
import { apiSender } from './api-sender.js';
import { insertInBatches } from './run-rows.js';
import type { WorkflowWorkers } from './workflow-workers.js';
import type { DisabledWorkflows } from './disabled-workflows.js';
import type { WorkflowFiles } from './workflow-files.js';

interface ScheduleDeps extends RunDeps {
  readonly files: WorkflowFiles;
  readonly workers: WorkflowWorkers;
  readonly creator: RunCreator;
  readonly lifecycle: Lifecycle;
  readonly disabledWorkflows: DisabledWorkflows;
  readonly models: ActivityModels;
  readonly jobs: Jobs;
}

const minute = 60_000;
/** Looked at in one go; the rest a minute later. */
const maxDue = 500;
/** Times of all workflows of a repository; those of later files are left out. */
const maxSpecs = 100;

type NewSchedule = Pick<
  ScheduleRow,
  'repository_id' | 'workflow_id' | 'workflow_path' | 'ref' | 'commit_sha' | 'content' | 'payload' | 'created_at'
>;

interface FoundSchedule {
  readonly row: NewSchedule;
  readonly specs: readonly { readonly spec: string; readonly nextAt: number }[];
}

/** What runs by the clock. */
export class Schedules {
  constructor(private readonly deps: ScheduleDeps) {}

  /** The schedules of a repository are read anew, soon; joins an open transaction. */
  async enqueueRead(repositoryId: number): Promise<void> {
    await this.deps.jobs.enqueue(readSchedules, { repositoryId }, { uniqueKey: `actions.schedules:${repositoryId}` });
  }

  /** Those of the default branch replace the ones that there were; unfinished runs of those are cancelled. */
  async read(repositoryId: number): Promise<void> {
    const { repositories, database, lifecycle } = this.deps;
    const repository = await repositories.byId(repositoryId);
    const schedules = repository && canRun(repository) ? await this.#find(repository) : [];
    const known = await database.query(ScheduleRow).where('repository_id', repositoryId);
    if (known.length === 0 && schedules.length === 0) return;
    // nothing to do with schedules was changed: the times that they wait for stay
    if (isSame(known, schedules)) return;
    await database.write(async () => {
      await database.query(ScheduleRow).delete().where('repository_id', repositoryId);
      for (const { row, specs } of schedules) {
        const { id } = await database.query(ScheduleRow).insertAndFetch(row);
        const common = { schedule_id: id, repository_id: repositoryId, previous_at: 0 };
        await insertInBatches(
          database,
          'action_schedule_spec',
          specs.map(({ spec, nextAt }) => ({ ...common, spec, next_at: nextAt })),
        );
      }
    });
    const open = await database
      .query(RunRow)
      .where({ repository_id: repositoryId, trigger_event: 'schedule' })
      .whereIn('status', openStatuses)
      .select('id');
    await lifecycle.cancelAll(open.map(({ id }) => id));
  }

  async #find(repository: Repository): Promise<FoundSchedule[]> {
    const { gitReader, files, settings, models } = this.deps;
    const head = await gitReader.open(repository.id).branch(repository.defaultBranch);
    if (!head) return [];
    const schedules: FoundSchedule[] = [];
    const now = Date.now();
    let left = maxSpecs;
    for (const file of await files.list(repository.id, head.oid, settings.WORKFLOW_DIRS)) {
      if (left <= 0) break;
      if (!(await files.summary(repository.id, file)).events.includes('schedule')) continue;
      const { workflow } = await files.parse(repository.id, file);
      const crons =
        workflow?.on.flatMap((trigger) => (trigger.event === 'schedule' ? (trigger.crons ?? []) : [])) ?? [];
      const wanted = crons.map(({ cron, timezone }) =>
        (timezone && !/^(?:CRON_)?TZ=/.test(cron) ? `TZ=${timezone} ${cron}` : cron).slice(0, 255),
      );
      const specs = [...new Set(wanted)]
        .flatMap((spec) => {
          const nextAt = nextTime(spec, now);
          return nextAt === undefined ? [] : [{ spec, nextAt }];
        })
        .slice(0, left);
      left -= specs.length;
      if (specs.length === 0) continue;
      const payload = {
        ref: head.ref,
        after: head.oid,
        repository: await models.repository(repository),
        sender: await apiSender(models, actionsUserId),
      };
      schedules.push({
        row: {
          repository_id: repository.id,
          workflow_id: file.id,
          workflow_path: file.path,
          ref: head.ref,
          commit_sha: head.oid,
          content: (await files.content(repository.id, file.oid)).toString('utf8'),
          payload: JSON.stringify(payload),
          created_at: now,
        },
        specs,
      });
    }
    return schedules;
  }

  /** Starts due schedules. Of several processes, the one that updates the next time starts the run. */
  async start(now = Date.now()): Promise<void> {
    for (const spec of await dueSchedules(this.deps.database, now, maxDue)) await this.#startOne(spec, now);
  }

  async #startOne(spec: ScheduleSpecRow, now: number): Promise<void> {
    const { database, repositories, disabledWorkflows, creator } = this.deps;
    const schedule = await database.query(ScheduleRow).findById(spec.schedule_id);
    const repository = schedule && (await repositories.byId(schedule.repository_id));
    const next = nextTime(spec.spec, now + minute);
    const isOff =
      !schedule ||
      !repository ||
      !canRun(repository) ||
      (await disabledWorkflows.of(repository.id)).has(disabledWorkflows.key(0, schedule.workflow_id));
    const newRun = isOff ? undefined : await this.#newRun(schedule, spec, repository);
    const move = async () => {
      const where = { id: spec.id, next_at: spec.next_at };
      const moved =
        next === undefined
          ? // it never comes again
            await database.query(ScheduleSpecRow).delete().where(where)
          : await database.query(ScheduleSpecRow).where(where).patch({ next_at: next, previous_at: now });
      return moved > 0;
    };
    if (newRun) await creator.create(newRun, move);
    else await database.write(move);
  }

  async #newRun(schedule: ScheduleRow, spec: ScheduleSpecRow, repository: Repository) {
    const { content, workflow_path: path } = schedule;
    const { workflow } = await this.deps.workers.parse(repository.id, content, path);
    if (!workflow) return undefined;
    const [commit] = await this.deps.gitReader.open(repository.id).commits([schedule.commit_sha]);
    const stored = JSON.parse(schedule.payload) as Readonly<Record<string, unknown>>;
    return {
      repository,
      workflow,
      workflowId: schedule.workflow_id,
      workflowPath: schedule.workflow_path,
      workflowName: workflow.name ?? schedule.workflow_id,
      workflowRepoId: repository.id,
      workflowCommit: schedule.commit_sha,
      isScoped: false,
      ref: schedule.ref,
      sha: schedule.commit_sha,
      statusSha: '',
      pullIndex: 0,
      userId: actionsUserId,
      event: 'schedule',
      triggerEvent: 'schedule',
      key: `schedule:${spec.id}:${spec.next_at}`,
      payload: { ...stored, schedule: spec.spec },
      title: commit ? summaryOf(commit) : schedule.workflow_id,
      isFork: false,
      needsApproval: false,
      scheduleId: schedule.id,
    };
  }
}

/** The first of each repository, then the second of each, so that one with many delays no other. */
export async function dueSchedules(database: Database, now: number, max: number): Promise<ScheduleSpecRow[]> {
  const knex = database.knex();
  const turns = knex('action_schedule_spec')
    .select('id', 'next_at')
    .rowNumber('turn', (order) => order.partitionBy('repository_id').orderBy('next_at').orderBy('id'))
    .where('next_at', '<=', now)
    .as('due');
  const order = (await knex.select('id').from(turns).orderBy(['turn', 'next_at', 'id']).limit(max)) as unknown as {
    readonly id: number;
  }[];
  const rows = await database.query(ScheduleSpecRow).findByIds(order.map(({ id }) => id));
  const known = new Map(rows.map((row) => [row.id, row]));
  return order.flatMap(({ id }) => known.get(id) ?? []);
}

const isSame = (known: readonly ScheduleRow[], found: readonly FoundSchedule[]): boolean =>
  known.length === found.length &&
  found.every(({ row }) =>
    known.some(
      (one) => one.workflow_path === row.workflow_path && one.commit_sha === row.commit_sha && one.ref === row.ref,
    ),
  );
