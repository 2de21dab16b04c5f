/**
 * Runs git for every plugin: clean environment, no shell, fixed hooks, restricted protocols, limits on time and output.
 * Each process ends with the host.
 */
import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { existsSync } from 'node:fs';
import { PassThrough, type Readable } from 'node:stream';
import { NotFound, Problem } from '@mortise/plugin-sdk';
import type { SimpleGit } from 'simple-git';
import type { GitChild, GitProcesses, GitStartOptions } from '../api.js';
import type {
  GitResult,
  GitRunOptions,
  PorcelainOptions,
  ProgramOptions,
  ProgramResult,
} from '../contract/processes.js';
import { GitFailure } from './failure.js';
import { limited, type Bounds, type Limiter } from './limits.js';
import { porcelain, type PorcelainFiles, type RemoteWork } from './simple-git.js';
import { endGroup, resultOf } from './program.js';
import { t } from '../texts/index.js';

/** Starting in a folder that is gone fails like a program that is gone. */
function missing(error: NodeJS.ErrnoException, options: Pick<GitStartOptions, 'cwd'>): Error {
  return error.code === 'ENOENT' && options.cwd !== undefined && !existsSync(options.cwd)
    ? NotFound('repository')
    : error;
}

interface RunnerLimits {
  readonly readMs: number;
  readonly writeMs: number;
  readonly cloneMs: number;
}

const defaultMaxBytes = 64 * 1024 * 1024;
/** Of standard error this much is kept. */
const maxStderr = 64 * 1024;
/** What still runs so long after it was asked to end is killed. */
const graceMs = 5000;

export class GitRunner implements GitProcesses {
  /** Processes that run now, ended with the host. */
  private readonly children = new Set<ChildProcess>();
  /** Of those, programs that lead a process group. */
  private readonly groups = new WeakSet<ChildProcess>();
  private readonly ending = new AbortController();
  /** In this turn of the event loop. */
  private hasStarted = false;

  constructor(
    readonly executable: string,
    readonly environment: Readonly<Record<string, string>>,
    readonly limits: RunnerLimits,
    private readonly files: PorcelainFiles,
    private readonly limiter: Limiter,
  ) {}

  /** Processes that run now, and searches that wait for their turn. */
  get counts(): { running: number; waiting: number } {
    return { running: this.children.size, waiting: this.limiter.counts.waiting };
  }

  start(args: readonly string[], options: GitStartOptions = {}): GitChild {
    return this.spawn(this.executable, args, options);
  }

  /**
   * A start holds the event loop for milliseconds; of several that are wanted at once each has a turn of its own, so that
   * whatever came in meanwhile is looked at.
   */
  private async startTurn(): Promise<void> {
    while (this.hasStarted) await new Promise((resolve) => setImmediate(resolve));
    this.hasStarted = true;
    // the first comes before the event loop looks for new input, the second after
    setImmediate(() => setImmediate(() => (this.hasStarted = false)));
  }

  private spawn(program: string, args: readonly string[], options: GitStartOptions, leadsGroup = false): GitChild {
    const child = spawn(program, [...args], {
      cwd: options.cwd,
      env: { ...this.environment, ...options.environment },
      stdio: (options.stdio ?? ['pipe', 'pipe', 'pipe']) as StdioOptions,
      shell: false,
      detached: leadsGroup,
    }) as ChildProcess as GitChild;
    this.children.add(child);
    if (leadsGroup) this.groups.add(child);
    const stopWatching = watch(child, options);
    child.once('close', () => {
      this.children.delete(child);
      stopWatching();
    });
    child.once('error', () => this.children.delete(child));
    child.stdin?.on('error', () => undefined); // the process may end before it has read everything
    return child;
  }

  /** Runs to the end with output in memory. */
  async run(args: readonly string[], options: GitRunOptions = {}): Promise<GitResult> {
    if (!options.bounds) return this.collect(this.executable, args, options);
    const leave = await this.limiter.enter(options.signal);
    try {
      const command = limited(this.executable, args, options.bounds);
      return await this.collect(command.program, command.args, options);
    } finally {
      leave();
    }
  }

  private async collect(program: string, args: readonly string[], options: GitRunOptions): Promise<GitResult> {
    await this.startTurn();
    const maxBytes = options.maxBytes ?? defaultMaxBytes;
    return new Promise((resolve, reject) => {
      if (options.signal?.aborted) return reject(new Problem('unavailable', 'The request was cancelled.'));
      const child = this.spawn(program, args, { cwd: options.cwd, environment: options.environment });
      const out: Buffer[] = [];
      let size = 0;
      let failure: Error | undefined;
      const stop = (error: Error) => {
        failure ??= error;
        child.kill('SIGKILL');
      };
      const timer = setTimeout(
        () => stop(new Problem('unavailable', t.later('error.slow'))),
        options.timeoutMs ?? this.limits.readMs,
      );
      const abort = () => stop(new Problem('unavailable', 'The request was cancelled.'));
      options.signal?.addEventListener('abort', abort, { once: true });
      const stderr = listen(child);
      child.stdout.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size > maxBytes) stop(new Problem('too_large', t.later('error.outputLarge')));
        else out.push(chunk);
      });
      child.once('error', (error) => (failure ??= missing(error, options)));
      child.once('close', (code) => {
        clearTimeout(timer);
        options.signal?.removeEventListener('abort', abort);
        if (failure) return reject(failure);
        const result = { code: code ?? -1, out: Buffer.concat(out), err: stderr().trim() };
        if ((options.okCodes ?? [0]).includes(result.code)) resolve(result);
        else reject(new GitFailure(nameOf(args), result.code, result.err));
      });
      child.stdin.end(options.input ?? '');
    });
  }

  async text(args: readonly string[], options: GitRunOptions = {}): Promise<string> {
    return (await this.run(args, options)).out.toString('utf8');
  }

  /** Output as a stream; fails when git does. Destroying the stream ends the process. */
  stream(args: readonly string[], options: GitRunOptions = {}): Readable {
    const output = new PassThrough();
    const { bounds } = options;
    void this.pourInTurn(output, args, options, bounds);
    return output;
  }

  private async pourInTurn(
    output: PassThrough,
    args: readonly string[],
    options: GitRunOptions,
    bounds: Bounds | undefined,
  ): Promise<void> {
    const given = new AbortController();
    output.once('close', () => given.abort());
    try {
      if (bounds) {
        const leave = await this.limiter.enter(given.signal);
        output.once('close', leave);
        if (output.destroyed) return leave();
      }
      await this.startTurn();
      if (output.destroyed) return;
      const command = bounds ? limited(this.executable, args, bounds) : { program: this.executable, args };
      this.pour(output, command.program, command.args, options);
    } catch (error) {
      output.destroy(error as Error);
    }
  }

  private pour(output: PassThrough, program: string, args: readonly string[], options: GitRunOptions): void {
    const child = this.spawn(program, args, { cwd: options.cwd, environment: options.environment });
    const maxBytes = options.maxBytes ?? Infinity;
    const stderr = listen(child);
    let size = 0;
    const timer = setTimeout(
      () => output.destroy(new Problem('unavailable', t.later('error.slow'))),
      options.timeoutMs ?? this.limits.writeMs,
    );
    const abort = () => output.destroy(new Problem('unavailable', 'The request was cancelled.'));
    options.signal?.addEventListener('abort', abort, { once: true });
    if (options.signal?.aborted) abort();
    child.stdin.end(options.input ?? '');
    child.stdout.pipe(output, { end: false });
    if (maxBytes < Infinity)
      child.stdout.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size > maxBytes) output.destroy(new Problem('too_large', t.later('error.outputLarge')));
      });
    child.once('error', (error) => output.destroy(missing(error, options)));
    child.once('close', (code) => {
      if (output.destroyed) return;
      if ((options.okCodes ?? [0]).includes(code ?? -1)) output.end();
      else output.destroy(new GitFailure(nameOf(args), code ?? -1, stderr()));
    });
    output.once('close', () => {
      clearTimeout(timer);
      options.signal?.removeEventListener('abort', abort);
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    });
  }

  program(file: string, args: readonly string[], options: ProgramOptions = {}): Promise<ProgramResult> {
    const child = this.spawn(file, args, { cwd: options.cwd, environment: options.environment }, true);
    child.stdin.end(options.input ?? '');
    return resultOf(child, { maxBytes: maxStderr, timeoutMs: this.limits.writeMs, ...options });
  }

  /** `remote`: with the bounds and checks of work with other servers. */
  porcelain(folder: string, options: PorcelainOptions = {}, remote?: RemoteWork): SimpleGit {
    return porcelain({
      remote,
      folder,
      executable: this.executable,
      environment: this.environment,
      files: this.files,
      defaultTimeoutMs: this.limits.cloneMs,
      ending: this.ending.signal,
      options,
    });
  }

  private end(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): void {
    if (!this.groups.has(child)) child.kill(signal);
    else if (child.exitCode === null && child.signalCode === null) endGroup(child, signal);
  }

  stop(): void {
    this.ending.abort();
    for (const child of this.children) {
      this.end(child, 'SIGTERM');
      setTimeout(() => this.end(child, 'SIGKILL'), graceMs).unref();
    }
  }
}

/** Sub-command and its first argument, for messages; of a bounded command those behind the wrapper. */
const nameOf = (args: readonly string[]): string => {
  const git = args.indexOf('--git');
  return (git < 0 ? args : args.slice(git + 2)).slice(0, 2).join(' ');
};

/** Keeps the beginning of what the process says on standard error. */
function listen(child: GitChild): () => string {
  const stderr: Buffer[] = [];
  let size = 0;
  child.stderr.on('data', (chunk: Buffer) => {
    if (size < maxStderr) stderr.push(chunk);
    size += chunk.length;
  });
  return () => Buffer.concat(stderr).toString('utf8');
}

/** Ends the process when it is told to, takes too long, or stands still for too long; gives what ends the watch. */
function watch(child: GitChild, { signal, timeoutMs, quietMs }: GitStartOptions): () => void {
  const kill = () => void child.kill('SIGKILL');
  signal?.addEventListener('abort', kill, { once: true });
  if (signal?.aborted) kill();
  const timer = timeoutMs === undefined ? undefined : setTimeout(kill, timeoutMs);
  const moved = () =>
    (child.stdout?.bytesRead ?? 0) + (child.stderr?.bytesRead ?? 0) + (child.stdin?.bytesWritten ?? 0);
  let before = -1;
  const look = () => {
    const now = moved();
    if (now === before) kill();
    before = now;
  };
  const quiet = quietMs === undefined ? undefined : setInterval(look, quietMs);
  quiet?.unref();
  return () => {
    signal?.removeEventListener('abort', kill);
    clearTimeout(timer);
    clearInterval(quiet);
  };
}
