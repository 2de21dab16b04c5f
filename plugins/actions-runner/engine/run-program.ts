import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { killSession } from './process-cleanup.js';
import { LineSplitter } from './line-splitter.js';
import type { JobLog } from './job-log.js';
import { withNoNewPrivileges } from './no-new-privileges.js';

/** Whose processes they are. */
export interface RunAs {
  readonly uid: number;
  readonly gid: number;
}

/** A program, and how it is ended. */
export interface Launch {
  readonly program: string;
  readonly args: readonly string[];
  /** Passes a signal on, where the program is only the client of what it starts. */
  readonly kill?: (name: NodeJS.Signals) => void;
}

export interface ProcessOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly log: JobLog;
  /** Each line before it is written; gives what is written, or nothing. */
  readonly onLine: (line: string) => string | undefined;
  readonly signal: AbortSignal;
  /** As somebody else than the runner, who gains no rights beside. */
  readonly runAs?: RunAs;
  /** Both outputs in one stream, in their order. A shell does that, which drops variables whose names it does not like. */
  readonly isMerged: boolean;
}

/** How long a process has between each of the signals INT, TERM and KILL, in milliseconds. */
const killDelayMs = 2500;

/**
 * Runs a program and gives its exit code; a signal gives 128 and its number as shells have it. Its whole group is ended
 * when `signal` aborts.
 */
export async function runProgram({ program, args, kill }: Launch, options: ProcessOptions): Promise<number> {
  const { cwd, log, onLine, signal, runAs, isMerged } = options;
  signal.throwIfAborted();
  const merging = ['-c', 'exec "$@" 2>&1', 'sh', program, ...args];
  const plain = { program: isMerged ? '/bin/sh' : program, args: isMerged ? merging : args, env: options.env };
  const command = runAs ? withNoNewPrivileges(plain) : plain;
  const child = spawn(command.program, command.args, {
    cwd,
    env: { ...command.env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
    ...(runAs ?? {}),
  });
  const ended = new Promise<number>((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code, name) => resolve(code ?? (name === 'SIGKILL' ? 137 : name === 'SIGTERM' ? 143 : 130)));
  });
  ended.catch(() => undefined);
  const timers: NodeJS.Timeout[] = [];
  const stop = () => {
    const end = (name: NodeJS.Signals) => {
      kill?.(name);
      if (!kill || name === 'SIGKILL') killGroup(child.pid, name);
    };
    (['SIGINT', 'SIGTERM', 'SIGKILL'] as const).forEach((name, at) =>
      timers.push(setTimeout(() => end(name), at * killDelayMs)),
    );
  };
  signal.addEventListener('abort', stop, { once: true });
  const write = (line: string) => {
    const shown = onLine(line);
    if (shown !== undefined) log.write(shown);
  };
  const read = async (stream: Readable): Promise<void> => {
    const lines = new LineSplitter(write, () => log.masks.longest);
    try {
      for await (const chunk of stream) {
        lines.push(chunk as Buffer);
        await log.ready();
      }
    } catch {
      // It was closed from here.
    }
    lines.finish();
  };
  try {
    const reading = Promise.all([read(child.stdout), read(child.stderr)]);
    const code = await ended;
    // A process that was left behind may keep the stream open; it is not waited for.
    await Promise.race([reading, new Promise((resolve) => timers.push(setTimeout(resolve, 2000)))]);
    child.stdout.destroy();
    child.stderr.destroy();
    await reading;
    return code;
  } finally {
    signal.removeEventListener('abort', stop);
    for (const timer of timers) clearTimeout(timer);
    killGroup(child.pid, 'SIGKILL');
    if (child.pid !== undefined) await killSession(child.pid);
  }
}

function killGroup(pid: number | undefined, name: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, name);
  } catch {
    // It has ended already.
  }
}
