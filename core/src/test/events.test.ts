// Load: sleeps, until leases are over and idle processes have shown that they are.
import { spawn } from 'node:child_process';
import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import { defineEvent, type EventContext } from '@mortise/plugin-sdk';
import type { ManagedEvents, EventSubscription, KernelDatabase } from '../contracts.js';
import { createEvents } from '../events/index.js';
import { engines, inAnHour, knowsProcesses, plainCall, restingVersion, until, type TestDatabase } from './data-kit.js';

export const lab = Lab.script();
const { describe, it, beforeEach, afterEach } = lab;

const starred = defineEvent<{ number: number }>('stars.starred');

interface Seen {
  number: number;
  attempt: number;
}

function subscription(
  id: string,
  when: 'within' | 'after',
  handle: (payload: { number: number }, context: EventContext) => Promise<void> | void,
): EventSubscription {
  return {
    owner: 'stars',
    id,
    event: starred,
    when,
    handle: async (payload, context) => handle(payload as { number: number }, context),
  };
}

for (const engine of engines) {
  describe(`events on ${engine.name}`, () => {
    let test: TestDatabase;
    let opened: ManagedEvents[];
    beforeEach(async () => {
      test = await engine.open();
      opened = [];
    });
    afterEach(async () => {
      for (const module of opened) await module.stop();
      await test.close();
    });
    const open = (database: KernelDatabase = test.database) => {
      const made = createEvents({ database, broker: test.broker, log: test.log, call: plainCall });
      opened.push(made);
      return made;
    };
    const emit = (events: ManagedEvents, ...numbers: number[]) =>
      test.database.write(async () => {
        for (const number of numbers) await events.emit(starred, { number });
      });
    const left = async () => Number((await test.database.knex()('event').count({ n: '*' }).first())?.n);

    it('must be emitted in a transaction', async () => {
      await expect(open().emit(starred, { number: 1 })).to.reject(/outside of database.write/);
    });

    it('what waits for a former name goes to the subscriber that says so, once and in order', async () => {
      const before = open();
      before.subscribe(subscription('old', 'after', () => undefined));
      before.subscribe(subscription('other', 'after', () => undefined));
      await emit(before, 1, 2);
      const knex = test.database.knex();
      // As while an older process runs beside this one.
      await test.database.write(async () => {
        const { event_id } = await knex('event_delivery')
          .where({ subscriber: 'stars/old' })
          .orderBy('event_id')
          .first();
        await test.database.knex()('event_delivery').insert({ subscriber: 'likes/new', event_id });
      });
      const seen: number[] = [];
      const after = open();
      const renamed = subscription('new', 'after', ({ number }) => void seen.push(number));
      after.subscribe({ ...renamed, owner: 'likes', formerly: ['stars/older', 'stars/old'] });
      await emit(after, 3);
      await after.deliverAll();
      expect(seen).to.equal([1, 2, 3]);
      expect(await knex('event_delivery').distinct('subscriber').pluck('subscriber')).to.equal(['stars/other']);
      await after.deliverAll();
      expect(seen).to.have.length(3);
    });

    it('within: runs in order in the transaction and may refuse it', async () => {
      const events = open();
      const seen: string[] = [];
      events.subscribe(
        subscription('one', 'within', ({ number }) => void seen.push(`one ${number} ${test.database.inTransaction()}`)),
      );
      events.subscribe(
        subscription('two', 'within', ({ number }) => {
          seen.push(`two ${number}`);
          if (number === 13) throw new Error('not thirteen');
        }),
      );
      events.subscribe(subscription('three', 'after', () => void seen.push('after')));
      await emit(events, 1);
      await expect(emit(events, 13)).to.reject('not thirteen');
      expect(seen).to.equal(['one 1 true', 'two 1', 'one 13 true', 'two 13']);
      await events.deliverAll();
      expect(seen.slice(4)).to.equal(['after']);
    });

    it('after: delivers to each subscriber in order, soon after the commit, and forgets the event', async () => {
      const events = open();
      const first: number[] = [];
      const second: number[] = [];
      events.subscribe(subscription('first', 'after', ({ number }) => void first.push(number)));
      events.subscribe(
        subscription('second', 'after', async ({ number }) => {
          await new Promise((resolve) => setTimeout(resolve, 2));
          second.push(number);
        }),
      );
      await events.start();
      const begin = Date.now();
      await emit(events, 1);
      await until(() => first.length === 1);
      expect(Date.now() - begin).to.be.below(20_000);
      await emit(events, ...Array.from({ length: 120 }, (_, index) => index + 2));
      const wanted = Array.from({ length: 121 }, (_, index) => index + 1);
      await until(() => first.length === 121 && second.length === 121);
      expect(first).to.equal(wanted);
      expect(second).to.equal(wanted);
      await until(async () => (await left()) === 0);
    });

    it('forgets events that several subscribers finish at the same moment', async () => {
      const events = open();
      let count = 0;
      for (const id of ['a', 'b', 'c', 'd']) events.subscribe(subscription(id, 'after', () => void count++));
      await events.start();
      for (let number = 1; number <= 25; number++) await emit(events, number);
      await until(() => count === 100);
      await until(async () => (await left()) === 0);
    });

    it('stores for a subscriber only what it wants', async () => {
      const events = open();
      const seen: number[] = [];
      const even = subscription('even', 'after', ({ number }) => void seen.push(number));
      events.subscribe({ ...even, wants: (payload) => (payload as { number: number }).number % 2 === 0 });
      await emit(events, 1, 3);
      expect(await test.database.knex()('event').pluck('id')).to.equal([]);
      await emit(events, 4, 5);
      expect(await test.database.knex()('event_delivery').pluck('subscriber')).to.equal(['stars/even']);
      await events.deliverAll();
      expect(seen).to.equal([4]);
    });

    it('delivers to a subscriber that cannot tell whether it wants an event', async () => {
      const events = open();
      const seen: string[] = [];
      for (const when of ['within', 'after'] as const)
        events.subscribe({
          ...subscription(when, when, () => void seen.push(when)),
          wants: () => {
            throw new Error('away');
          },
        });
      await emit(events, 1);
      await events.deliverAll();
      expect(seen).to.equal(['within', 'after']);
    });

    it('asks a subscriber within the transaction only for what it wants', async () => {
      const events = open();
      const seen: number[] = [];
      const even = subscription('even', 'within', ({ number }) => void seen.push(number));
      events.subscribe({ ...even, wants: (payload) => (payload as { number: number }).number % 2 === 0 });
      await emit(events, 1, 4, 5);
      expect(seen).to.equal([4]);
    });

    it('reads ahead for several events, handles each in order, and one that fails again by itself', async () => {
      const events = open();
      const seen: string[] = [];
      const one = subscription(
        'ahead',
        'after',
        ({ number }, { attempt }) => void seen.push(`${number} by ${attempt}`),
      );
      events.subscribe({
        ...one,
        readAhead: (payloads) => {
          seen.push(`read ${payloads.map((each) => (each as { number: number }).number).join()}`);
          return Promise.resolve((payload) => {
            const { number } = payload as { number: number };
            if (number === 2) return Promise.reject(new Error('two'));
            seen.push(String(number));
            return Promise.resolve();
          });
        },
      });
      await emit(events, 1, 2, 3);
      await events.deliverAll();
      await events.deliverAll();
      expect(seen).to.equal(['read 1,2,3', '1', '2 by 2', '3 by 1']);
      expect(await left()).to.equal(0);
    });

    it('reads anew for events that come to their turn long after they were read ahead', async () => {
      const events = open();
      const seen: string[] = [];
      const { now } = Date;
      const one = subscription('ahead', 'after', ({ number }) => void seen.push(`${number} anew`));
      const ahead = async (payload: unknown) => {
        seen.push(`${(payload as { number: number }).number} ahead`);
        Date.now = () => now() + 5000;
      };
      events.subscribe({ ...one, readAhead: () => Promise.resolve(ahead) });
      await emit(events, 1, 2);
      await events.deliverAll().finally(() => (Date.now = now));
      expect(seen).to.equal(['1 ahead', '2 anew']);
    });

    it('handles each event by itself where reading ahead fails', async () => {
      const events = open();
      const seen: number[] = [];
      const one = subscription('ahead', 'after', ({ number }) => void seen.push(number));
      events.subscribe({ ...one, readAhead: () => Promise.reject(new Error('away')) });
      await emit(events, 1, 2);
      await events.deliverAll();
      expect(seen).to.equal([1, 2]);
    });

    it('stores nothing for an event that nobody gets later', async () => {
      const events = open();
      await emit(events, 1);
      expect(await left()).to.equal(0);
    });

    it('delivers nothing of a transaction that was rolled back', async () => {
      const events = open();
      const seen: number[] = [];
      events.subscribe(subscription('one', 'after', ({ number }) => void seen.push(number)));
      await events.start();
      await expect(
        test.database.write(async () => {
          await events.emit(starred, { number: 1 });
          throw new Error('no');
        }),
      ).to.reject('no');
      await emit(events, 2);
      await until(() => seen.length > 0);
      expect(seen).to.equal([2]);
    });

    it('retries a failed delivery before the next one, and does not hold other subscribers back', async () => {
      const events = open();
      const seen: Seen[] = [];
      const other: number[] = [];
      events.subscribe(
        subscription('flaky', 'after', async ({ number }, { attempt }) => {
          seen.push({ number, attempt });
          if (number === 1 && attempt === 1) throw new Error('not now');
          // would be for ever if the other were held back
          await until(() => other.length === 2);
        }),
      );
      events.subscribe(subscription('steady', 'after', ({ number }) => void other.push(number)));
      await events.start();
      await emit(events, 1, 2);
      await until(() => seen.length === 3);
      expect(seen).to.equal([
        { number: 1, attempt: 1 },
        { number: 1, attempt: 2 },
        { number: 2, attempt: 1 },
      ]);
    });

    it('one id for several events is one subscriber, in the order of all of them', async () => {
      const events = open();
      const unstarred = defineEvent<{ number: number }>('stars.unstarred');
      const seen: string[] = [];
      events.subscribe(
        subscription('both', 'after', async ({ number }) => {
          await new Promise((resolve) => setTimeout(resolve, 3));
          seen.push(`+${number}`);
        }),
      );
      events.subscribe({
        ...subscription('both', 'after', ({ number }) => void seen.push(`-${number}`)),
        event: unstarred,
      });
      await events.start();
      await test.database.write(async () => {
        for (const number of [1, 2, 3]) {
          await events.emit(starred, { number });
          await events.emit(unstarred, { number });
        }
      });
      await until(() => seen.length === 6);
      expect(seen).to.equal(['+1', '-1', '+2', '-2', '+3', '-3']);
    });

    it('parks a delivery that fails each time, and goes on with the next', async () => {
      const events = open();
      const done: number[] = [];
      let tries = 0;
      events.subscribe(
        subscription('never', 'after', ({ number }) => {
          if (number === 1) {
            tries++;
            throw new Error('never');
          }
          done.push(number);
        }),
      );
      await emit(events, 1, 2);
      for (let round = 0; round < 8; round++) await events.deliverAll();
      expect(tries).to.equal(8);
      expect(done).to.equal([2]);
      expect(
        test.log.lines.some((line) => line.level === 'error' && line.message.includes('dead-lettered')),
      ).to.be.true();
      const parked = await test.database.knex()('event_delivery').where({ parked: true }).first<{ error: string }>();
      expect(parked?.error).to.contain('never');
    });

    it('two processes deliver each event once and in order; the second takes over when the first stops', async () => {
      const seen: string[] = [];
      const other = await test.another();
      const make = (name: string, database: KernelDatabase) => {
        const events = open(database);
        events.subscribe(subscription('one', 'after', ({ number }) => void seen.push(`${name}${number}`)));
        return events;
      };
      const [a, b] = [make('a', test.database), make('b', other)];
      await Promise.all([a.start(), b.start()]);
      for (let number = 1; number <= 40; number++) await emit(a, number);
      await until(() => seen.length === 40);
      await a.stop();
      // Stored by a process that is gone right after its commit.
      for (let number = 41; number <= 50; number++) await emit(a, number);
      await until(() => seen.length === 50);
      expect(seen.map((line) => Number(line.slice(1)))).to.equal(Array.from({ length: 50 }, (_, index) => index + 1));
      expect(new Set(seen.slice(40).map((line) => line[0]))).to.equal(new Set(['b']));
    });

    it('an idle deliverer writes nothing', async () => {
      const events = open();
      const seen: number[] = [];
      events.subscribe(subscription('one', 'after', ({ number }) => void seen.push(number)));
      await events.start();
      await emit(events, 1);
      await until(async () => (await left()) === 0);
      // the end of the delivery is written late on a busy machine; who writes at each look does so in every span
      const isQuiet = async () => {
        const version = await restingVersion(test.database);
        await new Promise((resolve) => setTimeout(resolve, 6500));
        await test.database.syncVersions();
        return test.database.dataVersion() === version;
      };
      expect((await isQuiet()) || (await isQuiet()) || (await isQuiet())).to.be.true();
    });

    it('events of a process that was killed are delivered by the next one', async () => {
      // It is killed while it delivers the fifth, so that something is left however slow its writes are.
      const script = `
        import { createDatabase } from ${JSON.stringify(new URL('../database/index.js', import.meta.url).href)};
        import { createEvents } from ${JSON.stringify(new URL('../events/index.js', import.meta.url).href)};
        const log = { debug() {}, info() {}, warn() {}, error() {} };
        const database = await createDatabase({ settings: ${JSON.stringify(test.settings)}, workDir: ${JSON.stringify(test.workDir)}, log });
        const broker = { publish: async () => {}, subscribe: () => () => {}, close: async () => {} };
        const events = createEvents({ database, broker, log, call: (owner, what, call) => call() });
        events.subscribe({ owner: 'stars', id: 'one', event: { id: 'stars.starred' }, when: 'after', handle: ({ number }) => new Promise((resolve) => number < 5 && setTimeout(resolve, 20)) });
        await events.start();
        for (let number = 1; ; number++) {
          await database.write(() => events.emit({ id: 'stars.starred' }, { number }));
          process.stdout.write(number + '\\n');
        }`;
      const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let output = '';
      child.stdout.on('data', (text: Buffer) => (output += text.toString()));
      await until(() => output.split('\n').length > 20);
      child.kill('SIGKILL');
      await new Promise((resolve) => child.on('close', resolve));
      const told = output.split('\n').slice(0, -1).map(Number);
      // Where the system tells which processes there are, the leases of dead ones are free at once.
      const lease_until = knowsProcesses ? inAnHour() : 0;
      const leased = () => test.database.knex()('event_subscriber').whereNotNull('lease_owner');
      await test.database.write(async () => void (await leased().update({ lease_until })));
      const delivered = 'the child delivered the first ones';
      const events = open();
      const seen: number[] = [];
      events.subscribe(subscription('one', 'after', ({ number }) => void seen.push(number)));
      await events.start();
      await until(() => seen.at(-1) !== undefined && seen.at(-1)! >= told.at(-1)!);
      expect(told.length, delivered).to.be.above(10);
      // Without a gap up to the last that was acknowledged.
      expect(seen).to.equal(Array.from({ length: seen.length }, (_, index) => seen[0]! + index));
    });
  });
}
