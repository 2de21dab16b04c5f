// Load: sleeps, until leases are over and idle processes have shown that they are.
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import { Redis } from 'ioredis';
import { createBroker, redisSettings } from '../broker/index.js';
import { cacheSettings, createCache } from '../cache/index.js';
import type { KernelDatabase } from '../contracts.js';
import { createLocks } from '../locks/index.js';
import { isGone, leaseOwner } from '../leases.js';
import { engines, goneOwner, inAnHour, knowsProcesses, recordingLog, until, type TestDatabase } from './data-kit.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const redisAddress = process.env.MORTISE_TEST_REDIS;
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe('leases', () => {
  it('F: are kept by processes that the system hides', { skip: !knowsProcesses }, () => {
    const owner = leaseOwner();
    const fails = (code: string) => () => {
      throw Object.assign(new Error(code), { code });
    };
    const at = (start: string, state = 'S') =>
      `7 (node (1)) ${[state, ...Array<string>(18).fill('0'), start].join(' ')}`;
    const [, , start] = owner.split('.');
    const [there, none, foreign] = [() => undefined, fails('ESRCH'), fails('EPERM')];
    for (const [signal, stat, expected] of [
      [none, fails('ENOENT'), true],
      [there, () => at(start!), false],
      [there, () => at('1'), true],
      [there, () => at(start!, 'Z'), true],
      [foreign, () => at('1'), true],
      [foreign, () => at(start!), false],
      // hidepid=2, and hidepid=1
      [foreign, fails('ENOENT'), false],
      [foreign, fails('EPERM'), false],
      [fails('EINVAL'), () => at('1'), false],
    ] as const)
      expect(isGone(owner, { signal, stat })).to.equal(expected);
    expect(isGone(owner.replace(/^./, '-'), { signal: none, stat: fails('ENOENT') })).to.be.false();
  });
});

for (const engine of engines) {
  describe(`locks on ${engine.name}`, () => {
    let test: TestDatabase;
    before(async () => void (test = await engine.open()));
    after(() => test.close());

    it('one holder at a time, in this process and between processes', async () => {
      const one = createLocks({ database: test.database, log: test.log });
      const two = createLocks({ database: await test.another(), log: test.log });
      let inside = 0;
      let maximum = 0;
      let count = 0;
      const work = async () => {
        maximum = Math.max(maximum, ++inside);
        await sleep(3);
        inside--;
        count++;
      };
      await Promise.all(
        Array.from({ length: 30 }, (_, index) =>
          (index % 2 ? one : two).hold('repository 1', work, { waitMs: 100_000 }),
        ),
      );
      expect({ most: maximum, count }).to.equal({ most: 1, count: 30 });
      expect(await test.database.knex()('lock').select()).to.equal([]);
    });

    it('different names do not wait for each other, failures let go', async () => {
      const locks = createLocks({ database: test.database, log: test.log });
      await locks.hold('a', () => locks.hold('b', async () => undefined));
      await expect(
        locks.hold('a', async () => {
          throw new Error('no');
        }),
      ).to.reject('no');
      expect(await locks.hold('a', async () => 5)).to.equal(5);
    });

    it('gives up after waitMs, in both queues', async () => {
      const one = createLocks({ database: test.database, log: test.log });
      const two = createLocks({ database: await test.another(), log: test.log });
      let free!: () => void;
      const holding = one.hold('busy', () => new Promise<void>((resolve) => (free = resolve)));
      await until(() => free !== undefined);
      for (const locks of [one, two]) {
        const refusal = await expect(locks.hold('busy', async () => undefined, { waitMs: 100 })).to.reject();
        expect(refusal).to.include({ code: 'unavailable' });
      }
      free();
      await holding;
      expect(await one.hold('busy', async () => 1)).to.equal(1);
    });

    it('takes over from a holder that died, and not from one that lives', async () => {
      // renewed each third of it: who stands still for some seconds keeps it all the same
      const leaseMs = 9000;
      const short = createLocks({ database: test.database, log: test.log, leaseMs });
      const other = createLocks({ database: await test.another(), log: test.log, leaseMs });
      const heldUntil = Date.now() + 400;
      await test.database.write(async () =>
        test.database.knex()('lock').insert({ name: 'dead', owner: 'gone', held_until: heldUntil }),
      );
      await other.hold('dead', async () => undefined);
      expect(Date.now()).to.be.at.least(heldUntil);
      let done = false;
      let held = false;
      const living = short.hold('alive', async () => {
        held = true;
        await sleep(leaseMs + 500);
        done = true;
      });
      await until(() => held);
      await other.hold('alive', async () => expect(done).to.be.true());
      await living;
    });

    it(
      'F: a lock of a process of this machine that was killed is free at once',
      { skip: !knowsProcesses },
      async () => {
        const locks = createLocks({ database: test.database, log: test.log });
        const owners = { gone: goneOwner(), lives: leaseOwner(), elsewhere: goneOwner().replace(/^./, '-') };
        await test.database.write(async () => {
          for (const [name, owner] of Object.entries(owners))
            await test.database.knex()('lock').insert({ name, owner, held_until: inAnHour() });
        });
        expect(await locks.hold('gone', async () => 'taken', { waitMs: 60_000 })).to.equal('taken');
        for (const name of ['lives', 'elsewhere'])
          await expect(locks.hold(name, async () => undefined, { waitMs: 50 })).to.reject(/in use/);
        await test.database.write(async () => void (await test.database.knex()('lock').delete()));
      },
    );

    it('B: work whose lock is lost is told, and stores nothing', async () => {
      const locks = createLocks({ database: test.database, log: test.log, leaseMs: 900 });
      const row = (name: string) => test.database.knex()('lock').where({ name });
      await locks.hold('kept', async (lock) => {
        await lock.check();
        expect(lock.signal.aborted).to.be.false();
      });
      const refusal = await expect(
        locks.hold('taken', async (lock) => {
          await test.database.write(async () => void (await row('taken').update({ owner: 'another' })));
          const refused = await expect(
            test.database.write(async () => {
              await test.database.knex()('lock').insert({ name: 'stored', owner: 'x', held_until: 1 });
              await lock.check();
            }),
          ).to.reject();
          expect(lock.signal.aborted).to.be.true();
          throw refused;
        }),
      ).to.reject();
      expect(refusal).to.include({ code: 'unavailable' });
      expect(await row('stored')).to.equal([]);
      await test.database.write(async () => void (await row('taken').delete()));
      // noticed without being asked, too
      await locks.hold('noticed', async ({ signal }) => {
        const told = new Promise((resolve) => signal.addEventListener('abort', resolve));
        await test.database.write(async () => void (await row('noticed').delete()));
        await told;
      });
    });

    it('a transaction that asks whether it holds a lock changes its row, so that no other node of a cluster does', async () => {
      if (test.database.engine === 'sqlite') return;
      const locks = createLocks({ database: test.database, log: test.log });
      const until = async () =>
        (await test.database.knex()('lock').where({ name: 'fenced' }).first<{ held_until: number }>('held_until'))
          .held_until;
      await locks.hold('fenced', async (lock) => {
        const before = await until();
        await test.database.write(() => lock.check());
        expect(await until()).to.be.above(before);
      });
    });

    it('must not be taken inside a transaction', async () => {
      const locks = createLocks({ database: test.database, log: test.log });
      await expect(test.database.write(() => locks.hold('x', async () => undefined))).to.reject(
        /before the transaction/,
      );
    });
  });
}

describe('cache', () => {
  const log = recordingLog();
  const make = (address = '', prefix = `t${Math.random()}:`) =>
    createCache({
      // fresh caches are tested with a database (data-versions.test.ts)
      database: {} as KernelDatabase,
      log,
      settings: cacheSettings.validate({}).value,
      redis: redisSettings.validate({ CONN_STR: address, PREFIX: prefix }).value,
    });

  it('memory: is bounded by entries where it must not share, and by time', async () => {
    const few = make().memory<number>('few', { max: 2 });
    for (const [key, value] of [
      ['a', 1],
      ['b', 2],
      ['c', 3],
    ] as const)
      few.set(key, value);
    expect([few.get('a'), few.get('b'), few.get('c')]).to.equal([undefined, 2, 3]);
    const brief = make().memory<string>('brief', { ttl: 20 });
    brief.set('a', 'x');
    await sleep(40);
    expect(brief.get('a')).to.be.undefined();
  });

  it('memory: loads once for many, keeps null, and forgets failures', async () => {
    const cache = make().memory<number | null>('m');
    let loads = 0;
    const load = () => cache.load('n', async () => (loads++, await sleep(5), null));
    expect(await Promise.all([load(), load(), load()])).to.equal([null, null, null]);
    await load();
    expect(loads).to.equal(1);
    await expect(
      cache.load('f', async () => {
        throw new Error('no');
      }),
    ).to.reject('no');
    expect(await cache.load('f', async () => 2)).to.equal(2);
  });

  for (const [name, address] of [
    ['memory', ''],
    ['Redis', redisAddress],
  ] as const) {
    if (address === undefined) continue;
    it(`shared on ${name}: keeps JSON for its time`, async () => {
      const cache = make(address);
      const shared = cache.shared('s');
      expect(await shared.get('a')).to.be.undefined();
      await shared.set('a', { b: [1, null] }, 600_000);
      expect(await shared.get('a')).to.equal({ b: [1, null] });
      expect(await cache.shared('t').get('a')).to.be.undefined();
      await shared.delete('a');
      expect(await shared.get('a')).to.be.undefined();
      await shared.set('c', 1, 30);
      await sleep(60);
      expect(await shared.get('c')).to.be.undefined();
      await cache.close();
    });
  }

  it('a value in Redis that is no JSON is a miss', { skip: redisAddress === undefined }, async () => {
    const prefix = `t${Math.random()}:`;
    const cache = make(redisAddress, prefix);
    const redis = new Redis(redisAddress!);
    await redis.set(`${prefix}cache:s:a`, '{"b":');
    expect(await cache.shared('s').get('a')).to.be.undefined();
    await redis.del(`${prefix}cache:s:a`);
    redis.disconnect();
    await cache.close();
  });

  it('a Redis that is away is a miss', async () => {
    const cache = make('redis://127.0.0.1:1');
    await cache.shared('s').set('a', 1, 1000);
    expect(await cache.shared('s').get('a')).to.be.undefined();
    await cache.close();
  });
});

describe('broker', () => {
  const log = recordingLog();
  const open = (address = '', prefix = 'p:') =>
    createBroker({ settings: redisSettings.validate({ CONN_STR: address, PREFIX: prefix }).value, log });

  it('reaches this process, JSON copies, and survives a handler that throws', async () => {
    const broker = await open();
    const seen: unknown[] = [];
    broker.subscribe('a', () => {
      throw new Error('no');
    });
    const stop = broker.subscribe('a', (message) => void seen.push(message));
    const message = { n: 1 };
    await broker.publish('a', message);
    await broker.publish('b', 2);
    message.n = 5;
    await until(() => seen.length === 1);
    stop();
    await broker.publish('a', 3);
    await sleep(20);
    expect(seen).to.equal([{ n: 1 }]);
    await broker.close();
  });

  if (redisAddress) {
    it('Redis: reaches all nodes with the same prefix', async () => {
      const prefix = `test[${Math.random()}]*:`;
      const [one, two, other] = await Promise.all([
        open(redisAddress, prefix),
        open(redisAddress, prefix),
        open(redisAddress, 'other:'),
      ]);
      const seen: string[] = [];
      one.subscribe('a', (message) => void seen.push(`one ${JSON.stringify(message)}`));
      two.subscribe('a', (message) => void seen.push(`two ${JSON.stringify(message)}`));
      other.subscribe('a', () => void seen.push('other'));
      await one.publish('a', { n: 1 });
      await until(() => seen.length >= 2);
      await sleep(30);
      expect(seen.sort()).to.equal(['one {"n":1}', 'two {"n":1}']);
      for (const broker of [one, two, other]) await broker.close();
    });
  }

  it('says plainly when Redis is not there', async () => {
    await expect(open('redis://127.0.0.1:1')).to.reject(/\[redis\] CONN_STR/);
  });

  it('cluster: workers reach each other through the primary, each once', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mortise-cluster-'));
    const file = join(folder, 'cluster.mjs');
    await writeFile(
      file,
      `import cluster from 'node:cluster';
       import { createBroker } from ${JSON.stringify(new URL('../broker/index.js', import.meta.url).href)};
       import { relayInPrimary } from ${JSON.stringify(new URL('../broker/memory.js', import.meta.url).href)};
       if (cluster.isPrimary) {
         relayInPrimary();
         let ready = 0;
         for (let index = 0; index < 3; index++) cluster.fork().on('message', (message) => {
           if (message === 'ready' && ++ready === 3) for (const worker of Object.values(cluster.workers)) worker.send('go');
         });
       } else {
         const log = { debug() {}, info() {}, warn() {}, error: console.error };
         const broker = await createBroker({ settings: { CONN_STR: '', PREFIX: '' }, log });
         const seen = [];
         const tell = () => { console.log(seen.sort().join(',')); process.exit(0); };
         // once all are there, a while for one that comes twice
         broker.subscribe('t', (from) => seen.push(from) === 3 && setTimeout(tell, 500));
         process.on('message', (message) => { if (message === 'go') void broker.publish('t', cluster.worker.id); });
         process.send('ready');
         setTimeout(tell, 100_000);
       }`,
    );
    const child = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.on('data', (text: Buffer) => (output += text.toString()));
    await new Promise((resolve) => child.on('close', resolve));
    await rm(folder, { recursive: true });
    expect(output.trim().split('\n')).to.equal(['1,2,3', '1,2,3', '1,2,3']);
  });
});
