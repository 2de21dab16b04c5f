import cluster, { type Worker } from 'node:cluster';
import { availableParallelism } from 'node:os';
import type { Host, HostOptions } from '../host.js';
import { openSettings } from '../settings/open.js';
import { workerSettings } from '../settings/workers.js';

/** A worker that could not start ends with this; starting it again would not help. */
const cannotStart = 78;

/** `mortise web`: one process, or as many as `[server] WORKERS` says, all on one port. */
export async function web(options: HostOptions): Promise<void> {
  if (cluster.isWorker) return serve(options);
  const workers = wantedWorkers(options);
  return workers === 1 ? serve(options) : supervise(workers);
}

/** Only this setting is needed here; mistakes are told by who composes. */
function wantedWorkers(options: HostOptions): number {
  const { WORKERS } = openSettings(options).book.declare('core', 'server', workerSettings);
  return WORKERS || availableParallelism();
}

async function serve(options: HostOptions): Promise<void> {
  let host: Host | undefined;
  let ending = false;
  const end = async (code: number) => {
    if (ending) return;
    ending = true;
    // Requests and jobs have their own patience; whatever hangs beyond both is not waited for.
    const { http, queue } = host?.composition.settings ?? {};
    const patience = (http?.server.GRACEFUL_HAMMER_TIME ?? 0) + (queue?.DRAIN_TIME ?? 0) + 10_000;
    setTimeout(() => process.exit(1), patience).unref();
    await host?.stop();
    process.exit(code);
  };
  process.on('SIGTERM', () => void end(0));
  process.on('SIGINT', () => void end(0));
  process.on('disconnect', () => void end(0));
  try {
    const { createHost } = await import('../host.js');
    host = await createHost({ ...options, processMetrics: true });
    process.on('unhandledRejection', (error) => host!.log.error('a promise was rejected and nobody looked', { error }));
    process.on('uncaughtException', (error) => {
      host!.log.error('an error that nobody caught ends this process', { error });
      void end(1);
    });
    const address = await host.listen();
    if (!cluster.isWorker || cluster.worker!.id === 1)
      host.log.info('listening', { address, rootUrl: host.site.rootUrl });
  } catch (error) {
    if (ending) return; // told to stop while starting: `end` does the rest
    const { explain } = await import('./explain.js');
    console.error(explain(error));
    await host?.stop().catch(() => undefined);
    process.exit(cluster.isWorker ? cannotStart : 1);
  }
}

/** Keeps the wanted number of workers alive until told to stop. */
async function supervise(workers: number): Promise<void> {
  const { relayInPrimary } = await import('../broker/memory.js');
  relayInPrimary();
  let ending = false;
  let code = 0;
  const born = new Map<number, number>();
  const fork = () => born.set(cluster.fork().id, Date.now());
  const alive = (): Worker[] => Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);

  return new Promise((resolve) => {
    const end = (exitCode: number) => {
      if (ending) return;
      ending = true;
      code = exitCode;
      for (const worker of alive()) worker.process.kill('SIGTERM');
      if (alive().length === 0) finish();
    };
    const finish = () => {
      resolve();
      process.exit(code);
    };
    process.on('SIGTERM', () => end(0));
    process.on('SIGINT', () => end(0));
    cluster.on('exit', (worker, exitCode, signal) => {
      const age = Date.now() - (born.get(worker.id) ?? 0);
      born.delete(worker.id);
      if (ending) {
        if (alive().length === 0) finish();
        return;
      }
      if (exitCode === cannotStart) return end(1);
      console.error(`a worker ended (${signal ?? exitCode}); starting another`);
      // One that dies at once is not started in a tight loop.
      setTimeout(() => !ending && fork(), age < 2000 ? 1000 : 0);
    });
    // The first brings the tables up to date, so the others find them so.
    fork();
    cluster.once('listening', () => {
      for (let count = 1; count < workers && !ending; count++) fork();
    });
  });
}
