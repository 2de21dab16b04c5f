// Time: about 8 s
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@hapi/code';
import Lab from '@hapi/lab';
import { Redis } from 'ioredis';
import { freePort } from '@mortise/plugin-sdk/testing';
import { sentinelOptions } from '../broker/connection.js';
import { createBroker, redisSettings } from '../broker/index.js';
import { recordingLog } from './data-kit.js';

export const lab = Lab.script();
const { describe, it, before, after } = lab;

const isInstalled = spawnSync('redis-server', ['--version']).status === 0;
/** Only what hangs takes so long, in milliseconds. */
const patience = 60_000;

async function until(what: string, check: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + patience; Date.now() < end;) {
    if (await check().catch(() => false)) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`not in time: ${what}`);
}

describe('Redis with Sentinel', () => {
  it('reads the address as compatible servers do', () => {
    expect(sentinelOptions('redis+sentinel://a')).to.equal({
      sentinels: [{ host: 'a', port: 26_379 }],
      name: 'mymaster',
    });
    const full = 'rediss+sentinel://ada:p%40ss@a:1,[::1]:2,b/3?master_name=m&sentinelusername=su&sentinelPassword=sp';
    expect(sentinelOptions(full)).to.equal({
      sentinels: [
        { host: 'a', port: 1 },
        { host: '::1', port: 2 },
        { host: 'b', port: 26_379 },
      ],
      name: 'm',
      username: 'ada',
      password: 'p@ss',
      db: 3,
      sentinelUsername: 'su',
      sentinelPassword: 'sp',
      tls: {},
      sentinelTLS: {},
      enableTLSForSentinelMode: true,
    });
    expect(sentinelOptions('redis+sentinel://:secret@a:1/')).to.include({ password: 'secret' });
    for (const wrong of ['redis+sentinel://', 'redis+sentinel://a:b', 'redis+sentinel://a,,b', 'redis+sentinel://a/x'])
      expect(() => sentinelOptions(wrong), wrong).to.throw(/the address of the sentinels/);
  });

  it('says plainly that no sentinel answers', async () => {
    const settings = redisSettings.validate({ CONN_STR: 'redis+sentinel://127.0.0.1:1,127.0.0.1:2' }).value;
    await expect(createBroker({ settings, log: recordingLog(), attempts: 2 })).to.reject(
      /\[redis\] CONN_STR: All sentinels are unreachable/,
    );
  });

  describe('real servers', { skip: !isInstalled, timeout: 3 * patience }, () => {
    const running: ChildProcess[] = [];
    let folder: string;
    let address: string;
    let primary: ChildProcess;
    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'mortise-sentinel-'));
      const start = (port: number, ...more: string[]) => {
        const child = spawn('redis-server', ['--port', `${port}`, '--save', '', '--dir', folder, ...more], {
          stdio: 'ignore',
        });
        running.push(child);
        return child;
      };
      const ports = [await freePort(), await freePort(), await freePort()] as const;
      primary = start(ports[0]);
      start(ports[1], '--replicaof', '127.0.0.1', `${ports[0]}`);
      const file = join(folder, 'sentinel.conf');
      const lines = [
        `port ${ports[2]}`,
        `dir ${folder}`,
        `sentinel monitor mymaster 127.0.0.1 ${ports[0]} 1`,
        'sentinel down-after-milliseconds mymaster 1000',
        'sentinel failover-timeout mymaster 3000',
      ];
      await writeFile(file, lines.join('\n'));
      running.push(spawn('redis-server', [file, '--sentinel'], { stdio: 'ignore' }));
      address = `redis+sentinel://127.0.0.1:${ports[2]}`;
      const sentinel = new Redis({ port: ports[2], maxRetriesPerRequest: null });
      sentinel.on('error', () => undefined);
      await until('the sentinel knows the replica', async () => {
        const replicas = (await sentinel.call('sentinel', 'replicas', 'mymaster')) as unknown[][];
        return replicas.length === 1 && replicas[0]!.includes('ok');
      });
      sentinel.disconnect();
    });
    after(async () => {
      for (const child of running) {
        if (child.exitCode !== null || child.signalCode !== null) continue;
        child.kill('SIGKILL');
        await once(child, 'exit');
      }
      await rm(folder, { recursive: true, force: true });
    });

    it('messages arrive again when the primary was killed', async () => {
      const settings = redisSettings.validate({ CONN_STR: address, PREFIX: 'sentinel:' }).value;
      const open = () => createBroker({ settings, log: recordingLog() });
      const [one, two] = await Promise.all([open(), open()]);
      const seen = new Set<unknown>();
      two.subscribe('news', (message) => void seen.add(message));
      await one.publish('news', 'before');
      await until('the first message', async () => seen.has('before'));
      primary.kill('SIGKILL');
      await until('a message by the new primary', async () => {
        await one.publish('news', 'after');
        return seen.has('after');
      });
      await one.check();
      await Promise.all([one.close(), two.close()]);
    });
  });
});
