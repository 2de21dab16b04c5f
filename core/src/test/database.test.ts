import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import { engines, until, type TestDatabase } from './data-kit.js';
import { Star, starMigrations } from './star.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

for (const engine of engines) {
  describe(`database on ${engine.name}`, () => {
    let test: TestDatabase;
    let migrations: Awaited<ReturnType<typeof starMigrations>>;
    before(async () => {
      // However many deadlocks a slow machine makes of the writers below, none of them may be given up.
      test = await engine.open({ DB_RETRIES: 1000 });
      migrations = await starMigrations();
    });
    after(async () => {
      await test.close();
      await migrations.remove();
    });
    const source = () => migrations.sources;

    it('applies each migration once, also when two processes start at the same time', async () => {
      const other = await test.another();
      expect(await test.database.pendingMigrations(source())).to.equal(['stars/0001_star']);
      const applied = (await Promise.all([test.database.migrate(source()), other.migrate(source())])).flat();
      expect(applied).to.equal(['stars/0001_star']);
      expect(await test.database.pendingMigrations(source())).to.equal([]);
    });

    it('keeps nothing of a migration that fails, and says which one', async () => {
      const bad = await mkdtemp(join(tmpdir(), 'mortise-migrations-'));
      await writeFile(
        join(bad, '0001_bad.js'),
        'export async function up(knex) { await knex("star").insert({ name: "half" }); throw new Error("no"); }',
      );
      await writeFile(join(bad, 'package.json'), '{"type":"module"}');
      await expect(test.database.migrate([{ owner: 'bad', folder: pathToFileURL(`${bad}/`) }])).to.reject(
        'migration bad/0001_bad failed: no',
      );
      expect(await test.database.query(Star).where({ name: 'half' })).to.equal([]);
      await rm(bad, { recursive: true });
    });

    it('reads back booleans, JSON and large numbers as they were written', async () => {
      const { database } = test;
      const { id } = await database.write(() =>
        database.query(Star).insert({ name: 'Vega', is_private: true, topics: ['a'], made_at: 1_790_000_000_000 }),
      );
      const found = await database.query(Star).findById(id);
      expect(found).to.include({ name: 'Vega', is_private: true, made_at: 1_790_000_000_000 });
      expect(found!.topics).to.equal(['a']);
      const { many } = (await database.knex()('star').count({ many: 'id' }).first()) as { many: number };
      expect(many).to.equal(1);
      const { total } = (await database.knex()('star').sum({ total: 'made_at' }).first()) as { total: number };
      expect(total).to.equal(1_790_000_000_000);
      const { mean } = (await database.knex()('star').avg({ mean: 'count' }).first()) as { mean: number };
      expect(mean).to.equal(0);
    });

    it('tells migrations which kind of database it is', () => {
      const { client } = test.database.knex().client.config as { client: unknown };
      expect(client).to.equal(test.database.engine === 'mysql' ? 'mysql2' : client);
      return test.database.write(async () => {
        const inside = test.database.knex().client.config as { client: unknown };
        expect(inside.client).to.equal(client);
      });
    });

    it('tells case and trailing blanks apart', async () => {
      const { database } = test;
      await database.write(async () => {
        await database.query(Star).insert({ name: 'vega' });
        await database.query(Star).insert({ name: 'vega ' });
      });
      expect(await database.query(Star).where('name', 'vega').resultSize()).to.equal(1);
      expect(await database.query(Star).where('name', 'like', 'veg%').resultSize()).to.equal(2);
    });

    it('inserts thousands of rows at once, and merges or ignores what is there', async () => {
      const { database } = test;
      const rows = Array.from({ length: 3000 }, (_, index) => ({
        name: `many ${index}`,
        is_private: index % 2 === 0,
        count: index,
      }));
      await database.write(async () => {
        await database.knex()('star').insert(rows);
        await database
          .knex()('star')
          .insert(rows.slice(0, 3).map((row) => ({ ...row, count: -1 })))
          .onConflict('name')
          .ignore();
        await database
          .knex()('star')
          .insert(rows.slice(3, 6).map((row) => ({ ...row, count: -2 })))
          .onConflict('name')
          .merge();
      });
      const found = await database.query(Star).where('name', 'like', 'many %').orderBy('id').limit(7);
      expect(found.map((star) => star.count)).to.equal([0, 1, 2, -2, -2, -2, 6]);
      expect(found.map((star) => star.is_private)).to.equal([true, false, true, false, true, false, true]);
      expect(await database.query(Star).where('name', 'like', 'many %').resultSize()).to.equal(3000);
    });

    it('refuses writes outside of a transaction, and with its handle after it', async () => {
      const { database } = test;
      await expect(database.knex()('star').insert({ name: 'out' })).to.reject(/read.?only/i);
      await expect((async () => database.query(Star).insert({ name: 'out' }))()).to.reject(/read.?only/i);
      let handle = database.knex();
      await database.write(async () => {
        handle = database.knex();
      });
      await expect(handle('star').insert({ name: 'out' })).to.reject(/outside of database.write|already complete/);
      await database.write(async () => {
        // The handle of a finished transaction does not work inside another one either on MySQL; on SQLite it is the same connection.
        if (database.engine === 'mysql')
          await expect(handle('star').insert({ name: 'out' })).to.reject(/already complete/);
      });
      expect(await database.query(Star).where({ name: 'out' }).resultSize()).to.equal(0);
    });

    it('sees its own changes inside, others see them after the commit', async () => {
      const { database } = test;
      let release!: () => void;
      const hold = new Promise<void>((resolve) => (release = resolve));
      const writing = database.write(async () => {
        await database.query(Star).insert({ name: 'Rigel' });
        expect(await database.query(Star).where({ name: 'Rigel' }).resultSize()).to.equal(1);
        await hold;
      });
      await new Promise((resolve) => setTimeout(resolve, 30));
      expect(database.inTransaction()).to.be.false();
      expect(await database.query(Star).where({ name: 'Rigel' }).resultSize()).to.equal(0);
      release();
      await writing;
      expect(await database.query(Star).where({ name: 'Rigel' }).resultSize()).to.equal(1);
    });

    it('rolls back what throws, nested writes included', async () => {
      const { database } = test;
      const ran: string[] = [];
      const failing = database.write(async () => {
        database.afterCommit(() => void ran.push('after'));
        await database.write(() => database.query(Star).insert({ name: 'Deneb' }));
        throw new Error('changed my mind');
      });
      await expect(failing).to.reject('changed my mind');
      expect(ran).to.equal([]);
      expect(await database.query(Star).where({ name: 'Deneb' }).resultSize()).to.equal(0);
    });

    it('does what is left for the end of a transaction within it, when all of the change can be read', async () => {
      const { database } = test;
      const ran: string[] = [];
      const starsOf = () => database.query(Star).where('name', 'like', 'Mizar%').resultSize();
      const write = (fails: boolean) =>
        database.write(async () => {
          database.afterCommit(() => void ran.push('after'));
          // the outermost transaction ends later than the one that joins it
          await database.write(async () =>
            database.beforeCommit(async () => {
              ran.push(`before: ${await starsOf()}`);
              await database.query(Star).insert({ name: 'Mizar B' });
              database.beforeCommit(() => {
                ran.push('last');
                if (fails) throw new Error('not so');
              });
            }),
          );
          await database.query(Star).insert({ name: 'Mizar' });
        });
      await expect(write(true)).to.reject('not so');
      expect([ran.splice(0), await starsOf()]).to.equal([['before: 1', 'last'], 0]);
      await write(false);
      expect([ran, await starsOf()]).to.equal([['before: 1', 'last', 'after'], 2]);
      expect(() => database.beforeCommit(() => undefined)).to.throw(/inside database.write/);
    });

    it('takes back of writes that wait together only the one that fails, and acknowledges what is stored', async () => {
      const { database } = test;
      const other = await test.another();
      const write = (name: string, fails = false) =>
        database.write(async () => {
          await database.query(Star).insert({ name });
          await new Promise((resolve) => setImmediate(resolve));
          // those before it are there already
          const seen = await database.query(Star).where('name', 'like', 'together %');
          if (fails) throw new Error(`not ${name}`);
          return seen.length;
        });
      const names = ['a', 'b', 'c', 'd', 'e'].map((letter) => `together ${letter}`);
      const ends = await Promise.allSettled(
        names.map(async (name, at) => {
          const seen = await write(name, at === 0 || at === 2);
          expect(await other.query(Star).where({ name })).to.have.length(1);
          return seen;
        }),
      );
      expect(ends.map(({ status }) => status === 'fulfilled')).to.equal([false, true, false, true, true]);
      const left = await database.query(Star).where('name', 'like', 'together %').orderBy('name');
      expect(left.map(({ name }) => name)).to.equal([names[1], names[3], names[4]]);
      await database.write(() => database.query(Star).where('name', 'like', 'together %').delete());
    });

    it('refuses for what another did only when that can be read', async () => {
      const { database } = test;
      const other = await test.another();
      const add = () =>
        database.write(async () => {
          await database.query(Star).insert({ name: 'contested' });
          await new Promise((resolve) => setImmediate(resolve));
        });
      const found: number[] = [];
      const look = async () => found.push(await other.query(Star).where({ name: 'contested' }).resultSize());
      // the last ones keep those before them waiting for the commit
      await Promise.allSettled(Array.from({ length: 6 }, () => add().catch(look)));
      expect(found).to.equal([1, 1, 1, 1, 1]);
      await database.write(() => database.query(Star).delete().where({ name: 'contested' }));
    });

    it('goes on after a refused statement inside a transaction', async () => {
      const { database } = test;
      await database.write(async () => {
        await database.query(Star).insert({ name: 'Altair' });
        await expect((async () => database.query(Star).insert({ name: 'Altair' }))()).to.reject(/unique|duplicate/i);
        await database.query(Star).insert({ name: 'Spica' });
      });
      expect(await database.query(Star).whereIn('name', ['Altair', 'Spica']).resultSize()).to.equal(2);
    });

    it('runs work after the commit, outside of the transaction, and survives its failure', async () => {
      const { database, log } = test;
      const seen: unknown[] = [];
      await database.write(async () => {
        await database.query(Star).insert({ name: 'Sirius' });
        database.afterCommit(async () => {
          seen.push(database.inTransaction(), await database.query(Star).where({ name: 'Sirius' }).resultSize());
        });
        database.afterCommit(() => {
          throw new Error('too bad');
        });
        database.afterCommit(() => void seen.push('last'));
        expect(seen).to.equal([]);
      });
      expect(seen).to.equal([false, 1, 'last']);
      expect(log.lines.some((line) => line.message === 'work after a commit failed')).to.be.true();
    });

    it('work that outlives its transaction reads outside and writes in a new one', async () => {
      const { database } = test;
      let later!: Promise<number>;
      let committed!: () => void;
      await database.write(async () => {
        later = new Promise<void>((resolve) => (committed = resolve)).then(async () => {
          expect(database.inTransaction()).to.be.false();
          await database.write(() => database.query(Star).insert({ name: 'late' }));
          return database.query(Star).where({ name: 'late' }).resultSize();
        });
      });
      committed();
      expect(await later).to.equal(1);
    });

    it('loses no update of many writers in two processes', async () => {
      const { database } = test;
      const other = await test.another();
      await database.write(() => database.query(Star).insert({ name: 'counter', count: 0 }));
      await database.write(() => database.query(Star).insert({ name: 'counter 2', count: 0 }));
      const work = (from: typeof database, first: string, second: string) =>
        from.write(async () => {
          // Two rows in changing order: deadlocks on MySQL, which are tried again.
          for (const name of [first, second]) await from.knex()('star').where({ name }).increment('count', 1);
        });
      const all = Array.from({ length: 60 }, (_, index) =>
        work(index % 2 ? database : other, index % 3 ? 'counter' : 'counter 2', index % 3 ? 'counter 2' : 'counter'),
      );
      await Promise.all(all);
      const rows = await database.query(Star).where('name', 'like', 'counter%').select('count');
      expect(rows.map((row) => row.count)).to.equal([60, 60]);
    });

    it('tries again what a deadlock stopped in a statement of a model', async () => {
      const { database } = test;
      if (database.engine !== 'mysql') return;
      const names = ['model a', 'model b'];
      for (const name of names) await database.write(() => database.query(Star).insert({ name, count: 0 }));
      let holding = 0;
      const work = (first: string, second: string) =>
        database.write(async () => {
          await database.query(Star).where({ name: first }).increment('count', 1);
          // each holds its first row before it asks for the other's
          holding++;
          await until(() => holding > 1);
          await database.query(Star).where({ name: second }).increment('count', 1);
        });
      await Promise.all([work(names[0]!, names[1]!), work(names[1]!, names[0]!)]);
      expect(holding).to.be.above(2);
      expect(await database.knex()('star').whereIn('name', names).orderBy('name').pluck('count')).to.equal([2, 2]);
    });

    it('commits no half of a transaction whose deadlock was swallowed', async () => {
      const { database } = test;
      if (database.engine !== 'mysql') return;
      const names = ['swallow a', 'swallow b'];
      for (const name of names) await database.write(() => database.query(Star).insert({ name, count: 0 }));
      let swallowed = 0;
      let holding = 0;
      const work = (first: string, second: string) =>
        database.write(async () => {
          await database.knex()('star').where({ name: first }).increment('count', 1);
          // each holds its first row before it asks for the other's
          holding++;
          await until(() => holding > 1);
          try {
            await database.knex()('star').where({ name: second }).increment('count', 1);
          } catch {
            swallowed++;
          }
          await database.query(Star).insert({ name: `after ${first} ${Math.random()}` });
        });
      await Promise.all([work(names[0]!, names[1]!), work(names[1]!, names[0]!)]);
      expect(swallowed).to.be.above(0);
      expect(await database.knex()('star').whereIn('name', names).orderBy('name').pluck('count')).to.equal([2, 2]);
      expect(await database.query(Star).where('name', 'like', 'after swallow%').resultSize()).to.equal(2);
    });

    it('acknowledged writes survive SIGKILL', async () => {
      const script = `
        import { createDatabase } from ${JSON.stringify(new URL('../database/index.js', import.meta.url).href)};
        const log = { debug() {}, info() {}, warn() {}, error() {} };
        const database = await createDatabase({ settings: ${JSON.stringify(test.settings)}, workDir: ${JSON.stringify(test.workDir)}, log });
        for (let number = 1; ; number++) {
          await database.write(() => database.knex()('star').insert({ name: 'kill ' + process.pid + ' ' + number }));
          process.stdout.write(process.pid + ' ' + number + '\\n');
        }`;
      for (const wait of [150, 300]) {
        const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
          stdio: ['ignore', 'pipe', 'inherit'],
        });
        let output = '';
        child.stdout.on('data', (text: Buffer) => (output += text.toString()));
        await until(() => output.split('\n').length > 6);
        await new Promise((resolve) => setTimeout(resolve, wait));
        child.kill('SIGKILL');
        await new Promise((resolve) => child.on('close', resolve));
        const told = output.split('\n').slice(0, -1);
        const names = new Set(
          await test.database.knex()('star').where('name', 'like', `kill ${child.pid} %`).pluck<string[]>('name'),
        );
        expect(told.filter((line) => !names.has(`kill ${line}`))).to.equal([]);
      }
    });
  });
}
