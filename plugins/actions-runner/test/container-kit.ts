import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inFolder, runOne, type JobOptions, type Recorded } from './kit.js';

export interface Call extends Recorded {
  /** Command lines, with the job's name and folders made the same. */
  readonly calls: readonly string[];
}

/** An engine that notes what it is told and runs commands on the machine itself. */
export function fakeEngine(folder: string): string {
  const program = join(folder, 'docker');
  const script = fileURLToPath(new URL('./fake-engine.js', import.meta.url));
  writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${script}" "$0" "$@"\n`);
  chmodSync(program, 0o755);
  return program;
}

export const callsIn = (folder: string): string[] =>
  readFileSync(join(folder, 'calls'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as string[]).join(' '));

/** Runs a job with such an engine. `user`: number of the container's, one for each time that it is asked. */
export const runWith = (job: string, { host, user, ...options }: JobOptions & { user?: string } = {}): Promise<Call> =>
  inFolder(async (folder) => {
    const program = fakeEngine(folder);
    if (user) writeFileSync(join(folder, 'user'), user);
    // Jobs of a user of their own go through it.
    chmodSync(folder, 0o711);
    const workFolder = join(folder, 'work');
    const recorded = await runOne(job, { ...options, host: { containers: program, workFolder, ...host } });
    const calls = callsIn(folder).map((line) =>
      line.replaceAll(workFolder, 'WORK').replace(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g, 'ID'),
    );
    return { ...recorded, calls };
  });
