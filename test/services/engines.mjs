// Real engines and clients for the tests: MariaDB, Redis, an S3-compatible server, Chromium, ssh, gpg and git-lfs,
// installed when this runs as root.
import { spawn, spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { connect } from 'node:net';
import { freemem, tmpdir, homedir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@mortise/plugin-sdk/testing';

const has = (command) => spawnSync('sh', ['-c', `command -v ${command}`]).status === 0;

function install(say) {
  const missing = [
    ['mariadbd', 'mariadb-server'],
    ['redis-server', 'redis-server'],
    ['chromium', 'chromium'],
    ['ssh', 'openssh-client'],
    ['gpg', 'gnupg'],
    ['git-lfs', 'git-lfs'],
  ].filter(([command]) => !has(command) && !existsSync(`/usr/sbin/${command}`));
  if (missing.length === 0 || process.getuid?.() !== 0 || !has('apt-get')) return;
  say(`installing ${missing.map(([, name]) => name).join(', ')}`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  spawnSync('apt-get', ['update', '-qq'], { stdio: 'ignore', env });
  const run = spawnSync(
    'apt-get',
    ['install', '-y', '-qq', '--no-install-recommends', ...missing.map(([, name]) => name)],
    { encoding: 'utf8', env },
  );
  if (run.status !== 0) say(`apt-get: ${run.stderr.slice(-500)}`);
}

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

async function startMariadb(folder) {
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
      '--innodb-buffer-pool-size=128M',
      '--max-connections=1000',
      '--skip-log-bin',
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

/** moto's S3, from PyPI, in an environment of its own below the user's cache. */
async function startS3(say) {
  const home = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'mortise-test-s3');
  const program = join(home, 'bin', 'moto_server');
  if (!existsSync(program)) {
    if (!has('python3')) return undefined;
    say('installing an S3-compatible server');
    if (spawnSync('python3', ['-m', 'venv', home], { stdio: 'ignore' }).status !== 0) return undefined;
    if (spawnSync(join(home, 'bin', 'pip'), ['install', '-q', 'moto[s3,server]'], { stdio: 'ignore' }).status !== 0)
      return undefined;
  }
  const port = await freePort();
  const child = spawn(program, ['-H', '127.0.0.1', '-p', String(port)], { stdio: 'ignore' });
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
  install(say);
  const folder = mkdtempSync(join(scratchFolder(), 'mortise-engines-'));
  const failures = [];
  const running = {};
  for (const [name, start] of [
    ['mysql', () => startMariadb(folder)],
    ['redis', () => startRedis(folder)],
    ['s3', () => startS3(say)],
  ]) {
    if (given[name]) {
      running[name] = { url: given[name] };
      continue;
    }
    try {
      running[name] = await start();
    } catch (error) {
      failures.push(`${name} did not start: ${error.message}`);
    }
    if (!running[name]) say(`${name} is not here: its tests are skipped`);
  }
  const chromium = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
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
