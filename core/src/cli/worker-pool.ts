import cluster, { type Worker } from 'node:cluster';
import type { Logger } from '@mortise/plugin-sdk';
import type { NodeLink } from '../host/contract.js';
import type { Instance } from '../instance/index.js';
import {
  exitCodes,
  workerReadyMessage,
  allReadyMessage,
  applyMessage,
  nodeVariable,
  restartMessage,
  retireMessage,
  waitingVariable,
} from './worker-messages.js';

/** One that ends earlier is not started again at once. */
const quickMs = 10_000;
const firstPauseMs = 1000;
const maxPauseMs = 30_000;
/** So many workers in a row that say that they cannot start, and no more are started: what is wrong does not pass by itself. */
const maxFailedStarts = 5;
/** How long a worker may take to start while others are replaced; it may have to bring large tables up to date. */
const startLimitMs = 1_800_000;
/** One that was replaced ends by itself, as its settings allow; where it has not by then, it hangs. */
const retireLimitMs = 3_600_000;
/** How often a restart tries its first worker: a plugin that ended two starts is left out of the third. */
const firstAttempts = 3;

/** The workers of one server. Each has all of the server in it; they share its ports. */
export class WorkerPool {
  readonly #born = new Map<number, number>();
  readonly #ready = new Set<number>();
  /** Workers that a restart has begun to start, by id: it looks after their end itself. */
  readonly #starting = new Set<number>();
  /** The ends of those that others have replaced, by id. */
  readonly #retiring = new Map<number, Promise<void>>();
  readonly #served: Promise<void>;
  #log: Logger | undefined;
  #firstServes!: () => void;
  #finish!: (code: number) => void;
  #code = 0;
  #isEnding = false;
  /** Whether any worker ever served: what goes wrong later passes. */
  #hasServed = false;
  #hasSentAllReady = false;
  #quickEnds = 0;
  #failedStarts = 0;
  #isRestartAsked = false;
  /** Those who asked for the next restart and wait for its end. */
  #restartWaiters: ((isDone: boolean) => void)[] = [];
  #isRestarting = false;

  constructor(
    private readonly size: number,
    private readonly instance: Instance | undefined,
    private readonly openLog: () => Promise<Logger>,
    private readonly node: NodeLink,
  ) {
    this.#served = new Promise((resolve) => (this.#firstServes = resolve));
  }

  /** Until the pool is told to stop, or no worker can start; gives the exit code. */
  run(): Promise<number> {
    return new Promise((resolve) => {
      this.#finish = resolve;
      for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => this.#end(0));
      process.on('SIGUSR2', () => this.#askRestart());
      cluster.on('exit', (worker, code, signal) => this.#exited(worker, code, signal));
      cluster.on('message', (worker, message: unknown) => {
        if (message === workerReadyMessage) this.#serves(worker);
        else if (message === restartMessage) this.#askRestart();
        else if (message === applyMessage) this.node.applyChanges();
      });
      // The first brings the tables up to date, so the others find them so.
      this.#fork();
      void this.openLog().then(
        (made) => (this.#log = made),
        (error: unknown) => console.error(error),
      );
    });
  }

  #fork(isPatient = this.#hasServed): Worker {
    const worker = cluster.fork({ [nodeVariable]: this.node.id, ...(isPatient && { [waitingVariable]: '1' }) });
    this.#born.set(worker.id, Date.now());
    return worker;
  }

  /** How many are missing; those that were replaced do not count. */
  #missing(): number {
    return this.#isEnding ? 0 : this.size - this.#alive().filter(({ id }) => !this.#retiring.has(id)).length;
  }

  #fill(): void {
    for (let count = this.#missing(); count > 0; count--) this.#fork();
  }

  /** One whose end is told before its channel is closed is still in the list. */
  #alive(): Worker[] {
    return Object.values(cluster.workers ?? {}).filter(
      (worker): worker is Worker => worker !== undefined && !worker.isDead(),
    );
  }

  #end(code: number): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    this.#code = code;
    for (const worker of this.#alive()) worker.process.kill('SIGTERM');
    this.#finishIfDone();
  }

  #finishIfDone(): void {
    if (this.#alive().length === 0) this.#finish(this.#code);
  }

  #serves(worker: Worker): void {
    this.#ready.add(worker.id);
    this.#failedStarts = 0;
    if (!this.#hasServed) {
      this.#hasServed = true;
      this.#firstServes();
      this.#fill();
    }
    if (this.#hasSentAllReady || this.#ready.size < this.size) return;
    this.#hasSentAllReady = true;
    worker.send(allReadyMessage, () => undefined);
  }

  #exited(worker: Worker, code: number, signal: string): void {
    const age = Date.now() - (this.#born.get(worker.id) ?? 0);
    this.#born.delete(worker.id);
    this.#ready.delete(worker.id);
    if (this.#isEnding) return this.#finishIfDone();
    if (this.#starting.has(worker.id) || this.#retiring.has(worker.id)) return;
    const isSaid = code === exitCodes.cannotStart || code === exitCodes.away;
    if (isSaid && !this.#hasServed) return this.#end(1);
    if (code === exitCodes.cannotStart && ++this.#failedStarts >= maxFailedStarts) {
      this.#log?.error('workers keep failing to start; starting no more', {
        event: 'worker.giveUp',
        workersLeft: this.#alive().length,
      });
      if (this.#alive().length === 0) this.#end(1);
      return;
    }
    this.#quickEnds = age < quickMs ? this.#quickEnds + 1 : 0;
    const pause = this.#quickEnds ? Math.min(maxPauseMs, firstPauseMs * 2 ** Math.min(this.#quickEnds - 1, 10)) : 0;
    this.#log?.error('a worker exited; starting another', {
      event: 'worker.exit',
      process: worker.process.pid,
      ending: signal ?? code,
      inMs: pause,
    });
    setTimeout(() => this.#fill(), pause);
  }

  /** Replaces all workers, and gives whether that went well. */
  restart(): Promise<boolean> {
    return new Promise((resolve) => {
      this.#restartWaiters.push(resolve);
      this.#askRestart();
    });
  }

  /** Asked again while one goes on, all of it is done once more: its first workers may have read what is changed only now. */
  #askRestart(): void {
    this.#isRestartAsked = true;
    if (this.#isRestarting) return;
    this.#isRestarting = true;
    void this.#restartWhileAsked().finally(() => (this.#isRestarting = false));
  }

  async #restartWhileAsked(): Promise<void> {
    await this.#served;
    while (this.#isRestartAsked && !this.#isEnding) {
      this.#isRestartAsked = false;
      const waiters = this.#restartWaiters.splice(0);
      const beganAt = Date.now();
      await this.instance?.recordRestart({ state: 'running', beganAt });
      let error: unknown;
      const isDone = await this.#replaceAll().catch((caught: unknown) => {
        error = caught;
        return false;
      });
      if (this.#isEnding) return;
      await this.instance?.recordRestart({ state: isDone ? 'done' : 'failed', beganAt });
      if (isDone)
        this.#log?.info('all workers were replaced', { event: 'restart.completed', tookMs: Date.now() - beganAt });
      else
        this.#log?.error(
          'the restart was aborted: a new worker does not start; workers not yet replaced keep running',
          {
            event: 'restart.failed',
            error,
          },
        );
      this.#fill();
      for (const resolve of waiters) resolve(isDone);
    }
  }

  /** Each worker ends only once another serves in its place. Gives whether all were replaced, and none is missing. */
  async #replaceAll(): Promise<boolean> {
    let attempts = firstAttempts;
    const olds = this.#alive().filter(({ id }) => !this.#retiring.has(id));
    for (const old of olds) {
      // It ended by itself: another was started in its place.
      if (old.isDead()) continue;
      if (!(await this.#startAnother(attempts))) return false;
      attempts = 1;
      this.#retire(old);
    }
    for (let count = this.#missing(); count > 0; count--, attempts = 1)
      if (!(await this.#startAnother(attempts))) return false;
    return !this.#isEnding;
  }

  /** The first of a restart counts as a start of the server, so that a plugin that ends it is left out in the end. */
  async #startAnother(attempts: number): Promise<boolean> {
    // So many at most let their requests end while others serve already.
    while (this.#retiring.size >= this.size) await Promise.race(this.#retiring.values());
    for (let attempt = 0; attempt < attempts && !this.#isEnding; attempt++) {
      const worker = this.#fork(attempts === 1);
      this.#starting.add(worker.id);
      const isReady = await isStarted(worker);
      this.#starting.delete(worker.id);
      if (isReady) return true;
    }
    return false;
  }

  /** Its requests may take a while; nobody waits for them. */
  #retire(worker: Worker): void {
    if (worker.isDead()) return;
    const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
    const clock = setTimeout(() => worker.process.kill('SIGKILL'), retireLimitMs);
    this.#retiring.set(
      worker.id,
      ended.then(() => {
        clearTimeout(clock);
        this.#retiring.delete(worker.id);
      }),
    );
    // One that does not serve yet would not hear it.
    if (this.#ready.has(worker.id)) worker.send(retireMessage, () => undefined);
    else worker.process.kill('SIGTERM');
  }
}

/** Whether the worker comes to serve; one that takes too long is killed. */
function isStarted(worker: Worker): Promise<boolean> {
  const clock = setTimeout(() => worker.process.kill('SIGKILL'), startLimitMs);
  return new Promise<boolean>((resolve) => {
    worker.on('message', (message: unknown) => message === workerReadyMessage && resolve(true));
    for (const event of ['exit', 'error']) worker.once(event, () => resolve(false));
  }).finally(() => clearTimeout(clock));
}
