import { splitList } from '@mortise/plugin-sdk';
import { Engine } from '../containers/engine.js';
import { jobsIn, removeAbandoned, workIdOf } from '../engine/job-folders.js';
import { runJob } from '../engine/run-job.js';
import type { JobTask, RunnerHost } from '../engine/types.js';
import { clientOf, isRefused, jobTask, type Registration, type RunnerClient } from './client.js';
import { RemoteReport } from './remote-report.js';
import { summarySender } from './summary-sender.js';

interface DaemonOptions {
  readonly registration: Registration;
  readonly host: RunnerHost;
  /** Jobs at the same time. */
  readonly capacity: number;
  /** Ends after one job. */
  readonly once: boolean;
  /** Ends taking jobs; those that run are cancelled. */
  readonly signal: AbortSignal;
  /** Ends the processes of all jobs and waits for nothing more. */
  readonly halt?: AbortSignal;
  readonly log: (line: string) => void;
}

/** Milliseconds between two looks for what runners that are gone have left. */
const abandonedEveryMs = 30_000;

/** Takes jobs of a server and runs them until the signal, or until one has run. Throws when the server refuses the runner. */
export async function serveTasks(options: DaemonOptions): Promise<void> {
  const { registration, host, capacity, once, signal, log: log } = options;
  // That of the command line keeps files from all others; what jobs make is as it is elsewhere.
  process.umask(0o022);
  await removeAbandoned(host);
  const { workFolder } = host;
  const workId = await workIdOf(workFolder);
  if (workId !== '') await (await Engine.find(host.containers))?.removeAbandoned(workId, () => jobsIn(workFolder));
  const client = clientOf(registration);
  const takesSummaries = await declare(client, registration, host, signal);
  log(`Runner ${registration.name} waits for jobs of ${registration.address}`);
  const running = new Set<Promise<void>>();
  let version = 0n;
  let wait = 1000;
  let looked = Date.now();
  let isDone = false;
  while (!signal.aborted && !isDone) {
    if (running.size >= capacity) {
      await Promise.race(running);
      continue;
    }
    // What had no owner yet when this one started may have none still.
    if (Date.now() - looked > abandonedEveryMs) {
      looked = Date.now();
      await removeAbandoned(host);
    }
    try {
      const answer = await client.fetchTask({ tasksVersion: version }, { signal, timeoutMs: 5000 });
      wait = 1000;
      if (answer.task) {
        const { task } = answer;
        version = 0n;
        isDone = once || registration.ephemeral;
        const job = runTask(client, task.id, jobTask(task), { ...options, takesSummaries }).finally(() =>
          running.delete(job),
        );
        running.add(job);
        continue;
      }
      if (answer.tasksVersion > version) version = answer.tasksVersion;
    } catch (error) {
      if (signal.aborted) break;
      if (isRefused(error)) throw error;
      wait = Math.min(wait * 2, 15_000);
    }
    await pause(wait, signal);
  }
  await Promise.all(running);
}

/** Tells what the runner is; gives whether the server takes summaries. */
async function declare(
  client: RunnerClient,
  { labels }: Registration,
  { version }: RunnerHost,
  signal: AbortSignal,
): Promise<boolean> {
  let capabilities = '';
  const onHeader = (headers: Headers) => (capabilities = headers.get('x-gitea-actions-capabilities') ?? '');
  for (let wait = 500; ; wait = Math.min(wait * 2, 15_000)) {
    try {
      await client.declare(
        { version, labels: [...labels], capabilities: ['cancelling'] },
        { signal, timeoutMs: 10_000, onHeader },
      );
      return splitList(capabilities).includes('job-summary');
    } catch (error) {
      if (isRefused(error) || signal.aborted) throw error;
      await pause(wait, signal);
    }
  }
}

async function runTask(
  client: RunnerClient,
  taskId: bigint,
  task: JobTask,
  { host, signal, halt, log: log, registration, takesSummaries }: DaemonOptions & { readonly takesSummaries: boolean },
): Promise<void> {
  const cancel = new AbortController();
  const stop = () => cancel.abort(new Error('cancelled'));
  signal.addEventListener('abort', stop, { once: true });
  const sendSummary = takesSummaries ? summarySender(registration.address, task) : undefined;
  const report = new RemoteReport(client, taskId, stop, { halt, sendSummary });
  log(`Task ${taskId} begins`);
  try {
    const result = await runJob(task, host, report, cancel.signal, halt);
    await report.finish(result);
    log(`Task ${taskId} ends: ${result}`);
  } catch (error) {
    log(`Task ${taskId}: ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

const pause = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal.addEventListener('abort', end, { once: true });
  });
