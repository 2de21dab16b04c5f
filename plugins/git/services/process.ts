/** Runs git: clean environment, no shell, fixed hooks, restricted protocols, limits on time and output. */
import { spawn, type ChildProcessByStdio, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import { NotFound, Problem } from '@mortise/plugin-sdk';
import type { GitProcesses } from '../api.js';

export interface RunOptions {
  readonly cwd?: string;
  readonly input?: string | Buffer;
  readonly environment?: Readonly<Record<string, string>>;
  readonly maxBytes?: number;
  readonly timeoutMs?: number;
  /** Exit codes that are answers, not failures (default 0 only). */
  readonly okCodes?: readonly number[];
  readonly signal?: AbortSignal;
}

export interface RunResult {
  readonly code: number;
  readonly out: Buffer;
  readonly err: string;
}

/** A git command that ended badly; services translate those that users can cause. */
export class GitFailure extends Error {
  constructor(
    readonly command: string,
    readonly code: number,
    readonly stderr: string,
  ) {
    super(`git ${command} failed with ${code}: ${stderr.slice(0, 2000)}`);
    this.name = 'GitFailure';
  }
}

/** Settings of every git process; they travel in the environment, so that git's own children have them too. */
const configuration: readonly (readonly [string, string])[] = [
  ['safe.directory', '*'],
  ['protocol.allow', 'never'],
  ['gc.auto', '0'],
  // with version 2 a commit whose date lies beyond all numbers sends the writer of the graph round for ever
  ['commitGraph.generationVersion', '1'],
  ['maintenance.auto', 'false'],
  ['receive.autogc', 'false'],
  ['receive.advertisePushOptions', 'true'],
  ['receive.hideRefs', 'refs/pull'],
  ['uploadpack.allowFilter', 'true'],
  ['uploadpack.allowAnySHA1InWant', 'true'],
  ['core.fsmonitor', 'false'],
  ['core.quotePath', 'false'],
  ['core.logAllRefUpdates', 'false'],
  ['core.bigFileThreshold', '32m'],
  ['core.deltaBaseCacheLimit', '32m'],
  ['pack.windowMemory', '64m'],
  ['http.followRedirects', 'false'],
  ['init.defaultBranch', 'main'],
  ['user.name', 'Mortise'],
  ['user.email', 'noreply@localhost'],
];

export function gitEnvironment(options: { home: string; hooks: string; path?: string }): Record<string, string> {
  const all = [...configuration, ['core.hooksPath', options.hooks] as const];
  const environment: Record<string, string> = {
    PATH: process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin',
    HOME: options.home,
    LC_ALL: 'C',
    TZ: 'UTC',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: 'true',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_LITERAL_PATHSPECS: '1',
    GIT_CONFIG_COUNT: String(all.length),
  };
  all.forEach(([key, value], index) => {
    environment[`GIT_CONFIG_KEY_${index}`] = key;
    environment[`GIT_CONFIG_VALUE_${index}`] = value;
  });
  if (process.env['TMPDIR']) environment['TMPDIR'] = process.env['TMPDIR'];
  return environment;
}

/** The same environment with more configuration. */
export function withConfiguration(
  environment: Readonly<Record<string, string>>,
  more: readonly (readonly [string, string])[],
): Record<string, string> {
  const from = Number(environment['GIT_CONFIG_COUNT'] ?? '0');
  const result: Record<string, string> = { ...environment, GIT_CONFIG_COUNT: String(from + more.length) };
  more.forEach(([key, value], index) => {
    result[`GIT_CONFIG_KEY_${from + index}`] = key;
    result[`GIT_CONFIG_VALUE_${from + index}`] = value;
  });
  return result;
}

/** Starting in a folder that is gone fails like a program that is gone. */
function missing(error: NodeJS.ErrnoException, options: Pick<RunOptions, 'cwd'>): Error {
  return error.code === 'ENOENT' && options.cwd !== undefined && !existsSync(options.cwd)
    ? NotFound('repository')
    : error;
}

export type GitChild = ChildProcessByStdio<Writable, Readable, Readable>;

export class GitRunner implements GitProcesses {
  readonly arguments: readonly string[] = [];
  /** Processes that run now, ended with the host. */
  private readonly children = new Set<ChildProcess>();

  constructor(
    readonly executable: string,
    readonly environment: Readonly<Record<string, string>>,
    readonly limits: { readMs: number; writeMs: number; cloneMs: number },
  ) {}

  start(args: readonly string[], options: Pick<RunOptions, 'cwd' | 'environment'> = {}): GitChild {
    const child = spawn(this.executable, [...args], {
      cwd: options.cwd,
      env: { ...this.environment, ...options.environment },
      stdio: ['pipe', 'pipe', 'pipe'],
      shell: false,
    });
    this.children.add(child);
    child.once('close', () => this.children.delete(child));
    child.stdin.on('error', () => undefined); // the process may end before it has read everything
    return child;
  }

  /** Runs to the end with output in memory. */
  run(args: readonly string[], options: RunOptions = {}): Promise<RunResult> {
    const maxBytes = options.maxBytes ?? 64 * 1024 * 1024;
    return new Promise((resolve, reject) => {
      const child = this.start(args, options);
      const out: Buffer[] = [];
      const err: Buffer[] = [];
      let size = 0;
      let errorSize = 0;
      let failure: Error | undefined;
      const stop = (error: Error) => {
        failure ??= error;
        child.kill('SIGKILL');
      };
      const timer = setTimeout(
        () => stop(new Problem('unavailable', 'git took too long')),
        options.timeoutMs ?? this.limits.readMs,
      );
      const abort = () => stop(new Problem('unavailable', 'aborted'));
      options.signal?.addEventListener('abort', abort, { once: true });
      child.stdout.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size > maxBytes) stop(new Problem('too_large', 'the answer of git is too large'));
        else out.push(chunk);
      });
      child.stderr.on('data', (chunk: Buffer) => {
        if (errorSize < 65536) err.push(chunk);
        errorSize += chunk.length;
      });
      child.once('error', (error) => (failure ??= missing(error, options)));
      child.once('close', (code) => {
        clearTimeout(timer);
        options.signal?.removeEventListener('abort', abort);
        if (failure) return reject(failure);
        const stderr = Buffer.concat(err).toString('utf8').trim();
        const result = { code: code ?? -1, out: Buffer.concat(out), err: stderr };
        if ((options.okCodes ?? [0]).includes(result.code)) resolve(result);
        else reject(new GitFailure(args.slice(0, 2).join(' '), result.code, stderr));
      });
      child.stdin.end(options.input ?? '');
    });
  }

  async text(args: readonly string[], options: RunOptions = {}): Promise<string> {
    return (await this.run(args, options)).out.toString('utf8');
  }

  /** Output as a stream; fails when git does. Destroying the stream ends the process. */
  stream(args: readonly string[], options: RunOptions = {}): Readable {
    const child = this.start(args, options);
    const output = new PassThrough();
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => {
      if (stderr.length < 8192) stderr += chunk.toString('utf8');
    });
    const timer = setTimeout(
      () => output.destroy(new Problem('unavailable', 'git took too long')),
      options.timeoutMs ?? this.limits.writeMs,
    );
    child.stdin.end(options.input ?? '');
    child.stdout.pipe(output, { end: false });
    child.once('error', (error) => output.destroy(missing(error, options)));
    child.once('close', (code) => {
      clearTimeout(timer);
      if (output.destroyed) return;
      if ((options.okCodes ?? [0]).includes(code ?? -1)) output.end();
      else output.destroy(new GitFailure(args.slice(0, 2).join(' '), code ?? -1, stderr));
    });
    output.once('close', () => {
      if (child.exitCode === null) child.kill('SIGKILL');
    });
    return output;
  }

  stop(): void {
    for (const child of this.children) child.kill('SIGTERM');
  }
}
