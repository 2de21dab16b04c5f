import { fork } from 'node:child_process';
import type { HostOptions } from '../host.js';

/** What the process of a trial start is told, and what it answers. */
export interface DryRunTask {
  readonly options: Pick<HostOptions, 'workDir' | 'config' | 'settings' | 'environment' | 'root'>;
  /** Folder of the plugin. */
  readonly candidate: string;
  readonly name: string;
  /** What is wrong already, without it. */
  readonly knownProblems: readonly string[];
  /** Seconds that the plugin may take to be loaded, and to start. */
  readonly startTimeout: number;
}
export interface DryRunResult {
  readonly problems: readonly string[];
}

const memoryMb = 768;
/** For the whole: the tables of all plugins are made on the way. */
const limitMs = 300_000;
const maxOutput = 8000;

/**
 * What would be wrong with the plugin of this folder in place that is not wrong today. It is found by a full start, on a
 * database and a work folder that are thrown away, in a process of its own: whatever the plugin does there ends with it.
 */
export function newProblems(task: DryRunTask): Promise<readonly string[]> {
  return new Promise((resolve) => {
    const child = fork(new URL('./dry-run-process.js', import.meta.url), {
      execArgv: [`--max-old-space-size=${memoryMb}`],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    let answer: DryRunResult | undefined;
    let isLate = false;
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk: Buffer) => (output = (output + chunk.toString()).slice(-maxOutput)));
    const timer = setTimeout(() => {
      isLate = true;
      child.kill('SIGKILL');
    }, limitMs);
    child.on('message', (message: DryRunResult) => {
      answer = message;
      // what a plugin left running is not waited for
      child.kill('SIGKILL');
    });
    child.on('error', (error) => (output += error.message));
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      resolve(answer?.problems ?? [reasonOf(task.name, isLate, code, signal, output)]);
    });
    child.send(task);
  });
}

function reasonOf(name: string, isLate: boolean, code: number | null, signal: string | null, output: string): string {
  if (isLate) return `a trial start with ${name} was not done after ${limitMs / 1000} seconds`;
  if (/heap out of memory|allocation failed/i.test(output))
    return `a trial start with ${name} ran out of memory (${memoryMb} MB)`;
  // of the thread that watches phases
  const told = [...output.matchAll(/^\{.*"msg":"(the plugin [^"]*)"\}$/gm)].at(-1)?.[1];
  const last = output.trim().split('\n').at(-1);
  return (
    told ?? `a trial start with ${name} ended the process (${signal ?? code ?? 'no code'})${last ? `: ${last}` : ''}`
  );
}
