// Hosts of the cluster: a network namespace for each, joined by a bridge. Links can be cut and slowed.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { s3Program } from '../../services/install.mjs';

const prefix = '10.77.0';
const run = (program, ...args) => execFileSync(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
const ip = (...args) => run('ip', ...args);

/** Why no cluster can be made here; undefined: it can. */
export function missingRequirement() {
  if (process.getuid?.() !== 0) return 'it makes network namespaces, for which it needs root';
  for (const [program, of] of [
    ['unshare', 'util-linux'],
    ['ip', 'iproute2'],
    ['tc', 'iproute2'],
    ['iptables', 'iptables'],
    ['rsync', 'rsync'],
    ['mariadbd', 'mariadb-server'],
    ['redis-server', 'redis-server'],
    ['haproxy', 'haproxy'],
    ['nginx', 'nginx-light'],
  ])
    if (spawnSync('sh', ['-c', `PATH=$PATH:/usr/sbin command -v ${program}`]).status !== 0)
      return `${program} is not here (package ${of})`;
  if (!existsSync('/usr/lib/galera/libgalera_smm.so')) return 'Galera is not here (package galera-4)';
  if (!existsSync(s3Program)) return 'no S3 server is here (node test/services/install.mjs)';
  if (spawnSync('unshare', ['--net', '--mount', '--pid', '--fork', 'true']).status !== 0)
    return 'this system makes no namespaces';
  return undefined;
}

/**
 * The command in namespaces of its own for networks, mounts and processes. The kernel ends all that is in them with the
 * process, so nothing outlives it, whatever happens.
 */
export function spawnApart([program, ...args], options) {
  const apart = ['--net', '--mount', '--pid', '--fork', '--kill-child=SIGKILL', '--mount-proc'];
  return spawn('unshare', [...apart, program, ...args], options);
}

/** Of the process that {@link spawnApart} started. */
export class Network {
  /** Of this process, which reaches all hosts. */
  static own = `${prefix}.1`;
  #hosts = new Map();

  constructor() {
    execFileSync('sh', ['-c', 'mkdir -p /run/netns && mount -t tmpfs none /run/netns']);
    ip('link', 'set', 'lo', 'up');
    ip('link', 'add', 'bridge', 'type', 'bridge');
    ip('addr', 'add', `${Network.own}/24`, 'dev', 'bridge');
    ip('link', 'set', 'bridge', 'up');
  }

  /** Gives its address. */
  addHost(name, number) {
    const address = `${prefix}.${number}`;
    ip('netns', 'add', name);
    ip('link', 'add', `to-${name}`, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', name);
    ip('link', 'set', `to-${name}`, 'master', 'bridge', 'up');
    for (const args of [
      ['link', 'set', 'lo', 'up'],
      ['addr', 'add', `${address}/24`, 'dev', 'eth0'],
      ['link', 'set', 'eth0', 'up'],
    ])
      ip('-n', name, ...args);
    this.#hosts.set(name, address);
    return address;
  }

  /** As if its cable were pulled. */
  cut(name) {
    ip('link', 'set', `to-${name}`, 'down');
  }

  mend(name) {
    ip('link', 'set', `to-${name}`, 'up');
  }

  #drop(action, name, other) {
    for (const [at, from] of [
      [name, other],
      [other, name],
    ])
      run('ip', 'netns', 'exec', at, 'iptables', action, 'INPUT', '-s', this.#hosts.get(from), '-j', 'DROP');
  }

  /** Two hosts hear nothing of each other, and all of the others. */
  blockBetween(name, other) {
    this.#drop('-A', name, other);
  }

  rejoin(name, other) {
    this.#drop('-D', name, other);
  }

  /** What comes to it is let through slowly; `rate` as tc(8) has it. */
  slow(name, rate) {
    const limits = ['rate', rate, 'burst', '16kb', 'latency', '2s'];
    run('tc', 'qdisc', 'add', 'dev', `to-${name}`, 'root', 'tbf', ...limits);
  }

  removeDelay(name) {
    run('tc', 'qdisc', 'del', 'dev', `to-${name}`, 'root');
  }
}
