// Servers of Mortise, each on a host of its own with its own work folder; the repositories and the keys of SSH are shared.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../support/server.mjs';
import { account } from './galera.mjs';
import { databaseProxy } from './fronts.mjs';
import { Program } from './program.mjs';

const mortise = join(root, 'core/bin/mortise.mjs');
/** Of libfaketime; undefined: it is not here. */
const clockLibrary = readdirSync('/usr/lib')
  .map((name) => join('/usr/lib', name, 'faketime', 'libfaketimeMT.so.1'))
  .find(existsSync);

/** Can clocks of nodes be moved? */
export const movesClocks = clockLibrary !== undefined;

class Node {
  #program;
  #clock;

  constructor({ name, address, folder, env }) {
    this.name = name;
    this.address = address;
    this.base = `http://${address}:3000`;
    this.log = join(folder, `${name}.log`);
    this.workDir = join(folder, name);
    this.temp = join(folder, `${name}-temp`);
    this.#clock = join(folder, `${name}.clock`);
    mkdirSync(this.workDir);
    mkdirSync(this.temp);
    // a disk of its own, which can be filled
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=96m', 'none', this.temp]);
    writeFileSync(this.#clock, '+0\n');
    const clock = movesClocks && {
      LD_PRELOAD: clockLibrary,
      FAKETIME_TIMESTAMP_FILE: this.#clock,
      FAKETIME_CACHE_DURATION: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    };
    this.env = { ...env, MORTISE_WORK_DIR: this.workDir, TMPDIR: this.temp };
    this.#program = new Program({
      host: name,
      cwd: root,
      log: this.log,
      env: { ...this.env, ...clock },
      isMachine: true,
      command: [process.execPath, mortise, 'web'],
    });
  }

  start() {
    this.#program.start();
  }

  kill() {
    return this.#program.kill();
  }

  /** How often it ended by itself. */
  get restarts() {
    return this.#program.restarts;
  }

  pause() {
    this.#program.pause();
  }

  resume() {
    this.#program.resume();
  }

  /** Its clock is so many seconds ahead; below 0: behind. */
  moveClock(seconds) {
    writeFileSync(this.#clock, `${seconds < 0 ? '' : '+'}${seconds}\n`);
  }

  async isReady() {
    return (await fetch(`${this.base}/api/readyz`, { signal: AbortSignal.timeout(5000) })).ok;
  }

  cli(...args) {
    const command = ['netns', 'exec', this.name, process.execPath, mortise, ...args];
    const { status, stdout, stderr } = spawnSync('ip', command, { env: this.env, cwd: root, encoding: 'utf8' });
    return { code: status, out: stdout, err: stderr };
  }

  get logged() {
    return existsSync(this.log) ? readFileSync(this.log, 'utf8') : '';
  }
}

/** Three nodes, not yet started. `writers`: `one` when all prefer the same database, `each` when each has its own. */
export function makeNodes(network, folder, { databases, redis, store, base, writers }) {
  const shared = join(folder, 'shared');
  mkdirSync(join(shared, 'ssh'), { recursive: true });
  const key = join(shared, 'ssh', 'host.ed25519');
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key]);
  const env = {
    ...process.env,
    NODE_ENV: 'production',
    MORTISE__server__HTTP_PORT: '3000',
    MORTISE__server__HTTP_ADDR: '0.0.0.0',
    MORTISE__server__SSH_PORT: '2222',
    MORTISE__server__SSH_SERVER_HOST_KEYS: key,
    MORTISE__server__ROOT_URL: base,
    MORTISE__server__SSH_MAX_IDLE_PER_ADDRESS: '0',
    MORTISE__log__LEVEL: 'info',
    MORTISE__security__SECRET_KEY: 'the same on all nodes of this cluster',
    MORTISE__security__ALLOWED_HOST_LIST: '*',
    MORTISE__security__PASSWORD_HASH_ALGO: 'argon2$1$8$1$32',
    MORTISE__security__REVERSE_PROXY_TRUSTED_PROXIES: '10.77.0.2/32',
    MORTISE__database__DB_TYPE: 'mysql',
    MORTISE__database__HOST: '127.0.0.1:3306',
    MORTISE__database__NAME: 'mortise',
    MORTISE__database__USER: account.user,
    MORTISE__database__PASSWD: account.password,
    MORTISE__redis__CONN_STR: redis.address,
    MORTISE__cache__ADAPTER: 'redis',
    MORTISE__websocket__PUBSUB_TYPE: 'redis',
    MORTISE__storage__STORAGE_TYPE: 'minio',
    MORTISE__storage__MINIO_ENDPOINT: store.endpoint,
    MORTISE__storage__MINIO_ACCESS_KEY_ID: 'key',
    MORTISE__storage__MINIO_SECRET_ACCESS_KEY: 'secret',
    MORTISE__repository__ROOT: join(shared, 'repositories'),
    MORTISE__git__SHARED_STORAGE: 'true',
  };
  const names = ['node1', 'node2', 'node3'];
  return names.map((name, at) => {
    const address = network.addHost(name, 11 + at);
    databaseProxy({ host: name, folder, databases, first: databases[writers === 'each' ? at : 0].name });
    return new Node({ name, address, folder, env });
  });
}
