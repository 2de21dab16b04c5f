import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import { defineEvent } from '@mortise/plugin-sdk';
import type { KernelDatabase } from '../contracts.js';
import { isTransientError } from '../database/transient-error.js';
import { isUnavailable } from '../unavailable.js';
import { createEvents } from '../events/index.js';
import { refusalOf } from '../http/problems.js';
import { createLocks } from '../locks/index.js';
import { engines, nextTurn, plainCall, until, type TestDatabase } from './data-kit.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

for (const engine of engines) {
  describe(`F13: a database in trouble, ${engine.name}`, () => {
    let test: TestDatabase;
    before(async () => {
      test = await engine.open({ DB_RETRIES: 1, SQLITE_TIMEOUT: 50 });
    });
    after(() => test.close());

    const failureOf = async (work: Promise<unknown>): Promise<unknown> => {
      try {
        await work;
      } catch (error) {
        return error;
      }
      throw new Error('it did not fail');
    };
    const insert = (database: KernelDatabase, name: string) =>
      database.knex()('lock').insert({ name, owner: 'x', held_until: 1 });

    it('whoever waits for the locks of others in vain is told to try again later', async () => {
      const { database } = test;
      const other = await test.another();
      if (database.engine === 'sqlite') {
        let release!: () => void;
        const gate = new Promise<void>((resolve) => (release = resolve));
        let isOpen = false;
        const holding = other.write(async () => {
          isOpen = true;
          await gate;
        });
        await until(() => isOpen);
        const failure = await failureOf(database.write(() => insert(database, 'kept out')));
        release();
        await holding;
        return expect(refusalOf(failure)).to.include({ status: 503, fault: true });
      }
      await database.write(async () => {
        await insert(database, 'one');
        await insert(database, 'two');
      });
      let holding = 0;
      const both = (from: KernelDatabase, first: string, second: string) =>
        from.write(async () => {
          await from.knex()('lock').where({ name: first }).update({ owner: 'y' });
          holding++;
          await until(() => holding > 1);
          await from.knex()('lock').where({ name: second }).update({ owner: 'y' });
        });
      const ends = await Promise.allSettled([both(database, 'one', 'two'), both(other, 'two', 'one')]);
      const failed = ends.filter((end) => end.status === 'rejected');
      expect(failed).to.have.length(1);
      expect(refusalOf(failed[0]!.reason)).to.include({ status: 503, headers: { 'retry-after': '10' } });
    });

    it('waiting events that cannot be read while the delivery stops are nobody else’s failure', async () => {
      const { database } = test;
      let stopped: Promise<void> | undefined;
      const failing = new Proxy(database, {
        get(target, name: keyof KernelDatabase) {
          if (name === 'statement')
            return (sql: string, values: readonly unknown[]) => {
              if (!sql.includes('batch')) return target.statement(sql, values);
              stopped = events.stop();
              return Promise.reject(new Error('the connection is gone'));
            };
          const value = target[name];
          return typeof value === 'function' ? value.bind(target) : value;
        },
      });
      const events = createEvents({ database: failing, broker: test.broker, log: test.log, call: plainCall });
      const event = defineEvent('stars.unread');
      events.subscribe({ owner: 'stars', id: 'reader', event, when: 'after', handle: () => Promise.resolve() });
      await database.write(() => events.emit(event, {}));
      const unheard: unknown[] = [];
      const note = (error: unknown) => void unheard.push(error);
      process.on('unhandledRejection', note);
      await events.start();
      await until(() => stopped !== undefined);
      await stopped;
      await nextTurn();
      process.off('unhandledRejection', note);
      expect(unheard).to.be.empty();
    });

    it('a connection that ends in the middle of a statement is no fault of the work', async () => {
      const { database } = test;
      if (database.engine === 'sqlite') return;
      const other = await test.another();
      const sleeping = failureOf(
        database.write(async () => void (await database.knex().raw('select sleep(60) as cut_off_here'))),
      );
      let id: number | undefined;
      await until(async () => {
        const [rows] = (await other
          .knex()
          .raw(
            "select id from information_schema.processlist where info like 'select sleep(60) as cut_off_here%'",
          )) as [{ id: number }[]];
        id = rows[0]?.id;
        return id !== undefined;
      });
      await other.write(async () => void (await other.knex().raw(`kill ${id}`)));
      expect(refusalOf(await sleeping).status).to.equal(503);
      // The next one gets another connection.
      await database.write(() => insert(database, 'after the cut'));
    });

    it('waiting for a lock leaves a line in the log, by name', async () => {
      const { database, log } = test;
      const locks = createLocks({ database, log });
      await database.write(() =>
        database
          .knex()('lock')
          .insert({ name: 'slow', owner: 'somebody', held_until: Date.now() + 2500 }),
      );
      await locks.hold('slow', async () => undefined);
      const line = log.lines.find(({ message }) => message === 'waited long for a lock');
      expect(line!.fields).to.include({ lock: 'slow', held: true });
    });

    it('a write that takes long leaves a line in the log', async () => {
      const { database, log } = test;
      await database.write(() => new Promise((resolve) => setTimeout(resolve, 2100)));
      expect(log.lines.map(({ message }) => message)).to.include('a write took long');
    });

    it('locks of processes that were killed long ago are swept, others stay', async () => {
      const { database, log } = test;
      const old = { owner: 'dead', held_until: Date.now() - 2 * 3_600_000 };
      await database.write(() =>
        database
          .knex()('lock')
          .insert([
            { name: 'left behind', ...old },
            { name: 'just over', owner: 'dead', held_until: Date.now() - 1000 },
          ]),
      );
      await createLocks({ database, log }).sweep();
      const left = await database.knex()('lock').whereIn('name', ['left behind', 'just over']).pluck('name');
      expect(left).to.equal(['just over']);
    });
  });
}

describe('F13: which failures pass by themselves', () => {
  const made = (fields: object, name = 'Error') =>
    Object.assign(new (class extends Error {})('no'), { name, ...fields });
  class SqliteError extends Error {
    constructor(readonly code: string) {
      super(code);
    }
  }

  it('those of a database that is away, full or busy', () => {
    for (const failure of [
      made({ code: 'ER_CON_COUNT_ERROR', fatal: true }),
      made({ code: 'ECONNREFUSED', fatal: true }),
      made({ fatal: true }),
      made({ code: 'ER_LOCK_DEADLOCK', sqlMessage: 'Deadlock found' }),
      made({ code: 'ER_UNKNOWN_COM_ERROR', sqlMessage: 'WSREP has not yet prepared node for application use' }),
      made({ code: 'ER_ERROR_DURING_COMMIT', sqlMessage: 'Got error 6 "No such device or address" during COMMIT' }),
      // as models tell it
      made({ nativeError: made({ code: 'ER_LOCK_DEADLOCK', sqlMessage: 'Deadlock found' }) }, 'DBError'),
      made({}, 'KnexTimeoutError'),
      new SqliteError('SQLITE_FULL'),
      new SqliteError('SQLITE_BUSY_SNAPSHOT'),
      new SqliteError('SQLITE_IOERR_WRITE'),
      new Error('migration failed', { cause: new SqliteError('SQLITE_READONLY') }),
    ])
      expect(isTransientError(failure), String(failure)).to.be.true();
  });

  it('a start waits for a database of a cluster that is not in step, and for one that is gone again', () => {
    for (const failure of [
      made({ code: 'ER_UNKNOWN_COM_ERROR', sqlMessage: 'WSREP has not yet prepared node for application use' }),
      made({ code: 'ER_LOCK_WAIT_TIMEOUT', sqlMessage: 'Lock wait timeout exceeded' }),
      new Error("Can't add new command when connection is in closed state"),
      new Error('migration failed', { cause: made({ code: 'PROTOCOL_CONNECTION_LOST', fatal: true }) }),
    ])
      expect(isUnavailable(failure), String(failure)).to.be.true();
    expect(isUnavailable(made({ code: 'ER_DUP_ENTRY', sqlMessage: 'Duplicate entry' }))).to.be.false();
  });

  it('not those of the work', () => {
    for (const failure of [
      made({ code: 'ER_DUP_ENTRY', sqlMessage: 'Duplicate entry' }),
      made({ nativeError: made({ code: 'ER_DUP_ENTRY', sqlMessage: 'Duplicate entry' }) }, 'UniqueViolationError'),
      // of a socket to somewhere else
      made({ code: 'ECONNREFUSED' }),
      new SqliteError('SQLITE_CONSTRAINT_UNIQUE'),
      new TypeError('undefined is not a function'),
      'text',
      undefined,
    ])
      expect(isTransientError(failure), String(failure)).to.be.false();
  });
});
