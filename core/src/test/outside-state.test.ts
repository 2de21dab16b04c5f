import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import { redisSettings } from '../broker/index.js';
import { cacheSettings, createCache } from '../cache/index.js';
import type { KernelDatabase } from '../contracts.js';
import { engines, nextTurn, recordingLog, type TestDatabase } from './data-kit.js';
import { Star, starMigrations } from './star.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

for (const engine of engines) {
  describe(`what caches make of things outside of the database on ${engine.name}`, () => {
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

    const begin = async () => {
      await nextTurn();
      await here.syncVersions();
    };

    it('holds as long as those, also through other caches', async () => {
      const cache = createCache({
        database: here,
        log: recordingLog(),
        settings: cacheSettings.validate({}).value,
        redis: redisSettings.validate({}).value,
      });
      const inner = cache.query<string>('inner');
      const outer = cache.query<string>('outer');
      let word: string | undefined = 'calm';
      let made = 0;
      const read = () => word;
      const load = async () => {
        await begin();
        return outer.load('report', async () => {
          made++;
          await here.query(Star);
          const sea = await inner.load('sea', async () => {
            await here.query(Star);
            cache.noteRead({ key: 'sea', word, read });
            return `${word} sea`;
          });
          return `a ${sea}`;
        });
      };
      expect([await load(), await load(), made]).to.equal(['a calm sea', 'a calm sea', 1]);
      word = 'rough';
      expect([outer.peek('report'), inner.peek('sea')]).to.equal([undefined, undefined]);
      expect(await load()).to.equal('a rough sea');
      // nothing is kept while it changes
      word = undefined;
      await load();
      expect(outer.peek('report')).to.be.undefined();
      // nor what changed while it was read
      word = 'calm';
      const turning = outer.load('turning', async () => {
        await here.query(Star);
        cache.noteRead({ key: 'sea', word, read });
        word = 'rough';
        return 'calm';
      });
      expect(await turning).to.equal('calm');
      expect(outer.peek('turning')).to.be.undefined();
    });
  });
}
