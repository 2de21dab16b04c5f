/** The thread of `watchPhase`: imports nothing of the kernel, and writes without the thread that is blocked. */
import { writeFileSync, writeSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';
import type { WatchedPhase, WatchMessage } from './phase-watch.js';

const lookMs = 250;
/** After this it is told who is waited for, in milliseconds. */
const patienceMs = 10_000;

const phases: WatchedPhase[] = [];
let lastBeat = Date.now();
let isTold = false;

parentPort?.on('message', (message: WatchMessage) => {
  lastBeat = Date.now();
  if (message === 'beat') return;
  isTold = false;
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
  if (blockedMs >= patienceMs && !isTold) {
    isTold = true;
    tell(phase, `everything waits for the plugin ${phase.plugin}, which blocks this process while it ${phase.phase}`);
  }
  if (blockedMs < phase.limitMs) return;
  tell(
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
}, lookMs);

function tell({ plugin }: WatchedPhase, msg: string): void {
  writeSync(2, `${JSON.stringify({ level: 'error', time: new Date().toISOString(), plugin, msg })}\n`);
}
