import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hasEnded, thisProcess, type ProcessIdentity } from '../instance/process.js';
import type { PluginPackage } from './discover.js';
import type { StartProblem } from './errors.js';

/** A plugin as it lay on the disk: what is known of it holds until another version, or another build, lies there. */
interface PluginBuild {
  readonly plugin: string;
  readonly version: string;
  readonly entry: string;
  /** When that file was changed, in milliseconds. */
  readonly modified: number;
}

/** Starts in a row that a plugin ended. */
interface FailedStarts extends PluginBuild {
  readonly count: number;
  /** Of the last one, in words. */
  readonly reason: string;
}

/** What a process that starts is busy with. It is left behind by one that ends in the middle. */
interface OpenPhase extends PluginBuild, ProcessIdentity {
  readonly phase: string;
  /** The phase is over by then, in milliseconds since 1970 UTC. */
  readonly until: number;
}

const recordsOf = (workDir: string): string => join(workDir, 'tmp', 'failed-starts');
const phasesOf = (workDir: string): string => join(workDir, 'tmp', 'starting');
const recordOf = (workDir: string, plugin: string): string => join(recordsOf(workDir), `${plugin}.json`);

/** Signing in never goes missing by itself: without one of these, a door could stand open. */
export const isNeededToSignIn = (name: string): boolean =>
  name.startsWith('auth-') || name === 'accounts' || name === 'sessions';

/** May a start go on without it, though no setting says so? */
const isDispensable = ({ name, from }: PluginPackage): boolean => from !== 'workspace' && !isNeededToSignIn(name);

/** Plugins from outside that ended so many starts in a row, and how. */
export function endedLastStarts(
  packages: readonly PluginPackage[],
  workDir: string,
  maxFailures: number,
): Map<string, string> {
  const names = maxFailures > 0 ? filesIn(recordsOf(workDir)) : [];
  const records = names.flatMap((name) => read<FailedStarts>(join(recordsOf(workDir), name)) ?? []);
  const told = new Map<string, string>();
  for (const { plugin, count, reason, ...build } of records) {
    const found = packages.find((one) => one.name === plugin);
    if (!found || !isDispensable(found) || count < maxFailures || !isSame(buildOf(found), build)) continue;
    told.set(
      plugin,
      `the plugin ${plugin} ended the last ${count === 1 ? 'start' : `${count} starts`} (${reason}); ` +
        `it is left out until mortise plugins enable ${plugin}, or until it is updated`,
    );
  }
  return told;
}

/** The next start tries it again. Gives whether anything was held against it. */
export function forgetFailedStarts(workDir: string, plugin: string): boolean {
  const isKnown = read(recordOf(workDir, plugin)) !== undefined;
  remove(recordOf(workDir, plugin));
  return isKnown;
}

/**
 * What a server writes down while it starts, so that the next start knows which plugin ended this one: of the process
 * itself nothing may be left to tell. Where nothing can be written, nothing is counted.
 */
export class StartJournal {
  readonly #file: string;
  #packages: readonly PluginPackage[] = [];
  #current: PluginPackage | undefined;
  #isClosed = false;

  private constructor(private readonly workDir: string) {
    this.#file = join(phasesOf(workDir), `${randomBytes(8).toString('hex')}.json`);
  }

  /** Counts the starts that ended in the middle. */
  static open(workDir: string): StartJournal {
    for (const name of filesIn(phasesOf(workDir))) {
      const path = join(phasesOf(workDir), name);
      const open = read<OpenPhase>(path);
      if (open && !hasEnded(open) && open.until > Date.now()) continue;
      remove(path);
      if (open) add(workDir, open, `the process ended while it ${open.phase}`);
    }
    return new StartJournal(workDir);
  }

  /** Everything that lies here, before any of it is run. */
  found(packages: readonly PluginPackage[]): void {
    this.#packages = packages;
  }

  /** Before code of a plugin from outside is run; gives what ends the phase. */
  enter(found: PluginPackage, phase: string, limitMs: number): () => void {
    if (this.#isClosed) return () => undefined;
    this.#current = found;
    const until = Date.now() + limitMs;
    write(this.#file, { ...thisProcess(), ...buildOf(found), phase, until } satisfies OpenPhase);
    return () => {
      if (this.#current === found) this.#current = undefined;
      if (!this.#isClosed) remove(this.#file);
    };
  }

  /** The start is refused, for these reasons. */
  refused(causes: readonly StartProblem[]): void {
    this.#close();
    const counted = new Set<string>();
    for (const { plugins, text, isConsequence } of causes) {
      const found = this.#packages.find((one) => plugins.includes(one.name) && isDispensable(one));
      if (!found || isConsequence || counted.has(found.name) || this.#isTwice(found)) continue;
      counted.add(found.name);
      add(this.workDir, buildOf(found), text);
    }
  }

  /** An error that nobody catches ends the start: its plugin, where that is known, else the one that code is run of. */
  crashed(plugin: string, error: unknown): void {
    const found = this.#packages.find((one) => one.name === plugin) ?? this.#current;
    if (this.#isClosed) return;
    this.#close();
    const text = error instanceof Error ? error.message : String(error);
    if (found && isDispensable(found)) add(this.workDir, buildOf(found), `it threw what nobody caught: ${text}`);
  }

  /** Everything runs: these ended nothing. */
  started(plugins: Iterable<string>): void {
    if (this.#isClosed) return;
    this.#close();
    for (const plugin of plugins) forgetFailedStarts(this.workDir, plugin);
  }

  /** Somebody ends the start: that is no plugin's fault. */
  abandoned(): void {
    this.#close();
  }

  #close(): void {
    this.#isClosed = true;
    remove(this.#file);
  }

  /** One that came with Mortise and one from outside share the name: none of them failed. */
  #isTwice({ name }: PluginPackage): boolean {
    return this.#packages.some((one) => one.name === name && one.from === 'workspace');
  }
}

const buildOf = ({ name, version, entry }: PluginPackage): PluginBuild => ({
  plugin: name,
  version,
  entry,
  modified: statSync(entry, { throwIfNoEntry: false })?.mtimeMs ?? 0,
});

const isSame = (left: Omit<PluginBuild, 'plugin'>, right: Omit<PluginBuild, 'plugin'>): boolean =>
  left.version === right.version && left.entry === right.entry && left.modified === right.modified;

function add(workDir: string, { plugin, version, entry, modified }: PluginBuild, reason: string): void {
  const path = recordOf(workDir, plugin);
  const before = read<FailedStarts>(path);
  const build = { plugin, version, entry, modified };
  const count = before && isSame(before, build) ? before.count + 1 : 1;
  write(path, { ...build, count, reason: reason.slice(0, 500) } satisfies FailedStarts);
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith('.json'));
  } catch {
    return [];
  }
}

function read<T extends object>(path: string): T | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as T;
  } catch {
    return undefined;
  }
}

function remove(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // a disk that takes nothing: the same is found again
  }
}

function write(path: string, value: object): void {
  try {
    mkdirSync(join(path, '..'), { recursive: true, mode: 0o700 });
    writeFileSync(`${path}.new`, JSON.stringify(value), { mode: 0o600 });
    renameSync(`${path}.new`, path);
  } catch {
    // a disk that takes nothing: then the log alone tells
  }
}
