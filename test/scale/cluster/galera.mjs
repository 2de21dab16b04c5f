// A Galera cluster: MariaDB on three hosts, each of which takes writes.
import { chownSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createConnection } from 'mysql2/promise';
import { Program, until } from './program.mjs';

const provider = '/usr/lib/galera/libgalera_smm.so';
const checker = fileURLToPath(new URL('galera-check.mjs', import.meta.url));
const id = (flag) => Number(execFileSync('id', [flag, 'mysql'], { encoding: 'utf8' }).trim());

/** The account that the nodes use, at each host. */
export const account = { user: 'mortise', password: 'mortise' };

const grants = `create user if not exists '${account.user}'@'%' identified by '${account.password}';
grant all on *.* to '${account.user}'@'%';
`;

class GaleraNode {
  #server;
  #check;
  #folder;
  #env;

  constructor({ name, address, all, folder }) {
    this.name = name;
    this.address = address;
    this.#folder = join(folder, name);
    this.log = join(folder, `${name}.log`);
    const [uid, gid] = [id('-u'), id('-g')];
    for (const path of [this.#folder, join(this.#folder, 'data'), join(this.#folder, 'tmp')]) {
      mkdirSync(path);
      chownSync(path, uid, gid);
    }
    this.grants = join(this.#folder, 'grants.sql');
    writeFileSync(this.grants, grants, { mode: 0o644 });
    this.#env = { ...process.env, TMPDIR: join(this.#folder, 'tmp') };
    // those who are silent are left out after seconds, so that a run sees it often
    // what a killed database had kept for others is left: reading it may take for ever, and memory without end
    const group =
      'gcache.size=64M;gcache.recover=no;evs.keepalive_period=PT1S;evs.suspect_timeout=PT4S;evs.inactive_timeout=PT8S;evs.install_timeout=PT8S';
    this.#server = new Program({
      host: name,
      log: this.log,
      env: this.#env,
      isMachine: true,
      command: [
        'mariadbd',
        '--no-defaults',
        '--user=mysql',
        `--datadir=${join(this.#folder, 'data')}`,
        '--port=3306',
        '--bind-address=0.0.0.0',
        `--socket=${join(this.#folder, 'socket')}`,
        `--pid-file=${join(this.#folder, 'pid')}`,
        '--binlog-format=ROW',
        '--innodb-autoinc-lock-mode=2',
        // a kill of the process loses nothing that was written to the file
        '--innodb-flush-log-at-trx-commit=2',
        '--innodb-buffer-pool-size=128M',
        '--innodb-stats-persistent=0',
        '--max-connections=300',
        '--skip-name-resolve',
        '--wsrep-on=ON',
        `--wsrep-provider=${provider}`,
        `--wsrep-provider-options=${group}`,
        '--wsrep-cluster-name=mortise',
        `--wsrep-cluster-address=gcomm://${all.join(',')}`,
        `--wsrep-node-address=${address}`,
        `--wsrep-node-name=${name}`,
        '--wsrep-sst-method=rsync',
        '--wsrep-slave-threads=2',
      ],
      startAgain: () => this.start(),
    });
    this.#check = new Program({ host: name, log: this.log, command: [process.execPath, checker, address] });
  }

  install() {
    const data = join(this.#folder, 'data');
    const args = ['--user=mysql', `--datadir=${data}`, '--auth-root-authentication-method=normal', '--skip-test-db'];
    const made = spawnSync('mariadb-install-db', args, { encoding: 'utf8', env: this.#env });
    if (made.status !== 0) throw new Error(`mariadb-install-db: ${made.stderr}`);
  }

  /** The first of all. */
  bootstrap() {
    this.#server.start('--wsrep-new-cluster', `--init-file=${this.grants}`);
    this.#check.start();
  }

  /** Joins those that are there, from where it had stopped. */
  start() {
    const position = this.#recovered();
    this.#server.start(...(position ? [`--wsrep-start-position=${position}`] : []));
    if (!this.#check.isRunning) this.#check.start();
  }

  /** The last transaction that it has; undefined: none. */
  #recovered() {
    const told = join(this.#folder, 'recovery.log');
    rmSync(told, { force: true });
    const args = this.#server.command.slice(1);
    spawnSync('mariadbd', [...args, '--wsrep-recover', `--log-error=${told}`], {
      env: this.#env,
      stdio: 'ignore',
      timeout: 60_000,
      killSignal: 'SIGKILL',
    });
    try {
      return / WSREP: Recovered position:? *(\S+:\d+)/.exec(readFileSync(told, 'utf8'))?.[1];
    } catch {
      return undefined;
    }
  }

  async #ask(...statements) {
    const connection = await createConnection({ host: this.address, ...account, connectTimeout: 3000 });
    try {
      let rows;
      for (const sql of statements) [rows] = await connection.query(sql);
      return rows;
    } finally {
      connection.destroy();
    }
  }

  async isSynced() {
    const rows = await this.#ask("show status like 'wsrep_%'");
    const status = new Map(rows.map((row) => [row.Variable_name, row.Value]));
    return status.get('wsrep_local_state_comment') === 'Synced' && status.get('wsrep_cluster_status') === 'Primary';
  }

  /** In one transaction, beside the database of the site. */
  async changeMuch() {
    await this.#ask(
      'create database if not exists bulk',
      'create table if not exists bulk.counter (id int not null primary key, value int not null)',
      'insert ignore into bulk.counter select seq, 0 from bulk.seq_1_to_100000',
      'update bulk.counter set value = value + 1',
    );
  }

  kill() {
    return this.#server.kill();
  }

  /** How often it ended by itself. */
  get restarts() {
    return this.#server.restarts;
  }

  pause() {
    this.#server.pause();
  }

  resume() {
    this.#server.resume();
  }
}

/** Gives its nodes when all are in step. */
export async function startGalera(network, folder, names = ['db1', 'db2', 'db3']) {
  const hosts = names.map((name, at) => ({ name, address: network.addHost(name, 21 + at) }));
  const all = hosts.map(({ address }) => address);
  const nodes = hosts.map((host) => new GaleraNode({ ...host, all, folder }));
  nodes[0].install();
  nodes[0].bootstrap();
  await until('the first database answers', () => nodes[0].isSynced());
  // the others copy the first
  for (const node of nodes.slice(1)) {
    node.start();
    await until(`${node.name} is in step`, () => node.isSynced(), 300);
  }
  return nodes;
}
