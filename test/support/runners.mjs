// Programs that run jobs of a test's server: the usual one, and that of Mortise.
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './server.mjs';

/** A runner of root's, which stops when the test says so. */
class Program {
  #child;
  log = '';

  constructor(server, name) {
    this.server = server;
    this.folder = join(server.folder, name);
    this.name = name;
    mkdirSync(this.folder, { recursive: true });
  }

  get pid() {
    return this.#child?.pid;
  }

  #spawn(words) {
    const [program, ...args] = words;
    const child = spawn(program, args, { cwd: this.folder, env: { ...process.env, HOME: this.folder } });
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (this.log += text));
    return child;
  }

  async register(...more) {
    const { json } = await this.server.api('POST', '/user/actions/runners/registration-token');
    const given = ['--instance', this.server.base, '--token', json.token, '--name', this.name];
    const child = this.#spawn(this.command('register', ...given, ...more));
    const code = await new Promise((resolve) => child.on('exit', resolve));
    if (code !== 0) throw new Error(this.log);
    return this;
  }

  start() {
    this.#child = this.#spawn(this.command('daemon'));
    this.ended = new Promise((resolve) => this.#child.on('exit', resolve));
    return this;
  }

  async stop(signal = 'SIGTERM') {
    if (!this.#child || this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.kill(signal);
    const clock = setTimeout(() => this.#child.kill('SIGKILL'), 10_000);
    await this.ended;
    clearTimeout(clock);
  }
}

/** The usual runner program, in host mode. */
export class UsualRunner extends Program {
  #program;

  constructor(program, server, name, { label = 'linux', capacity = 1, cache = false } = {}) {
    super(server, name);
    this.#program = program;
    const at = (path) => JSON.stringify(join(this.folder, path));
    const config = `runner: { file: ${at('.runner')}, capacity: ${capacity}, fetch_interval: 1s, labels: ["${label}:host"] }
cache: { enabled: ${cache}, dir: ${at('cache')}, host: 127.0.0.1 }
host: { workdir_parent: ${at('work')} }
`;
    writeFileSync(join(this.folder, 'config.yaml'), config);
  }

  command(name, ...more) {
    const extra = name === 'register' ? ['--no-interactive', ...more] : more;
    return [this.#program, '-c', join(this.folder, 'config.yaml'), name, ...extra];
  }
}

/** That of Mortise. */
export class OurRunner extends Program {
  constructor(server, name, { label = 'linux', capacity = 1 } = {}) {
    super(server, name);
    this.label = label;
    this.capacity = capacity;
  }

  command(name, ...more) {
    const extra =
      name === 'register'
        ? ['--labels', this.label]
        : ['--capacity', String(this.capacity), '--folder', this.folder, '--containers', 'off'];
    const file = ['--file', join(this.folder, 'runner.json')];
    return [process.execPath, join(root, 'core/bin/mortise.mjs'), 'runner', name, ...file, ...extra, ...more];
  }
}
