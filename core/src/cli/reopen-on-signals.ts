import type { ManagedLog } from '../telemetry/log.js';

/**
 * After logrotate has renamed the files of the log, lines go to new ones. Without such files the signals do what they do
 * otherwise, such as ending the process with its terminal.
 */
export function reopenOnSignals({ reopen }: ManagedLog): void {
  if (reopen) for (const signal of ['SIGHUP', 'SIGUSR1'] as const) process.on(signal, reopen);
}
