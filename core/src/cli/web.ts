import cluster, { type Worker } from 'node:cluster';
import { availableParallelism } from 'node:os';
import { relayInPrimary } from '../broker/index.js';
import { createHost, type Host, type HostOptions } from '../host.js';
import { compose } from '../compose.js';
import { explain } from './explain.js';

/** A worker that could not start ends with this; starting it again would not help. */
const cannotStart = 78;

/** `mortise web`: one process, or as many as `[server] WORKERS` says, all on one port. */
export async function web(options: HostOptions): Promise<void> {
  if (cluster.isWorker) return serve(options, false);
  const workers = await wantedWorkers(options);
  if (workers === 1) return serve(options, true);
  await prepare(options);
  return supervise(workers);
}

async function wantedWorkers(options: HostOptions): Promise<number> {
  // Only the settings are needed here, and no plugin declares this one.
  const { settings, metrics } = await compose({ ...options, plugins: [], tolerant: true, logLevel: 'none' });
  metrics.close();
  return settings.workers.WORKERS || availableParallelism();
}

/** Migrates once, in the primary, before any worker looks at the database. */
async function prepare(options: HostOptions): Promise<void> {
  const host = await createHost(options);
  try {
    await host.migrate();
  } finally {
    await host.stop();
  }
}

async function serve(options: HostOptions, migrate: boolean): Promise<void> {
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
    host = await createHost({ ...options, processMetrics: true });
    process.on('unhandledRejection', (error) => host!.log.error('a promise was rejected and nobody looked', { error }));
    process.on('uncaughtException', (error) => {
      host!.log.error('an error that nobody caught ends this process', { error });
      void end(1);
    });
    await host.start({ migrate });
    const address = await host.listen();
    if (!cluster.isWorker || cluster.worker!.id === 1)
      host.log.info('listening', { address, rootUrl: host.site.rootUrl });
  } catch (error) {
    if (ending) return; // told to stop while starting: `end` does the rest
    console.error(explain(error));
    await host?.stop().catch(() => undefined);
    process.exit(cluster.isWorker ? cannotStart : 1);
  }
}

/** Keeps the wanted number of workers alive until told to stop. */
function supervise(workers: number): Promise<void> {
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
    for (let count = 0; count < workers; count++) fork();
  });
}
