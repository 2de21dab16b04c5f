import type SqliteDatabase from 'better-sqlite3';
import type { Knex } from './knex.js';
import type { OpenTransaction } from './transactions.js';
import { TableSet } from './versions.js';

interface GroupDeps {
  readonly writer: SqliteDatabase.Database;
  /** For statements of whoever holds the connection. */
  readonly knex: Knex;
  readonly queue: Queue;
  /** Waits for the lock of the file and begins. */
  begin(): Promise<void>;
  current(): OpenTransaction | undefined;
  /** Before the commit: counts it. */
  count(tables: ReadonlySet<string> | undefined): void;
  committed(tables: ReadonlySet<string> | undefined): void;
}

/** Transactions that wait at the same moment and are stored by one commit. */
interface Group {
  readonly begun: number;
  readonly written: TableSet;
  readonly members: { resolve(): void; reject(error: unknown): void }[];
}

const maxMembers = 32;
/** Nobody is taken in after so long, in milliseconds: whoever has finished waits for the commit. */
const maxMs = 10;

/**
 * Write transactions of one connection, one after the other. What a commit costs hardly grows with what it stores, so
 * those that wait when one ends, or come in the same turn of the event loop, go on in the same transaction of SQLite,
 * each within a savepoint of its own that takes back what fails alone. None is acknowledged, nor told that it failed,
 * before the commit.
 */
export class GroupedWrites {
  readonly #deps: GroupDeps;
  #group: Group | undefined;
  #holder: OpenTransaction | undefined;
  /** Transactions that wait for their turn. */
  #waiting = 0;

  constructor(deps: GroupDeps) {
    this.#deps = deps;
  }

  get holder(): OpenTransaction | undefined {
    return this.#holder;
  }

  async run<T>(work: (knex: Knex) => Promise<T>): Promise<T> {
    this.#waiting++;
    const { result, stored } = await this.#deps.queue.run(async () => {
      this.#waiting--;
      return this.#take(work);
    });
    await stored;
    return result;
  }

  /** Commits what has finished: what follows in the queue is no part of it. */
  finish(): void {
    if (this.#group) this.#commit(this.#group);
  }

  /** One that shares its commit with unknownClient; in the queue, after {@link finish}. */
  async alone<T>(work: (knex: Knex) => Promise<T>, beforeCommit: () => void): Promise<T> {
    const { result, stored } = await this.#take(work, beforeCommit);
    await stored;
    return result;
  }

  async #take<T>(
    work: (knex: Knex) => Promise<T>,
    beforeCommit?: () => void,
  ): Promise<{ result: T; stored: Promise<void> }> {
    const { writer, knex } = this.#deps;
    if (!this.#group) {
      await this.#deps.begin();
      this.#group = { begun: Date.now(), written: new TableSet(), members: [] };
    }
    const group = this.#group;
    const isShared = group.members.length > 0;
    try {
      if (isShared) writer.exec('SAVEPOINT member');
      const holder = (this.#holder = this.#deps.current());
      const result = await work(knex);
      // What it left running is outside from here on.
      if (holder) holder.done = true;
      beforeCommit?.();
      if (isShared) writer.exec('RELEASE member');
      if (holder && !holder.written.isEmpty) group.written.add(holder.written.names);
      const stored = new Promise<void>((resolve, reject) => group.members.push({ resolve, reject }));
      // Told to whoever waits for it, which may be a moment later than it fails.
      stored.catch(() => undefined);
      return { result, stored };
    } catch (error) {
      this.#takeBack(group, isShared, error);
      if (this.#group !== group) throw error;
      // It may be refused for what others of the group did: nobody is told of that before it can be read.
      const refused = new Promise<never>((_resolve, reject) =>
        group.members.push({ resolve: () => reject(error), reject }),
      );
      refused.catch(() => undefined);
      return { result: undefined as never, stored: refused };
    } finally {
      this.#holder = undefined;
      if (this.#group === group) {
        const isFull = group.members.length >= maxMembers || Date.now() - group.begun >= maxMs;
        if (isFull || beforeCommit) this.#commit(group);
        else if (this.#waiting === 0) this.#commitSoon(group);
      }
    }
  }

  /** Requests that have come already are read in this turn of the event loop; what they write goes along. */
  #commitSoon(group: Group): void {
    setImmediate(() => {
      // whoever writes at this moment commits at the end
      if (this.#group === group && !this.#holder && this.#waiting === 0) this.#commit(group);
    });
  }

  #takeBack(group: Group, isShared: boolean, error: unknown): void {
    const { writer } = this.#deps;
    try {
      // A full disk has rolled everything back already.
      if (isShared && writer.inTransaction) writer.exec('ROLLBACK TO member; RELEASE member');
      else this.#fail(group, error);
    } catch (failure) {
      this.#fail(group, failure);
    }
  }

  #fail(group: Group, error: unknown): void {
    this.#group = undefined;
    if (this.#deps.writer.inTransaction) this.#deps.writer.exec('ROLLBACK');
    for (const { reject } of group.members) reject(error);
  }

  #commit(group: Group): void {
    const { writer, count, committed } = this.#deps;
    const { written, members } = group;
    try {
      if (!written.isEmpty) count(written.names);
      writer.exec('COMMIT');
    } catch (error) {
      this.#fail(group, error);
      return;
    }
    this.#group = undefined;
    if (!written.isEmpty) committed(written.names);
    for (const { resolve } of members) resolve();
  }
}

/** First come, first served. */
export class Queue {
  #last: Promise<unknown> = Promise.resolve();
  /** What runs and what waits. */
  length = 0;

  run<T>(work: () => Promise<T>): Promise<T> {
    this.length++;
    const result = this.#last.then(work);
    const ended = () => void this.length--;
    this.#last = result.then(ended, ended);
    return result;
  }
}
