import { AsyncResource } from 'node:async_hooks';
import type { Logger } from './services.js';

interface WriteBehindOptions {
  /** What is written, for the log: `downloads`. */
  readonly name: string;
  /** `sum`: what is added counts together; `latest`: the last value of a key stays, for times of use. */
  readonly keep: 'sum' | 'latest';
  /** Milliseconds between two times of writing; what comes after a longer pause is written at once. */
  readonly delayMs: number;
  /**
   * For times of use: a key that was handed on to be written is not again for so many milliseconds; what comes meanwhile
   * {@link WriteBehind.get} tells, of this process.
   */
  readonly restMs?: number;
  readonly log: Logger;
  /** Writes all in one transaction; the keys ascend, so that two processes lock their rows in the same order. */
  write(values: readonly (readonly [key: number, value: number])[]): Promise<void>;
}

const maxResting = 20_000;

/**
 * Numbers that reading brings about (downloads, times of last use), written behind it, and gathered in memory where there
 * are many, so that reading never waits for a write. What cannot be written is kept and tried again. A process that is
 * killed loses what it gathered since. Make it with {@link writeBehind}; await `close()` when the plugin stops.
 */
export class WriteBehind {
  #values = new Map<number, number>();
  #writing: ReadonlyMap<number, number> = new Map();
  #written: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  /** What was handed on, where keys rest. */
  readonly #resting = new Map<number, { readonly since: number; failureLogged: number; latest: number }>();
  #isClosed = false;
  /** Milliseconds of a clock that nobody sets. */
  #lastBegun = -Infinity;
  /** Timers must not inherit the transaction or the actor of the request that adds a value. */
  readonly #context: AsyncResource;

  constructor(private readonly options: WriteBehindOptions) {
    this.#context = new AsyncResource('mortise.WriteBehind');
  }

  add(key: number, value: number): void {
    if (this.#rests(key, value)) return;
    this.#keep(this.#values, key, value);
    this.#schedule();
  }

  /** What is not written yet, or the latest of a key that rests. */
  get(key: number): number | undefined {
    return this.#resting.get(key)?.latest ?? this.#values.get(key) ?? this.#writing.get(key);
  }

  /** Done when everything is written, also what another call had begun to write. Faults are logged. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    return (this.#written = this.#written.then(() => this.#write()));
  }

  /** Writes the rest; from now on nothing is written by itself. */
  close(): Promise<void> {
    this.#isClosed = true;
    for (const [key, { failureLogged: told, latest }] of this.#resting)
      if (latest > told) this.#keep(this.#values, key, latest);
    this.#resting.clear();
    return this.flush();
  }

  #rests(key: number, value: number): boolean {
    const { restMs } = this.options;
    if (restMs === undefined) return false;
    const now = performance.now();
    const resting = this.#resting.get(key);
    if (resting && now - resting.since < restMs) {
      resting.latest = Math.max(resting.latest, value);
      return true;
    }
    // What is gone does not stay.
    if (this.#resting.size >= maxResting) this.#resting.clear();
    this.#resting.set(key, { since: now, failureLogged: value, latest: value });
    return false;
  }

  #keep(values: Map<number, number>, key: number, value: number): void {
    const before = values.get(key);
    if (before === undefined) values.set(key, value);
    else values.set(key, this.options.keep === 'sum' ? before + value : Math.max(before, value));
  }

  #schedule(): void {
    if (this.#isClosed || this.#timer) return;
    const delay = Math.max(0, this.#lastBegun + this.options.delayMs - performance.now());
    this.#timer = this.#context.runInAsyncScope(setTimeout, undefined, () => void this.flush(), delay);
    this.#timer.unref();
  }

  async #write(): Promise<void> {
    if (this.#values.size === 0) return;
    this.#lastBegun = performance.now();
    const values = (this.#writing = this.#values);
    this.#values = new Map();
    try {
      await this.options.write([...values].sort(([one], [other]) => one - other));
    } catch (error) {
      for (const [key, value] of values) this.#keep(this.#values, key, value);
      this.options.log.warn(`${this.options.name} were not written yet`, {
        event: 'writeBehind.flush',
        error: (error as Error).message,
      });
      this.#schedule();
    } finally {
      this.#writing = new Map();
    }
  }
}

export const writeBehind = (options: WriteBehindOptions): WriteBehind => new WriteBehind(options);
