import { existsSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { PluginPackage } from './discover.js';

/** What the process is busy with, as the thread is told. */
export interface WatchedPhase {
  readonly id: number;
  readonly plugin: string;
  /** As in "the plugin pager …": `is loaded`, `starts`. */
  readonly phase: string;
  readonly limitMs: number;
  /** What the next start reads. */
  readonly marker: string;
  readonly note: BlockedNote;
}

export type WatchMessage = { readonly enter: WatchedPhase } | { readonly leave: number } | 'beat';

/** What is left of a plugin that kept a process from ever answering again. */
interface BlockedNote {
  readonly entry: string;
  /** When that file was changed, in milliseconds. */
  readonly modified: number;
  readonly text: string;
}

const beatMs = 500;

/**
 * Code that loops without end cannot be interrupted by the process that runs it: a thread beside it says who is waited
 * for, and ends the process when nothing came of it. One thread for the whole process, made when it is first needed.
 */
let thread: Worker | undefined;
let beat: NodeJS.Timeout | undefined;
let count = 0;
const open = new Set<number>();

const markersOf = (workDir: string): string => join(workDir, 'tmp', 'blocking-plugins');
const markerOf = (workDir: string, plugin: string): string => join(markersOf(workDir), `${plugin}.json`);

/** Gives what ends the phase. */
export function watchPhase(
  { name, entry }: Pick<PluginPackage, 'name' | 'entry'>,
  phase: string,
  { workDir, limitMs }: { readonly workDir: string; readonly limitMs: number },
): () => void {
  if (!thread) {
    thread = new Worker(new URL('./startup-watchdog-thread.js', import.meta.url), { execArgv: [] });
    thread.unref();
  }
  try {
    mkdirSync(markersOf(workDir), { recursive: true, mode: 0o700 });
  } catch {
    // a disk that takes nothing: then only the log tells
  }
  const id = ++count;
  const marker = markerOf(workDir, name);
  const text = `the plugin ${name} blocked the last start for ${limitMs / 1000} seconds while it ${phase}`;
  const note = { entry, modified: modifiedOf(entry), text };
  open.add(id);
  thread.postMessage({ enter: { id, plugin: name, phase, limitMs, marker, note } } satisfies WatchMessage);
  beat ??= setInterval(() => thread?.postMessage('beat' satisfies WatchMessage), beatMs).unref();
  return () => {
    if (!open.delete(id)) return;
    thread?.postMessage({ leave: id } satisfies WatchMessage);
    if (open.size > 0) return;
    clearInterval(beat);
    beat = undefined;
  };
}

/** Why a plugin must not be loaded again as it is; undefined: nothing is known against it. */
export function blockedBefore({ name, entry }: PluginPackage, workDir: string): string | undefined {
  const marker = markerOf(workDir, name);
  let note: BlockedNote;
  try {
    note = JSON.parse(readFileSync(marker, 'utf8')) as BlockedNote;
  } catch {
    return undefined;
  }
  if (note.entry === entry && note.modified === modifiedOf(entry))
    return `${note.text}; it is loaded again once it was updated, or after mortise plugins enable ${name}`;
  rmSync(marker, { force: true });
  return undefined;
}

/** It is loaded again as it is. Gives whether it blocked a start. */
export function forgetBlocking(workDir: string, plugin: string): boolean {
  const marker = markerOf(workDir, plugin);
  const isKnown = existsSync(marker);
  rmSync(marker, { force: true });
  return isKnown;
}

const modifiedOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
