import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { definePlugin, type Actor, type PluginDefinition } from '@mortise/plugin-sdk';
import { gitEnvironment, startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import { accounts, type Account } from '@mortise/accounts/api';
import { signatureVerifiers, type SignedObject } from '@mortise/history/api';
import { repositories, type Repository } from '@mortise/repositories/api';
import { protectionTeams } from '../api.js';

const run = promisify(execFile);

/** Teams, and a verifier that takes every signature unless the message says it is bad. */
const extras = (): PluginDefinition =>
  definePlugin({
    name: 'protection-extras',
    version: '1.0.0',
    sdk: '*',
    requires: { history: '^1.0.0', 'branch-protection': '^1.0.0' },
    register(host) {
      host.contribute(signatureVerifiers, {
        key: 'trusting',
        order: 1,
        verify: async (objects) => objects.map(verdict),
      });
      // one team, of whoever has an even id
      host.contribute(protectionTeams, {
        key: 'even',
        byNames: async () => new Map([['even', 1]]),
        names: async () => new Map([[1, 'even']]),
        membersAmong: async (teams, users) => new Set(teams.includes(1) ? users.filter((id) => id % 2 === 0) : []),
        ofOwner: async () => [{ id: 1, name: 'even' }],
      });
    },
  });

function verdict(object: SignedObject) {
  const message = (object as { message?: string }).message ?? '';
  return {
    verified: !message.includes('bad'),
    reason: message.includes('bad') ? 'gpg.error.failed_retrieval_gpg_keys' : 'signed',
    signature: object.signature ?? '',
    payload: object.payload ?? '',
    signer: null,
  };
}

/** A host with people, repositories and real git. */
export class Workshop {
  readonly users = new Map<string, Account>();
  #count = 0;

  private constructor(readonly host: TestHost) {}

  static async open(...names: string[]): Promise<Workshop> {
    const shop = new Workshop(
      await startHost({
        plugins: ['git-http', 'auth-basic', 'files', 'branch-protection', 'commit-status', 'forks', extras()],
      }),
    );
    for (const name of names) {
      const account = { name, email: `${name}@example.com`, password: 'long enough' };
      shop.users.set(name, await shop.host.services.get(accounts).create(account));
    }
    return shop;
  }

  account(name: string): Account {
    return this.users.get(name)!;
  }

  actor(name: string): Actor {
    return this.host.services.get(accounts).actorOf(this.account(name), 'test');
  }

  /** Somebody more, who may do nothing yet. */
  async join(name: string): Promise<void> {
    const account = { name, email: `${name}@example.com`, password: 'long enough' };
    this.users.set(name, await this.host.services.get(accounts).create(account));
  }

  /** Of the first person; the others may write. */
  async repository(name: string): Promise<Repository> {
    const [owner, ...writers] = [...this.users.values()];
    const made = await this.host.services
      .get(repositories)
      .create(owner!, { name, defaultBranch: 'main' }, this.actor(owner!.name));
    for (const writer of writers) {
      await this.call(owner!.name, 'PUT', `/repos/${owner!.name}/${name}/collaborators/${writer.name}`, {
        permission: 'write',
      });
    }
    return made;
  }

  /** One request to the API; gives status and body. */
  async call(who: string | undefined, method: string, path: string, payload?: object) {
    const client = who ? this.host.as(this.account(who)) : this.host;
    const answer = await client.inject({ method, url: `/api/v1${path}`, ...(payload ? { payload } : {}) });
    return { status: answer.statusCode, body: answer.json };
  }

  async git(cwd: string, ...args: string[]): Promise<string> {
    const { stdout } = await run('git', args, {
      cwd,
      env: gitEnvironment(this.host.workDir),
    });
    return stdout.trim();
  }

  /** A clone with one commit on `main`, pushed by the owner. */
  async clone(repository: Repository, files: Record<string, string> = { 'a.txt': 'a\n' }): Promise<string> {
    const dir = join(this.host.workDir, `clone-${++this.#count}`);
    await mkdir(dir);
    await this.git(dir, 'init', '-q', '-b', 'main');
    await this.commit(dir, files, 'first');
    await this.push(dir, repository, repository.ownerName, 'main');
    return dir;
  }

  async commit(dir: string, files: Record<string, string>, message = 'more', ...options: string[]): Promise<string> {
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(dir, path)), { recursive: true });
      await writeFile(join(dir, path), content);
    }
    await this.git(dir, 'add', '-A');
    await this.git(dir, ...options, 'commit', '-q', '--allow-empty', '-m', message);
    return this.git(dir, 'rev-parse', 'HEAD');
  }

  async push(dir: string, repository: Repository, who: string, ...args: string[]): Promise<void> {
    const url = new URL(`${await this.host.url()}/${repository.ownerName}/${repository.name}.git`);
    Object.assign(url, { username: who, password: 'long enough' });
    await this.git(dir, 'push', url.href, ...args);
  }
}
