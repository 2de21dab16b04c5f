import { setTimeout as sleep } from 'node:timers/promises';
import { withTimeout, type Logger } from '@mortise/plugin-sdk';
import {
  countsIn,
  hasAll,
  versionTable,
  type CommitCounts,
  type CommitCounters,
  type VersionRow,
} from './commit-counters.js';
import type { Knex } from './knex.js';

/** So long nothing is asked of a replica that failed, in milliseconds. */
const failureMs = 5000;
/** The same of one that was behind: reads would wait for nothing. */
const laggingMs = 250;
/** Between two looks at what has arrived, in milliseconds. */
const pollMs = 3;

interface Replica {
  readonly host: string;
  readonly pool: Knex;
}

interface ReplicasDeps {
  readonly commits: CommitCounters;
  readonly log: Logger;
  /** For so long a read waits until the replica has what was committed before; then the primary is asked. */
  readonly maxDelayMs: number;
}

/**
 * Replicas of the database for reads. The commits that each process counts in `data_version` are replicated in their order
 * with everything else, so a replica that has the counts which this process knows has also the rows: those of its own
 * writes, and those that it learned of at the beginning of the request.
 */
export class MysqlReplicas {
  readonly #replicas: readonly ReplicaState[];
  #next = 0;

  constructor(
    replicas: readonly Replica[],
    private readonly deps: ReplicasDeps,
  ) {
    this.#replicas = replicas.map((replica) => new ReplicaState(replica, deps));
  }

  /** The next one in turn that has all of it; undefined: none has in time. */
  async pick(): Promise<Knex | undefined> {
    const wanted = this.deps.commits.known();
    if (!wanted) return undefined;
    for (let tries = 0; tries < this.#replicas.length; tries++) {
      const replica = this.#replicas[this.#next++ % this.#replicas.length] as ReplicaState;
      if (await replica.reaches(wanted)) return replica.pool;
    }
    return undefined;
  }

  /** A statement failed there: somebody else is asked for a while. */
  failed(pool: Knex, error: unknown): void {
    this.#replicas.find((replica) => replica.pool === pool)?.failed(error);
  }

  async close(): Promise<void> {
    await Promise.all(this.#replicas.map(({ pool }) => pool.destroy()));
  }
}

class ReplicaState {
  readonly pool: Knex;
  readonly #host: string;
  #counts: CommitCounts = new Map();
  #looking: Promise<CommitCounts> | undefined;
  #pausedUntil = 0;
  #isDown = false;

  constructor(
    { host, pool }: Replica,
    private readonly deps: ReplicasDeps,
  ) {
    this.#host = host;
    this.pool = pool;
  }

  async reaches(wanted: CommitCounts): Promise<boolean> {
    if (performance.now() < this.#pausedUntil) return false;
    // counts only grow: what it had it has
    if (hasAll(this.#counts, wanted)) return true;
    const { maxDelayMs } = this.deps;
    const until = performance.now() + maxDelayMs;
    try {
      for (;;) {
        this.#counts = await withTimeout(maxDelayMs, 'the replica', () => this.#look());
        if (this.#isDown)
          this.deps.log.info('a replica of the database answers again', {
            event: 'database.replica.up',
            host: this.#host,
          });
        this.#isDown = false;
        if (hasAll(this.#counts, wanted)) return true;
        if (performance.now() > until) break;
        await sleep(pollMs);
      }
      this.#pausedUntil = performance.now() + laggingMs;
    } catch (error) {
      this.failed(error);
    }
    return false;
  }

  failed(error: unknown): void {
    this.#pausedUntil = performance.now() + failureMs;
    if (this.#isDown) return;
    this.#isDown = true;
    this.deps.log.warn('a replica of the database cannot be read; the primary is asked instead', {
      event: 'database.replica.down',
      host: this.#host,
      error: String(error),
    });
  }

  /** Shared by all who look at the same time. */
  #look(): Promise<CommitCounts> {
    this.#looking ??= this.#read().finally(() => (this.#looking = undefined));
    return this.#looking;
  }

  async #read(): Promise<CommitCounts> {
    const rows = await this.pool(versionTable).select<VersionRow[]>('process', 'slot', 'commits');
    return countsIn(rows);
  }
}
