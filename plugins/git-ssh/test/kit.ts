/** A host with git over SSH and HTTP, accounts with keys, and the real clients. */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { PluginDefinition } from '@mortise/plugin-sdk';
import { gitEnvironment, startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { publicKeys, type Account } from '@mortise/accounts/api';
import { createAccount } from '@mortise/accounts/testing';
import { gitStore } from '@mortise/git/api';
import type { Repository } from '@mortise/repositories/api';
import { createRepository, remoteUrl } from '@mortise/repositories/testing';
import { sshAddresses } from '../contract/git-ssh.js';

const run = promisify(execFile);

export interface Done {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export class Kit {
  private made = 0;
  private constructor(
    readonly host: TestHost,
    readonly ada: Account,
    readonly ben: Account,
  ) {}

  static async start(
    settings: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {},
    plugins: readonly PluginDefinition[] = [],
  ): Promise<Kit> {
    const host = await startHost({
      plugins: ['git-ssh', 'git-http', 'auth-basic', ...plugins],
      settings: {
        ...settings,
        server: { SSH_PORT: 0, SSH_LISTEN_HOST: '127.0.0.1', SSH_DOMAIN: '127.0.0.1', ...settings['server'] },
      },
    });
    const kit = new Kit(host, await createAccount(host, 'ada'), await createAccount(host, 'ben'));
    for (const one of [kit.ada, kit.ben]) await kit.addKey(one, await kit.newKey(one.name));
    await kit.newKey('stranger');
    return kit;
  }

  path(name: string): string {
    return join(this.host.workDir, name);
  }

  /** Makes a key pair; gives the public key. */
  async newKey(name: string, type = 'ed25519'): Promise<string> {
    await mkdir(this.path('keys'), { recursive: true });
    await run('ssh-keygen', ['-q', '-t', type, '-N', '', '-C', name, '-f', this.path(`keys/${name}`)]);
    return (await readFile(this.path(`keys/${name}.pub`), 'utf8')).trim();
  }

  addKey(account: Account, key: string, readOnly = false) {
    const title = `key ${++this.made}`;
    return this.host.services.get(publicKeys).add(account.id, { title, key, readOnly });
  }

  /** As arguments of `ssh`, without the host. */
  options(key: string): string[] {
    const words = ['StrictHostKeyChecking=no', 'UserKnownHostsFile=/dev/null', 'IdentitiesOnly=yes', 'LogLevel=ERROR'];
    const port = String(this.host.services.get(sshAddresses).port);
    return ['-F', 'none', ...words.flatMap((word) => ['-o', word]), '-i', this.path(`keys/${key}`), '-p', port];
  }

  ssh(key: string, ...args: string[]): Promise<Done> {
    return this.end(
      spawn('ssh', [...this.options(key), 'git@127.0.0.1', ...args], { stdio: ['ignore', 'pipe', 'pipe'] }),
    );
  }

  environment(key = 'ada'): NodeJS.ProcessEnv {
    return { ...gitEnvironment(this.host.workDir), GIT_SSH_COMMAND: `ssh ${this.options(key).join(' ')}` };
  }

  start(key: string, folder: string, ...args: string[]): ChildProcess {
    return spawn('git', args, {
      cwd: folder,
      env: this.environment(key),
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
  }

  /** As when the machine of the client goes away: git, and the ssh that it started. */
  kill(child: ChildProcess): void {
    const hasEnded = child.exitCode !== null || child.signalCode !== null;
    if (child.pid && !hasEnded) process.kill(-child.pid, 'SIGKILL');
  }

  /** Runs git with somebody's key; never throws. */
  try(key: string, folder: string, ...args: string[]): Promise<Done> {
    return this.end(this.start(key, folder, ...args));
  }

  /** Runs git as ada; throws what it said when it fails. */
  async git(folder: string, ...args: string[]): Promise<string> {
    const { code, out, err } = await this.try('ada', folder, ...args);
    if (code !== 0) throw new Error(`git ${args.join(' ')}: ${code}\n${err}`);
    return out + err;
  }

  end(child: ChildProcess): Promise<Done> {
    let out = '';
    let err = '';
    child.stdout?.on('data', (chunk: Buffer) => (out += chunk.toString()));
    child.stderr?.on('data', (chunk: Buffer) => (err += chunk.toString()));
    return new Promise((resolve) => child.once('close', (code) => resolve({ code: code ?? -1, out, err })));
  }

  repository(name: string, more = {}): Promise<Repository> {
    return createRepository(this.host, this.ada, { name, ...more });
  }

  folder(repository: Repository): string {
    return this.host.services.get(gitStore).path(repository.id);
  }

  url(path: string): string {
    return this.host.services.get(sshAddresses).address(path);
  }

  http(path: string, who = this.ada): Promise<string> {
    return remoteUrl(this.host, `${path}.git`, who.name);
  }

  /** A work tree with one commit. */
  async source(): Promise<string> {
    const folder = this.path(`source-${++this.made}`);
    await mkdir(folder);
    await this.git(folder, 'init', '-q', '-b', 'main');
    await this.commit(folder, 'a.txt', `${this.made}\n`);
    return folder;
  }

  async commit(folder: string, file: string, content: string | Buffer): Promise<void> {
    await writeFile(join(folder, file), content);
    await this.git(folder, 'add', '.');
    await this.git(folder, 'commit', '-q', '-m', `change ${file}`);
  }

  /** A bare repository with many commits over a few files, by fast-import. */
  async history(commits: number): Promise<string> {
    const folder = this.path(`history-${++this.made}.git`);
    await run('git', ['init', '-q', '--bare', '-b', 'main', folder]);
    const child = spawn('git', ['-C', folder, 'fast-import', '--quiet'], { stdio: ['pipe', 'ignore', 'ignore'] });
    for (let n = 1; n <= commits; n++) {
      const who = `A <a@example.com> ${1_500_000_000 + n} +0000`;
      const text = `file ${n % 50}\n${Array.from({ length: 20 }, (_, i) => `line ${i} of ${(n * 7 + i) % 97}`).join('\n')}\n`;
      const branch = n % 10 === 0 ? `refs/heads/b${(n / 10) % 5}` : 'refs/heads/main';
      const from = n === 1 ? '' : `from :${n - 1}\n`;
      child.stdin.write(
        `commit ${branch}\nmark :${n}\nauthor ${who}\ncommitter ${who}\ndata 8\nchange\n\n\n${from}M 100644 inline d${n % 7}/f${n % 50}\ndata ${text.length}\n${text}\n`,
      );
    }
    child.stdin.end();
    const { code } = await this.end(child);
    if (code !== 0) throw new Error('fast-import failed');
    return folder;
  }
}
