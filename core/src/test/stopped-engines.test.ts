// Load: sleeps
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import { withTimeout } from '@mortise/plugin-sdk';
import { freePort } from '@mortise/plugin-sdk/testing';
import { createBroker, redisSettings } from '../broker/index.js';
import { cacheSettings, createCache } from '../cache/index.js';
import type { KernelDatabase } from '../contracts.js';
import { refusalOf } from '../http/problems.js';
import { createStorage, storageSettings } from '../storage/index.js';
import { recordingLog, until } from './data-kit.js';
import { StoppableProcess } from './stoppable-process.js';

export const lab = Lab.script();
const { describe, it, before, after, afterEach } = lab;

const limit = '700ms';
/** What a slow machine may add. */
const slowMs = 30_000;
const hasRedis = spawnSync('redis-server', ['--version']).status === 0;

/** What the work fails with, in time. */
const failure = (work: Promise<unknown>): Promise<unknown> =>
  withTimeout(slowMs, 'the test', () =>
    work.then(
      () => Promise.reject(new Error('it did not fail')),
      (error: unknown) => error,
    ),
  );

describe('O1: engines whose process is stopped (SIGSTOP)', { timeout: 180_000 }, () => {
  let folder: string;
  let engine: StoppableProcess;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'mortise-stopped-'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));
  afterEach(async () => {
    engine?.resume();
    await engine?.close();
  });

  it('Redis: messages fail in time, the cache misses, and both go on with it', { skip: !hasRedis }, async () => {
    const port = await freePort();
    const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', folder];
    engine = await StoppableProcess.start('redis-server', args, port);
    const redis = redisSettings.validate({ CONN_STR: `redis://127.0.0.1:${port}`, TIMEOUT: limit }).value;
    const log = recordingLog();
    const broker = await createBroker({ settings: redis, log });
    const cache = createCache({
      database: {} as KernelDatabase,
      log,
      settings: cacheSettings.validate({}).value,
      redis,
    });
    const shared = cache.shared('stopped');
    await shared.set('a', 1, 600_000);
    await broker.publish('news', 1);
    engine.stop();
    for (let time = 0; time < 3; time++) expect(await failure(broker.publish('news', 2))).to.be.an.error();
    await failure(broker.check());
    const asked = await withTimeout(slowMs, 'the cache', () =>
      Promise.all(Array.from({ length: 20 }, () => shared.get('a'))),
    );
    expect(new Set(asked)).to.equal(new Set([undefined]));
    engine.resume();
    await until(async () => (await shared.get('a')) === 1);
    await until(() =>
      broker.publish('news', 3).then(
        () => true,
        () => false,
      ),
    );
    await cache.close();
    await broker.close();
  });

  it('an object store: every kind of request is 503 in time, and is served when it goes on', async () => {
    const port = await freePort();
    const program = fileURLToPath(new URL('./object-store-process.js', import.meta.url));
    engine = await StoppableProcess.start(process.execPath, [program, String(port)], port);
    const common = storageSettings.validate({
      STORAGE_TYPE: 'minio',
      MINIO_ENDPOINT: `127.0.0.1:${port}`,
      MINIO_ACCESS_KEY_ID: 'test',
      MINIO_SECRET_ACCESS_KEY: 'test-secret',
      MINIO_BUCKET: 'stopped',
      MINIO_CONNECT_TIMEOUT: limit,
      MINIO_TIMEOUT: limit,
    }).value;
    const storage = createStorage({ plan: { common, areas: new Map() }, workDir: folder, log: recordingLog() });
    const area = storage.area('things');
    await area.put('there', Buffer.alloc(5000, 'x'));
    expect((await area.stat('there'))?.size).to.equal(5000);
    engine.stop();
    const requests = [
      () => area.stat('there'),
      () => area.get('there'),
      () => area.put('new', Buffer.from('new')),
      () => area.delete('there'),
      () => storage.check(),
      async () => {
        for await (const one of area.list()) void one;
      },
    ];
    // more than there are connections at once: those of given-up requests are free again
    const all = Array.from({ length: 20 }, () => requests).flat();
    for (const error of await Promise.all(all.map((request) => failure(request())))) {
      const { status, visible } = refusalOf(error);
      expect(status, String(error)).to.equal(503);
      expect(visible).to.not.contain('127.0.0.1');
    }
    engine.resume();
    await area.put('later', Buffer.from('later'));
    expect((await area.stat('later'))?.size).to.equal(5);
  });
});
