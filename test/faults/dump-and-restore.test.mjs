// F3: what `mortise dump` writes comes back as it was, on the same engine or on the other one.
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as Lab from '@hapi/lab';
import { expect } from '@hapi/code';
import { createHost } from '../../core/dist/index.js';
import { dump } from '../../core/dist/cli/dump.js';
import { restore } from '../../core/dist/cli/restore.js';
import { storage } from '../../plugin-sdk/dist/index.js';
import { fillEveryTable, readEveryTable } from '../support/rows.mjs';

export const lab = Lab.script();
const { describe, it, before, after } = lab;
const mysql = process.env.MORTISE_TEST_MYSQL;
const everyType = fileURLToPath(new URL('../fixtures/every-type', import.meta.url));
const mortise = fileURLToPath(new URL('../../core/bin/mortise.mjs', import.meta.url));
const from = process.env.MORTISE_TEST_ENGINE === 'mysql' ? 'mysql' : 'sqlite';

describe(`F3: a dump of ${from}`, { timeout: 600_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'mortise-dump-'));
  const databases = [];
  const hosts = [];
  const file = join(folder, 'dump.tar.gz');
  let source;
  let rows;

  const optionsFor = (engine, name) => {
    const database =
      engine === 'mysql'
        ? {
            DB_TYPE: 'mysql',
            HOST: new URL(mysql).host,
            USER: 'root',
            NAME: `mortise_dump_${randomBytes(6).toString('hex')}`,
          }
        : { DB_TYPE: 'sqlite3' };
    if (database.NAME) databases.push(database.NAME);
    return {
      workDir: join(folder, name),
      environment: {},
      logLevel: 'error',
      settings: { database, plugins: { PATHS: everyType } },
    };
  };
  const open = async (options) => {
    const host = await createHost(options);
    hosts.push(host);
    return host;
  };

  before(async () => {
    const options = optionsFor(from, 'source');
    // Blobs come from wherever they lie, and go where the new settings say.
    if (process.env.MORTISE_TEST_S3)
      options.settings['storage.attachments'] = {
        STORAGE_TYPE: 'minio',
        MINIO_ENDPOINT: new URL(process.env.MORTISE_TEST_S3).host,
        MINIO_ACCESS_KEY_ID: 'test',
        MINIO_SECRET_ACCESS_KEY: 'test-secret',
        MINIO_BUCKET: `mortise-${randomBytes(5).toString('hex')}`,
      };
    source = await open(options);
    await source.migrate();
    await fillEveryTable(source);
    const area = source.get(storage).area('attachments');
    await area.put('aa/first', Buffer.from('small'));
    await area.put('bb/second', randomBytes(3_000_000));
    await source.get(storage).area('repo-archive').put('1/cached.zip', Buffer.from('a cache'));
    mkdirSync(join(source.composition.workDir, 'cache', 'assets'), { recursive: true });
    writeFileSync(join(source.composition.workDir, 'cache', 'assets', 'made.js'), 'a cache');
    mkdirSync(join(source.composition.workDir, 'ssh'));
    writeFileSync(join(source.composition.workDir, 'ssh', 'host.key'), 'kept', { mode: 0o600 });
    rows = await readEveryTable(source);
    await dump(source, file);
  });
  after(async () => {
    // The S3 client leaves this global behind.
    delete globalThis.awslambda;
    for (const host of hosts) await host.stop();
    if (databases.length) {
      const { createConnection } = await import('mysql2/promise');
      const connection = await createConnection({
        host: new URL(mysql).hostname,
        port: Number(new URL(mysql).port),
        user: 'root',
      });
      for (const name of databases) await connection.query(`drop database if exists \`${name}\``);
      await connection.end();
    }
    rmSync(folder, { recursive: true, force: true });
  });

  it('the data that is dumped has rows of every table', () => {
    for (const [name, found] of Object.entries(rows)) expect(found.length, name).to.be.above(1);
    expect(Object.keys(rows).length).to.be.above(40);
  });

  for (const to of mysql ? ['sqlite', 'mysql'] : ['sqlite']) {
    describe(`restored into ${to}`, () => {
      let target;
      before(async () => {
        const options = optionsFor(to, `target-${to}`);
        await restore(options, options.workDir, file);
        target = await open(options);
      });

      it('has every row as it was, but for those of caches and locks', async () => {
        const restored = await readEveryTable(target);
        const emptied = [
          'file_archive',
          'insight',
          'insight_progress',
          'lock',
          'migration_step',
          'package_kept_use',
          'plugin_change',
          'plugin_fault',
          'plugin_node',
        ];
        for (const name of emptied) expect(restored[name]).to.equal([]);
        // What processes count of their own commits is made anew by whoever opens the database.
        const left = ['data_version', ...emptied];
        expect(Object.keys(restored).sort()).to.equal(Object.keys(rows).sort());
        for (const [name, before] of Object.entries(rows))
          if (!left.includes(name)) expect(restored[name], name).to.equal(before);
      });

      it('keeps values at the limits of their types', async () => {
        const text = to === 'mysql' ? 'char' : 'text';
        const typed = await target.database
          .knex()('typed_value')
          .select('id', 'bytes', 'document', 'doubled', target.database.knex().raw(`cast(large as ${text}) as large`))
          .orderBy('id');
        expect(typed.map(({ large }) => large)).to.equal(['9223372036854775807', '-9223372036854775808', '0', null]);
        expect(typed.map(({ bytes }) => bytes && Buffer.from(bytes).toString('hex'))).to.equal([
          '00ff0a27',
          '',
          null,
          null,
        ]);
        expect(typed.map(({ doubled }) => Number(doubled))).to.equal(typed.map(({ id }) => id * 2));
        const { document } = typed[0];
        expect(typeof document === 'string' ? JSON.parse(document) : document).to.equal({ a: [1, 'ü', null] });
      });

      it('finds words, keeps indexes, refuses what the keys refuse, and uses no id again', async () => {
        const { database } = target;
        const found =
          to === 'mysql'
            ? await database.knex()('typed_value').whereRaw('match (words) against (?)', ['needle']).select('id')
            : await database.knex()('typed_words').whereRaw('typed_words match ?', ['needle']).select('rowid as id');
        expect(found.map(({ id }) => id)).to.equal([2]);
        const insert = (row) => database.write(() => database.knex()('typed_value').insert(row));
        // the last row was deleted before the dump
        const [id] = await insert({ parent: 'p1' });
        expect(Number(id)).to.equal(6);
        await expect(insert({ parent: 'p1', large: '9223372036854775807' })).to.reject();
        await expect(insert({ parent: 'nobody' })).to.reject();
      });

      it('has blobs and files, and no caches', async () => {
        const { workDir } = target.composition;
        for (const key of ['aa/first', 'bb/second']) {
          const read = async (host) =>
            Buffer.concat(await (await host.get(storage).area('attachments').get(key)).stream.toArray());
          expect((await read(target)).equals(await read(source)), key).to.be.true();
        }
        expect(await target.get(storage).area('repo-archive').stat('1/cached.zip')).to.be.undefined();
        expect(() => readFileSync(join(workDir, 'cache', 'assets', 'made.js'))).to.throw();
        expect(readFileSync(join(workDir, 'ssh', 'host.key'), 'utf8')).to.equal('kept');
      });

      it('is refused where something is already', async () => {
        const options = optionsFor('sqlite', `target-${to}`);
        await expect(restore(options, options.workDir, file)).to.reject(/is not empty/);
        const into = { ...optionsFor('sqlite', `other-${to}`), settings: { ...target.composition.settings } };
        into.settings = { database: target.composition.settings.database, plugins: { PATHS: everyType } };
        if (to === 'mysql') await expect(restore(into, into.workDir, file)).to.reject(/holds rows already/);
      });
    });
  }

  it('needs no more memory for more rows', async () => {
    const options = optionsFor(from, 'large');
    const host = await open(options);
    await host.migrate();
    const count = 20_000;
    const numbers =
      from === 'mysql'
        ? `select repeat('0123456789', 500) from seq_1_to_${count}`
        : `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count}) select printf('%5000d', i) from n`;
    await host.database.write(() => host.database.knex().raw(`insert into typed_value (words) ${numbers}`));
    const env = {
      ...process.env,
      MORTISE_WORK_DIR: options.workDir,
      MORTISE__plugins__PATHS: everyType,
      ...Object.fromEntries(
        Object.entries(options.settings.database).map(([key, value]) => [`MORTISE__database__${key}`, value]),
      ),
    };
    // 100 MB of rows, and more than half of this is for the program itself
    const limited = (...args) =>
      spawnSync(process.execPath, ['--max-old-space-size=96', mortise, ...args], { env, encoding: 'utf8' });
    const large = join(folder, 'large.tar');
    const dumped = limited('dump', large);
    expect(dumped.status, dumped.stderr.slice(0, 2000)).to.equal(0);
    const into = optionsFor(from, 'large-target');
    Object.assign(env, {
      MORTISE_WORK_DIR: into.workDir,
      ...(into.settings.database.NAME && { MORTISE__database__NAME: into.settings.database.NAME }),
    });
    const restored = limited('restore', large);
    expect(restored.status, restored.stderr.slice(0, 2000)).to.equal(0);
    const target = await open(into);
    const [{ n }] = await target.database.knex()('typed_value').count({ n: '*' });
    expect(Number(n)).to.equal(count);
  });

  it('is refused when it is none, and when its tables are of plugins that are not there', async () => {
    const other = join(folder, 'other.tar');
    writeFileSync(other, 'nothing');
    const options = optionsFor('sqlite', 'refused');
    await expect(restore(options, options.workDir, join(folder, 'missing'))).to.reject(/does not exist/);
    await expect(restore(options, options.workDir, other)).to.reject();
    const without = { ...options, settings: { ...options.settings, plugins: {} } };
    await expect(restore(without, options.workDir, file)).to.reject(/every-type\/0001_create_every_type/);
    // Nothing can be served from what is half restored, and the next attempt begins anew.
    await expect(createHost(options)).to.reject(/did not end/);
    await restore(options, options.workDir, file);
    await open(options);
  });
});
