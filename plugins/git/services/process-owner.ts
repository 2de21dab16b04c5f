/**
 * Which process wrote something, and whether it still lives. On the machine of its own (one boot of one kernel, one
 * namespace of process ids) the system is asked. About processes elsewhere it knows nothing: there a lease decides.
 */
import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { readdir, readFile, readlink, realpath } from 'node:fs/promises';
import { sep } from 'node:path';

export interface Owner {
  /** Undefined where the system does not say which machine it is. */
  readonly machine?: string;
  readonly process: number;
  /** When the process started, as the system counts: process ids are used again. */
  readonly started?: string;
}

function thisMachine(): string | undefined {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
    const namespace = readlinkSync('/proc/self/ns/pid');
    return createHash('sha256').update(`${boot}\0${namespace}`).digest('hex').slice(0, 32);
  } catch {
    return undefined; // no Linux
  }
}

interface ProcessFacts {
  readonly parent: number;
  readonly started: string;
}

/** Of `/proc/<pid>/stat` (proc_pid_stat(5)); the name in parentheses may hold anything. */
function parseStat(text: string): ProcessFacts {
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return { parent: Number(fields[1]), started: fields[19] ?? '' };
}

function factsOf(id: number): ProcessFacts | undefined {
  try {
    return parseStat(readFileSync(`/proc/${id}/stat`, 'latin1'));
  } catch {
    return undefined;
  }
}

export const thisProcess: Owner = {
  machine: thisMachine(),
  process: process.pid,
  started: factsOf(process.pid)?.started,
};

/** `unknown`: it ran on another machine, or this system does not tell. */
export function stateOf(owner: Owner | undefined): 'alive' | 'dead' | 'unknown' {
  if (!owner?.machine || owner.machine !== thisProcess.machine) return 'unknown';
  const facts = factsOf(owner.process);
  return facts && facts.started === owner.started ? 'alive' : 'dead';
}

/** Sub-commands of git that lock or move references, or write below `objects`. */
const writing = new Set([
  'receive-pack',
  'unpack-objects',
  'index-pack',
  'update-ref',
  'symbolic-ref',
  'pack-refs',
  'repack',
  'pack-objects',
  'prune',
  'prune-packed',
  'gc',
  'commit-graph',
  'multi-pack-index',
  'fetch',
  'config',
]);

/**
 * Does git still write in the folder although the server that started it is gone, or by somebody's hand? Undefined
 * where the system does not tell. What live servers run is left out: they keep account of it in the journal.
 */
export async function hasForeignWriters(folder: string): Promise<boolean | undefined> {
  if (!thisProcess.machine) return undefined;
  folder = await realpath(folder).catch(() => folder);
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const workingFolder = await readlink(`/proc/${name}/cwd`).catch(() => '');
    if (workingFolder !== folder && !workingFolder.startsWith(folder + sep)) continue;
    const words = (await readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '')).split('\0');
    const isGit = words.some((word) => /(?:^|\/)git(?:-[a-z-]+)?$/.test(word));
    const isWriting = words.some((word) => writing.has(word.replace(/^.*\/git-/, '')));
    if (isGit && isWriting && !belongsToServer(Number(name))) return true;
  }
  return false;
}

/** Does a process of this machine work in the folder? Undefined where the system does not tell. */
export async function hasProcesses(folder: string): Promise<boolean | undefined> {
  if (!thisProcess.machine) return undefined;
  const real = await realpath(folder);
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const workingFolder = await readlink(`/proc/${name}/cwd`).catch(() => '');
    if (workingFolder === real || workingFolder.startsWith(real + sep)) return true;
  }
  return false;
}

/** Runs it below a live process of the same program as this one? */
function belongsToServer(id: number): boolean {
  for (let at = id, depth = 0; at > 1 && depth < 10; depth++) {
    if (at === process.pid || programOf(at) === programOf(process.pid)) return true;
    at = factsOf(at)?.parent ?? 0;
  }
  return false;
}

function programOf(id: number): string {
  try {
    return readlinkSync(`/proc/${id}/exe`);
  } catch {
    return `unknown ${id}`;
  }
}
