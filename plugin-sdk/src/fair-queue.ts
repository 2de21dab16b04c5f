interface FairQueueLimits {
  /** Works at once. */
  readonly running: number;
  /** Works of one visitor at once, so that others find a free place. */
  readonly runningPerVisitor: number;
  readonly waiting: number;
  readonly waitingPerVisitor: number;
  /** Milliseconds that a work may wait for its turn. */
  readonly maxWait: number;
}

/** The queue is full, or the turn did not come in time. */
export class Busy extends Error {
  override readonly name = 'Busy';
}

interface Entry {
  readonly visitors: Set<string>;
  readonly work: () => Promise<void>;
  readonly refuse: (error: Error) => void;
  readonly clock: NodeJS.Timeout;
  owner: string;
  started: boolean;
}

/** A place in the queue that others can join who want the same. */
export interface QueuedTask<T> {
  readonly result: Promise<T>;
  /** The work is of this visitor too, and begins when the turn of either comes. */
  join(visitor: string): void;
}

/**
 * Gives turns to visitors one after the other, however much each of them wants. Bounded in number and in the time that
 * a work waits; what does not fit is refused with {@link Busy}.
 */
export class FairQueue {
  readonly #lanes = new Map<string, Set<Entry>>();
  readonly #running = new Map<string, number>();
  #atWork = 0;
  #waiting = 0;

  constructor(private readonly limits: FairQueueLimits) {}

  get waiting(): number {
    return this.#waiting;
  }

  add<T>(visitor: string, work: () => Promise<T>): QueuedTask<T> {
    let entry: Entry | undefined;
    const result = new Promise<T>((resolve, reject) => {
      if (!this.#hasCapacity(visitor)) {
        reject(new Busy('too much is waiting'));
        return;
      }
      entry = {
        owner: visitor,
        visitors: new Set([visitor]),
        started: false,
        work: () => work().then(resolve, reject),
        refuse: reject,
        clock: setTimeout(() => this.#giveUp(entry!), this.limits.maxWait).unref(),
      };
      this.#waiting++;
      this.#enter(visitor, entry);
    });
    this.#next();
    return {
      result,
      join: (other) => {
        if (!entry || entry.started || entry.visitors.has(other)) return;
        entry.visitors.add(other);
        this.#enter(other, entry);
        this.#next();
      },
    };
  }

  /** Refuses everything that waits. */
  close(): void {
    for (const lane of this.#lanes.values()) for (const entry of lane) this.#giveUp(entry);
  }

  #hasCapacity(visitor: string): boolean {
    if (this.#waiting === 0) return true;
    const mine = this.#lanes.get(visitor)?.size ?? 0;
    return this.#waiting < this.limits.waiting && mine < this.limits.waitingPerVisitor;
  }

  #enter(visitor: string, entry: Entry): void {
    const lane = this.#lanes.get(visitor);
    if (lane) lane.add(entry);
    else this.#lanes.set(visitor, new Set([entry]));
  }

  #giveUp(entry: Entry): void {
    if (entry.started) return;
    this.#remove(entry);
    entry.refuse(new Busy('the turn did not come in time'));
  }

  #remove(entry: Entry): void {
    clearTimeout(entry.clock);
    entry.started = true;
    this.#waiting--;
    for (const visitor of entry.visitors) {
      const lane = this.#lanes.get(visitor);
      lane?.delete(entry);
      if (lane?.size === 0) this.#lanes.delete(visitor);
    }
  }

  #next(): void {
    while (this.#atWork < this.limits.running) {
      const found = this.#choose();
      if (!found) return;
      const [visitor, lane] = found;
      const [entry] = lane;
      // The lane goes to the end of the row, so that each visitor has a turn.
      this.#lanes.delete(visitor);
      this.#lanes.set(visitor, lane);
      this.#remove(entry!);
      this.#run(visitor, entry!);
    }
  }

  /** The first visitor in the row who has not enough at work already. */
  #choose(): [string, Set<Entry>] | undefined {
    for (const lane of this.#lanes) if ((this.#running.get(lane[0]) ?? 0) < this.limits.runningPerVisitor) return lane;
    return undefined;
  }

  #run(visitor: string, entry: Entry): void {
    this.#atWork++;
    this.#running.set(visitor, (this.#running.get(visitor) ?? 0) + 1);
    void entry.work().finally(() => {
      this.#atWork--;
      const left = (this.#running.get(visitor) ?? 1) - 1;
      if (left > 0) this.#running.set(visitor, left);
      else this.#running.delete(visitor);
      this.#next();
    });
  }
}
