import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';

/**
 * Who holds a lease: `<machine>.<process>.<start>.<random>`, at most 60 characters. What another process of the same
 * machine held can be taken as soon as it is gone (proc(5)), and does not stay for the rest of its lease. Where the system
 * does not tell, only the random part is there.
 */
export function leaseOwner(): string {
  const random = randomBytes(8).toString('hex');
  const start = machine && ownStart();
  return start ? [machine, process.pid, start, random].join('.') : random;
}

/**
 * Is it known that the process of this owner has ended? False for those of other machines, and for those of other accounts
 * where the system hides them (`hidepid`): their leases end by themselves.
 */
export function isGone(owner: string, system: Processes = processes): boolean {
  const [, of, id, start] = /^([0-9a-f]{16})\.(\d+)\.(\d+)\.[0-9a-f]+$/.exec(owner) ?? [];
  if (of === undefined || of !== machine) return false;
  try {
    system.signal(Number(id));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ESRCH') return true;
    // it lives, but is not ours
    if (code !== 'EPERM') return false;
  }
  try {
    return startIn(system.stat(id!)) !== start;
  } catch {
    return false;
  }
}

/** Those of these owners of which it is known that they have ended. */
export const goneAmong = (owners: readonly (string | null)[]): string[] =>
  owners.filter((owner): owner is string => owner !== null && isGone(owner));

/** What the system says of processes; both throw errors of the system. */
interface Processes {
  /** Asks whether a signal could be sent to it: ESRCH where there is none. */
  signal(id: number): void;
  /** Its line of proc(5). */
  stat(id: string): string;
}

const processes: Processes = {
  signal: (id) => void process.kill(id, 0),
  stat: (id) => readFileSync(`/proc/${id}/stat`, 'utf8'),
};

const machine = machineId();

/** Of one system from its boot to its end; containers have a number space of processes of their own. */
function machineId(): string | undefined {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const text = `${boot} ${readlinkSync('/proc/self/ns/pid')}`;
    return createHash('sha256').update(text).digest('hex').slice(0, 16);
  } catch {
    return undefined;
  }
}

/** When this process began; undefined where the system does not tell. */
function ownStart(): string | undefined {
  try {
    return startIn(processes.stat('self'));
  } catch {
    return undefined;
  }
}

/** When a process began, in ticks since the boot; undefined when it has ended. */
function startIn(stat: string): string | undefined {
  // behind the name, which may hold anything
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const hasEnded = fields[0] === 'Z' || fields[0] === 'X';
  return hasEnded ? undefined : fields[19];
}
