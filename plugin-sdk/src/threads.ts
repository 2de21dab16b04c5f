/**
 * Threads for work that would hold the event loop, such as reading what strangers wrote. The threads load this module too,
 * so it is apart from the rest.
 */
import { readFileSync, readlinkSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import type { Piscina } from 'piscina';

export { Busy, FairQueue, type QueuedTask } from './fair-queue.js';
export { yamlExcess } from './yaml.js';

/** Numbers that a thread notes while it works, for whoever watches its time: see {@link meterSlot}. */
export type TaskProgress = Int32Array<SharedArrayBuffer>;

export const meterSlot = {
  /** Id of the thread as the operating system knows it; 0: it has not begun. */
  thread: 0,
  /** Milliseconds of the processor that the thread had used when the task began. */
  startedAt: 1,
  /** Which piece of the task is being worked on; the task counts. */
  piece: 2,
} as const;

/** The operating system does not tell. */
const unknownThread = -1;

const newMeter = (): TaskProgress =>
  new Int32Array(new SharedArrayBuffer(Object.keys(meterSlot).length * Int32Array.BYTES_PER_ELEMENT));

/** What is sent to a thread: its entry is a module whose default export takes this. */
export interface ThreadInput<Task> {
  readonly task: Task;
  readonly meter: TaskProgress;
}

/** Why there is no answer: it took too long, too much memory, or threw. */
type ThreadFailureReason = 'time' | 'memory' | 'error';

export class ThreadFailure extends Error {
  override readonly name = 'ThreadFailure';

  constructor(
    readonly reason: ThreadFailureReason,
    /** The piece that was being worked on. */
    readonly piece: number,
    cause: unknown,
  ) {
    super(reason === 'time' ? 'it took too long' : cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

interface ThreadLimits {
  readonly threads: number;
  /** MiB of heap for each thread. */
  readonly memory: number;
  /** Milliseconds for one task. */
  readonly time: number;
}

/** On a busy machine a thread may wait long for the processor; its task ends after so many times the limit anyway. */
const maxOverrun = 10;

/** Threads of one entry; one that is stuck or grows too large is ended, and another takes its place. */
export class ThreadPool {
  #pool: Promise<Piscina> | undefined;

  constructor(
    private readonly entry: URL,
    readonly limits: ThreadLimits,
  ) {}

  /**
   * Task and answer travel between threads, so they are plain data. Rejects with {@link ThreadFailure}. The time counts
   * from the call: whoever sends more tasks than there are threads lets them wait for their turn before.
   */
  async run<Answer>(task: object): Promise<Answer> {
    const stop = new AbortController();
    const meter = newMeter();
    const unwatch = this.#watch(meter, () => stop.abort());
    try {
      const order: ThreadInput<object> = { task, meter };
      return (await (await this.#threads()).run(order, { signal: stop.signal })) as Answer;
    } catch (error) {
      throw new ThreadFailure(reasonOf(error, stop.signal), meter[meterSlot.piece]!, error);
    } finally {
      unwatch();
    }
  }

  /** A task has come already. */
  get isStarted(): boolean {
    return this.#pool !== undefined;
  }

  async close(): Promise<void> {
    const pool = this.#pool;
    this.#pool = undefined;
    await (await pool)?.destroy();
  }

  /** Calls back when the time is over: that of the processor where it is known, else that of the clock. */
  #watch(meter: TaskProgress, over: () => void): () => void {
    const { time } = this.limits;
    const end = performance.now() + time * maxOverrun;
    let clock: NodeJS.Timeout;
    const look = () => {
      const thread = meter[meterSlot.thread]!;
      const now = cpuTimeOf(thread);
      // A thread that has not begun is still starting.
      const used = thread === 0 ? 0 : now === undefined ? time : now - meter[meterSlot.startedAt]!;
      if (used >= time || performance.now() >= end) over();
      else clock = setTimeout(look, Math.max(50, time - used));
    };
    clock = setTimeout(look, time);
    return () => clearTimeout(clock);
  }

  /** Made at the first use: the start does not wait for it. */
  #threads(): Promise<Piscina> {
    return (this.#pool ??= import('piscina').then(
      ({ Piscina }) =>
        new Piscina({
          filename: this.entry.href,
          minThreads: 0,
          maxThreads: this.limits.threads,
          idleTimeout: 120_000,
          recordTiming: false,
          resourceLimits: { maxOldGenerationSizeMb: this.limits.memory, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 },
          env: {},
          execArgv: withoutRequireOfModules,
        }),
    ));
  }
}

/**
 * Piscina tries `require` before `import`. Node 20 ends the whole process when a thread is ended while `require` links an ES
 * module; with this option, which Node knows since 20.17, `require` refuses at once.
 */
const withoutRequireOfModules = process.allowedNodeEnvironmentFlags.has('--experimental-require-module')
  ? ['--no-experimental-require-module']
  : [];

/** At least two, so that one visitor's slow texts leave a thread to others. */
export const defaultThreads = (): number => Math.min(4, Math.max(2, availableParallelism() - 1));

function reasonOf(error: unknown, signal: AbortSignal): ThreadFailureReason {
  if (signal.aborted) return 'time';
  return (error as { code?: unknown } | undefined)?.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'memory' : 'error';
}

/** In a thread, when its task begins: what was loaded before does not count. */
export function beginTask(meter: TaskProgress): void {
  const thread = currentThread();
  meter[meterSlot.startedAt] = cpuTimeOf(thread) ?? 0;
  meter[meterSlot.thread] = thread || unknownThread;
}

/** Id of this thread as the operating system knows it; 0 where it does not tell (only Linux does). */
export function currentThread(): number {
  try {
    return Number(readlinkSync('/proc/thread-self').split('/').at(-1)) || 0;
  } catch {
    return 0;
  }
}

/** Milliseconds of the processor that a thread of this process has used; undefined where that is not known. */
export function cpuTimeOf(thread: number): number | undefined {
  if (thread <= 0) return undefined;
  try {
    const nanoseconds = Number(readFileSync(`/proc/self/task/${thread}/schedstat`, 'utf8').split(' ', 1)[0]);
    return Number.isFinite(nanoseconds) ? Math.round(nanoseconds / 1e6) : undefined;
  } catch {
    return undefined;
  }
}
