import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** What identifies a process; of those of other machines, or of containers of their own, it cannot be asked. */
export interface ProcessIdentity {
  readonly host: string;
  readonly process: number;
  readonly machine?: string;
  /** Process ids are used again. */
  readonly started?: string;
}

/** One boot of one kernel, and one namespace of process ids. */
export function thisMachine(): string | undefined {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
    return createHash('sha256')
      .update(`${boot}\0${readlinkSync('/proc/self/ns/pid')}`)
      .digest('hex')
      .slice(0, 32);
  } catch {
    return undefined; // no Linux
  }
}

/** When the process began, as `/proc/<pid>/stat` counts (proc_pid_stat(5)); undefined for one that is not there. */
export function startOf(id: number): string | undefined {
  try {
    const text = readFileSync(`/proc/${id}/stat`, 'latin1');
    return text.slice(text.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}

export const thisProcess = (): ProcessIdentity => ({
  host: hostname(),
  process: process.pid,
  machine: thisMachine(),
  started: startOf(process.pid),
});

/** Is the process known to be gone? One of the same host on another machine ran before a reboot, or in an earlier container. */
export function hasEnded({ host, process: id, machine, started }: ProcessIdentity): boolean {
  const here = thisMachine();
  if (machine === undefined || here === undefined) return false;
  return machine === here ? startOf(id) !== started : host === hostname();
}
