import type {
  FailedJob,
  JobContext,
  JobKind,
  JobOptions,
  JobRef,
  Logger,
  ScheduledTask,
  ScheduleOptions,
} from '@mortise/plugin-sdk';
import type { ManagedBroker, CallPlugin, ManagedJobs, KernelDatabase } from '../contracts.js';
import { leaseOwner } from '../leases.js';
import { Runner } from './runner.js';
import { Schedules, usualTaskName } from './schedules.js';
import type { QueueSettings } from './settings.js';
import { JobStore } from './store.js';

export * from './settings.js';

interface JobsServices {
  readonly database: KernelDatabase;
  readonly broker: ManagedBroker;
  readonly log: Logger;
  readonly call: CallPlugin;
  readonly settings: Readonly<QueueSettings>;
  /** Logger tagged with the plugin; default: `log`. */
  readonly logOf?: (owner: string) => Logger;
  /** Told of jobs that failed for good. */
  readonly failed?: (job: FailedJob) => Promise<void>;
}

const topic = 'core.jobs';

/** Durable background work in the database. Declare kinds and schedules, then `start`. */
export function createJobs(services: JobsServices): ManagedJobs {
  return new JobsOfHost(services);
}

class JobsOfHost implements ManagedJobs {
  readonly #services: JobsServices;
  readonly #process = leaseOwner();
  readonly #store: JobStore;
  readonly #schedules: Schedules;
  readonly #runner: Runner;
  #announced = false;
  #unsubscribe: (() => void) | undefined;

  constructor(services: JobsServices) {
    this.#services = services;
    this.#store = new JobStore(services.database, this.#process);
    this.#schedules = new Schedules(services.database, this.#store);
    this.#runner = new Runner(
      { ...services, logOf: services.logOf ?? (() => services.log) },
      this.#store,
      this.#schedules,
    );
  }

  handle(
    owner: string,
    job: JobRef<unknown>,
    kind: JobKind,
    run: (payload: unknown, context: JobContext) => Promise<void>,
  ): void {
    this.#runner.handle({ owner, name: job.id, kind, run });
  }

  schedule(
    owner: string,
    id: string,
    cron: string,
    job: JobRef<unknown>,
    payload: unknown,
    options: ScheduleOptions = {},
  ): void {
    const name = `${owner}/${id}`;
    const { taskName = usualTaskName(name), title, runsAtStart = false } = options;
    this.#schedules.add({ name, cron, job: job.id, payload, taskName, title, runsAtStart });
  }

  readonly tasks = {
    list: (): Promise<ScheduledTask[]> => this.#schedules.list(Date.now()),
    run: async (name: string): Promise<boolean> => {
      const { database } = this.#services;
      return database.write(async () => {
        const isThere = await this.#schedules.runNow(name, Date.now());
        if (isThere) database.afterCommit(() => this.#announce());
        return isThere;
      });
    },
  };

  /** Enqueues what is to be done whenever the site starts. */
  async runStartTasks(): Promise<void> {
    for (const name of this.#schedules.atStart) await this.tasks.run(name);
  }

  async enqueue<P>(job: JobRef<P>, payload: P, options: JobOptions = {}): Promise<string> {
    const { database } = this.#services;
    return database.write(async () => {
      const { id } = await this.#store.add(job.id, payload, options);
      database.afterCommit(() => this.#announce());
      return id;
    });
  }

  /** Wakes the runner here and elsewhere; many jobs of one moment make one message. */
  #announce(): void {
    this.#runner.wake();
    if (this.#announced) return;
    this.#announced = true;
    setImmediate(() => {
      this.#announced = false;
      this.#services.broker
        .publish(topic, this.#process)
        .catch((error: unknown) =>
          this.#services.log.warn('could not announce a job to other processes', { event: 'job.announce', error }),
        );
    });
  }

  async start(): Promise<void> {
    this.#unsubscribe = this.#services.broker.subscribe(topic, (from) => {
      // The process that stored the job goes first; the others take what it has no room for.
      if (from !== this.#process) this.#runner.wake(15 + Math.random() * 30);
    });
    await this.#store.freeLeases();
    await this.#runner.start();
  }

  async stop(): Promise<void> {
    this.#unsubscribe?.();
    await this.#runner.stop();
  }

  runDue(now = Date.now()): Promise<number> {
    return this.#runner.runDue(now);
  }
}
