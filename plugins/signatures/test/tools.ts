import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** A folder with its own gpg home, SSH keys and git settings; nothing of whoever runs the tests. */
export class SigningTools {
  readonly folder = mkdtempSync(join(tmpdir(), 'mortise-sign-'));
  readonly #environment = {
    PATH: process.env.PATH ?? '',
    HOME: this.folder,
    GNUPGHOME: this.folder,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    LC_ALL: 'C',
  };

  run(command: string, args: readonly string[], input = '', cwd = this.folder): string {
    return execFileSync(command, args, {
      cwd,
      input,
      env: this.#environment,
      encoding: 'utf8',
      stdio: ['pipe', 'pipe', 'pipe'],
    });
  }

  /** For commands that talk with the server of this same process. */
  async talk(command: string, args: readonly string[], cwd = this.folder): Promise<string> {
    const { stdout } = await promisify(execFile)(command, [...args], { cwd, env: this.#environment, timeout: 120_000 });
    return stdout;
  }

  /** A new key with a signing subkey; gives its fingerprint. */
  gpgKey(identity: string, algorithm = 'ed25519', expires = 'never'): string {
    const agent = ['--batch', '--pinentry-mode', 'loopback', '--passphrase', ''];
    this.run('gpg', [...agent, '--quick-gen-key', identity, algorithm, 'sign,cert', expires]);
    const listed = this.run('gpg', ['--list-keys', '--with-colons', identity]);
    const print = /^fpr:+([0-9A-F]+):/m.exec(listed)![1]!;
    this.run('gpg', [...agent, '--quick-add-key', print, algorithm, 'sign', 'never']);
    return print;
  }

  armored = (print: string): string => this.run('gpg', ['--armor', '--export', print]);

  detached = (print: string, text: string): string =>
    this.run('gpg', ['--batch', '--armor', '--local-user', print, '--detach-sign'], text);

  sshKey(name: string, kind = 'ed25519', bits?: number): { file: string; line: string } {
    const file = join(this.folder, name);
    this.run('ssh-keygen', ['-q', '-t', kind, ...(bits ? ['-b', String(bits)] : []), '-N', '', '-f', file]);
    return { file, line: readFileSync(`${file}.pub`, 'utf8').trim() };
  }

  write(name: string, text: string): string {
    const file = join(this.folder, name);
    writeFileSync(file, text);
    return file;
  }

  repository(name: string): string {
    this.run('git', ['init', '-q', '-b', 'main', name]);
    return join(this.folder, name);
  }

  /** An empty commit (or, with `tag`, an annotated tag) signed by a key; gives its object id. */
  signed(
    repository: string,
    by: { email: string; gpg?: string; ssh?: string; message?: string; tag?: string; encoding?: string },
  ): string {
    const settings = {
      'user.name': 'Ada',
      'user.email': by.email,
      ...(by.encoding ? { 'i18n.commitEncoding': by.encoding } : {}),
      ...(by.ssh ? { 'gpg.format': 'ssh', 'user.signingKey': by.ssh } : { 'user.signingKey': by.gpg ?? '' }),
    };
    const set = Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${value}`]);
    const message = ['-F', '-'];
    const text = by.message ?? 'signed';
    if (by.tag) this.run('git', [...set, 'tag', '-s', by.tag, ...message], text, repository);
    else {
      const flag = by.gpg || by.ssh ? ['-S'] : [];
      this.run('git', [...set, 'commit', '-q', '--allow-empty', ...flag, ...message], text, repository);
    }
    return this.run('git', ['rev-parse', by.tag ?? 'HEAD'], '', repository).trim();
  }

  /** What gpg makes meanwhile is of that time (`20240301T120000`). */
  at<T>(time: string, work: () => T): T {
    const settings = this.write('gpg.conf', `faked-system-time ${time}\n`);
    try {
      return work();
    } finally {
      rmSync(settings);
    }
  }

  close(): void {
    try {
      this.run('gpgconf', ['--kill', 'all']);
    } catch {
      // No agent was started.
    }
    // The agent may still be clearing up.
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 10 });
  }
}
