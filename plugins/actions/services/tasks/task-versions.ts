import { isUniqueViolation, type Broker, type Database, type QueryCache } from '@mortise/plugin-sdk';
import { scopesOf, type ActionScope, type ScopedRepository } from '../../contract/scopes.js';
import type { TaskQueue } from '../../contract/tasks.js';
import { VersionRow } from '../../models/version.js';
import { whereScope } from '../runners/runner-records.js';

const topic = 'actions.tasks';
const keyOf = ({ ownerId, repositoryId }: ActionScope) => `${ownerId}/${repositoryId}`;

/**
 * Versions of what there is to do, by scope. A runner that knows the current one is answered from memory; those that wait
 * are woken by the process that changed it, over the broker.
 */
export class TaskVersions implements TaskQueue {
  readonly #waiting = new Map<string, Set<() => void>>();

  constructor(
    private readonly database: Database,
    private readonly broker: Broker,
    private readonly known: QueryCache<bigint>,
  ) {}

  /** Subscribes to changes of other processes; returns how to unsubscribe. */
  listen(): () => void {
    return this.broker.subscribe(topic, (message) => {
      if (Array.isArray(message)) for (const key of message) this.#wake(String(key));
    });
  }

  bump(repository: ScopedRepository): Promise<void> {
    return this.#bump(scopesOf(repository));
  }

  bumpScope(scope: ActionScope): Promise<void> {
    return this.#bump([scope]);
  }

  /** Never 0, which tells runners that the server is very old. */
  async current(scope: ActionScope): Promise<bigint> {
    return this.known.load(keyOf(scope), async () => {
      const row = await this.database.query(VersionRow).findOne(whereScope(scope));
      return BigInt(row?.version ?? 1);
    });
  }

  /** Resolves when the version of the scope may have changed, after `ms`, or when the signal is aborted. */
  wait(scope: ActionScope, ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const key = keyOf(scope);
      const waiting = this.#waiting.get(key) ?? new Set();
      this.#waiting.set(key, waiting);
      const done = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        waiting.delete(done);
        if (waiting.size === 0 && this.#waiting.get(key) === waiting) this.#waiting.delete(key);
        resolve();
      };
      const timer = setTimeout(done, ms);
      waiting.add(done);
      signal.addEventListener('abort', done, { once: true });
      if (signal.aborted) done();
    });
  }

  /** Wakes all that wait, for the end of the process. */
  wakeAll(): void {
    for (const key of [...this.#waiting.keys()]) this.#wake(key);
  }

  get waiting(): number {
    return [...this.#waiting.values()].reduce((sum, { size }) => sum + size, 0);
  }

  #wake(key: string): void {
    for (const done of [...(this.#waiting.get(key) ?? [])]) done();
  }

  async #bump(scopes: readonly ActionScope[]): Promise<void> {
    // Always in the same order, so that two transactions wait for each other and do not block one another.
    for (const scope of scopes) await this.#increase(scope);
    const keys = scopes.map(keyOf);
    this.database.afterCommit(async () => {
      for (const key of keys) this.#wake(key);
      await this.broker.publish(topic, keys);
    });
  }

  async #increase(scope: ActionScope): Promise<void> {
    const increase = () =>
      this.database.query(VersionRow).where(whereScope(scope)).increment('version', 1) as unknown as Promise<number>;
    if ((await increase()) > 0) return;
    try {
      // 1 is what runners were told while there was none.
      await this.database.query(VersionRow).insert({ ...whereScope(scope), version: 2 });
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      await increase();
    }
  }
}
