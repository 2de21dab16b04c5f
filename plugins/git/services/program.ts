import type { ChildProcess } from 'node:child_process';
import type { GitChild } from '../api.js';
import type { ProgramResult } from '../contract/processes.js';

/** The program and what it started; they may all have ended already. */
export function endGroup({ pid }: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): void {
  try {
    if (pid) process.kill(-pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Waits for a program that leads a process group. */
export function resultOf(
  child: GitChild,
  { maxBytes, timeoutMs }: { readonly maxBytes: number; readonly timeoutMs: number },
): Promise<ProgramResult> {
  let output = '';
  const take = (chunk: Buffer) => {
    if (output.length < maxBytes) output += chunk.toString('utf8');
  };
  child.stdout.on('data', take);
  child.stderr.on('data', take);
  return new Promise((resolve) => {
    const stop = () => {
      // What it started may have left the group and hold on to the output: nobody waits for that.
      for (const stream of [child.stdout, child.stderr]) stream.destroy();
      endGroup(child, 'SIGKILL');
      resolve({ code: 137, output, timedOut: true });
    };
    const timer = setTimeout(stop, timeoutMs);
    child.once('error', (error) => {
      clearTimeout(timer);
      resolve({ code: 126, output: error.message, timedOut: false });
    });
    child.once('close', (code) => {
      clearTimeout(timer);
      resolve({ code: code ?? 137, output, timedOut: false });
    });
  });
}
