import { Problem, type PluginChangeKind, type ProblemCode } from '@mortise/plugin-sdk';
import type { HostOptions } from '../host.js';
import type { PackedPlugin, PackRequest } from '../installed-plugins/index.js';
import { runTask, taskOptionsOf, type TaskOptions } from '../installed-plugins/task-process.js';

type PreparedKind = Exclude<PluginChangeKind, 'enable' | 'disable'>;

/** What the process that prepares a change is told, and what it answers. */
export interface PrepareTask {
  readonly options: TaskOptions;
  readonly kind: PreparedKind;
  readonly request: PackRequest;
}
export type Prepared = Pick<PackedPlugin, 'name' | 'version' | 'from'> & Partial<PackedPlugin>;
export interface PrepareResult {
  readonly prepared?: Prepared;
  readonly problem?: { readonly code: ProblemCode; readonly message: string };
}

/** More than npm, tar and the trial start may take together. */
const limitMs = 900_000;

/** Fetches, tries and packs a plugin, or finds out whether it can be removed, in a process of its own. Throws a Problem. */
export async function prepareChange(
  host: HostOptions,
  { kind, request }: Pick<PrepareTask, 'kind' | 'request'>,
): Promise<Prepared> {
  const task: PrepareTask = { options: taskOptionsOf(host), kind, request };
  const module = new URL('./prepare-process.js', import.meta.url);
  const { answer, isLate, output } = await runTask<PrepareResult>(module, task, limitMs);
  if (answer?.prepared) return answer.prepared;
  if (answer?.problem) throw new Problem(answer.problem.code, answer.problem.message);
  const last = output.trim().split('\n').at(-1);
  throw new Problem(
    'unavailable',
    isLate ? `this was not done after ${limitMs / 1000} seconds` : `the process ended without an answer: ${last ?? ''}`,
  );
}
