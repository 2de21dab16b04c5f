import cluster, { type Worker } from 'node:cluster';
import type { Logger } from '@mortise/plugin-sdk';
import type { Instance } from '../instance/index.js';
import {
  exitCodes,
  instanceMessage,
  readyMessage,
  restartMessage,
  retireMessage,
  waitingWorker,
} from './exit-codes.js';

/** One that ends earlier is not started again at once. */
const quickMs = 10_000;
const firstPauseMs = 1000;
const maxPauseMs = 30_000;
/** So many workers in a row that say that they cannot start, and no more are started: what is wrong does not pass by itself. */
const maxFailedStarts = 5;
/** How long a worker may take to start while others are replaced, and to end then. */
const startLimitMs = 300_000;
const retireLimitMs = 600_000;
/** How often a restart tries its first worker: a plugin that ended two starts is left out of the third. */
const firstAttempts = 3;

/** The workers of one server. Each has all of the server in it; they share its ports. */
export class WorkerPool {
  readonly #born = new Map<number, number>();
  readonly #ready = new Set<number>();
  /** Workers whose end a restart waits for, or looks after itself. */
  readonly #inRestart = new Set<number>();
  readonly #served: Promise<void>;
  #log: Logger | undefined;
  #firstServes!: () => void;
  #finish!: (code: number) => void;
  #code = 0;
  #isEnding = false;
  /** Whether any worker ever served: what goes wrong later passes. */
  #hasServed = false;
  #isTold = false;
  #quickEnds = 0;
  #failedStarts = 0;
  #isRestartAsked = false;
  #isRestarting = false;

  constructor(
    private readonly size: number,
    private readonly instance: Instance | undefined,
    private readonly openLog: () => Promise<Logger>,
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
        if (message === instanceMessage) this.#serves(worker);
        else if (message === restartMessage) this.#askRestart();
      });
      // The first brings the tables up to date, so the others find them so.
      this.#fork();
      void this.openLog().then((made) => (this.#log = made));
    });
  }

  #fork(isPatient = this.#hasServed): Worker {
    const worker = cluster.fork(isPatient ? { [waitingWorker]: '1' } : {});
    this.#born.set(worker.id, Date.now());
    return worker;
  }

  /** Starts as many as are missing. */
  #fill(): void {
    for (let count = this.#alive().length; count < this.size && !this.#isEnding; count++) this.#fork();
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
    if (this.#isTold || this.#ready.size < this.size) return;
    this.#isTold = true;
    worker.send(readyMessage, () => undefined);
  }

  #exited(worker: Worker, code: number, signal: string): void {
    const age = Date.now() - (this.#born.get(worker.id) ?? 0);
    this.#born.delete(worker.id);
    this.#ready.delete(worker.id);
    if (this.#isEnding) return this.#finishIfDone();
    if (this.#inRestart.has(worker.id)) return;
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

  /** Asked again while one goes on, all of it is done once more: its first workers may have read what was changed since. */
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
      const beganAt = Date.now();
      await this.instance?.restarts({ state: 'running', beganAt });
      const isDone = await this.#replaceAll();
      if (this.#isEnding) return;
      await this.instance?.restarts({ state: isDone ? 'done' : 'failed', beganAt });
      if (isDone)
        this.#log?.info('all workers were replaced', { event: 'worker.restarted', tookMs: Date.now() - beganAt });
      else
        this.#log?.error('the restart was given up: a new worker does not start; the others go on as they were', {
          event: 'worker.restartFailed',
        });
      this.#fill();
    }
  }

  /** Each worker ends only once another serves in its place. Gives whether all were replaced. */
  async #replaceAll(): Promise<boolean> {
    let attempts = firstAttempts;
    for (const old of this.#alive()) {
      // It ended by itself: another was started in its place.
      if (old.isDead()) continue;
      if (!(await this.#startAnother(attempts))) return false;
      attempts = 1;
      await this.#retire(old);
    }
    return true;
  }

  /** The first of a restart counts as a start of the server, so that a plugin that ends it is left out in the end. */
  async #startAnother(attempts: number): Promise<boolean> {
    for (let attempt = 0; attempt < attempts && !this.#isEnding; attempt++) {
      const worker = this.#fork(attempts === 1);
      this.#inRestart.add(worker.id);
      const isReady = await isStarted(worker);
      this.#inRestart.delete(worker.id);
      if (isReady) return true;
    }
    return false;
  }

  async #retire(worker: Worker): Promise<void> {
    if (worker.isDead()) return;
    this.#inRestart.add(worker.id);
    const ended = new Promise((resolve) => worker.once('exit', resolve));
    // One that does not serve yet would not hear it.
    if (this.#ready.has(worker.id)) worker.send(retireMessage, () => undefined);
    else worker.process.kill('SIGTERM');
    const clock = setTimeout(() => worker.process.kill('SIGKILL'), retireLimitMs);
    await ended;
    clearTimeout(clock);
    this.#inRestart.delete(worker.id);
  }
}

/** Whether the worker comes to serve; one that takes too long is killed. */
function isStarted(worker: Worker): Promise<boolean> {
  const clock = setTimeout(() => worker.process.kill('SIGKILL'), startLimitMs);
  return new Promise<boolean>((resolve) => {
    worker.on('message', (message: unknown) => message === instanceMessage && resolve(true));
    for (const event of ['exit', 'error']) worker.once(event, () => resolve(false));
  }).finally(() => clearTimeout(clock));
}
