import { fork } from 'node:child_process';
import { Problem, type ProblemCode } from '@mortise/plugin-sdk';
import type { HostOptions } from '../host.js';

/** What the process that switches a plugin is told, and what it answers. */
export interface SwitchTask {
  readonly options: Pick<HostOptions, 'workDir' | 'config' | 'settings' | 'environment' | 'root'>;
  readonly kind: 'enable' | 'disable';
  readonly name: string;
}
export interface SwitchResult {
  /** The plugins of which something was changed. */
  readonly changed?: readonly string[];
  readonly problem?: { readonly code: ProblemCode; readonly message: string };
}

const memoryMb = 768;
const limitMs = 60_000;

/**
 * Switches a plugin in a process of its own: whether Mortise could start afterwards is found by loading all plugins, which a
 * process that serves is spared.
 */
export function switchPlugin(task: SwitchTask): Promise<readonly string[]> {
  return new Promise((resolve, reject) => {
    const child = fork(new URL('./switch-process.js', import.meta.url), {
      execArgv: [`--max-old-space-size=${memoryMb}`],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    let result: SwitchResult | undefined;
    const timer = setTimeout(() => child.kill('SIGKILL'), limitMs);
    child.on('message', (message: SwitchResult) => {
      result = message;
      child.kill('SIGKILL');
    });
    child.on('error', reject);
    child.on('close', () => {
      clearTimeout(timer);
      if (result?.changed) resolve(result.changed);
      else if (result?.problem) reject(new Problem(result.problem.code, result.problem.message));
      else reject(new Problem('unavailable', `${task.name} could not be switched within ${limitMs / 1000} seconds`));
    });
    child.send(task, () => undefined);
  });
}
