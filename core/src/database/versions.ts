import { AsyncLocalStorage } from 'node:async_hooks';
import type { OutsideState } from '@mortise/plugin-sdk';

/** Are they all as they were? */
export const areUnchanged = (states: Iterable<OutsideState>): boolean => {
  for (const state of states) if (state.word === undefined || state.read() !== state.word) return false;
  return true;
};

/** Names of tables, gathered while something runs; with what it reads that is in no table. */
export class TableSet {
  #names: Set<string> | undefined = new Set();
  #states: Map<string, OutsideState> | undefined;
  #followers: TableSet[] | undefined;

  /** Undefined: it may be any. */
  get names(): ReadonlySet<string> | undefined {
    return this.#names;
  }

  get isEmpty(): boolean {
    return this.#names?.size === 0;
  }

  /** Undefined: any. */
  add(tables: Iterable<string> | undefined): void {
    if (!tables) this.#names = undefined;
    else if (this.#names) for (const table of tables) this.#names.add(table);
    for (const follower of this.#followers ?? []) follower.add(tables);
  }

  /** Undefined: there are none. */
  get states(): readonly OutsideState[] | undefined {
    return this.#states && [...this.#states.values()];
  }

  /** Of one that changed meanwhile the first counts, which is not as it was any more. */
  addStates(states: readonly OutsideState[] | undefined): void {
    if (!states) return;
    this.#states ??= new Map();
    for (const state of states) if (!this.#states.has(state.key)) this.#states.set(state.key, state);
    for (const follower of this.#followers ?? []) follower.addStates(states);
  }

  /** What is here, and what will be added, is added there too. */
  followedBy(other: TableSet): void {
    other.add(this.#names);
    other.addStates(this.states);
    (this.#followers ??= []).push(other);
  }
}

/** Tables that something was read from; equal sets are one object. */
export interface Sources {
  /** Undefined: not known, so it may be any. */
  readonly tables: readonly string[] | undefined;
}

/** The same with what is in no table. */
export interface ReadSources {
  readonly sources: Sources;
  readonly states: readonly OutsideState[] | undefined;
}

interface KnownSources extends Sources {
  /** {@link Versions.clock} when `changedAt` was found. */
  checkedAt: number;
  changedAt: number;
}

const maxSources = 5000;

/**
 * What is known here of the versions of tables: a clock that moves with each commit which this process made or learned
 * of, and for each table the time on it of the last change.
 */
export class Versions {
  #clock = 1;
  #allAt = 0;
  readonly #changedAt = new Map<string, number>();
  readonly #sources = new Map<string, KnownSources>();
  readonly #any: KnownSources = { tables: undefined, checkedAt: 0, changedAt: 0 };

  get clock(): number {
    return this.#clock;
  }

  /** Something was committed to these tables; undefined: to any. */
  moved(tables: Iterable<string> | undefined): void {
    this.#clock++;
    if (!tables) this.#allAt = this.#clock;
    else for (const table of tables) this.#changedAt.set(table, this.#clock);
  }

  /** `tables` undefined: any. */
  sources(tables: Iterable<string> | undefined): Sources {
    if (!tables) return this.#any;
    const names = [...tables].sort();
    const key = names.join(' ');
    let known = this.#sources.get(key);
    if (known) return known;
    if (this.#sources.size >= maxSources) this.#sources.clear();
    this.#sources.set(key, (known = { tables: names, checkedAt: 0, changedAt: 0 }));
    return known;
  }

  /** The time of the last change of any of them. */
  lastChange(sources: Sources): number {
    const known = sources as KnownSources;
    if (known.checkedAt === this.#clock) return known.changedAt;
    known.checkedAt = this.#clock;
    known.changedAt = known.tables ? this.#lastOf(known.tables) : this.#clock;
    return known.changedAt;
  }

  /** Was any of the tables (undefined: any at all) changed after that time? */
  hasChanged(tables: Iterable<string> | undefined, since: number): boolean {
    return (tables ? this.#lastOf(tables) : this.#clock) > since;
  }

  #lastOf(tables: Iterable<string>): number {
    let last = this.#allAt;
    for (const table of tables) last = Math.max(last, this.#changedAt.get(table) ?? 0);
    return last;
  }
}

/** Notes which tables a piece of work reads, wherever it does. Contexts are followed only while such work runs. */
export class ReadTracker {
  readonly #context = new AsyncLocalStorage<TableSet>();
  #running = 0;

  current(): TableSet | undefined {
    return this.#running === 0 ? undefined : this.#context.getStore();
  }

  /** What the work around this waits for reads these tables, now and later. */
  note(reads: TableSet): void {
    const around = this.current();
    if (around && around !== reads) reads.followedBy(around);
  }

  async run<T>(reads: TableSet, work: () => Promise<T>): Promise<T> {
    this.note(reads);
    this.#running++;
    try {
      return await this.#context.run(reads, work);
    } finally {
      if (--this.#running === 0) this.#context.disable();
    }
  }
}
