import { createConnection, type Connection, type ConnectionOptions, type RowDataPacket } from 'mysql2';
import { withTimeout, type Logger } from '@mortise/plugin-sdk';
import { CommitCounters, versionTable, type Slot, type VersionRow } from './commit-counters.js';
import type { EngineDeps } from './engine.js';
import type { MysqlStatements } from './mysql-client.js';
import type { Versions } from './versions.js';

/**
 * For how long after it came the answer is taken for the present state by whoever did not ask (`syncVersions`), in
 * milliseconds: each request, job and event asks at its beginning, and what it does later in this time
 * need not ask again.
 */
const trustMs = 20;
/** What is changed by other programs moves no version; so long it may go unnoticed, in milliseconds. */
const foreignMs = 60_000;
/** For how long requests wait for the answer, in milliseconds. */
const answerMs = 5000;
/** After a failure: so long nobody asks again, in milliseconds. */
const pauseMs = 500;

/**
 * Learns of the commits of other processes by asking for their number: one tiny statement on a connection of its own,
 * shared by all who came in the same turn of the event loop or while the one before was on its way.
 */
export class MysqlVersions {
  readonly commits = new CommitCounters();
  readonly #address: ConnectionOptions;
  readonly #session: readonly string[];
  readonly #versions: Versions;
  readonly #log: Logger;
  #connection: Connection | undefined;
  #isReady = false;
  #isClosed = false;
  #next: Promise<void> | undefined;
  #asking: Promise<void> | undefined;
  /** When the last answer came. */
  #knownAt = -Infinity;
  #elsewhere = -1;
  #clearedAt = 0;
  #failedAt = -Infinity;

  constructor(address: ConnectionOptions, session: readonly string[], { versions, log }: EngineDeps) {
    this.#address = address;
    this.#session = session;
    this.#versions = versions;
    this.#log = log;
  }

  /** The table is there from now on. */
  ready(): void {
    this.#isReady = true;
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  isCurrent(): boolean {
    return performance.now() - this.#knownAt < trustMs;
  }

  sync(): Promise<void> | undefined {
    if (!this.#isReady || this.#isClosed) return undefined;
    return (this.#next ??= this.#wait());
  }

  async #wait(): Promise<void> {
    // Who comes until the question is sent shares it: the rest of this turn, and while another is on its way.
    if (this.#asking) await this.#asking;
    else await new Promise((resolve) => setImmediate(resolve));
    this.#next = undefined;
    await (this.#asking = this.#ask());
    this.#asking = undefined;
  }

  async #ask(): Promise<void> {
    const begun = performance.now();
    // who was waiting when it was closed must not open it again
    if (this.#isClosed || begun - this.#failedAt < pauseMs) return;
    try {
      const elsewhere = await withTimeout(answerMs, 'the database server', () => this.#countElsewhere());
      if (elsewhere !== this.#elsewhere) {
        const rows = await withTimeout(answerMs, 'the database server', () => this.#rows());
        const changed = this.commits.takeChangedTables(rows);
        this.#elsewhere = this.commits.seenElsewhere;
        if (changed?.size !== 0) this.#versions.moved(changed);
      }
      if (begun - this.#clearedAt > foreignMs) {
        this.#clearedAt = begun;
        this.#versions.moved(undefined);
      }
      this.#knownAt = performance.now();
    } catch (error) {
      this.#failedAt = performance.now();
      this.#connection?.destroy();
      this.#connection = undefined;
      if (!this.#isClosed) this.#log.debug('the versions of the database could not be read', { error });
    }
  }

  async #countElsewhere(): Promise<number> {
    const sql = `select coalesce(sum(commits), 0) as commits from ${versionTable} where process <> ?`;
    return Number((await this.#run(sql, [this.commits.process]))[0]!.commits);
  }

  async #rows(): Promise<VersionRow[]> {
    const rows = await this.#run(`select process, slot, commits, recent from ${versionTable}`, []);
    return rows as unknown as VersionRow[];
  }

  async #run(sql: string, values: readonly string[]): Promise<RowDataPacket[]> {
    // between two questions: a connection that was opened now would keep the process from ending
    if (this.#isClosed) throw new Error('the database is closed');
    const connection = this.#connection ?? (await this.#connect());
    return new Promise((resolve, reject) =>
      connection.execute<RowDataPacket[]>({ sql }, [...values], (error, rows) =>
        error ? reject(error) : resolve(rows),
      ),
    );
  }

  async #connect(): Promise<Connection> {
    const connection = (this.#connection = createConnection(this.#address));
    // Whoever asks next hears of it; without a listener it would end the process.
    connection.on('error', () => {
      if (this.#connection === connection) this.#connection = undefined;
    });
    for (const statement of this.#session)
      await new Promise<void>((resolve, reject) =>
        connection.query(statement, (error) => (error ? reject(error) : resolve())),
      );
    return connection;
  }

  /** The last statement of a transaction: counts its commit. */
  count(transaction: MysqlStatements, slot: Slot, tables: ReadonlySet<string> | undefined): void {
    const now = Date.now();
    const recent = slot.next(tables);
    transaction.pipeline(
      `insert into ${versionTable} (process, slot, commits, recent, touched_at) values (?, ?, 1, ?, ?)
       on duplicate key update commits = commits + 1, recent = values(recent), touched_at = values(touched_at)`,
      [this.commits.process, slot.number, recent, now],
    );
  }

  close(): void {
    this.#isClosed = true;
    this.#connection?.destroy();
    this.#connection = undefined;
  }
}
