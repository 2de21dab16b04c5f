import cluster, { type Worker } from 'node:cluster';
import type { Logger } from '@mortise/plugin-sdk';
import type { HostOptions } from '../host.js';
import { Instance } from '../instance/index.js';
import { openSettings } from '../settings/open.js';
import { reopenOnSignals } from './reopen-on-signals.js';
import { exitCodes, waitingWorker, readyMessage, instanceMessage } from './exit-codes.js';

/** One that ends earlier is not started again at once. */
const quickMs = 10_000;
const firstPauseMs = 1000;
const maxPauseMs = 30_000;
/** So many workers in a row that say that they cannot start, and no more are started: what is wrong does not pass by itself. */
const maxFailedStarts = 5;

/** Keeps the wanted number of workers alive until told to stop. */
export async function supervise(workers: number, options: HostOptions): Promise<void> {
  const { relayInPrimary } = await import('../broker/memory.js');
  const { aggregateInPrimary } = await import('../telemetry/aggregate.js');
  relayInPrimary();
  aggregateInPrimary();
  // also between the end of one worker and the start of the next
  const instance = await Instance.begin(openSettings(options).workDir);
  await instance?.loaded([]);
  let log: Logger | undefined;
  let isEnding = false;
  let code = 0;
  /** Whether any worker ever served: what goes wrong later passes. */
  let hasServed = false;
  let isTold = false;
  let quickEnds = 0;
  let failedStarts = 0;
  const born = new Map<number, number>();
  const listening = new Set<number>();
  const fork = () => {
    if (isEnding) return;
    born.set(cluster.fork(hasServed ? { [waitingWorker]: '1' } : {}).id, Date.now());
  };
  // One whose end is told before its channel is closed is still in the list.
  const alive = (): Worker[] =>
    Object.values(cluster.workers ?? {}).filter((worker): worker is Worker => worker !== undefined && !worker.isDead());

  return new Promise((resolve) => {
    const end = (exitCode: number) => {
      if (isEnding) return;
      isEnding = true;
      code = exitCode;
      for (const worker of alive()) worker.process.kill('SIGTERM');
      if (alive().length === 0) finish();
    };
    const finish = () =>
      void (instance?.end() ?? Promise.resolve()).finally(() => {
        resolve();
        process.exit(code);
      });
    process.on('SIGTERM', () => end(0));
    process.on('SIGINT', () => end(0));
    cluster.on('exit', (worker, exitCode, signal) => {
      const age = Date.now() - (born.get(worker.id) ?? 0);
      born.delete(worker.id);
      listening.delete(worker.id);
      if (isEnding) {
        if (alive().length === 0) finish();
        return;
      }
      const isSaid = exitCode === exitCodes.cannotStart || exitCode === exitCodes.away;
      if (isSaid && !hasServed) return end(1);
      if (exitCode === exitCodes.cannotStart && ++failedStarts >= maxFailedStarts) {
        log?.error('workers keep failing to start; starting no more', {
          event: 'worker.giveUp',
          workersLeft: alive().length,
        });
        if (alive().length === 0) end(1);
        return;
      }
      quickEnds = age < quickMs ? quickEnds + 1 : 0;
      const pause = quickEnds ? Math.min(maxPauseMs, firstPauseMs * 2 ** Math.min(quickEnds - 1, 10)) : 0;
      log?.error('a worker exited; starting another', {
        event: 'worker.exit',
        process: worker.process.pid,
        ending: signal ?? exitCode,
        inMs: pause,
      });
      setTimeout(fork, pause);
    });
    cluster.on('message', (worker, message: unknown) => {
      if (message !== instanceMessage) return;
      if (!hasServed) {
        hasServed = true;
        for (let count = 1; count < workers; count++) fork();
      }
      listening.add(worker.id);
      failedStarts = 0;
      if (isTold || listening.size < workers) return;
      isTold = true;
      worker.send(readyMessage, () => undefined);
    });
    // The first brings the tables up to date, so the others find them so.
    fork();
    void openLog(options).then((made) => (log = made));
  });
}

/** Loaded beside the first worker, so that its start waits for nothing. */
async function openLog(options: HostOptions): Promise<Logger> {
  const { declareLog, logOf } = await import('../telemetry/index.js');
  const { settingsRegistry, workDir } = openSettings(options);
  const log = logOf(options, declareLog(settingsRegistry, workDir));
  reopenOnSignals(log);
  return log;
}
