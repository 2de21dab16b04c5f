import type { PluginContents } from '@mortise/plugin-sdk';
import { runTask, taskMemoryMb, type TaskOptions } from './task-process.js';

/** What the process of a trial start is told, and what it answers. */
export interface DryRunTask {
  readonly options: TaskOptions;
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
  /** What the plugin brings; undefined where there are problems. */
  readonly contents?: PluginContents;
}

/** For the whole: the tables of all plugins are made on the way. */
const limitMs = 300_000;

/**
 * What would be wrong with the plugin of this folder in place that is not wrong today, and what it brings. It is found by a full start, on a
 * database and a work folder that are thrown away, in a process of its own: whatever the plugin does there ends with it.
 */
export async function dryRun(task: DryRunTask): Promise<DryRunResult> {
  const module = new URL('./dry-run-process.js', import.meta.url);
  const { answer, ...end } = await runTask<DryRunResult>(module, task, limitMs);
  return answer ?? { problems: [reasonOf(task.name, end)] };
}

type End = Omit<Awaited<ReturnType<typeof runTask>>, 'answer'>;

function reasonOf(name: string, { isLate, code, signal, output }: End): string {
  if (isLate) return `a trial start with ${name} was not done after ${limitMs / 1000} seconds`;
  if (/heap out of memory|allocation failed/i.test(output))
    return `a trial start with ${name} ran out of memory (${taskMemoryMb} MB)`;
  // of the thread that watches phases
  const told = [...output.matchAll(/^\{.*"msg":"(the plugin [^"]*)"\}$/gm)].at(-1)?.[1];
  const last = output.trim().split('\n').at(-1);
  return (
    told ?? `a trial start with ${name} ended the process (${signal ?? code ?? 'no code'})${last ? `: ${last}` : ''}`
  );
}
