import { availableParallelism } from 'node:os';
import type { Piscina } from 'piscina';
import { meterSlot, newMeter, type Answer, type Meter, type Order, type Task } from '../worker/tasks.js';
import { cpuTimeOf } from '../worker/thread-time.js';

/** Why a text was not rendered: it took too long, too much memory, or its renderer failed. */
export type FailureReason = 'time' | 'memory' | 'error';

export class RenderFailure extends Error {
  override readonly name = 'RenderFailure';

  constructor(
    readonly reason: FailureReason,
    /** The piece that was being worked on. */
    readonly piece: number,
    cause: unknown,
  ) {
    super(reason === 'time' ? 'rendering took too long' : cause instanceof Error ? cause.message : String(cause), {
      cause,
    });
  }
}

export interface ThreadLimits {
  readonly threads: number;
  /** MiB of heap for each thread. */
  readonly memory: number;
  /** Milliseconds for one text. */
  readonly time: number;
}

/** On a busy machine a thread may wait long for the processor; its task ends after so many times the limit anyway. */
const maxPatience = 10;

/** Threads that render; one that is stuck or grows too large is ended, and another takes its place. */
export class Threads {
  #pool: Promise<Piscina> | undefined;

  constructor(
    private readonly entry: URL,
    readonly limits: ThreadLimits,
  ) {}

  /** Rejects with {@link RenderFailure}. The caller sees to it that no more tasks run at once than there are threads. */
  async run<T extends Task>(task: T): Promise<Answer<T>> {
    const stop = new AbortController();
    const meter = newMeter();
    const unwatch = this.#watch(meter, () => stop.abort());
    try {
      return (await (await this.#threads()).run({ task, meter } satisfies Order, { signal: stop.signal })) as Answer<T>;
    } catch (error) {
      throw new RenderFailure(reasonOf(error, stop.signal), meter[meterSlot.piece]!, error);
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
  #watch(meter: Meter, over: () => void): () => void {
    const { time } = this.limits;
    const end = performance.now() + time * maxPatience;
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
          execArgv: [],
        }),
    ));
  }
}

/** At least two, so that one visitor's slow texts leave a thread to others. */
export const defaultThreads = (): number => Math.min(4, Math.max(2, availableParallelism() - 1));

function reasonOf(error: unknown, signal: AbortSignal): FailureReason {
  if (signal.aborted) return 'time';
  return (error as { code?: unknown } | undefined)?.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'memory' : 'error';
}
