import { stat } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import { PreparedJson, type QueryCache } from '@mortise/plugin-sdk';
import { redisSettings } from '../broker/index.js';
import { staleCheck } from '../cache/stale-check.js';
import { cacheSettings, createCache } from '../cache/index.js';
import type { KernelDatabase } from '../contracts.js';
import { sweepVersions } from '../database/commit-counters.js';
import { engines, nextTurn, recordingLog, type TestDatabase } from './data-kit.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const tables = `
export async function up(knex) {
  for (const name of ['ship', 'port'])
    await knex.schema.createTable(name, (table) => {
      table.increments('id');
      table.string('name', 100).notNullable().unique();
      table.integer('count').notNullable().defaultTo(0);
    });
  await knex.schema.createTable('sailor', (table) => {
    table.increments('id');
    table.integer('ship_id').unsigned().notNullable().references('id').inTable('ship').onDelete('CASCADE');
  });
}`;

const cacheOf = (database: KernelDatabase) =>
  createCache({
    database,
    log: recordingLog(),
    settings: cacheSettings.validate({}).value,
    redis: redisSettings.validate({}).value,
  });

/** What a request does at its beginning; on SQLite each begins in a turn of its own. */
async function begin(database: KernelDatabase): Promise<void> {
  await nextTurn();
  await database.syncVersions();
}

for (const engine of engines) {
  describe(`A11: versions of the data on ${engine.name}`, () => {
    let test: TestDatabase;
    let here: KernelDatabase;
    let there: KernelDatabase;
    before(async () => {
      test = await engine.open();
      const folder = await mkdtemp(join(tmpdir(), 'mortise-migrations-'));
      await writeFile(join(folder, '0001_ships.js'), tables);
      await writeFile(join(folder, 'package.json'), '{"type":"module"}');
      await test.database.migrate([{ owner: 'ships', folder: pathToFileURL(`${folder}/`) }]);
      await rm(folder, { recursive: true });
      here = test.database;
      there = await test.another();
    });
    after(() => test.close());

    const add = (database: KernelDatabase, table: string, name: string) =>
      database.write(async () => void (await database.knex()(table).insert({ name })));
    const count = (database: KernelDatabase, table: string) =>
      database.knex()(table).count<{ number: number }[]>({ number: '*' }).first();

    it('a version moves with each commit, by this or another process, to its tables only', async () => {
      const look = async () => {
        await begin(here);
        return { all: here.dataVersion()!, ships: here.dataVersion(['ship'])!, ports: here.dataVersion(['port'])! };
      };
      const first = await look();
      await count(here, 'ship');
      expect(await look()).to.equal(first);
      await here.write(async () => {
        await here.knex()('ship').insert({ name: 'here' });
        // on MySQL it is not known any more after a while
        expect(here.dataVersion(['ship']) ?? first.ships).to.equal(first.ships);
      });
      const second = await look();
      expect(second.all).to.be.above(first.all);
      expect(second.ships).to.be.above(first.ships);
      expect(second.ports).to.equal(first.ports);
      await add(there, 'port', 'there');
      const third = await look();
      expect(third.ports).to.be.above(second.ports);
      expect(third.ships).to.equal(second.ships);
      // A transaction without a change is none.
      await here.write(async () => void (await here.knex()('ship').where({ name: 'nobody' }).delete()));
      await there.write(async () => void (await there.knex()('ship').where({ name: 'nobody' }).delete()));
      await expect(
        there.write(async () => {
          await there.knex()('ship').insert({ name: 'not kept' });
          throw new Error('changed my mind');
        }),
      ).to.reject();
      expect(await look()).to.equal(third);
    });

    it('fresh caches keep what was read from tables that stay, and nothing inside transactions', async () => {
      const fresh = cacheOf(here).query<number>('ships');
      let loads = 0;
      const load = async () => {
        await begin(here);
        return fresh.load('a', async () => {
          await count(here, 'ship');
          return ++loads;
        });
      };
      expect([await load(), await load()]).to.equal([1, 1]);
      await add(here, 'port', 'other table');
      await add(there, 'port', 'other table, other process');
      expect([await load(), await load()]).to.equal([1, 1]);
      await add(here, 'ship', 'own commit');
      expect([await load(), await load()]).to.equal([2, 2]);
      await add(there, 'ship', 'commit of another');
      expect([await load(), await load()]).to.equal([3, 3]);
      await here.write(async () => {
        expect(await load()).to.equal(4);
        expect(fresh.get('a')).to.be.undefined();
      });
    });

    it('a value whose size is endless is not stored', async () => {
      const sized = cacheOf(here).query<string>('sized');
      await begin(here);
      const passing = () => sized.load('passing', async () => 'passes', { size: () => Infinity });
      expect([await passing(), await passing(), sized.get('passing')]).to.equal(['passes', 'passes', undefined]);
    });

    it('answers that are kept as they are sent are compared too', async () => {
      const check = staleCheck(
        'answers',
        { syncVersions: async () => undefined, dataVersion: () => 1 },
        recordingLog(),
      );
      const answer = (state: string) => ({ body: PreparedJson.serialized({ state }) });
      await check(
        'one',
        answer('open'),
        async () => answer('open'),
        () => true,
      );
      await expect(
        check(
          'one',
          answer('open'),
          async () => answer('done'),
          () => true,
        ),
      ).to.reject(/stale/);
      // what it was made from has changed while it was made again
      await check(
        'one',
        answer('open'),
        async () => answer('done'),
        () => false,
      );
    });

    it('a value made of other cached values holds as long as those', async () => {
      const cache = cacheOf(here);
      const inner = cache.query<number>('inner');
      const outer = cache.query<number>('outer');
      const ships = () => inner.load('ships', async () => (await count(here, 'ship'))!.number);
      const both = async () => {
        await begin(here);
        return outer.load('both', async () => (await ships()) * 1000 + (await count(here, 'port'))!.number);
      };
      // Loaded with the inner one cached, so that only that knows of the ships.
      await begin(here);
      await ships();
      const before = await both();
      await add(there, 'ship', 'seen through two');
      expect(await both()).to.equal(before + 1000);
      await add(here, 'port', 'seen through one');
      expect(await both()).to.equal(before + 1001);
      const many = async () => {
        await begin(here);
        return outer.load('many', async () => {
          const all = await inner.loadMany([1, 2], async (missing) => new Map(missing.map((one) => [one, one])));
          return all.size + (await ships());
        });
      };
      const ahead = await many();
      await add(there, 'ship', 'seen through a list');
      expect(await many()).to.equal(ahead + 1);
    });

    it('what the loader does not read from the database holds until anything is committed', async () => {
      const fresh = cacheOf(here).query<number>('unknown');
      let loads = 0;
      const load = async () => {
        await begin(here);
        return fresh.load('a', async () => ++loads);
      };
      expect([await load(), await load()]).to.equal([1, 1]);
      await add(there, 'port', 'anything');
      expect(await load()).to.equal(2);
    });

    it('deleting rows counts for tables whose rows go with them', async () => {
      const fresh = cacheOf(here).query<number>('sailors');
      await here.write(async () => {
        const [id] = await here.knex()('ship').insert({ name: 'sinking' });
        await here.knex()('sailor').insert({ ship_id: id });
      });
      const sailors = async () => {
        await begin(here);
        return fresh.load('a', async () => (await count(here, 'sailor'))!.number);
      };
      expect(await sailors()).to.equal(1);
      await there.write(async () => void (await there.knex()('ship').where({ name: 'sinking' }).delete()));
      expect(await sailors()).to.equal(0);
    });

    it('a commit while a value is loaded: it is given and not kept, and nobody who comes later gets it', async () => {
      const fresh = cacheOf(here).query<number>('slow');
      let release!: () => void;
      const gate = new Promise<void>((resolve) => (release = resolve));
      let hasRead!: () => void;
      const read = new Promise<void>((resolve) => (hasRead = resolve));
      const ships = async () => (await count(here, 'ship'))!.number;
      await begin(here);
      const slow = fresh.load('a', async () => {
        const number = await ships();
        hasRead();
        await gate;
        return number;
      });
      await read;
      await add(here, 'ship', 'in the middle');
      await begin(here);
      const later = fresh.load('a', ships);
      release();
      expect(await later).to.equal((await slow) + 1);
      await begin(here);
      expect(await fresh.load('a', ships)).to.equal(await later);
    });

    it('a commit while a value inside another is loaded: nobody who comes later gets the outer one', async () => {
      const cache = cacheOf(here);
      const inner = cache.query<number>('slow inner');
      const outer = cache.query<number>('waiting outer');
      for (const joins of [false, true]) {
        let release!: () => void;
        const gate = new Promise<void>((resolve) => (release = resolve));
        let hasRead!: () => void;
        const read = new Promise<void>((resolve) => (hasRead = resolve));
        const ships = async () => (await count(here, 'ship'))!.number;
        const slowly = () =>
          inner.load('a', async () => {
            const number = await ships();
            hasRead();
            await gate;
            return number;
          });
        await begin(here);
        const begun = joins ? slowly() : undefined;
        if (begun) await read;
        const slow = outer.load('a', slowly);
        await read;
        await add(here, 'ship', `inside ${joins}`);
        await begin(here);
        const later = outer.load('a', ships);
        release();
        expect(await later).to.equal((await slow) + 1);
        await begun;
      }
    });

    it('what a timer or an immediate looked at is not taken for what holds when input is read after it', async () => {
      for (const soon of [setImmediate, setTimeout])
        for (let round = 0; round < 5; round++) {
          const seen = await new Promise<number>((resolve, reject) => {
            const looked = async () => {
              const before = here.dataVersion() ?? 0;
              await add(there, 'ship', `${soon.name} ${round}`);
              // comes with the input, as a request does
              stat('.', () => {
                const caughtUp = here.syncVersions() ?? Promise.resolve();
                caughtUp.then(() => resolve(here.dataVersion()! - before), reject);
              });
            };
            soon(() => void looked().catch(reject));
          });
          expect(seen).to.be.above(0);
        }
    });

    it('many keys are asked for at once, and only those that are missing', async () => {
      const fresh = cacheOf(here).query<string>('many');
      const asked: number[][] = [];
      const load = async (keys: number[]) => {
        await begin(here);
        return fresh.loadMany(keys, async (missing) => {
          asked.push([...missing]);
          await count(here, 'port');
          return new Map(missing.filter((key) => key < 9).map((key) => [key, `v${key}`]));
        });
      };
      expect([...(await load([1, 2, 2, 9]))]).to.equal([
        [1, 'v1'],
        [2, 'v2'],
      ]);
      expect([...(await load([2, 3])).keys()]).to.equal([2, 3]);
      expect([...(await load([]))]).to.equal([]);
      await add(there, 'port', 'for many');
      expect([...(await load([1, 3])).values()]).to.equal(['v1', 'v3']);
      expect(asked).to.equal([[1, 2, 9], [3], [1, 3]]);
    });

    it('nobody reads what is older than a commit that was acknowledged before, whoever committed it', async () => {
      await add(here, 'ship', 'counter');
      const nodes = [here, there];
      const caches = nodes.map((node) => cacheOf(node).query<number>('counter'));
      const at = { name: 'counter' };
      let acknowledged = 0;
      let stale = 0;
      let reads = 0;
      let isDone = false;
      const read = async (node: KernelDatabase, cache: QueryCache<number>) => {
        while (!isDone) {
          const known = acknowledged;
          await begin(node);
          const seen = await cache.load('a', async () => {
            const row = await node.knex()('ship').where(at).first<{ count: number }>('count');
            return row.count;
          });
          reads++;
          if (seen < known) stale++;
        }
      };
      const write = async (node: KernelDatabase) => {
        for (let round = 0; round < 60; round++) {
          let written = 0;
          await node.write(async () => {
            await node.knex()('ship').where(at).increment('count', 1);
            written = (await node.knex()('ship').where(at).first<{ count: number }>('count')).count;
          });
          acknowledged = Math.max(acknowledged, written);
          await add(node, 'port', `noise ${Math.random()}`);
        }
      };
      const readers = nodes.flatMap((node, index) => [1, 2, 3].map(() => read(node, caches[index]!)));
      await Promise.all(nodes.map(write));
      isDone = true;
      await Promise.all(readers);
      expect(acknowledged).to.equal(120);
      expect(reads).to.be.above(0);
      expect(stale).to.equal(0);
    });

    it('a database that is closed while somebody asks for its versions leaves no connection behind', async () => {
      const sessions = async (): Promise<number> => {
        if (here.engine === 'sqlite') return 0;
        const sql = 'select count(*) as many from information_schema.processlist where db = database()';
        return Number((await here.statement(sql, [])).rows.map((row) => (row as { many: number }).many)[0]);
      };
      const other = await test.another();
      await other.syncVersions();
      const during = await sessions();
      const asked = other.syncVersions();
      await other.close();
      await asked;
      // the server takes a moment to see that they are closed
      while (here.engine === 'mysql' && (await sessions()) >= during) await nextTurn();
    });

    it('rows of processes that ended are swept, and no change goes unnoticed for it', async () => {
      const gone = await test.another();
      await add(gone, 'ship', 'last words');
      await gone.close();
      const rows = () => here.knex()('data_version').whereNot('process', '').pluck<string[]>('process');
      expect(await rows()).to.not.equal([]);
      await begin(there);
      const before = there.dataVersion(['port']);
      await sweepVersions(here, Date.now() + 1);
      // The sweep itself is a commit of this process.
      expect(new Set(await rows()).size).to.equal(1);
      await begin(there);
      expect(there.dataVersion(['port'])).to.equal(before);
      await add(here, 'port', 'after the sweep');
      await begin(there);
      expect(there.dataVersion(['port'])!).to.be.above(before!);
      await add(there, 'port', 'by one that was swept');
      await begin(here);
      const fresh = cacheOf(here).query<number>('ports');
      expect(await fresh.load('a', async () => (await count(here, 'port'))!.number)).to.equal(
        (await count(there, 'port'))!.number,
      );
    });
  });
}
