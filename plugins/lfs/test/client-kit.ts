import { spawnSync } from 'node:child_process';
import { GitClient } from '@mortise/git/testing';
import type { LfsBench } from './kit.js';

/** The client waits for the server, however slow both are here. */
const patience = {
  GIT_CONFIG_COUNT: '2',
  GIT_CONFIG_KEY_0: 'lfs.dialtimeout',
  GIT_CONFIG_VALUE_0: '240',
  GIT_CONFIG_KEY_1: 'lfs.activitytimeout',
  GIT_CONFIG_VALUE_1: '240',
};

/** The real client, installed where that is possible. */
export function haveClient(): boolean {
  const there = () => spawnSync('git', ['lfs', 'version']).status === 0;
  if (!there() && process.getuid?.() === 0)
    spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'git-lfs'], { stdio: 'ignore' });
  if (there()) return true;
  console.log('skipped: the tests with the real client need git-lfs (package git-lfs)');
  return false;
}

/** git with LFS in folders of a bench. */
export class LfsClient {
  readonly #client: GitClient;

  constructor(
    readonly bench: LfsBench,
    environment: Readonly<Record<string, string>> = {},
  ) {
    this.#client = new GitClient(bench.host, { environment: { ...patience, ...environment } });
  }

  git = (folder: string, ...args: string[]) => this.#client.run(folder, ...args);

  /** A work tree with one commit, in which `*.bin` belongs to LFS. */
  async source(address: string, files: Readonly<Record<string, Buffer>>): Promise<string> {
    const folder = await this.#client.workTree();
    await this.git(folder, 'remote', 'add', 'origin', address);
    await this.git(folder, 'lfs', 'install', '--local');
    await this.git(folder, 'lfs', 'track', '--lockable', '*.bin');
    await this.#client.commit(folder, files, 'files');
    return folder;
  }

  async clone(address: string): Promise<string> {
    const filter = ['-c', 'filter.lfs.required=true', '-c', 'filter.lfs.process=git-lfs filter-process'];
    const folder = this.#client.path();
    await this.git(this.bench.host.workDir, 'clone', '-q', ...filter, address, folder);
    await this.git(folder, 'lfs', 'install', '--local');
    return folder;
  }
}
