// Load: sleeps
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buffer } from 'node:stream/consumers';
import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import { TimeoutError, withTimeout } from '@mortise/plugin-sdk';
import { createBroker, redisSettings } from '../broker/index.js';
import { cacheSettings, createCache } from '../cache/index.js';
import type { KernelDatabase } from '../contracts.js';
import { refusalOf } from '../http/problems.js';
import { createStorage, storageSettings } from '../storage/index.js';
import { engines, recordingLog, until, type TestDatabase } from './data-kit.js';
import { StallingProxy } from './stalling-proxy.js';

export const lab = Lab.script();
const { describe, it, before, after, afterEach } = lab;

/** The limits of these tests, and what a slow machine may add to some of them in a row. */
const limit = '700ms';
const slowMs = 20_000;
const { MORTISE_TEST_MYSQL: mysql, MORTISE_TEST_REDIS: redis, MORTISE_TEST_S3: s3 } = process.env;

/** What the work fails with, in time. */
async function failure(work: Promise<unknown>): Promise<unknown> {
  const ended = await withTimeout(slowMs, 'the test', () =>
    work.then(
      () => undefined,
      (error: unknown) => ({ error }),
    ),
  );
  if (!ended) throw new Error('it did not fail');
  return ended.error;
}

/** It is the engine's failure, to be tried again, and its details are for the log. */
function expectAway(error: unknown): void {
  const refusal = refusalOf(error);
  expect({ status: refusal.status, headers: refusal.headers }, String(error)).to.equal({
    status: 503,
    headers: { 'retry-after': '10' },
  });
  expect(refusal.visible).to.not.match(/ECONN|ETIMEDOUT|\d+ ms|127\.0\.0\.1/);
}

describe('O1: a time limit', () => {
  it('ends the wait and tells the work to give back what it holds', async () => {
    let given: AbortSignal | undefined;
    const waiting = withTimeout(
      20,
      'the directory',
      (signal) => ((given = signal), new Promise<void>(() => undefined)),
    );
    const error = await failure(waiting);
    expect(error).to.be.an.instanceof(TimeoutError);
    expect(given!.aborted).to.be.true();
    expectAway(error);
    expect(await withTimeout(slowMs, 'it', async () => 1)).to.equal(1);
  });
});

if (mysql)
  describe('O1: a database server that stops in the middle', { timeout: 120_000 }, () => {
    let proxy: StallingProxy;
    let test: TestDatabase;
    before(async () => {
      proxy = await StallingProxy.before(mysql);
      const engine = engines.find(({ name }) => name === 'MySQL')!;
      const HOST = `127.0.0.1:${proxy.port}`;
      test = await engine.open({ HOST, ...({ QUERY_TIMEOUT: limit, CONNECT_TIMEOUT: limit } as object) });
    });
    after(async () => {
      await test?.close();
      await proxy.close();
    });
    afterEach(() => proxy.resume());

    const read = () => test.database.knex()('lock').select();
    const isFree = () => test.database.pools().every(({ used, waiting }) => used === 0 && waiting === 0);

    it('reads end in time, and their connections are given back', async () => {
      await read();
      proxy.stall();
      const reads = Array.from({ length: 30 }, () => failure(read()));
      for (const error of await Promise.all([...reads, failure(test.database.statement('select 1', []))]))
        expectAway(error);
      await until(isFree);
      await until(() => proxy.open <= 1);
      proxy.resume();
      expect(await read()).to.be.an.array();
    });

    it('so does an answer that stops in the middle', async () => {
      const long = () => test.database.statement("select repeat('x', 200000) as text", []);
      await long();
      proxy.stall(50_000);
      expectAway(await failure(long()));
      proxy.resume();
      expect((await long()).rows).to.have.length(1);
    });

    it('a write ends with nothing stored and no lock held, whichever way it asks', async () => {
      const { database } = test;
      const insert = (name: string) => database.knex()('lock').insert({ name, owner: 'x', held_until: 1 });
      const asks = [
        () => insert('second'),
        () => database.statement('update `lock` set owner = ? where name = ?', ['y', 'first']),
        // the commit alone
        () => Promise.resolve(),
      ];
      for (const ask of asks) {
        const writing = database.write(async () => {
          await insert('first');
          proxy.stall();
          await ask();
        });
        expectAway(await failure(writing));
        await until(isFree);
        proxy.resume();
        await database.write(async () => void (await database.knex()('lock').where('name', 'first').delete()));
        expect(await read()).to.equal([]);
      }
    });

    it('requests wait for the versions of other processes for a few seconds at most', async () => {
      proxy.stall();
      await withTimeout(slowMs, 'the versions', async () => test.database.syncVersions());
    });

    it('migrations may take longer than statements', async () => {
      const { database } = test;
      const folder = await mkdtemp(join(tmpdir(), 'mortise-slow-'));
      await writeFile(
        join(folder, '0001_slow.js'),
        'export const up = (knex) => knex.raw("select sleep(1.5)"); export const down = () => {};',
      );
      await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
      const slow = { owner: 'slow', version: '1.0.0', folder: pathToFileURL(`${folder}/`) };
      expect(await database.migrate([slow])).to.have.length(1);
      await rm(folder, { recursive: true });
    });
  });

describe('O1: a Redis that stops in the middle', { timeout: 120_000 }, () => {
  if (!redis) return;
  let proxy: StallingProxy;
  const settings = () =>
    redisSettings.validate({
      CONN_STR: `redis://127.0.0.1:${proxy.port}`,
      PREFIX: `t${randomBytes(5).toString('hex')}:`,
      TIMEOUT: limit,
    }).value;
  before(async () => (proxy = await StallingProxy.before(redis)));
  after(() => proxy.close());

  it('messages are given up in time, hold nothing, and go again by themselves', async () => {
    const broker = await createBroker({ settings: settings(), log: recordingLog() });
    const heard: unknown[] = [];
    broker.subscribe('news', (message) => heard.push(message));
    await broker.publish('news', 1);
    await until(() => heard.length === 1);
    proxy.stall();
    for (let count = 0; count < 3; count++) expect(await failure(broker.publish('news', 2))).to.be.an.error();
    await failure(broker.check());
    proxy.resume();
    await until(async () =>
      broker.publish('news', 3).then(
        () => true,
        () => false,
      ),
    );
    await until(() => heard.includes(3));
    await broker.close();
  });

  it('its cache is one that misses', async () => {
    const cache = createCache({
      database: {} as KernelDatabase,
      log: recordingLog(),
      settings: cacheSettings.validate({}).value,
      redis: settings(),
    });
    const shared = cache.shared('s');
    await shared.set('a', 1, 600_000);
    expect(await shared.get('a')).to.equal(1);
    proxy.stall();
    const asked = Array.from({ length: 20 }, () => shared.get('a'));
    expect(await withTimeout(slowMs, 'the cache', () => Promise.all(asked))).to.equal(asked.map(() => undefined));
    proxy.resume();
    await until(async () => (await shared.get('a')) === 1);
    await cache.close();
  });
});

describe('O1: an object store that stops in the middle', { timeout: 120_000 }, () => {
  if (!s3) return;
  let proxy: StallingProxy;
  let workDir: string;
  before(async () => {
    proxy = await StallingProxy.before(s3);
    workDir = await mkdtemp(join(tmpdir(), 'mortise-store-'));
  });
  after(async () => {
    await proxy.close();
    await rm(workDir, { recursive: true });
  });
  afterEach(() => proxy.resume());
  const open = () => {
    const common = storageSettings.validate({
      STORAGE_TYPE: 'minio',
      MINIO_ENDPOINT: `127.0.0.1:${proxy.port}`,
      MINIO_ACCESS_KEY_ID: 'test',
      MINIO_SECRET_ACCESS_KEY: 'test-secret',
      MINIO_BUCKET: `mortise-${randomBytes(5).toString('hex')}`,
      MINIO_CONNECT_TIMEOUT: limit,
      MINIO_TIMEOUT: limit,
    }).value;
    return createStorage({ plan: { common, areas: new Map() }, workDir, log: recordingLog() });
  };

  it('each request ends in time and gives its connection back, and later ones are served', async () => {
    const storage = open();
    const area = storage.area('attachments');
    await area.put('kept', Buffer.alloc(400_000, 'x'));
    proxy.stall();
    const requests = [
      () => area.stat('kept'),
      () => area.get('kept'),
      () => area.put('new', Buffer.from('new')),
      () => area.putByHash(Buffer.from('new')),
      () => area.delete('other'),
      () => storage.check(),
      async () => {
        for await (const one of area.list()) void one;
      },
    ];
    for (const error of await Promise.all(requests.map((request) => failure(request())))) expectAway(error);
    await until(() => proxy.open === 0);
    proxy.resume();
    expect((await area.stat('kept'))?.size).to.equal(400_000);
  });

  it('so does content that stops in the middle', async () => {
    const area = open().area('attachments');
    await area.put('long', Buffer.alloc(2_000_000, 'x'));
    proxy.stall(100_000);
    const { stream } = await area.get('long');
    expectAway(await failure(buffer(stream)));
    await until(() => proxy.open === 0);
    proxy.resume();
    expect((await buffer((await area.get('long')).stream)).length).to.equal(2_000_000);
  });
});
