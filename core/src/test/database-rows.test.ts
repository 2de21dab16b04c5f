import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import { engines, type TestDatabase } from './data-kit.js';
import { Star, starMigrations } from './star.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

for (const engine of engines) {
  describe(`statements without the query builder on ${engine.name}`, () => {
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

    it('writes and reads single rows by their columns as models do', async () => {
      const { database } = test;
      const id = await database.write(() =>
        database.rows.insert(Star, { name: 'row', is_private: true, topics: ['a'], made_at: 5 }),
      );
      const row = (await database.query(Star).findById(id))!;
      expect([row.is_private, row.topics[0], row.count]).to.equal([true, 'a', 0]);
      const same = await database.rows.findOne(Star, { name: 'row', is_private: true });
      expect(JSON.stringify(same)).to.equal(JSON.stringify(row));
      expect(await database.rows.findOne(Star, { name: 'row', is_private: false })).to.be.undefined();
      await database.write(async () => {
        await database.rows.insertWith(
          Star,
          { name: 'row 2' },
          { table: Star, rows: [{ name: 'row 3' }], column: 'count' },
        );
        const change = { add: { count: 2 }, set: { topics: null, is_private: false } };
        expect(await database.rows.update(Star, { id }, change)).to.equal(1);
        expect(await database.rows.update(Star, { id: id + 1000 }, change)).to.equal(0);
        await database.rows.upsertPipelined(Star, ['name'], { name: 'row 2', count: 7 });
        await database.rows.upsertPipelined(Star, ['name'], { name: 'row 4', count: 8 });
        const [held] = await database.rows.find(Star, { id }, { columns: ['id', 'count'], forUpdate: true });
        expect(JSON.stringify(held)).to.equal(JSON.stringify({ id, count: 2 }));
        await expect(database.rows.insert(Star, { name: 'row' })).to.reject();
      });
      const rows = await database.query(Star).where('name', 'like', 'row%').orderBy('name');
      const second = rows.find(({ name }) => name === 'row 2')!.id;
      expect(rows.map((one): unknown => [one.count, one.topics, one.is_private])).to.equal([
        [2, null, false],
        [7, null, false],
        [second, null, false],
        [8, null, false],
      ]);
      const ids = rows.map((one) => one.id);
      expect((await database.rows.findByIds(Star, ids)).length).to.equal(4);
      expect((await database.rows.findByIds(Star, [id])).map((one) => one.count)).to.equal([2]);
      await database.write(() => database.query(Star).whereIn('id', ids).delete());
    });

    it('writes each value to its column, in whatever order a row names them', async () => {
      const { database } = test;
      const rows = [
        { name: 'ordered 1', is_private: false },
        { is_private: true, name: 'ordered 2' },
      ];
      await database.write(async () => {
        await database.rows.insertWith(Star, { name: 'ordered' }, { table: Star, rows, column: 'made_at' });
        // nothing but its key: it stays as it is
        await database.rows.upsertPipelined(Star, ['name'], { name: 'ordered' });
      });
      const stored = await database.query(Star).where('name', 'like', 'ordered%').orderBy('name');
      expect(stored.map((one): unknown => [one.name, one.is_private])).to.equal([
        ['ordered', false],
        ['ordered 1', false],
        ['ordered 2', true],
      ]);
      await database.write(() => database.query(Star).where('name', 'like', 'ordered%').delete());
    });

    it('sends what nobody waits for before all that follows, and stores it with the rest or not at all', async () => {
      const { database } = test;
      const add = (name: string) => database.pipelined('insert into star (name) values (?)', [name]);
      const names = () => database.query(Star).where('name', 'like', 'later%').orderBy('name');
      await database.write(async () => {
        await add('later 1');
        expect((await names()).length).to.equal(1);
        await add('later 2');
        const { rows } = await database.statement('select count(*) as many from star where name like ?', ['later%']);
        expect(rows).to.equal([{ many: 2 }]);
        // whoever is refused may go on: what others sent before is stored
        await add('later 3');
        await expect(database.rows.insert(Star, { name: 'later 1' })).to.reject();
        await add('later 4');
      });
      expect((await names()).length).to.equal(4);
      // nobody heard of the failure but whoever came next, who knows nothing of it
      const refused = database.write(async () => {
        await database.statement('delete from star where name = ?', ['later 4']);
        await add('later 1');
        await database.statement('select 1 as one', []).catch(() => undefined);
      });
      await expect(refused).to.reject();
      // the last is the commit
      await expect(database.write(() => add('later 1'))).to.reject();
      await expect(add('later 5')).to.reject();
      expect((await names()).length).to.equal(4);
      await database.write(() => database.query(Star).where('name', 'like', 'later%').delete());
    });

    it('reads once what is asked several times at the same moment, with nothing written in between', async () => {
      const { database } = test;
      const rowsOf = async <T>(sql: string, values: readonly unknown[]) =>
        (await database.statement(sql, values)).rows as T[];
      await database.write(() => database.rows.insert(Star, { name: 'shared', count: 1 }));
      const read = () => rowsOf<{ count: number; name: string }>('select * from star where name = ?', ['shared']);
      const asked = async () => {
        if (database.engine !== 'mysql') return 0;
        const [row] = await rowsOf<{ Value: string }>("show session status like 'Com_select'", []);
        return Number(row!.Value);
      };
      await database.write(async () => {
        const before = await asked();
        const [[first], [second]] = await Promise.all([read(), read()]);
        expect((await asked()) - before).to.equal(database.engine === 'mysql' ? 1 : 0);
        // each has rows of its own
        first!.count = 5;
        expect(second!.count).to.equal(1);
        const random = () => rowsOf<{ one: number }>('select random() as one', []);
        const mysqlRandom = () => rowsOf<{ one: number }>('select rand() as one', []);
        const draw = database.engine === 'mysql' ? mysqlRandom : random;
        const [[one], [other]] = await Promise.all([draw(), draw()]);
        expect(one!.one).to.not.equal(other!.one);
        const add = database.rows.update(Star, { name: 'shared' }, { add: { count: 1 } });
        const later = read();
        const put = database.pipelined('update star set count = count + 1 where name = ?', ['shared']);
        const last = read();
        await Promise.all([add, put]);
        expect((await later)[0]!.count).to.equal(2);
        expect((await last)[0]!.count).to.equal(3);
        expect((await read())[0]!.count).to.equal(3);
      });
      await database.write(() => database.query(Star).where('name', 'shared').delete());
    });

    it('sends what nobody waits for before rows that are streamed', async () => {
      const { database } = test;
      const names = async () => {
        const found: string[] = [];
        const rows = database.knex()<Star>('star').select('name').where('name', 'like', 'stream%').stream();
        for await (const { name } of rows as AsyncIterable<Star>) found.push(name);
        return found;
      };
      const add = (name: string) => database.pipelined('insert into star (name) values (?)', [name]);
      await database.write(async () => {
        await add('stream 1');
        expect(await names()).to.equal(['stream 1']);
      });
      await expect(
        database.write(async () => {
          await add('stream 1');
          await names();
        }),
      ).to.reject(/duplicate|unique/i);
      await database.write(() => database.query(Star).where('name', 'like', 'stream%').delete());
    });

    it('stores nothing of what is asked for once the work has failed, or while it is stored', async () => {
      const { database } = test;
      const add = (name: string) => database.rows.insert(Star, { name });
      const asked: Promise<unknown>[] = [];
      const failed = database.write(async () => {
        await database.pipelined('insert into star (name) values (?)', ['gone 1']);
        // waits for the one before
        asked.push(
          database
            .knex()('star')
            .insert({ name: 'gone 2' })
            .catch(() => undefined),
        );
        await new Promise(process.nextTick);
        asked.push(add('gone 3').catch(() => undefined));
        throw new Error('no');
      });
      await expect(failed).to.reject('no');
      // each settles
      await Promise.all(asked);
      let late!: Promise<string>;
      await database.write(async () => {
        await add('kept');
        late = new Promise(setImmediate)
          .then(() => add('gone 4'))
          .then(
            () => 'taken',
            () => 'refused',
          );
      });
      expect(await late).to.equal('refused');
      // more than there are connections
      await Promise.all(Array.from({ length: 20 }, (_, at) => database.write(() => add(`kept ${at}`))));
      expect(await database.query(Star).where('name', 'like', 'gone%').resultSize()).to.equal(0);
      await database.write(() => database.query(Star).where('name', 'like', 'kept%').delete());
    });

    it('numbers rows that name another one by that one, also of several at the same moment', async () => {
      const { database } = test;
      const names = ['first', 'second', 'third'];
      await database.write(() =>
        Promise.all(
          names.map((name) =>
            database.rows.insertWith(
              Star,
              { name },
              { table: Star, rows: [{ name: `of ${name}` }], column: 'made_at' },
            ),
          ),
        ),
      );
      for (const name of names) {
        const [row, other] = await Promise.all(
          [name, `of ${name}`].map((one) => database.query(Star).findOne('name', one)),
        );
        expect(other!.made_at).to.equal(row!.id);
      }
      await database.write(() =>
        database
          .query(Star)
          .whereIn('name', [...names, ...names.map((one) => `of ${one}`)])
          .delete(),
      );
    });
  });
}
