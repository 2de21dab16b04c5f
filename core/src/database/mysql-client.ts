import type { Connection, QueryError, ResultSetHeader, RowDataPacket } from 'mysql2';
import type { StatementAnswer } from '@mortise/plugin-sdk';
import type { QueryWatch } from './engine.js';
import { MysqlClient, type QueryObject } from './knex.js';

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
  /** `isLost`: what fails is not told to whoever sent it, who took it for done. */
  failed(error: unknown, isLost: boolean): void;
}

/** Statements of one transaction on its connection, past knex. */
export class MysqlStatements {
  readonly #connection: Connection;
  readonly #told: Told;
  #later: string[] = [];
  #hasEnded = false;
  isCommitted = false;

  constructor(connection: Connection, told: Told) {
    this.#connection = connection;
    this.#told = told;
    openOn.set(connection, this);
  }

  async run(sql: string, values: readonly unknown[]): Promise<StatementAnswer> {
    const ended = this.#told.seen?.(sql);
    try {
      const answer = answerOf(await this.#withLater(sql, values));
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
    this.#later.push(this.#connection.format(sql, [...values]));
  }

  forget(): void {
    this.#later = [];
  }

  async flush(): Promise<void> {
    if (this.#later.length > 0) await this.#send();
  }

  /** With what is left; a transaction that failed at any of it is still open. */
  async commit(): Promise<void> {
    this.#later.push('commit');
    await this.#send();
    this.isCommitted = true;
  }

  /** Its connection goes back to the others. */
  end(): void {
    this.#hasEnded = true;
  }

  async #withLater(sql: string, values: readonly unknown[]): Promise<Answer> {
    if (this.#hasEnded) throw new Error(`the transaction has ended: ${sql.slice(0, 1000)}`);
    if (this.#later.length === 0) return this.#query(sql, values);
    this.#later.push(this.#connection.format(sql, [...values]));
    return (await this.#send()).at(-1)!;
  }

  async #send(): Promise<Answer[]> {
    const statements = this.#later;
    this.#later = [];
    const answer = await this.#query(statements.join(';\n'), [], statements.length - 1);
    return statements.length === 1 ? [answer] : (answer as unknown as Answer[]);
  }

  /** `before`: how many of its statements others sent, who have gone on. */
  #query(sql: string, values: readonly unknown[], before = 0): Promise<Answer> {
    return new Promise((resolve, reject) => {
      let done = 0;
      const ended = (error: QueryError | null, answer: Answer) => {
        if (!error) return resolve(answer);
        this.#told.failed(error, done < before);
        error.message = `${sql.slice(0, 1000)} - ${error.message}`;
        reject(error);
      };
      this.#connection.query<Answer>({ sql, values: values as unknown[] }, ended).on('fields', () => void done++);
    });
  }
}

export function answerOf(answer: Answer): StatementAnswer {
  if (Array.isArray(answer)) return { rows: answer, changes: 0, insertId: 0 };
  return { rows: [], changes: answer.affectedRows, insertId: answer.insertId };
}
