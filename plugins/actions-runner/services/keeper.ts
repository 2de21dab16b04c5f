import type { Locks, Logger } from '@mortise/plugin-sdk';
import type { Supervisor } from './supervisor.js';

export interface KeeperParts {
  readonly locks: Locks;
  readonly log: Pick<Logger, 'warn'>;
  /** Whom the runner serves now. */
  wanted(): Promise<readonly string[]>;
  supervisor(name: string): Pick<Supervisor, 'run' | 'stop'>;
}

/** Milliseconds until what could not be read is asked for again. */
const again = 30_000;

/** Keeps the runners that are wanted: one process of the server has them, another takes over when that one is gone. */
export class Keeper {
  #isStopping = false;
  #wake: () => void = () => undefined;

  constructor(private readonly parts: KeeperParts) {}

  /** Resolves when `stop` was called and the runners have ended. */
  async run(): Promise<void> {
    while (!this.#isStopping) {
      const changed = new Promise<void>((resolve) => (this.#wake = resolve));
      const names = await this.#wanted();
      if (this.#isStopping) return;
      if (names.length === 0) await changed;
      else
        await this.parts.locks
          .hold('actions-runner', () => this.#serve(names, changed), { waitMs: 5000 })
          .catch(() => undefined);
    }
  }

  /** Looks again who is wanted. */
  change(): void {
    this.#wake();
  }

  stop(): void {
    this.#isStopping = true;
    this.#wake();
  }

  async #wanted(): Promise<readonly string[]> {
    try {
      return await this.parts.wanted();
    } catch (error) {
      this.parts.log.warn(`It is not known whom the runner serves: ${error instanceof Error ? error.message : ''}`);
      setTimeout(() => this.#wake(), again).unref();
      return [];
    }
  }

  async #serve(names: readonly string[], changed: Promise<void>): Promise<void> {
    const all = names.map((name) => this.parts.supervisor(name));
    const ended = Promise.all(all.map((one) => one.run()));
    await Promise.race([changed, ended]);
    for (const one of all) one.stop();
    await ended;
  }
}
