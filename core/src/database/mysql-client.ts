import type { Transform } from 'node:stream';
import type { Connection, QueryError, ResultSetHeader, RowDataPacket } from 'mysql2';
import type { StatementAnswer } from '../contracts.js';
import type { QueryWatch } from './engine.js';
import { MysqlClient, type Knex, type QueryObject } from './knex.js';
import { endIfTimedOut, limitOf } from './mysql-socket.js';

type Answer = RowDataPacket[] | ResultSetHeader;

/** The last transaction of a connection. */
const openOn = new WeakMap<object, MysqlStatements>();

/** knex whose statements end in time, with their connection. */
export class ReadingClient extends MysqlClient {
  override async _query(connection: unknown, query: QueryObject): Promise<QueryObject> {
    // the same object: knex tells others of the answer that is put into it
    query.options = { ...query.options, ...limitOf(connection as object) };
    try {
      return await super._query(connection, query);
    } catch (error) {
      endIfTimedOut(connection as Connection, error);
      throw error;
    }
  }
}

/**
 * knex for transactions that write. A message to the server costs more than most statements, so what nobody waits for
 * goes with the next statement, and the last of it with the commit. Sessions do not commit by themselves: the first
 * statement begins.
 */
export class WritingClient extends ReadingClient {
  override async _query(connection: unknown, query: QueryObject): Promise<QueryObject> {
    if (query.sql === 'BEGIN;') return { ...query, response: [[], []] };
    const open = openOn.get(connection as object);
    if (open?.isCommitted && query.sql === 'COMMIT;') return { ...query, response: [[], []] };
    if (query.sql.startsWith('ROLLBACK')) open?.forget();
    else {
      await open?.flush();
      // what comes after the commit or the rollback would wait in the connection for the commit of another transaction
      open?.permit(query.sql);
    }
    return super._query(connection, query);
  }

  override async _stream(
    connection: unknown,
    query: QueryObject,
    stream: Transform,
    options: unknown,
  ): Promise<unknown> {
    const open = openOn.get(connection as object);
    try {
      await open?.flush();
      open?.permit(query.sql);
    } catch (error) {
      // whoever reads the stream hears of nothing else
      stream.destroy(error as Error);
      throw error;
    }
    return super._stream(connection, query, stream, options);
  }
}

/** Who learns of the statements of a transaction. */
export interface StatementListeners {
  /** `rows` undefined: not known. */
  changed(sql: string, rows: number | undefined): void;
  readonly seen: QueryWatch | undefined;
  /** `isLost`: more than the statement that is refused, so that the transaction cannot go on. */
  failed(error: unknown, isLost: boolean): void;
}

interface Sent {
  /** With its values. */
  readonly text: string;
  /** Undefined: nobody waits for it. */
  readonly waiting?: { resolve(answer: StatementAnswer): void; reject(error: unknown): void };
}

/** What calls a function may mean something else each time. */
const reads = /^\s*select\b(?!.*\w\()/is;
const hasParts = (row: object) => Object.values(row).some((value) => typeof value === 'object' && value !== null);
/** Characters of one message; servers take 16 MB at least. */
const maxMessage = 1_000_000;

/** Statements of one transaction on its connection, past knex; those of one moment are one message. */
export class MysqlStatements {
  readonly #connection: Connection;
  readonly #listeners: StatementListeners;
  #next: Sent[] = [];
  /** What is read by the next message, with nothing written after it: who asks the same shares the answer. */
  readonly #asked = new Map<string, Promise<StatementAnswer>>();
  #sending: Promise<void> | undefined;
  #isSoon = false;
  #isLost = false;
  #hasEnded = false;
  isCommitted = false;

  constructor(connection: Connection, listeners: StatementListeners) {
    this.#connection = connection;
    this.#listeners = listeners;
    openOn.set(connection, this);
  }

  async run(sql: string, values: readonly unknown[]): Promise<StatementAnswer> {
    this.permit(sql);
    const ended = this.#listeners.seen?.(sql);
    try {
      const answer = await this.#ask(sql, this.#connection.format(sql, [...values]));
      ended?.();
      this.#listeners.changed(sql, answer.changes);
      return answer;
    } catch (error) {
      ended?.(error);
      throw error;
    }
  }

  async #ask(sql: string, text: string): Promise<StatementAnswer> {
    const asked = this.#asked.get(text);
    if (asked) {
      const shared = await asked;
      // each has rows of its own
      if (!shared.rows.some(hasParts)) return { ...shared, rows: shared.rows.map((row) => ({ ...row })) };
      this.permit(sql);
    }
    const answered = new Promise<StatementAnswer>((resolve, reject) => {
      this.#next.push({ text, waiting: { resolve, reject } });
      this.#sendSoon();
    });
    if (reads.test(sql)) this.#asked.set(text, answered);
    else this.#asked.clear();
    return answered;
  }

  /** Goes with what follows. */
  pipeline(sql: string, values: readonly unknown[]): void {
    this.permit(sql);
    this.#listeners.seen?.(sql)();
    this.#listeners.changed(sql, undefined);
    this.#asked.clear();
    this.#next.push({ text: this.#connection.format(sql, [...values]) });
  }

  /** Throws when its commit was begun, or when its work has failed. */
  permit(sql: string): void {
    if (this.#hasEnded) throw new Error(`the transaction has ended: ${sql.slice(0, 1000)}`);
  }

  /** What was not sent yet is taken back. */
  forget(): void {
    this.#asked.clear();
    const left = this.#next;
    this.#next = [];
    for (const { waiting } of left) waiting?.reject(new Error('the transaction was taken back'));
  }

  /** What fails of what others wait for is told to them. */
  async flush(): Promise<void> {
    await this.#sendAll((error) => {
      if (this.#isLost) throw error;
    });
  }

  /** With what is left; a transaction that failed at any of it is still open. Nothing comes after it. */
  async commit(): Promise<void> {
    this.#hasEnded = true;
    this.#next.push({ text: 'commit' });
    await this.#sendAll((error) => {
      this.forget();
      throw error;
    });
    this.isCommitted = true;
  }

  /** Its connection goes back to the others. */
  end(): void {
    this.#hasEnded = true;
  }

  async #sendAll(failed: (error: unknown) => void): Promise<void> {
    while (this.#sending || this.#next.length > 0) {
      try {
        await (this.#sending ?? this.#send());
      } catch (error) {
        failed(error);
      }
    }
  }

  /** When all that can run now has run: who asks at the same time is in the same message. */
  #sendSoon(): void {
    if (this.#sending || this.#isSoon) return;
    this.#isSoon = true;
    process.nextTick(() => {
      this.#isSoon = false;
      // whoever waits is told by itself
      if (!this.#sending) this.#send().catch(() => undefined);
    });
  }

  #send(): Promise<void> {
    const sent = this.#take();
    if (sent.length === 0) return Promise.resolve();
    return (this.#sending = this.#query(sent).finally(() => {
      this.#sending = undefined;
      if (this.#next.some(({ waiting }) => waiting)) this.#sendSoon();
    }));
  }

  /** The first of them, as many as one message holds. */
  #take(): Sent[] {
    this.#asked.clear();
    let length = 0;
    const first = this.#next.findIndex(({ text }, at) => (length += text.length) > maxMessage && at > 0);
    return this.#next.splice(0, first < 0 ? this.#next.length : first);
  }

  #query(sent: readonly Sent[]): Promise<void> {
    const sql = sent.map(({ text }) => text).join(';\n');
    return new Promise((resolve, reject) => {
      let done = 0;
      const ended = (error: QueryError | null, answer: Answer) => {
        if (error) {
          endIfTimedOut(this.#connection, error);
          // the server has passed over what follows, and what came before is not told
          const isAlone = done === sent.length - 1 && sent.slice(0, -1).every(({ waiting }) => !waiting);
          const isLost = !isAlone || !sent[done]?.waiting;
          this.#isLost ||= isLost;
          this.#listeners.failed(error, isLost);
          error.message = `${sql.slice(0, 1000)} - ${error.message}`;
          for (const { waiting } of sent) waiting?.reject(error);
          return reject(error);
        }
        const answers = sent.length === 1 ? [answer] : (answer as unknown as Answer[]);
        for (const [at, { waiting }] of sent.entries()) waiting?.resolve(answerOf(answers[at]!));
        resolve();
      };
      this.#connection.query<Answer>({ sql, ...limitOf(this.#connection) }, ended).on('fields', () => void done++);
    });
  }
}

/** One statement on a connection of a pool, past knex. */
export async function readStatement(
  pool: Knex.Client,
  sql: string,
  values: readonly unknown[],
  seen: QueryWatch | undefined,
): Promise<StatementAnswer> {
  const connection = (await pool.acquireConnection()) as Connection;
  const ended = seen?.(sql);
  try {
    const answer = await new Promise<Answer>((resolve, reject) => {
      const limit = limitOf(connection);
      connection.query<Answer>({ sql, values: values as unknown[], ...limit }, (error: QueryError | null, rows) =>
        error ? reject(error) : resolve(rows),
      );
    });
    ended?.();
    return answerOf(answer);
  } catch (error) {
    ended?.(error);
    endIfTimedOut(connection, error);
    if (error instanceof Error) error.message = `${sql.slice(0, 1000)} - ${error.message}`;
    throw error;
  } finally {
    await pool.releaseConnection(connection);
  }
}

function answerOf(answer: Answer): StatementAnswer {
  if (Array.isArray(answer)) return { rows: answer, changes: 0, insertId: 0 };
  return { rows: [], changes: answer.affectedRows, insertId: answer.insertId };
}
