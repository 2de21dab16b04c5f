import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { backupSources, definePlugin, storage } from '@mortise/plugin-sdk';
import { createBackup } from '../backup/create.js';
import { BackupFolder } from '../backup/folder.js';
import { verify } from '../backup/verify.js';
import { openFile } from '../database/sqlite-library.js';
import { createHost, type Host, type SettingsOverrides } from '../index.js';
import { engines, type TestDatabase } from './data-kit.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

/** Its table has a name that only running the migration tells, and its rows name content of the area `hold`. */
const migration = `export async function up(knex) {
  for (const name of ['cargo']) await knex.schema.createTable(name, (table) => {
    table.increments('id');
    table.string('key', 100);
    table.integer('size');
    table.integer('parent_id').unsigned().references('id').inTable('cargo');
  });
}
export async function down() {}`;

for (const engine of engines)
  describe(`O2: what rows name and what lies in the store, on ${engine.name}`, { timeout: 120_000 }, () => {
    let folder: string;
    let test: TestDatabase;
    let host: Host;
    const ship = (migrations: string) =>
      definePlugin({
        name: 'ship',
        version: '1.0.0',
        description: 'Carries cargo',
        sdk: '^1.0.0',
        register(declare) {
          declare.migrations(pathToFileURL(`${migrations}/`));
          declare.contribute(backupSources, {
            key: 'ship',
            async *blobs(rows) {
              for await (const [key, size] of rows.rows('cargo', ['key', 'size']))
                yield { area: 'hold', key: String(key), size: Number(size) };
            },
          });
        },
      });
    const doctor = async (deep: boolean) => {
      const texts: string[] = [];
      for await (const { level, check, text } of host.doctor({ fix: false, deep }))
        if (level !== 'ok') texts.push(`${check}: ${text}`);
      return texts.filter((text) => !text.startsWith('core: work folder'));
    };
    const add = (row: object) =>
      host.database.write(async () => {
        await host.database.knex()('cargo').insert(row);
      });

    before(async () => {
      folder = mkdtempSync(join(tmpdir(), 'mortise-deep-'));
      const migrations = join(folder, 'migrations');
      mkdirSync(migrations);
      writeFileSync(join(migrations, 'package.json'), '{"type":"module"}');
      writeFileSync(join(migrations, '0001_cargo.js'), migration);
      const workDir = join(folder, 'work');
      mkdirSync(workDir, { mode: 0o700 });
      test = await engine.open();
      const { DB_TYPE, HOST, USER, PASSWD, NAME } = test.settings;
      const settings: SettingsOverrides =
        engine.name === 'mysql' ? { database: { DB_TYPE, HOST, USER, PASSWD, NAME } } : {};
      host = await createHost({ workDir, environment: {}, plugins: [ship(migrations)], settings, logLevel: 'none' });
      await host.migrate();
    });
    after(async () => {
      await host?.stop();
      await test?.close();
      rmSync(folder, { recursive: true, force: true });
    });

    it('a table whose name a migration computes is not called unused beside leftovers of other plugins', async () => {
      await host.database.write(async () => {
        await host.database.knex()('migration').insert({ owner: 'wreck', name: '0001_wreck', applied_at: 1 });
      });
      expect((await doctor(false)).join()).to.match(/plugins that are not here any more \(wreck\).*nobody uses: none/);
      await host.database.write(async () => {
        await host.database.knex()('migration').where({ owner: 'wreck' }).delete();
      });
      expect(await doctor(true)).to.be.empty();
    });

    it('content that rots is found by the deep look alone', async () => {
      const area = host.get(storage).area('hold');
      const { key } = await area.putByHash(Buffer.from('sound'));
      await add({ key, size: 5 });
      await area.put(key, Buffer.from('rott'));
      await area.put(key, Buffer.from('rotte'));
      expect(await doctor(false)).to.be.empty();
      expect(await doctor(true)).to.equal([
        `core: contents: hold/${key} is damaged: its content has not the hash that it was stored with`,
      ]);
      await area.put(key, Buffer.from('sound'));
      expect(await doctor(true)).to.be.empty();
    });

    it('content that rows name and that is missing or cut is told by the deep look, back-ups and their verification', async () => {
      const area = host.get(storage).area('hold');
      await area.put('cut', Buffer.from('cut'));
      await add({ key: 'cut', size: 9 });
      await add({ key: 'overboard', size: 1 });
      const faults = ['hold/cut has 3 bytes; its row says 9', 'hold/overboard, which a row names, is missing'];
      expect(await doctor(true)).to.equal(faults.map((fault) => `core: contents: ${fault}`));
      const target = await BackupFolder.make(join(folder, 'back-up'));
      const point = await createBackup(host, target);
      expect([...(point.faults ?? [])].sort()).to.equal(faults);
      expect([...(await verify(target, [point])).faults].sort()).to.equal(
        faults.map((fault) => `${point.id}: ${fault}`),
      );
      expect((await createBackup(host, target, { withoutAreas: ['hold'] })).faults).to.be.empty();
      await area.put('cut', Buffer.from('cut whole'));
      await area.put('overboard', Buffer.from('!'));
      expect((await createBackup(host, target)).faults).to.be.empty();
      expect(await doctor(true)).to.be.empty();
    });

    it('rows that name rows which are not there are told', async () => {
      const row = 'insert into cargo (size, parent_id) values (9, 77)';
      if (engine.name === 'mysql')
        await host.database.write(async () => {
          await host.database.knex().raw('set foreign_key_checks = 0');
          await host.database.knex().raw(row);
          await host.database.knex().raw('set foreign_key_checks = 1');
        });
      else {
        const file = openFile(join(folder, 'work', 'data', 'mortise.db'), {});
        file.pragma('foreign_keys = OFF');
        file.exec(row);
        file.close();
      }
      expect(await doctor(false)).to.equal(['core: rows: 1 row of cargo names a row of cargo that is not there']);
    });
  });
