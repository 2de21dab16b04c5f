import { actOrigins, type Database } from '@mortise/plugin-sdk';

/** Where the version of the tables is known, a look at it costs microseconds, or one tiny statement. */
const pollMs = { withVersion: 500, without: 5000 };

/**
 * Looks for stored work (`look`): when woken, when something is due, and now and then for what other processes stored.
 * While nothing was committed to its tables and nothing is due it does not even read. One look at a time.
 */
export class StoredWorkPoller {
  readonly #database: Pick<Database, 'dataVersion' | 'syncVersions'>;
  readonly #tables: readonly string[];
  readonly #look: () => Promise<void>;
  readonly #failed: (error: unknown) => void;
  #timer: NodeJS.Timeout | undefined;
  #timerAt = Infinity;
  #looking: Promise<void> | undefined;
  #again = false;
  #started = false;
  #seenVersion: number | undefined;
  #due = 0;

  /** `tables`: where the work is stored. */
  constructor(
    database: Pick<Database, 'dataVersion' | 'syncVersions'>,
    tables: readonly string[],
    look: () => Promise<void>,
    failed: (error: unknown) => void,
  ) {
    this.#database = database;
    this.#tables = tables;
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

  /** Looks now, whatever the version says. */
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
      // who asks for this look did not do what it finds
      void actOrigins.outside(() => this.#run());
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
    this.#plan(this.#seenVersion === undefined ? pollMs.without : pollMs.withVersion);
    if (this.#due < Infinity) this.#plan(Math.max(1, this.#due - Date.now()));
  }

  async #lookIfNeeded(): Promise<void> {
    await this.#database.syncVersions();
    const version = this.#database.dataVersion(this.#tables);
    if (version !== undefined && version === this.#seenVersion && Date.now() < this.#due) return;
    this.#seenVersion = version;
    this.#due = Infinity;
    await this.#look();
  }
}
