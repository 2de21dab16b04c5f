/** For tests with a real git client; not in the packed plugin. */
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gitEnvironment, type TestHost } from '@mortise/plugin-sdk/testing';

export { CountingProxy } from './test/counting-proxy.js';
export { RemoteServer } from './test/remote-server.js';

const run = promisify(execFile);

interface GitClientOptions {
  readonly name?: string;
  readonly email?: string;
  /** More variables, for instance `GIT_SSH_COMMAND`. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/** git as somebody runs it, who has nothing configured; its folders go with the host. */
export class GitClient {
  #made = 0;

  constructor(
    readonly host: Pick<TestHost, 'workDir'>,
    private readonly options: GitClientOptions = {},
  ) {}

  get environment(): NodeJS.ProcessEnv {
    const { name, email, environment } = this.options;
    return { ...gitEnvironment(this.host.workDir, name, email), ...environment };
  }

  /** Rejects with what git said when it fails. */
  run(folder: string, ...args: string[]): Promise<{ stdout: string; stderr: string }> {
    return run('git', args, { cwd: folder, env: this.environment, maxBuffer: 1 << 26 });
  }

  /** What git printed, without the space around it. */
  async text(folder: string, ...args: string[]): Promise<string> {
    return (await this.run(folder, ...args)).stdout.trim();
  }

  /** Did it end well? */
  succeeds(folder: string, ...args: string[]): Promise<boolean> {
    return this.run(folder, ...args).then(
      () => true,
      () => false,
    );
  }

  /** A new folder that is there. */
  async folder(name = 'folder'): Promise<string> {
    const path = this.path(name);
    await mkdir(path);
    return path;
  }

  /** A new path, for instance to clone to. */
  path(name = 'clone'): string {
    return join(this.host.workDir, `${name}-${++this.#made}`);
  }

  /** A work tree, with a first commit where files are given. */
  async workTree(files?: Readonly<Record<string, string | Buffer>>, branch = 'main'): Promise<string> {
    const folder = await this.folder('work');
    await this.run(folder, 'init', '-q', '-b', branch);
    if (files) await this.commit(folder, files, 'first');
    return folder;
  }

  async clone(address: string, ...options: string[]): Promise<string> {
    const folder = this.path();
    await this.run(this.host.workDir, 'clone', '-q', ...options, address, folder);
    return folder;
  }

  /** Writes files and commits all that has changed; gives the commit. */
  async commit(
    folder: string,
    files: Readonly<Record<string, string | Buffer>>,
    message = 'more',
    ...settings: string[]
  ): Promise<string> {
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), content);
    }
    await this.run(folder, 'add', '-A');
    await this.run(folder, ...settings, 'commit', '-q', '--allow-empty', '-m', message);
    return this.text(folder, 'rev-parse', 'HEAD');
  }
}
