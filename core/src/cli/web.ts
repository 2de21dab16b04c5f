import cluster from 'node:cluster';
import { availableParallelism } from 'node:os';
import { basename } from 'node:path';
import type { Logger } from '@mortise/plugin-sdk';
import type { Host, HostOptions } from '../host.js';
import type { NodeLink } from '../host/contract.js';
import { Instance, type LoadedPlugins } from '../instance/index.js';
import { replacedDrainMs } from '../http/drain-times.js';
import { causesOf } from '../plugins/errors.js';
import { StartJournal } from '../plugins/failed-starts.js';
import { ChangeRunner } from './change-runner.js';
import { openSettings } from '../settings/open.js';
import { workerSettings } from '../settings/workers.js';
import { reopenOnSignals } from './reopen-on-signals.js';
import {
  exitCodes,
  waitingVariable,
  allReadyMessage,
  applyMessage,
  nodeVariable,
  workerReadyMessage,
  restartMessage,
  retireMessage,
} from './worker-messages.js';

/** `mortise web`: one process, or as many as `[server] WORKERS` says, all on one port. */
export async function web(options: HostOptions): Promise<void> {
  // Who reads what is written here may be gone; that ends nobody.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  if (cluster.isWorker) return serve(options);
  const standingBy = process.env.MORTISE_STAND_BY;
  if (standingBy) {
    const gone = () => process.exit(0);
    process.once('disconnect', gone);
    const { standBy } = await import('./stand-by.js');
    await standBy(options, standingBy);
    process.off('disconnect', gone);
  }
  const workers = wantedWorkers(options);
  if (workers === 1) return serve(options);
  const { supervise } = await import('./supervise.js');
  return supervise(workers, options);
}

/** Only this setting is needed here; mistakes are told by who composes. */
function wantedWorkers(options: HostOptions): number {
  const { WORKERS } = openSettings(options).settingsRegistry.declare('core', 'server', workerSettings);
  return WORKERS || availableParallelism();
}

async function serve(options: HostOptions): Promise<void> {
  let host: Host | undefined;
  let instance: Instance | undefined;
  let ending = false;
  // a worker that follows others is to run what they run, and mortise dev starts what is just being written
  const counts = process.env[waitingVariable] !== '1' && !options.liveReload;
  const journal = counts ? StartJournal.open(openSettings(options).workDir) : undefined;
  const end = async (code: number, isReplaced = false) => {
    // Requests and jobs have their own patience; whatever hangs beyond both is not waited for. One that was replaced and is told
    // to stop with the server has the shorter time.
    const { http, queue } = host?.composition.settings ?? {};
    const requestsMs = Math.max(http?.server.GRACEFUL_HAMMER_TIME ?? 0, isReplaced ? replacedDrainMs : 0);
    setTimeout(() => process.exit(1), requestsMs + (queue?.DRAIN_TIME ?? 0) + 10_000).unref();
    if (ending) return;
    ending = true;
    await host?.stop(isReplaced);
    await instance?.end();
    process.exit(code);
  };
  const endAsTold = () => {
    journal?.abandoned();
    void end(0);
  };
  for (const event of ['SIGTERM', 'SIGINT', 'disconnect']) process.on(event, endAsTold);
  if (cluster.isWorker) process.on('message', (heard) => heard === retireMessage && void end(0, true));
  // To whoever looks after workers it means a restart of them; alone, this process cannot be replaced by another.
  process.on('SIGUSR2', () => {
    if (cluster.isPrimary)
      host?.log.warn('one process alone is not replaced: stop it and start it', { event: 'restart.impossible' });
  });
  try {
    instance = await Instance.begin(openSettings(options).workDir);
    const { openHost } = await import('../open-host.js');
    // Libraries warn through node, which would write lines of text between those of the log.
    process.removeAllListeners('warning');
    process.on('warning', ({ name, message, stack }) => {
      if (host) host.log.warn(message, { event: 'process.warning', warning: name });
      else console.error(stack);
    });
    process.on('unhandledRejection', (error) => {
      if (host) host.pluginErrors.uncaught('rejection', error);
      else console.error('unhandled promise rejection', error);
    });
    process.on('uncaughtException', (error) => {
      if (!host) throw error;
      journal?.crashed(host.pluginErrors.uncaught('error', error), error);
      host.log.error('uncaught error; ending this process', { event: 'process.uncaught', error });
      void end(1);
    });
    host = await openHost(
      {
        ...options,
        journal,
        processMetrics: true,
        waitsForServers: process.env[waitingVariable] === '1',
        ...(cluster.isWorker && { askRestart: () => process.send?.(restartMessage) }),
        node: nodeOf(options, () => host?.log),
      },
      (made) => made.start(),
      (made) => (host = made),
    );
    reopenOnSignals(host.log);
    const allListen = cluster.isWorker ? told(allReadyMessage) : Promise.resolve();
    const ready = host;
    await instance?.loaded(addedPackages(ready), runningPlugins(ready));
    const address = await ready.listen();
    journal?.started(Object.keys(runningPlugins(ready).plugins ?? {}));
    // A closed channel: the primary is gone, and with it this worker soon.
    if (cluster.isWorker && process.connected)
      process.send?.(workerReadyMessage, undefined, undefined, () => undefined);
    void allListen.then(() => announceReady(ready, address));
  } catch (error) {
    if (ending) return; // told to stop while starting: `end` does the rest
    const { explain } = await import('./explain.js');
    const { isUnavailable } = await import('../unavailable.js');
    if (isUnavailable(error)) journal?.abandoned();
    else journal?.refused(causesOf(error));
    console.error(explain(error));
    await host?.stop().catch(() => undefined);
    await instance?.end();
    process.exit(cluster.isWorker ? (isUnavailable(error) ? exitCodes.away : exitCodes.cannotStart) : 1);
  }
}

function nodeOf(options: HostOptions, log: () => Logger | undefined): NodeLink {
  const id = process.env[nodeVariable];
  if (cluster.isWorker && id !== undefined)
    return { id, applyChanges: () => process.connected && process.send?.(applyMessage, () => undefined) };
  return new ChangeRunner(options, log);
}

const addedPackages = ({ composition: { found } }: Host): string[] =>
  found.filter(({ from }) => from === 'added').map(({ folder }) => basename(folder));

const runningPlugins = ({ composition: { plugins, leftOut } }: Host): LoadedPlugins => ({
  plugins: Object.fromEntries(plugins.map(({ definition: { name, version } }) => [name, version])),
  failed: Object.fromEntries(leftOut),
});

/** Resolves when the primary says so; to most workers it never does. */
const told = (message: string): Promise<void> =>
  new Promise((resolve) => process.on('message', (heard) => heard === message && resolve()));

/** The last line of the start. */
function announceReady({ log, site, composition }: Host, address: string): void {
  if (process.env.MORTISE_STAND_BY) process.send?.(allReadyMessage);
  if (log.isText)
    log.info(`Mortise ${composition.version} is ready: ${site.rootUrl}/ (Ctrl+C stops it)`, { event: 'process.ready' });
  else log.info('listening', { event: 'process.ready', address, rootUrl: site.rootUrl });
}
