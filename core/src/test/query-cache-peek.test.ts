import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import { redisSettings } from '../broker/index.js';
import { cacheSettings, createCache } from '../cache/index.js';
import type { KernelDatabase } from '../contracts.js';
import { createDatabase } from '../database/index.js';
import { engines, kernelSource, nextTurn, recordingLog, type TestDatabase } from './data-kit.js';
import { Star, starMigrations } from './star.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

for (const engine of engines) {
  describe(`what fresh caches know on ${engine.name}`, () => {
    let test: TestDatabase;
    let here: KernelDatabase;
    let migrations: Awaited<ReturnType<typeof starMigrations>>;
    before(async () => {
      test = await engine.open();
      here = test.database;
      migrations = await starMigrations();
      await here.migrate(migrations.sources);
    });
    after(async () => {
      await test.close();
      await migrations.remove();
    });

    /** The number of stars, in a fresh cache of that process. */
    const counting = (database: KernelDatabase) => {
      const cache = createCache({
        database,
        log: recordingLog(),
        settings: cacheSettings.validate({}).value,
        redis: redisSettings.validate({}).value,
      });
      const fresh = cache.query<number>('stars');
      const begin = async () => {
        await nextTurn();
        await database.syncVersions();
      };
      const load = async () => {
        await begin();
        return fresh.load('a', async () => (await database.query(Star)).length);
      };
      /** On MySQL what was asked for is known for a moment only, which may be over before this process goes on. */
      const known = async () => {
        for (let tries = 0; tries < 20; tries++) {
          await begin();
          const value = fresh.peek('a');
          if (value !== undefined) return value;
        }
        return undefined;
      };
      return { cache, fresh, load, known };
    };

    it('is known of tables that another process made while this one started', async () => {
      // as two processes that start at once
      const settings = { ...test.settings, NAME: `${test.settings.NAME}_empty`, PATH: 'data/empty.db' };
      const open = () => createDatabase({ settings, workDir: test.workDir, log: test.log });
      const [one, other] = [await open(), await open()];
      try {
        const sources = [...kernelSource, ...migrations.sources];
        expect(await one.migrate(sources)).to.include('stars/0001_star');
        expect(await other.migrate(sources)).to.equal([]);
        const { cache, load, known } = counting(other);
        expect(await load()).to.equal(0);
        expect(await known()).to.equal(0);
        await cache.close();
      } finally {
        if (one.engine === 'mysql')
          await one.write(async () => void (await one.knex().raw('drop database ??', [settings.NAME])));
        await Promise.all([one.close(), other.close()]);
      }
    });

    it('holds in a transaction too, until somebody has committed', async () => {
      const there = await test.another();
      const { fresh, load, known } = counting(here);
      const happen = (name: string) => here.knex()('event').insert({ name, payload: '1', emitted_at: 1 });
      const add = (database: KernelDatabase, name: string) =>
        database.write(async () => void (await database.query(Star).insert({ name })));

      expect(await known()).to.be.undefined();
      const many = await load();
      await here.write(async () => void (await happen('of another table')));
      await here.write(async () => {
        expect(await known()).to.equal(many);
        await happen('of another table');
        expect(await known()).to.equal(many);
        await here.query(Star).insert({ name: 'known later' });
        expect(await known()).to.be.undefined();
      });
      expect(await known()).to.be.undefined();
      expect(await load()).to.equal(many + 1);
      await add(there, 'of another process');
      await here.write(async () => expect(await known()).to.be.undefined());
      await load();
      await new Promise((resolve) => setTimeout(resolve, 50));
      // nobody has asked for a while what others committed
      expect(fresh.peek('a') === undefined).to.equal(here.engine === 'mysql');
    });
  });
}
