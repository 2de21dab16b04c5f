import type { ScheduledTask, Text } from '@mortise/plugin-sdk';
import { nextTime } from '@mortise/plugin-sdk/host';
import type { KernelDatabase } from '../contracts.js';
import type { JobStore } from './store.js';

interface Schedule {
  readonly name: string;
  readonly cron: string;
  readonly job: string;
  readonly payload: unknown;
  /** As administrators know it. */
  readonly taskName: string;
  readonly title?: Text | undefined;
  readonly runsAtStart: boolean;
}

interface Row {
  readonly name: string;
  readonly cron: string;
  readonly next_at: number;
  /** 0: never. */
  readonly last_at: number;
  readonly run_count: number;
}

/** Of a schedule that was given none: `mail/forget-limits` is `mail_forget_limits`. */
export const usualTaskName = (name: string): string => name.replace(/\W/g, '_');

/**
 * Schedules keep their next time in the table `schedule`; whoever moves it on enqueues the job, in one transaction, so
 * it happens once however many processes look.
 */
export class Schedules {
  readonly #database: KernelDatabase;
  readonly #store: JobStore;
  readonly #schedules = new Map<string, Schedule>();

  constructor(database: KernelDatabase, store: JobStore) {
    this.#database = database;
    this.#store = store;
  }

  add(schedule: Schedule): void {
    if (this.#schedules.has(schedule.name)) throw new Error(`schedule ${schedule.name} exists twice`);
    for (const { name, taskName } of this.#schedules.values())
      if (taskName === schedule.taskName) throw new Error(`${name} and ${schedule.name} are both the task ${taskName}`);
    this.#schedules.set(schedule.name, schedule);
  }

  /** Names of the tasks that are to be done whenever the site starts. */
  get atStart(): string[] {
    return [...this.#schedules.values()].filter((one) => one.runsAtStart).map(({ taskName }) => taskName);
  }

  /** Stores new and changed schedules. */
  async start(now: number): Promise<void> {
    if (this.#schedules.size === 0) return;
    const stored = new Map((await this.#rows()).map((row) => [row.name, row]));
    const wrong = [...this.#schedules.values()].filter(({ name, cron }) => stored.get(name)?.cron !== cron);
    if (wrong.length === 0) return;
    await this.#database.write(async () => {
      for (const { name, cron } of wrong) {
        await this.#database
          .knex()('schedule')
          .insert({ name, cron, next_at: nextTime(cron, now) })
          .onConflict('name')
          .merge();
      }
    });
  }

  /** When the next schedule is due. Only reads. */
  async nextAt(): Promise<number | undefined> {
    if (this.#schedules.size === 0) return undefined;
    const times = (await this.#rows()).map((row) => row.next_at);
    return times.length > 0 ? Math.min(...times) : undefined;
  }

  /** Enqueues the jobs of what is due; missed times are made up for by one run. Gives how many. */
  async enqueueDue(now: number): Promise<number> {
    if (this.#schedules.size === 0) return 0;
    const due = (await this.#rows()).filter((row) => row.next_at <= now);
    if (due.length === 0) return 0;
    return this.#database.write(async () => {
      let enqueued = 0;
      for (const row of due) {
        const { job, payload, cron } = this.#schedules.get(row.name)!;
        const moved = await this.#database
          .knex()('schedule')
          .where({ name: row.name, next_at: row.next_at })
          .update({ next_at: nextTime(cron, now) });
        if (moved === 0) continue;
        const { isNew } = await this.#store.add(job, payload, {
          uniqueKey: `schedule ${row.name}`,
          runAt: row.next_at,
        });
        if (isNew) await this.#count(row.name, now);
        enqueued++;
      }
      return enqueued;
    });
  }

  /** All that are declared, by name; those of a host whose background work has not begun have not run yet. */
  async list(now: number): Promise<ScheduledTask[]> {
    const stored = new Map((await this.#rows()).map((row) => [row.name, row]));
    return [...this.#schedules.values()]
      .map(({ name, cron, taskName, title }) => {
        const row = stored.get(name);
        return {
          name: taskName,
          title,
          schedule: cron,
          nextAt: row?.cron === cron ? row.next_at : nextTime(cron, now),
          lastAt: row?.last_at || undefined,
          runs: row?.run_count ?? 0,
        };
      })
      .sort((one, other) => (one.name < other.name ? -1 : 1));
  }

  /** Enqueues the job of a task at once; inside the caller's transaction. Gives whether there is such a task. */
  async runNow(task: string, now: number): Promise<boolean> {
    const schedule = [...this.#schedules.values()].find(({ taskName }) => taskName === task);
    if (!schedule) return false;
    const { name, cron, job, payload } = schedule;
    await this.#database
      .knex()('schedule')
      .insert({ name, cron, next_at: nextTime(cron, now) })
      .onConflict('name')
      .ignore();
    const { isNew } = await this.#store.add(job, payload, { uniqueKey: `schedule ${name}`, runAt: now });
    if (isNew) await this.#count(name, now);
    return true;
  }

  /** Asked for again while its job still waits, a task is done once and counts once. */
  async #count(name: string, now: number): Promise<void> {
    await this.#database
      .knex()('schedule')
      .where({ name })
      .update({ last_at: now, run_count: this.#database.knex().raw('run_count + 1') });
  }

  /** Rows of schedules that are declared; others belong to plugins that are off. */
  async #rows(): Promise<Row[]> {
    const rows = await this.#database
      .knex()('schedule')
      .select<Row[]>('name', 'cron', 'next_at', 'last_at', 'run_count');
    return rows.filter((row) => this.#schedules.has(row.name));
  }
}
