import { Problem, type HeldLock, type Locks, type Logger } from '@mortise/plugin-sdk';
import type { Supervisor } from './supervisor.js';

interface SupervisorPoolDeps {
  readonly locks: Locks;
  readonly log: Pick<Logger, 'warn'>;
  /** Ids of those whom the runner serves now. */
  servedOwners(): Promise<readonly number[]>;
  supervisor(ownerId: number): Pick<Supervisor, 'run' | 'stop'>;
  /** Milliseconds until it is asked again who is wanted, also where no message came; default half a minute. */
  readonly intervalMs?: number;
}

const defaultIntervalMs = 30_000;
const isSame = (one: readonly number[], other: readonly number[]) =>
  one.length === other.length && one.every((id) => other.includes(id));

/** Keeps the runners that are wanted: one process of the server has them, another takes over when that one is gone. */
export class SupervisorPool {
  #isStopping = false;
  #wake: () => void = () => undefined;

  constructor(private readonly deps: SupervisorPoolDeps) {}

  /** Resolves when `stop` was called and the runners have ended. */
  async run(): Promise<void> {
    while (!this.#isStopping) {
      const changed = this.#nextChange();
      const owners = (await this.#servedOwners()) ?? [];
      if (this.#isStopping) return;
      if (owners.length === 0) await this.#waitFor(changed);
      else
        try {
          await this.deps.locks.hold('actions-runner', (lock) => this.#serve(owners, changed, lock), { waitMs: 5000 });
        } catch (error) {
          // usual: another process has it
          if (Problem.is(error) && error.code === 'unavailable') continue;
          this.#warn('could not run the embedded runner', error);
          await this.#waitFor(changed);
        }
    }
  }

  /** Looks again who is wanted. */
  refresh(): void {
    this.#wake();
  }

  stop(): void {
    this.#isStopping = true;
    this.#wake();
  }

  #nextChange(): Promise<void> {
    return new Promise((resolve) => (this.#wake = resolve));
  }

  /** Messages get lost: resolves after a while at the latest. */
  async #waitFor(first: Promise<unknown>): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const later = new Promise((resolve) => {
      timer = setTimeout(resolve, this.deps.intervalMs ?? defaultIntervalMs);
      timer.unref();
    });
    await Promise.race([first, later]);
    clearTimeout(timer);
  }

  /** Undefined: it is not known. */
  async #servedOwners(): Promise<readonly number[] | undefined> {
    try {
      return await this.deps.servedOwners();
    } catch (error) {
      this.#warn('could not read the owners served by the embedded runner', error);
      return undefined;
    }
  }

  async #serve(owners: readonly number[], changed: Promise<void>, { signal }: HeldLock): Promise<void> {
    const all = owners.map((id) => this.deps.supervisor(id));
    let isOver = signal.aborted;
    const over = () => (isOver = true);
    const ended = Promise.all(all.map((one) => one.run()));
    const lost = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    const end = Promise.race([changed, ended, lost]).then(over, over);
    while (!isOver) {
      await this.#waitFor(end);
      if (!isOver && !isSame((await this.#servedOwners()) ?? owners, owners)) break;
    }
    for (const one of all) one.stop();
    await ended;
  }

  #warn(what: string, error: unknown): void {
    this.deps.log.warn(`${what}: ${error instanceof Error ? error.message : String(error)}`, {
      event: 'actions.runner.pool',
    });
  }
}
