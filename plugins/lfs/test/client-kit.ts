import { execFile, spawnSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gitEnvironment } from '@mortise/plugin-sdk/testing';
import { LfsBench } from './kit.js';

const run = promisify(execFile);
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
  #made = 0;

  constructor(
    readonly bench: LfsBench,
    private readonly environment: Readonly<Record<string, string>> = {},
  ) {}

  git = (cwd: string, ...args: string[]) =>
    run('git', args, {
      cwd,
      maxBuffer: 1 << 26,
      env: { ...gitEnvironment(this.bench.host.workDir), ...patience, ...this.environment },
    });

  /** A work tree with one commit, in which `*.bin` belongs to LFS. */
  async source(address: string, files: Readonly<Record<string, Buffer>>): Promise<string> {
    const { git } = this;
    const dir = join(this.bench.host.workDir, `source-${++this.#made}`);
    await mkdir(dir);
    await git(dir, 'init', '-q', '-b', 'main');
    await git(dir, 'remote', 'add', 'origin', address);
    await git(dir, 'lfs', 'install', '--local');
    await git(dir, 'lfs', 'track', '--lockable', '*.bin');
    for (const [path, content] of Object.entries(files)) await writeFile(join(dir, path), content);
    await git(dir, 'add', '.');
    await git(dir, 'commit', '-q', '-m', 'files');
    return dir;
  }

  async clone(address: string): Promise<string> {
    const dir = join(this.bench.host.workDir, `clone-${++this.#made}`);
    const filter = ['-c', 'filter.lfs.required=true', '-c', 'filter.lfs.process=git-lfs filter-process'];
    await this.git(this.bench.host.workDir, 'clone', '-q', ...filter, address, dir);
    await this.git(dir, 'lfs', 'install', '--local');
    return dir;
  }
}
