import { definePlugin, Forbidden, type Actor, type PluginDefinition } from '@mortise/plugin-sdk';
import { startHost, type TestHost } from '@mortise/plugin-sdk/testing';
import type { Account } from '@mortise/accounts/api';
import { signUp, type SignedIn } from '@mortise/accounts/testing';
import { defineFact } from '@mortise/git/api';
import { GitClient } from '@mortise/git/testing';
import { signatureVerifiers, type SignedObject } from '@mortise/history/api';
import type { Repository } from '@mortise/repositories/api';
import { createRepository, remoteUrl, send } from '@mortise/repositories/testing';
import { mergeVerdicts, protectionTeams } from '../contract/branch-protection.js';

/** Says that a change merges a pull request with so many approvals. */
export const merging = defineFact<{ readonly approvals: number }>('test.merging');

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
      host.contribute(mergeVerdicts, {
        key: 'merging',
        async verdict(change, _update, { requiredApprovals }) {
          const merge = merging.of(change);
          if (merge && merge.approvals < requiredApprovals) throw Forbidden('approvals are missing');
          return merge !== undefined;
        },
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

/** A host with accounts, repositories and real git. */
export class ProtectionKit {
  readonly users = new Map<string, SignedIn>();
  readonly #git: GitClient;

  private constructor(readonly host: TestHost) {
    this.#git = new GitClient(host);
  }

  static async open(...names: string[]): Promise<ProtectionKit> {
    const plugins = ['git-http', 'auth-basic', 'files', 'branch-protection', 'commit-status', 'forks', extras()];
    const kit = new ProtectionKit(await startHost({ plugins }));
    for (const name of names) await kit.join(name);
    return kit;
  }

  account(name: string): Account {
    return this.users.get(name)!.account;
  }

  actor(name: string): Actor {
    return this.users.get(name)!.actor;
  }

  /** One more account, which may do nothing yet. */
  async join(name: string): Promise<void> {
    this.users.set(name, await signUp(this.host, name));
  }

  /** Of the first account; the others may write. */
  async repository(name: string): Promise<Repository> {
    const [owner, ...writers] = [...this.users.values()].map(({ account }) => account);
    const made = await createRepository(this.host, owner!, { name, defaultBranch: 'main' });
    for (const writer of writers) {
      await this.call(owner!.name, 'PUT', `/repos/${owner!.name}/${name}/collaborators/${writer.name}`, {
        permission: 'write',
      });
    }
    return made;
  }

  /** One request to the API; gives status and body. */
  async call(who: string | undefined, method: string, path: string, payload?: object) {
    const answer = await send(who ? this.users.get(who)! : this.host, method, path, payload);
    return { status: answer.statusCode, body: answer.json };
  }

  git(folder: string, ...args: string[]): Promise<string> {
    return this.#git.text(folder, ...args);
  }

  /** A clone with one commit on `main`, pushed by the owner. */
  async clone(repository: Repository, files: Record<string, string> = { 'a.txt': 'a\n' }): Promise<string> {
    const folder = await this.#git.workTree(files);
    await this.push(folder, repository, repository.ownerName, 'main');
    return folder;
  }

  commit(folder: string, files: Record<string, string>, message?: string, ...settings: string[]): Promise<string> {
    return this.#git.commit(folder, files, message, ...settings);
  }

  async push(folder: string, { ownerName, name }: Repository, who: string, ...args: string[]): Promise<void> {
    await this.git(folder, 'push', await remoteUrl(this.host, `${ownerName}/${name}.git`, who), ...args);
  }
}
