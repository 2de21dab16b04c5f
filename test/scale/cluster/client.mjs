// Whoever uses the cluster: the API, git, and the protocol of runners, with limits of time.
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** An answer takes so long at most, in milliseconds. Correctness is asked, not speed. */
const patienceMs = 90_000;

/** Its outcome is not known: the connection ended, or the proxy saw no answer. */
export class OutcomeUnknown extends Error {}

export const owner = 'root:password';

/** One call of the API; gives { status, json, text }. Throws {@link OutcomeUnknown}. */
export async function api(base, method, path, { as = owner, body, raw, patience = patienceMs } = {}) {
  const sign = as.includes(':') ? `Basic ${Buffer.from(as).toString('base64')}` : `token ${as}`;
  let status;
  let text;
  try {
    const answer = await fetch(`${base}${path.startsWith('/api/') ? '' : '/api/v1'}${path}`, {
      method,
      redirect: 'manual',
      signal: AbortSignal.timeout(patience),
      headers: { authorization: sign, ...(body !== undefined && { 'content-type': 'application/json' }) },
      body: raw ?? (body === undefined ? undefined : JSON.stringify(body)),
    });
    status = answer.status;
    text = await answer.text();
  } catch (error) {
    throw new OutcomeUnknown(`${method} ${path}: ${error.cause?.code ?? error.message}`, { cause: error });
  }
  let json;
  try {
    json = JSON.parse(text);
  } catch {
    // of the proxy
  }
  return { status, json, text };
}

/** git as the owner, with a home of its own in `folder`. */
export class Git {
  #env;

  constructor(folder, address) {
    mkdirSync(folder, { recursive: true });
    this.folder = folder;
    this.key = join(folder, 'id');
    const config = join(folder, '.gitconfig');
    const basic = Buffer.from(owner).toString('base64');
    writeFileSync(
      config,
      `[user]\nname = Ada\nemail = ada@example.com\n[init]\ndefaultBranch = main\n[http]\nextraHeader = Authorization: Basic ${basic}\n[gc]\nauto = 0\n`,
    );
    const ssh = `ssh -i ${this.key} -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o ConnectTimeout=10 -o LogLevel=ERROR -o ServerAliveInterval=10`;
    this.#env = {
      ...process.env,
      HOME: folder,
      GIT_TERMINAL_PROMPT: '0',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_SSH_COMMAND: ssh,
    };
    this.http = (repository) => `http://${address}/root/${repository}.git`;
    this.ssh = (repository) => `ssh://git@${address}:2222/root/${repository}.git`;
  }

  /** Gives { code, out, err }; code is `timeout` when it took too long. */
  run(args, cwd = this.folder) {
    return new Promise((resolve) => {
      const child = spawn('git', args, { cwd, env: this.#env, detached: true });
      let out = '';
      let err = '';
      let isLate = false;
      const clock = setTimeout(() => {
        isLate = true;
        process.kill(-child.pid, 'SIGKILL');
      }, 2 * patienceMs);
      child.stdout.on('data', (chunk) => (out += chunk));
      child.stderr.on('data', (chunk) => (err += chunk));
      child.on('close', (code) => {
        clearTimeout(clock);
        resolve({ code: isLate ? 'timeout' : code, out, err });
      });
    });
  }

  async must(args, cwd) {
    const { code, out, err } = await this.run(args, cwd);
    if (code !== 0) throw new Error(`git ${args.join(' ')}: ${err}`);
    return out.trim();
  }
}
