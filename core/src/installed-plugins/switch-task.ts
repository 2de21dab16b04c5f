import { Problem, type ProblemCode } from '@mortise/plugin-sdk';
import type { HostOptions } from '../host.js';
import { runTask, taskOptionsOf, type TaskOptions } from './task-process.js';

/** What the process that switches a plugin is told, and what it answers. */
export interface SwitchTask {
  readonly options: TaskOptions;
  readonly kind: 'enable' | 'disable';
  readonly name: string;
  /** Only finds out whether it can be done, and what would change. */
  readonly isTrial: boolean;
}
export interface SwitchResult {
  /** The plugins of which something was changed. */
  readonly changed?: readonly string[];
  readonly problem?: { readonly code: ProblemCode; readonly message: string };
}

const limitMs = 60_000;

/**
 * Switches a plugin in a process of its own: whether Mortise could start afterwards is found by loading all plugins, which a
 * process that serves is spared.
 */
export async function switchPlugin(
  host: HostOptions,
  { kind, name, isTrial }: Omit<SwitchTask, 'options'>,
): Promise<readonly string[]> {
  const task: SwitchTask = { options: taskOptionsOf(host), kind, name, isTrial };
  const { answer } = await runTask<SwitchResult>(new URL('./switch-process.js', import.meta.url), task, limitMs);
  if (answer?.changed) return answer.changed;
  if (answer?.problem) throw new Problem(answer.problem.code, answer.problem.message);
  throw new Problem('unavailable', `${name} could not be switched within ${limitMs / 1000} seconds`);
}
