/** The thread of `watchPhase`: imports nothing of the kernel, and writes without the thread that is blocked. */
import { writeFileSync, writeSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';
import type { WatchedPhase, WatchMessage } from './startup-watchdog.js';

const checkIntervalMs = 250;
/** After this the log says who is waited for, in milliseconds. */
const warnAfterMs = 10_000;

const phases: WatchedPhase[] = [];
let lastBeat = Date.now();
let hasWarned = false;

parentPort?.on('message', (message: WatchMessage) => {
  lastBeat = Date.now();
  if (message === 'beat') return;
  hasWarned = false;
  if ('enter' in message) phases.push(message.enter);
  else
    phases.splice(
      phases.findIndex(({ id }) => id === message.leave),
      1,
    );
});

setInterval(() => {
  const phase = phases.at(-1);
  if (!phase) return;
  const blockedMs = Date.now() - lastBeat;
  if (blockedMs >= warnAfterMs && !hasWarned) {
    hasWarned = true;
    logError(
      phase,
      `everything waits for the plugin ${phase.plugin}, which blocks this process while it ${phase.phase}`,
    );
  }
  if (blockedMs < phase.limitMs) return;
  logError(
    phase,
    `the plugin ${phase.plugin} has blocked this process for ${phase.limitMs / 1000} seconds while it ${phase.phase}: the process ends. ` +
      'With its name in [plugins] OPTIONAL the next start goes on without it',
  );
  try {
    writeFileSync(phase.marker, JSON.stringify(phase.note), { mode: 0o600 });
  } catch {
    // the log has it
  }
  process.kill(process.pid, 'SIGKILL');
}, checkIntervalMs);

function logError({ plugin }: WatchedPhase, msg: string): void {
  writeSync(2, `${JSON.stringify({ level: 'error', time: new Date().toISOString(), plugin, msg })}\n`);
}
