import type { Database } from '@mortise/plugin-sdk';

/** Where the epoch tells whether anything was committed, a look costs microseconds. */
const pollMs = { withEpoch: 500, without: 5000 };

/**
 * Looks for stored work (`look`): when woken, when something is due, and now and then for what other processes stored.
 * While nothing was committed and nothing is due it does not even read. One look at a time.
 */
export class Watch {
  readonly #database: Pick<Database, 'epoch'>;
  readonly #look: () => Promise<void>;
  readonly #failed: (error: unknown) => void;
  #timer: NodeJS.Timeout | undefined;
  #timerAt = Infinity;
  #looking: Promise<void> | undefined;
  #again = false;
  #started = false;
  #seenEpoch: number | undefined;
  #due = 0;

  constructor(database: Pick<Database, 'epoch'>, look: () => Promise<void>, failed: (error: unknown) => void) {
    this.#database = database;
    this.#look = look;
    this.#failed = failed;
  }

  get started(): boolean {
    return this.#started;
  }

  start(): void {
    this.#started = true;
    this.wake();
  }

  /** Resolves when the last look has ended. */
  async stop(): Promise<void> {
    this.#started = false;
    clearTimeout(this.#timer);
    this.#timerAt = Infinity;
    await this.#looking;
  }

  /** Looks now, whatever the epoch says. */
  wake(afterMs = 0): void {
    this.#due = 0;
    this.#plan(afterMs);
  }

  /** Looks at that time at the latest. */
  later(at: number): void {
    this.#due = Math.min(this.#due, at);
    this.#plan(Math.max(1, at - Date.now()));
  }

  #plan(afterMs: number): void {
    // Timers count to 2^31 - 1 milliseconds; the regular look comes long before.
    if (!this.#started || afterMs > pollMs.without) return;
    const at = Date.now() + afterMs;
    if (at >= this.#timerAt) return;
    clearTimeout(this.#timer);
    this.#timerAt = at;
    this.#timer = setTimeout(() => {
      this.#timerAt = Infinity;
      void this.#run();
    }, afterMs);
  }

  async #run(): Promise<void> {
    if (this.#looking) {
      this.#again = true;
      return;
    }
    this.#looking = this.#lookIfNeeded().catch((error: unknown) => {
      this.later(Date.now() + 1000);
      if (this.#started) this.#failed(error);
    });
    await this.#looking;
    this.#looking = undefined;
    if (this.#again) {
      this.#again = false;
      this.#plan(0);
    }
    this.#plan(this.#database.epoch() === undefined ? pollMs.without : pollMs.withEpoch);
    if (this.#due < Infinity) this.#plan(Math.max(1, this.#due - Date.now()));
  }

  async #lookIfNeeded(): Promise<void> {
    const epoch = this.#database.epoch();
    if (epoch !== undefined && epoch === this.#seenEpoch && Date.now() < this.#due) return;
    this.#seenEpoch = epoch;
    this.#due = Infinity;
    await this.#look();
  }
}
