// A program on a host of the cluster, which is killed, stands still and is started again.
import { spawn } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';

/** Processes by their parent, of this process's namespace. */
function children() {
  const found = new Map();
  for (const id of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const stat = readFileSync(`/proc/${id}/stat`, 'utf8');
      const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
      found.set(parent, [...(found.get(parent) ?? []), Number(id)]);
    } catch {
      // it has just ended
    }
  }
  return found;
}

/** A process and all that it started, itself first. */
export function familyOf(pid) {
  const all = children();
  const family = [pid];
  for (const one of family) family.push(...(all.get(one) ?? []));
  return family;
}

/** As `RestartSec` of the unit in config/deploy, in milliseconds. */
const restartMs = 5000;

export class Program {
  #child;
  #isWanted = false;
  /** How often it ended by itself and was started again, as by the service manager of a machine. */
  restarts = 0;

  /**
   * `host`: the namespace; `command`: program and arguments; `log`: a file; `isMachine`: with a process namespace of its
   * own, as on a machine of its own; `startAgain`: starts it when it ended by itself.
   */
  constructor({ host, command, log, env = process.env, cwd, isMachine = false, startAgain = () => this.start() }) {
    this.host = host;
    this.command = command;
    this.log = log;
    this.env = env;
    this.cwd = cwd;
    this.isMachine = isMachine;
    this.startAgain = startAgain;
  }

  get isRunning() {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** With further arguments for this time. */
  start(...more) {
    if (this.isRunning) throw new Error(`${this.command[0]} runs on ${this.host}`);
    const machine = this.isMachine ? ['unshare', '--pid', '--fork', '--kill-child=SIGKILL', '--mount-proc'] : [];
    const out = openSync(this.log, 'a');
    const args = ['netns', 'exec', this.host, ...machine, ...this.command, ...more];
    this.#child = spawn('ip', args, { env: this.env, cwd: this.cwd, stdio: ['ignore', out, out], detached: true });
    closeSync(out);
    this.exited = new Promise((resolve) => this.#child.once('exit', (code, signal) => resolve(signal ?? code)));
    this.#isWanted = true;
    void this.exited.then(() => this.#ended());
  }

  async #ended() {
    if (!this.#isWanted) return;
    await sleep(restartMs);
    if (!this.#isWanted || this.isRunning) return;
    this.restarts++;
    this.startAgain();
  }

  #signal(name) {
    for (const pid of familyOf(this.#child.pid)) {
      try {
        process.kill(pid, name);
      } catch (error) {
        if (error.code !== 'ESRCH') throw error;
      }
    }
  }

  /** SIGKILL to it and to all that it started. */
  async kill() {
    this.#isWanted = false;
    if (!this.isRunning) return;
    this.#signal('SIGKILL');
    await this.exited;
  }

  pause() {
    if (this.isRunning) this.#signal('SIGSTOP');
  }

  resume() {
    if (this.isRunning) this.#signal('SIGCONT');
  }
}

/** Asks until it is so; throws with `what` when it is not in time. */
export async function until(what, check, seconds = 120) {
  let last;
  for (const end = Date.now() + seconds * 1000; Date.now() < end; await sleep(100)) {
    try {
      if (await check()) return;
      last = undefined;
    } catch (error) {
      last = error;
    }
  }
  throw new Error(`not within ${seconds} s: ${what}${last ? ` (${last.message})` : ''}`);
}

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
