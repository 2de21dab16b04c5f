import type { Logger } from '@mortise/plugin-sdk';
import type { HostOptions } from '../host.js';
import { Instance } from '../instance/index.js';
import { openSettings } from '../settings/open.js';
import { reopenOnSignals } from './reopen-on-signals.js';
import { ChangeRunner } from './change-runner.js';
import { WorkerPool } from './worker-pool.js';

/** Keeps the wanted number of workers alive until told to stop, and replaces them one by one when asked to. */
export async function supervise(workers: number, options: HostOptions): Promise<void> {
  const { relayInPrimary } = await import('../broker/memory.js');
  const { aggregateInPrimary } = await import('../telemetry/aggregate.js');
  relayInPrimary();
  aggregateInPrimary();
  // also between the end of one worker and the start of the next
  const instance = await Instance.begin(openSettings(options).workDir);
  await instance?.recordWorkers(workers);
  let log: Logger | undefined;
  const runner = new ChangeRunner(
    options,
    () => log,
    () => pool.restart(),
  );
  const pool = new WorkerPool(workers, instance, async () => (log = await openLog(options)), runner);
  const code = await pool.run();
  await instance?.end();
  process.exit(code);
}

/** Loaded beside the first worker, so that its start waits for nothing. */
async function openLog(options: HostOptions) {
  const { declareLog, logOf } = await import('../telemetry/index.js');
  const { settingsRegistry, workDir } = openSettings(options);
  const log = logOf(options, declareLog(settingsRegistry, workDir));
  reopenOnSignals(log);
  return log;
}
