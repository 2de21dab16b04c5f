import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { BadRequest, Problem } from '@mortise/plugin-sdk';
import type { HostOptions } from '../host.js';
import { isLocalProcess, runningInstance, type InstanceProcess } from '../instance/index.js';
import { openSettings } from '../settings/open.js';

const pollMs = 250;
/** After so long without a word of the restart it is not followed any more; in milliseconds. */
const silenceMs = 60_000;

/** `mortise restart`. */
export function restartCommand(program: Command, options: () => HostOptions): void {
  program
    .command('restart')
    .description('Replace the workers of the running server one after the other, so that no request fails')
    .action(async () => {
      const { workDir } = openSettings(options());
      for (const one of await supervisors(workDir)) {
        console.log(`process ${one.process} replaces its ${one.workers} workers`);
        await restarted(workDir, one);
      }
      console.log('all workers were replaced, and run with the current settings and plugins');
    });
}

/** The processes that look after workers on this machine. Throws where nothing can be restarted. */
async function supervisors(workDir: string): Promise<InstanceProcess[]> {
  const running = await runningInstance(workDir);
  if (running.length === 0) throw BadRequest(`No server runs from ${workDir}.`);
  const here = running.filter(isLocalProcess);
  if (here.length === 0)
    throw BadRequest(
      `The server of ${workDir} runs on ${running[0]!.host}, perhaps in another container: call mortise restart there.`,
    );
  const found = here.filter(({ workers }) => workers !== undefined);
  if (found.length === 0)
    throw BadRequest(
      'The server runs in one process ([server] WORKERS = 1), which nothing can replace: stop it and start it.',
    );
  return found;
}

/** Asks for a restart and waits for its end. */
async function restarted(workDir: string, { process: id, restart: before }: InstanceProcess): Promise<void> {
  const asked = Date.now();
  process.kill(id, 'SIGUSR2');
  for (;;) {
    await sleep(pollMs);
    const note = (await runningInstance(workDir)).find(
      (one) => one.process === id && one.workers !== undefined && isLocalProcess(one),
    );
    if (!note) throw new Problem('unavailable', 'The server ended while it replaced its workers.');
    const { restart } = note;
    if (restart?.state === 'running') continue;
    // One that was running before is done once more.
    if (!restart || restart.beganAt === before?.beganAt) {
      if (Date.now() - asked < silenceMs) continue;
      throw new Problem('unavailable', 'No status of the restart was received; see the log of the server.');
    }
    if (restart.state === 'done') return;
    throw new Problem(
      'unavailable',
      'A new worker does not start, see the log; workers that were not replaced yet keep running.',
    );
  }
}
