// Real engines for the tests: MariaDB, Redis and an S3-compatible server, as `install.mjs` left them here.
import { spawn, spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { connect } from 'node:net';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@mortise/plugin-sdk/testing';
import { browsers, has, s3Program } from './install.mjs';

const gigabyte = 1 << 30;

/**
 * Where tests keep what they throw away: in memory where there is plenty, for most of the time of a test goes into
 * waiting for a disk to have everything safely (a host starts in a quarter of the time there).
 */
export function scratchFolder() {
  try {
    const { bavail, bsize } = statfsSync('/dev/shm');
    if (bavail * bsize > 6 * gigabyte && freemem() > 8 * gigabyte) return '/dev/shm';
  } catch {
    // not on this system
  }
  return tmpdir();
}

async function answers(port, seconds = 300) {
  for (const end = Date.now() + seconds * 1000; Date.now() < end;) {
    const ok = await new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1');
      socket.on('connect', () => (socket.destroy(), resolve(true)));
      socket.on('error', () => resolve(false));
    });
    if (ok) return true;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return false;
}

/** `log`: options about its binary log, which a test of replication needs. Undefined: it is not installed. */
export async function startMariadb(folder, log = ['--skip-log-bin']) {
  const program = ['/usr/sbin/mariadbd', '/usr/bin/mariadbd'].find(existsSync);
  if (!program) return undefined;
  const data = join(folder, 'mysql');
  mkdirSync(data);
  const root = process.getuid?.() === 0;
  if (root) {
    const id = (flag) => Number(spawnSync('id', [flag, 'mysql'], { encoding: 'utf8' }).stdout.trim());
    chownSync(folder, id('-u'), id('-g'));
    chownSync(data, id('-u'), id('-g'));
  }
  const user = root ? ['--user=mysql'] : [];
  // The folder of the run is closed to that user.
  const env = { ...process.env, TMPDIR: folder };
  const made = spawnSync(
    'mariadb-install-db',
    [...user, `--datadir=${data}`, '--auth-root-authentication-method=normal', '--skip-test-db'],
    { encoding: 'utf8', env },
  );
  if (made.status !== 0) throw new Error(`mariadb-install-db: ${made.stderr}`);
  const port = await freePort();
  const child = spawn(
    program,
    [
      '--no-defaults',
      ...user,
      `--datadir=${data}`,
      `--port=${port}`,
      '--bind-address=127.0.0.1',
      `--socket=${join(data, 's.sock')}`,
      `--pid-file=${join(data, 'pid')}`,
      '--innodb-flush-log-at-trx-commit=0',
      '--innodb-doublewrite=0',
      // a test makes some hundred tables and drops them: one file for all, and no statistics kept of them
      '--innodb-file-per-table=0',
      '--innodb-stats-persistent=0',
      '--innodb-adaptive-hash-index=0',
      '--innodb-flush-method=nosync',
      '--innodb-buffer-pool-size=128M',
      '--max-connections=1000',
      ...log,
      '--skip-name-resolve',
    ],
    { stdio: 'ignore', env },
  );
  if (!(await answers(port))) throw new Error('MariaDB does not answer');
  return { url: `mysql://root@127.0.0.1:${port}`, child };
}

async function startRedis(folder) {
  if (!has('redis-server')) return undefined;
  const port = await freePort();
  const child = spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', folder], {
    stdio: 'ignore',
  });
  if (!(await answers(port))) throw new Error('Redis does not answer');
  return { url: `redis://127.0.0.1:${port}`, child };
}

/** moto's S3, from PyPI. */
async function startS3() {
  if (!existsSync(s3Program)) return undefined;
  const port = await freePort();
  const child = spawn(s3Program, ['-H', '127.0.0.1', '-p', String(port)], { stdio: 'ignore' });
  return (await answers(port)) ? { url: `http://127.0.0.1:${port}`, child } : undefined;
}

/** Engines that run already, for whoever runs tests often: `MORTISE_TEST_MYSQL=mysql://root@127.0.0.1:3307 npm test git`. */
const given = {
  mysql: process.env.MORTISE_TEST_MYSQL,
  redis: process.env.MORTISE_TEST_REDIS,
  s3: process.env.MORTISE_TEST_S3,
};

/** Gives the addresses of what runs; an engine that cannot be had is left out, with a notice. */
export async function startServices(say) {
  const folder = mkdtempSync(join(scratchFolder(), 'mortise-engines-'));
  const failures = [];
  const running = {};
  const begin = async (name, start) => {
    if (given[name]) {
      running[name] = { url: given[name] };
      return;
    }
    try {
      running[name] = await start();
    } catch (error) {
      failures.push(`${name} did not start: ${error.message}`);
    }
    if (!running[name]) say(`${name} is not here: its tests are skipped`);
  };
  await Promise.all([
    begin('mysql', () => startMariadb(folder)),
    begin('redis', () => startRedis(folder)),
    begin('s3', () => startS3()),
  ]);
  const chromium = browsers.find(existsSync);
  return {
    mysql: running.mysql?.url,
    redis: running.redis?.url,
    s3: running.s3?.url,
    chromium,
    failures,
    async stop() {
      const ended = Object.values(running).map(
        (engine) =>
          engine?.child &&
          engine.child.exitCode === null &&
          engine.child.signalCode === null &&
          new Promise((resolve) => (engine.child.once('exit', resolve), engine.child.kill('SIGKILL'))),
      );
      await Promise.all(ended);
      rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    },
  };
}
