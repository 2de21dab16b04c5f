import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { RestartState } from '@mortise/plugin-sdk';
import { startOf, thisMachine, thisProcess, type ProcessIdentity } from './process.js';

/** A process that serves from a work folder, or is about to. */
export interface InstanceProcess {
  readonly host: string;
  readonly process: number;
  /** Folders of the added plugins that it has loaded, by name; undefined as long as it has not loaded them. */
  readonly packages?: readonly string[];
  /** Versions of all plugins that run in it, by name; undefined as long as they are not loaded. */
  readonly plugins?: Readonly<Record<string, string>>;
  /** Why it goes on without others (`[plugins] OPTIONAL`, or left out), by name. */
  readonly failed?: Readonly<Record<string, string>>;
  /** How many workers it looks after; undefined for one that serves itself. */
  readonly workers?: number;
  /** The last restart of its workers. */
  readonly restart?: RestartState;
}

/** What a process has loaded. */
export type LoadedPlugins = Pick<InstanceProcess, 'plugins' | 'failed'>;

/** What a process says of itself. */
type Known = Omit<InstanceProcess, 'host' | 'process'>;

/** Of a process of another machine nothing but the time of the file is known. */
type Note = InstanceProcess & ProcessIdentity;

/** A process of another machine, or of a container of its own, renews its file this often; in milliseconds. */
const renewMs = 20_000;
/** One that has not done so for so long is gone; in milliseconds. */
export const leaseMs = 120_000;

const folderOf = (workDir: string): string => join(workDir, 'tmp', 'serving');

/** What this process says of itself, until it ends. */
export class Instance {
  readonly #file: string;
  readonly #renewal: NodeJS.Timeout;
  #workers = 0;
  #known: Known = {};

  private constructor(file: string) {
    this.#file = file;
    // also what a full disk did not take the first time
    this.#renewal = setInterval(() => void this.#note(this.#known), renewMs);
    this.#renewal.unref();
  }

  /** Before the first plugin is looked for. Where nothing can be written, nothing is said: nothing can be changed either. */
  static async begin(workDir: string): Promise<Instance | undefined> {
    const folder = folderOf(workDir);
    const file = join(folder, `${randomBytes(8).toString('hex')}.json`);
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await write(file, {});
      for (const { path, isAlive } of await notesIn(folder)) if (!isAlive) await rm(path, { force: true });
    } catch {
      return undefined;
    }
    return new Instance(file);
  }

  async loaded(packages: readonly string[], plugins: LoadedPlugins = {}): Promise<void> {
    await this.#note({ packages, ...plugins });
  }

  /** It only looks after so many workers, which load plugins. */
  async recordWorkers(workers: number): Promise<void> {
    this.#workers = workers;
    await this.#note({ packages: [], workers });
  }

  async recordRestart(restart: RestartState): Promise<void> {
    await this.#note({ packages: [], workers: this.#workers, restart });
  }

  async #note(known: Known): Promise<void> {
    this.#known = known;
    await write(this.#file, known).catch(() => undefined);
  }

  async end(): Promise<void> {
    clearInterval(this.#renewal);
    await rm(this.#file, { force: true }).catch(() => undefined);
  }
}

async function write(file: string, known: Known): Promise<void> {
  const note: Note = { ...thisProcess(), ...known };
  await writeFile(`${file}.new`, JSON.stringify(note), { mode: 0o600 });
  await rename(`${file}.new`, file);
}

async function notesIn(folder: string): Promise<{ path: string; note?: Note; isAlive: boolean }[]> {
  const names = await readdir(folder).catch(() => []);
  return Promise.all(
    names.map(async (name) => {
      const path = join(folder, name);
      const { mtimeMs } = (await stat(path).catch(() => undefined)) ?? { mtimeMs: 0 };
      // one that is just being written has another ending
      const note = name.endsWith('.json') ? await noteOf(path) : undefined;
      const age = Date.now() - mtimeMs;
      return { path, note, isAlive: note ? isAlive(note, age) : age < leaseMs };
    }),
  );
}

async function noteOf(path: string): Promise<Note | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Note;
  } catch {
    return undefined;
  }
}

function isAlive({ machine, process: id, started }: Note, age: number): boolean {
  if (machine === undefined || machine !== thisMachine()) return age < leaseMs;
  return startOf(id) === started;
}

/** The processes that serve from the work folder now, on whatever machine. */
export async function runningInstance(workDir: string): Promise<InstanceProcess[]> {
  const notes = await notesIn(folderOf(workDir));
  return notes.flatMap(({ note, isAlive }) => (note && isAlive ? [note] : []));
}

/** Runs it on this machine, in the same space of process ids? Then signals reach it by its number. */
export const isLocalProcess = (one: InstanceProcess): boolean => {
  const { host, machine } = one as Note;
  return host === hostname() && machine === thisMachine();
};
