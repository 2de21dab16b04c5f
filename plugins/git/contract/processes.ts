/** Running git. */
import type { ChildProcessByStdio } from 'node:child_process';
import type { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import type { SimpleGit } from 'simple-git';
import { defineService } from '@mortise/plugin-sdk';

export interface GitStartOptions {
  readonly cwd?: string;
  /** In place of, or besides, what every git process is told. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Default: three pipes. More of them are for hooks. */
  readonly stdio?: readonly ('pipe' | 'ignore')[];
  /** The process is killed when it is aborted. */
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
  /** The process is killed when nothing came and went for so long. */
  readonly quietMs?: number;
}

export interface GitRunOptions {
  readonly cwd?: string;
  readonly input?: string | Buffer;
  readonly environment?: Readonly<Record<string, string>>;
  /** Standard output; `too_large` beyond (in memory 64 MiB unless told). */
  readonly maxBytes?: number;
  /** `unavailable` after that; default: `READ_TIMEOUT` in memory, `WRITE_TIMEOUT` as a stream. */
  readonly timeoutMs?: number;
  /** Exit codes that are answers, not failures (default 0 only). */
  readonly okCodes?: readonly number[];
  readonly signal?: AbortSignal;
  /**
   * For work that visitors can make as hard as they like: bytes of memory and seconds of the processor, behind others'
   * work, and only a few at once (`unavailable` where too many wait).
   */
  readonly bounds?: { readonly memory: number; readonly seconds: number };
}

export interface GitResult {
  readonly code: number;
  readonly out: Buffer;
  readonly err: string;
}

export interface ProgramOptions {
  readonly cwd?: string;
  readonly input?: string;
  /** In place of, or besides, what every git process is told. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Default: `WRITE_TIMEOUT`. */
  readonly timeoutMs?: number;
  /** What goes beyond is cut off (default 64 KiB). */
  readonly maxBytes?: number;
}

export interface ProgramResult {
  /** 126 when it cannot be started, 137 when it was killed. */
  readonly code: number;
  /** Of both outputs, as it came. */
  readonly output: string;
  readonly timedOut: boolean;
}

export type GitChild = ChildProcessByStdio<Socket & Writable, Socket & Readable, Socket & Readable>;

export interface PorcelainOptions {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** `https`, `http`, `git`, `ssh`, `file`; default: none. */
  readonly protocols?: readonly string[];
  /** For the remote that asks for them; other users of the machine do not see them. */
  readonly credentials?: { readonly username: string; readonly password: string };
  /** More variables, for instance `GIT_INDEX_FILE`. */
  readonly environment?: Readonly<Record<string, string>>;
}

/**
 * Runs git for every plugin: clean environment, no shell, fixed hooks, restricted protocols, limits on time and output;
 * all processes end with the host. What users named goes behind `--end-of-options` or `--`.
 */
export interface GitProcesses {
  /** What every git process is told; for programs that run git themselves. */
  readonly environment: Readonly<Record<string, string>>;
  /** To the end, with output in memory. Rejects with an error named `GitFailure` when git fails. */
  run(args: readonly string[], options?: GitRunOptions): Promise<GitResult>;
  /** The same, giving the output as text. */
  text(args: readonly string[], options?: GitRunOptions): Promise<string>;
  /** Output as a stream; destroyed with an error when git fails. Destroying it ends the process. */
  stream(args: readonly string[], options?: GitRunOptions): Readable;
  /** A process whose streams the caller connects, for protocols. */
  start(args: readonly string[], options?: GitStartOptions): GitChild;
  /**
   * Another program than git, for instance a hook, with what every git process is told. After its time, and with the
   * host, it ends together with what it started. Never rejects: its code is the answer.
   */
  program(file: string, args: readonly string[], options?: ProgramOptions): Promise<ProgramResult>;
  /** `simple-git` in a folder, for commands around working copies and maintenance. Its guards are on. */
  porcelain(folder: string, options?: PorcelainOptions): SimpleGit;
}
export const gitProcesses = defineService<GitProcesses>('git.processes');
