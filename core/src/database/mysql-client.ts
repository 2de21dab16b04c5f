import type { Connection, QueryError, ResultSetHeader, RowDataPacket } from 'mysql2';
import type { StatementAnswer } from '@mortise/plugin-sdk';
import type { QueryWatch } from './engine.js';
import { MysqlClient, type Knex, type QueryObject } from './knex.js';

type Answer = RowDataPacket[] | ResultSetHeader;

/** The last transaction of a connection. */
const openOn = new WeakMap<object, MysqlStatements>();

/**
 * knex for transactions that write. A message to the server costs more than most statements, so what nobody waits for
 * goes with the next statement, and the last of it with the commit. Sessions do not commit by themselves: the first
 * statement begins.
 */
export class WritingClient extends MysqlClient {
  override async _query(connection: unknown, query: QueryObject): Promise<QueryObject> {
    if (query.sql === 'BEGIN;') return { ...query, response: [[], []] };
    const open = openOn.get(connection as object);
    if (open && query.sql === 'COMMIT;' && open.isCommitted) return { ...query, response: [[], []] };
    if (query.sql.startsWith('ROLLBACK')) open?.forget();
    else await open?.flush();
    return super._query(connection, query);
  }
}

interface Told {
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

/** Statements of one transaction on its connection, past knex; those of one moment are one message. */
export class MysqlStatements {
  readonly #connection: Connection;
  readonly #told: Told;
  #next: Sent[] = [];
  #sending: Promise<void> | undefined;
  #isSoon = false;
  #hasEnded = false;
  isCommitted = false;

  constructor(connection: Connection, told: Told) {
    this.#connection = connection;
    this.#told = told;
    openOn.set(connection, this);
  }

  async run(sql: string, values: readonly unknown[]): Promise<StatementAnswer> {
    if (this.#hasEnded) throw new Error(`the transaction has ended: ${sql.slice(0, 1000)}`);
    const ended = this.#told.seen?.(sql);
    try {
      const answer = await new Promise<StatementAnswer>((resolve, reject) => {
        this.#next.push({ text: this.#connection.format(sql, [...values]), waiting: { resolve, reject } });
        this.#sendSoon();
      });
      ended?.();
      this.#told.changed(sql, answer.changes);
      return answer;
    } catch (error) {
      ended?.(error);
      throw error;
    }
  }

  /** Goes with what follows. */
  later(sql: string, values: readonly unknown[]): void {
    this.#told.seen?.(sql)();
    this.#told.changed(sql, undefined);
    this.#next.push({ text: this.#connection.format(sql, [...values]) });
  }

  /** The work is over and nothing of it holds. */
  forget(): void {
    this.#next = [];
  }

  async flush(): Promise<void> {
    while (this.#sending) await this.#sending;
    await this.#send();
  }

  /** With what is left; a transaction that failed at any of it is still open. */
  async commit(): Promise<void> {
    while (this.#sending) await this.#sending;
    this.#next.push({ text: 'commit' });
    await this.#send();
    this.isCommitted = true;
  }

  /** Its connection goes back to the others. */
  end(): void {
    this.#hasEnded = true;
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
    const sent = this.#next;
    this.#next = [];
    if (sent.length === 0) return Promise.resolve();
    return (this.#sending = this.#query(sent).finally(() => {
      this.#sending = undefined;
      if (this.#next.some(({ waiting }) => waiting)) this.#sendSoon();
    }));
  }

  #query(sent: readonly Sent[]): Promise<void> {
    const sql = sent.map(({ text }) => text).join(';\n');
    return new Promise((resolve, reject) => {
      let done = 0;
      const ended = (error: QueryError | null, answer: Answer) => {
        if (error) {
          // the server has passed over what follows, and what came before is not told
          const isAlone = done === sent.length - 1 && sent.slice(0, -1).every(({ waiting }) => !waiting);
          this.#told.failed(error, !isAlone || !sent[done]?.waiting);
          error.message = `${sql.slice(0, 1000)} - ${error.message}`;
          for (const { waiting } of sent) waiting?.reject(error);
          return reject(error);
        }
        const answers = sent.length === 1 ? [answer] : (answer as unknown as Answer[]);
        for (const [at, { waiting }] of sent.entries()) waiting?.resolve(answerOf(answers[at]!));
        resolve();
      };
      this.#connection.query<Answer>({ sql }, ended).on('fields', () => void done++);
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
      connection.query<Answer>({ sql, values: values as unknown[] }, (error: QueryError | null, rows) =>
        error ? reject(error) : resolve(rows),
      );
    });
    ended?.();
    return answerOf(answer);
  } catch (error) {
    ended?.(error);
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
