import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Result } from '@mortise/actions/workflow';
import { runJob } from '../engine/run-job.js';
import type { JobTask, RunnerHost, JobReporter, StepState } from '../engine/types.js';

export interface Recorded {
  readonly result: Result;
  readonly lines: readonly string[];
  readonly text: string;
  readonly steps: readonly (Result | undefined)[];
  readonly states: readonly StepState[];
  readonly outputs: Readonly<Record<string, string>>;
  readonly summaries: readonly string[];
}

/** A folder for the time of the work. */
export async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'runner-test-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

export interface JobOptions extends Partial<Omit<JobTask, 'payload'>> {
  readonly host?: Partial<RunnerHost>;
  /** What stands above the jobs. */
  readonly head?: string;
  readonly signal?: AbortSignal;
  readonly halt?: AbortSignal;
  readonly onLine?: (line: string) => void;
}

/** Runs the jobs' YAML below `jobs: one:` and records what is told of it. */
export const runOne = (job: string, options: JobOptions = {}): Promise<Recorded> =>
  inFolder(async (folder) => {
    const payload = `${options.head ?? 'name: Test\non: push'}\njobs:\n  one:\n    runs-on: linux\n${job.replace(/^/gm, '    ')}\n`;
    const lines: string[] = [];
    const states: StepState[] = [];
    const summaries: string[] = [];
    let outputs: Readonly<Record<string, string>> = {};
    const report: JobReporter = {
      write: ({ content }) => {
        lines.push(content);
        options.onLine?.(content);
      },
      ready: () => Promise.resolve(),
      step: (index, state) => (states[index] = state),
      summary: (index, markdown) => (summaries[index] = markdown),
      outputs: (got) => (outputs = got),
    };
    const { host, signal, context = {}, secrets = {}, vars = {}, needs = {} } = options;
    const task = { payload, context, secrets, vars, needs };
    const result = await runJob(
      task,
      {
        workFolder: join(folder, 'work'),
        toolFolder: join(folder, 'tools'),
        serverUrl: '',
        runnerName: 'test',
        version: '1.0.0',
        timeout: 60_000,
        maxLogBytes: 1_000_000,
        containers: 'off',
        volumes: [],
        ...host,
      },
      report,
      signal ?? new AbortController().signal,
      options.halt,
    );
    return {
      result,
      lines,
      text: lines.join('\n'),
      states,
      steps: states.map((state) => state.result),
      outputs,
      summaries,
    };
  });
