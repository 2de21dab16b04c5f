import type { FailedJob, JobContext, JobKind, Logger } from '@mortise/plugin-sdk';
import type { CallPlugin, KernelDatabase } from '../contracts.js';
import { StoredWorkPoller } from '../database/watch.js';
import type { Schedules } from './schedules.js';
import type { QueueSettings } from './settings.js';
import { Overdue, withinTime } from './time-limit.js';
import type { JobStore, StoredJob, Wanted } from './store.js';

interface Handler {
  readonly owner: string;
  readonly name: string;
  readonly kind: JobKind;
  run(payload: unknown, context: JobContext): Promise<void>;
}

interface RunnerDeps {
  readonly database: KernelDatabase;
  readonly log: Logger;
  readonly logOf: (owner: string) => Logger;
  readonly call: CallPlugin;
  readonly settings: Readonly<QueueSettings>;
  readonly failed?: (job: FailedJob) => Promise<void>;
}

interface Running {
  readonly job: StoredJob;
  readonly abort: AbortController;
  readonly ended: Promise<void>;
}

const defaultBackoff = (attempt: number) => Math.min(600_000, 1000 * 2 ** (attempt - 1));
const textOf = (error: unknown) => (error instanceof Error ? (error.stack ?? error.message) : String(error));

/** Claims and runs jobs. Without work it only reads, and on SQLite not even that while nothing was committed. */
export class Runner {
  readonly #deps: RunnerDeps;
  readonly #store: JobStore;
  readonly #schedules: Schedules;
  readonly #handlers = new Map<string, Handler>();
  readonly #running = new Map<number, Running>();
  readonly #perName = new Map<string, number>();
  readonly #watch: StoredWorkPoller;
  #prunedAt = 0;

  constructor(deps: RunnerDeps, store: JobStore, schedules: Schedules) {
    this.#deps = deps;
    this.#store = store;
    this.#schedules = schedules;
    this.#watch = new StoredWorkPoller(
      deps.database,
      ['job', 'schedule'],
      () => this.#look(),
      (error) => deps.log.error('could not read due jobs', { event: 'job.read', error }),
    );
  }

  handle(handler: Handler): void {
    if (this.#handlers.has(handler.name)) throw new Error(`job ${handler.name} is handled twice`);
    this.#handlers.set(handler.name, handler);
  }

  async start(): Promise<void> {
    await this.#schedules.start(Date.now());
    this.#watch.start();
  }

  async stop(): Promise<void> {
    await this.#watch.stop();
    const all = () => Promise.all([...this.#running.values()].map(({ ended }) => ended));
    await within(this.#deps.settings.DRAIN_TIME, all());
    for (const { abort } of this.#running.values()) abort.abort(new Error('the process stops'));
    await within(2000, all());
    for (const { job } of this.#running.values()) await this.#store.giveBack(job);
    this.#running.clear();
  }

  wake(afterMs = 0): void {
    this.#watch.wake(afterMs);
  }

  async #look(): Promise<void> {
    await this.#schedules.enqueueDue(Date.now());
    const capacity = this.#freeSlots();
    if (capacity > 0) {
      const claimed = await this.#claim(capacity, Date.now());
      for (const job of claimed) void this.#run(job, Date.now);
      // More may wait: looks again at once; the answer costs one read.
      if (claimed.length > 0) this.#watch.wake();
      await this.#prune();
    }
    const times = [await this.#store.nextAt(), await this.#schedules.nextAt()].filter((at) => at !== undefined);
    const next = times.length > 0 ? Math.min(...times) : Infinity;
    // Overdue and yet not claimed: its kind is full here, is not handled here, or another process has just taken it.
    this.#watch.later(next <= Date.now() ? Date.now() + 1000 : next);
  }

  #freeSlots(): number {
    return (this.#deps.settings.MAX_WORKERS || 10) - this.#running.size;
  }

  #roomFor(name: string): number {
    return (this.#handlers.get(name)?.kind.concurrency ?? 2) - (this.#perName.get(name) ?? 0);
  }

  async #claim(capacity: number, now: number): Promise<StoredJob[]> {
    const names = [...this.#handlers.keys()].filter((name) => this.#roomFor(name) > 0);
    const candidates = await this.#store.candidates(names, capacity * 2, now, await this.#fullGroups(names));
    const wanted: Wanted[] = [];
    const taken = new Map<string, number>();
    for (const job of candidates) {
      const already = taken.get(job.name) ?? 0;
      if (wanted.length >= capacity || already >= this.#roomFor(job.name) || this.#running.has(job.id)) continue;
      taken.set(job.name, already + 1);
      wanted.push({ job, leaseMs: this.#leaseMs(job.name), perGroup: this.#perGroup(job.name) });
    }
    return this.#store.claim(wanted);
  }

  #perGroup(name: string): number {
    return this.#handlers.get(name)?.kind.perGroup ?? Infinity;
  }

  /** Of groups that have all that they may have, not even the next job is looked at: it may be the first of thousands. */
  async #fullGroups(names: readonly string[]): Promise<string[]> {
    if (!names.some((name) => this.#perGroup(name) < Infinity)) return [];
    const running = await this.#store.runningGroups();
    return [...running].flatMap(([key, { name, count }]) => (count >= this.#perGroup(name) ? [key] : []));
  }

  #leaseMs(name: string): number {
    return this.#handlers.get(name)?.kind.leaseMs ?? 60_000;
  }

  #run(job: StoredJob, clock: () => number): Promise<void> {
    const abort = new AbortController();
    const count = this.#perName.get(job.name) ?? 0;
    this.#perName.set(job.name, count + 1);
    const ended = this.#execute(job, abort, clock)
      .catch((error: unknown) =>
        this.#deps.log.error('could not store the result of a job', {
          event: 'job.finish',
          job: job.name,
          id: job.id,
          error,
        }),
      )
      .finally(() => {
        this.#running.delete(job.id);
        this.#perName.set(job.name, (this.#perName.get(job.name) ?? 1) - 1);
        this.wake();
      });
    this.#running.set(job.id, { job, abort, ended });
    return ended;
  }

  async #execute(job: StoredJob, abort: AbortController, clock: () => number): Promise<void> {
    const { owner, kind, run } = this.#handlers.get(job.name)!;
    const handler = this.#handlers.get(job.name)!;
    const log = this.#deps.logOf(owner);
    const leaseMs = this.#leaseMs(job.name);
    const attempts = kind.attempts ?? 5;
    // A job whose process died each time must not be tried for ever.
    if (job.attempts > attempts) return this.#fail(owner, job, 'its process ended each time');
    const renew = async (progress?: { done: number; total: number; text?: string }) => {
      if (!(await this.#store.renew(job, leaseMs, progress))) abort.abort(new Error('the lease was lost'));
    };
    const heartbeat = setInterval(() => {
      renew().catch((error: unknown) =>
        log.warn('could not renew the lease of a job', { event: 'job.lease', job: job.name, id: job.id, error }),
      );
    }, leaseMs / 3);
    let reportedAt = 0;
    const context: JobContext = {
      log,
      id: String(job.id),
      attempt: job.attempts,
      signal: abort.signal,
      progress: async (done, total, text) => {
        // Twice a second is enough for watchers; each write also empties caches.
        if (done < total && Date.now() - reportedAt < 500) return;
        reportedAt = Date.now();
        await renew({ done, total, text });
      },
    };
    try {
      const payload: unknown = JSON.parse(job.payload);
      await withinTime(kind.timeoutMs ?? this.#deps.settings.JOB_TIMEOUT, abort, async () => {
        await this.#deps.database.syncVersions();
        await this.#deps.call(owner, `job ${job.name}`, () => run.call(handler, payload, context));
      });
      await this.#store.done(job);
    } catch (error) {
      if (abort.signal.aborted && !this.#watch.started) return await this.#store.giveBack(job);
      const fields = { job: job.name, id: job.id, attempt: job.attempts, error };
      if (error instanceof Overdue)
        log.error('a job ignored its abort signal; releasing its slot', { event: 'job.overdue', ...fields });
      if (job.attempts >= attempts) {
        log.error('job failed for good', { event: 'job.failed', ...fields });
        await this.#fail(owner, job, textOf(error));
      } else {
        log.warn('job failed; retrying', { event: 'job.retry', ...fields });
        await this.#store.retry(job, clock() + (kind.backoff ?? defaultBackoff)(job.attempts), textOf(error));
      }
    } finally {
      clearInterval(heartbeat);
    }
  }

  async #fail(plugin: string, job: StoredJob, error: string): Promise<void> {
    await this.#store.failed(job, error);
    const reason = error.split('\n', 1)[0]!.slice(0, 500);
    try {
      await this.#deps.failed?.({ plugin, job: job.name, reason });
    } catch (failure) {
      this.#deps.log.error('could not report a failed job to its plugin', {
        event: 'job.failureHandler',
        job: job.name,
        id: job.id,
        error: failure,
      });
    }
  }

  /** Every ten minutes, until all is done: between two slices waiting jobs have their turn. */
  async #prune(): Promise<void> {
    if (Date.now() - this.#prunedAt < 600_000) return;
    if (await this.#store.prune(this.#deps.settings.KEEP_DONE)) this.#watch.wake();
    else this.#prunedAt = Date.now();
  }

  /** For tests: runs everything due at `now`, also what those jobs enqueue, one wave after the other. */
  async runDue(now: number): Promise<number> {
    let count = 0;
    await this.#schedules.start(Math.min(now, Date.now()));
    for (;;) {
      await this.#schedules.enqueueDue(now);
      const claimed = await this.#claim(1000, now);
      if (claimed.length === 0) {
        if (this.#running.size === 0) return count;
        await Promise.all([...this.#running.values()].map(({ ended }) => ended));
        continue;
      }
      count += claimed.length;
      await Promise.all(claimed.map((job) => this.#run(job, () => now)));
    }
  }
}

async function within(milliseconds: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  await Promise.race([work, new Promise((resolve) => (timer = setTimeout(resolve, milliseconds)))]);
  clearTimeout(timer);
}
