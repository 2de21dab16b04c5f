import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';

/**
 * Who holds a lease: `<machine>.<process>.<start>.<random>`, at most 60 characters. What another process of the same
 * machine held can be taken as soon as it is gone (proc(5)), and does not stay for the rest of its lease. Where the system
 * does not tell, only the random part is there.
 */
export function leaseOwner(): string {
  const random = randomBytes(8).toString('hex');
  const start = machine && startOf('self');
  return start ? [machine, process.pid, start, random].join('.') : random;
}

/** Is it known that the process of this owner has ended? False for those of other machines. */
export function isGone(owner: string): boolean {
  const [, of, id, start] = /^([0-9a-f]{16})\.(\d+)\.(\d+)\.[0-9a-f]+$/.exec(owner) ?? [];
  return of !== undefined && of === machine && startOf(id!) !== start;
}

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

/** When the process began, in ticks since the boot; undefined when it has ended. */
function startOf(id: string): string | undefined {
  try {
    const text = readFileSync(`/proc/${id}/stat`, 'utf8');
    // behind the name, which may hold anything
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const hasEnded = fields[0] === 'Z' || fields[0] === 'X';
    return hasEnded ? undefined : fields[19];
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ESRCH') return undefined;
    throw error;
  }
}
