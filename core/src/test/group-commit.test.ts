import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import { ungrouped, GroupCommit } from '../database/group-commit.js';
import { Transactions } from '../database/transactions.js';
import { engines, until, type TestDatabase } from './data-kit.js';
import { Star, starMigrations } from './star.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

for (const engine of engines) {
  describe(`writes that are stored together on ${engine.name}`, () => {
    let test: TestDatabase;
    let migrations: Awaited<ReturnType<typeof starMigrations>>;
    before(async () => {
      test = await engine.open();
      migrations = await starMigrations();
      await test.database.migrate(migrations.sources);
    });
    after(async () => {
      await test.close();
      await migrations.remove();
    });

    /** A star with another that names it, and what is told after the commit. */
    const storing = (told: string[], together: string) => (name: string) => {
      const { database } = test;
      return database.write(
        async () => {
          await database.query(Star).where('name', name);
          await database.rows.insert(Star, { name });
          const rows = [{ name: `${name} b` }];
          await database.rows.insertWith(Star, { name: `${name} a` }, { table: Star, rows, column: 'count' });
          database.afterCommit(() => void told.push(name));
          return name;
        },
        { coalesceKey: together },
      );
    };
    const names = () => test.database.knex()('star').orderBy('id').pluck<string[]>('name');

    it('gives each its own answer, and rows name their own parents', async () => {
      const told: string[] = [];
      const wanted = ['one', 'two', 'three', 'four'];
      expect(await Promise.all(wanted.map(storing(told, 'few')))).to.equal(wanted);
      expect(told.sort()).to.equal([...wanted].sort());
      const rows = await test.database.query(Star);
      for (const name of wanted) {
        const [first, other] = ['a', 'b'].map((end) => rows.find((row) => row.name === `${name} ${end}`));
        expect(other!.count).to.equal(first!.id);
      }
    });

    it('stores the others where one of them fails, and nothing of that one', async () => {
      const told: string[] = [];
      const ended = await Promise.allSettled(['five', 'two', 'six'].map(storing(told, 'few')));
      expect(ended.map(({ status }) => status)).to.equal(['fulfilled', 'rejected', 'fulfilled']);
      expect(told.sort()).to.equal(['five', 'six']);
      expect((await names()).filter((name) => name.startsWith('two'))).to.have.length(3);
    });

    it('stores more than one group holds', async () => {
      const many = Array.from({ length: 40 }, (_, at) => `many ${at}`);
      const told: string[] = [];
      expect(await Promise.all(many.map(storing(told, 'many')))).to.equal(many);
      expect(told).to.have.length(40);
    });

    it('waits for none of another name', async () => {
      const { database } = test;
      if (database.engine !== 'mysql') return;
      const other = await test.another();
      const told: string[] = [];
      let free = () => {};
      let isHeld = false;
      const held = other.write(async () => {
        await other.rows.update(Star, { name: 'one' }, { set: { count: 7 } });
        isHeld = true;
        await new Promise<void>((resolve) => (free = resolve));
      });
      await until(() => isHeld);
      const change = () => database.rows.update(Star, { name: 'one' }, { set: { count: 8 } });
      const waiting = [1, 2].map(() => database.write(change, { coalesceKey: 'waits' }));
      await Promise.all(['seven', 'eight'].map(storing(told, 'goes on')));
      expect(told.sort()).to.equal(['eight', 'seven']);
      free();
      await held;
      await Promise.all(waiting);
    });

    it('takes what was written for the data of its tables', async () => {
      const { database } = test;
      const version = database.dataVersion(['star']);
      await Promise.all(['nine', 'ten'].map(storing([], 'few')));
      await database.syncVersions();
      expect(database.dataVersion(['star'])).to.not.equal(version);
      const other = await test.another();
      await other.syncVersions();
      const before = other.dataVersion(['star'])!;
      await Promise.all(['eleven', 'twelve'].map(storing([], 'few')));
      await other.syncVersions();
      if (database.engine === 'mysql') expect(other.dataVersion(['star'])!).to.be.above(before);
    });
  });
}

describe('writes that wait for a group that does not end', () => {
  it('run alone, and those that come later do not wait for it', async () => {
    let isSilent = false;
    const silent = () => {
      isSilent = true;
      return new Promise<never>(() => undefined);
    };
    const groups = new GroupCommit(new Transactions(), (work) => (isSilent ? work(undefined!) : silent()), 1);
    for (const name of ['one', 'two']) void groups.run('few', async () => name);
    await until(() => isSilent);
    expect(await groups.run('few', async () => 'three')).to.equal(ungrouped);
    const later = await Promise.all(['four', 'five'].map((name) => groups.run('few', async () => name)));
    expect(later.map((one) => one !== ungrouped && one.result)).to.equal(['four', 'five']);
  });
});
