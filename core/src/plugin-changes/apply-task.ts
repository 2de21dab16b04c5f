import type { HostOptions } from '../host/contract.js';
import { runTask, taskOptionsOf, type TaskOptions } from '../installed-plugins/task-process.js';

/** What the process that carries out changes on this node is told, asks and answers. */
export interface ApplyTask {
  readonly options: TaskOptions;
  /** Of the process that looks after this node. */
  readonly node: string;
  /** Whether somebody replaces the workers when it is asked; else the new plugins wait for a restart by hand. */
  readonly canRestart: boolean;
}
/** Workers are to be replaced. */
export const restartQuestion = 'restart';
export interface RestartReply {
  readonly isRestarted: boolean;
}
export interface ApplyResult {
  /** Another node has its turn: ask again later. */
  readonly isBusy: boolean;
  /** Why a change could not be made on this node. */
  readonly failed?: string;
  /** What went wrong on the way, where no change could take it: ask again later. */
  readonly problem?: string;
}

/** Longer than the workers of a node need to start, and the data of a plugin to go. */
const limitMs = 2 * 3_600_000;

/**
 * Carries out on this node what was confirmed, in a process of its own: one node at a time, by a lease in the database. Gives
 * what went wrong that the table of changes does not tell.
 */
export async function applyChanges(
  host: HostOptions,
  node: string,
  restart?: () => Promise<boolean>,
): Promise<ApplyResult> {
  const task: ApplyTask = { options: taskOptionsOf(host), node, canRestart: restart !== undefined };
  const module = new URL('./apply-process.js', import.meta.url);
  const { answer, isLate, output } = await runTask<ApplyResult>(module, task, limitMs, async () => {
    const isRestarted = await (restart?.() ?? Promise.resolve(false)).catch(() => false);
    return { isRestarted } satisfies RestartReply;
  });
  if (answer) return answer;
  const problem = isLate ? `not done after ${limitMs / 1000} seconds` : output.trim().split('\n').at(-1);
  return { isBusy: false, problem: problem || 'the process ended without an answer' };
}
