import { isUtf8 } from 'node:buffer';
import { Invalid, Problem } from '@mortise/plugin-sdk';
import type { GitRepository, TreeChange } from '@mortise/git/api';
import { markedLines } from './conflict-view.js';
import { t } from '../texts/index.js';

export const conflictSides = ['base', 'head', 'both', 'edit'] as const;
type ConflictSide = (typeof conflictSides)[number];

/** What becomes of one place that both sides changed. */
export interface ConflictChoice {
  /** `both`: the lines of the base, then those of the head; `edit`: the text. */
  readonly side: ConflictSide;
  readonly text?: string;
}

/** Decisions on the conflicts of two commits. */
export interface ConflictResolution {
  /** Commit ids. */
  readonly base: string;
  readonly head: string;
  /** By path, a choice for each place from the top. */
  readonly choices: ReadonlyMap<string, readonly ConflictChoice[]>;
}

/** Files and bytes of one that can be resolved in the browser. */
export const maxConflictFiles = 20;
const maxConflictBytes = 128 * 1024;

/**
 * The text of a file in conflict with the marks of git; undefined where it is not text that could be written back, or where
 * neither side has a file of that name: where a file meets a folder, git gives it another.
 */
export async function conflictText(
  git: GitRepository,
  tree: string,
  path: string,
  { base, head }: Pick<ConflictResolution, 'base' | 'head'>,
): Promise<string | undefined> {
  const [entry, ...sides] = await Promise.all([tree, base, head].map((side) => git.entry(side, path)));
  if (!sides.some(Boolean)) return undefined;
  if (entry?.type !== 'blob' || entry.mode === '120000') return undefined;
  try {
    const content = await git.blob(entry.oid, maxConflictBytes);
    // what is not UTF-8 would be written back as something else
    return !content.includes(0) && isUtf8(content) ? content.toString('utf8') : undefined;
  } catch (error) {
    if (Problem.is(error)) return undefined;
    throw error;
  }
}

const isMark = (line: string): boolean => /^(?:<{7}|>{7}|\|{7}) |^={7}$/.test(line);
const isOuterMark = (line: string): boolean => line.startsWith('<<<<<<< ') || line.startsWith('>>>>>>> ');

/**
 * Whether it is certain where each place begins and ends: lines that only look like marks would be taken for them. The
 * marks of a merge name the two commits, and what a file says itself does not.
 */
export function isResolvable(text: string, { base, head }: Pick<ConflictResolution, 'base' | 'head'>): boolean {
  const lines = text.split(/\r?\n/);
  const names = (line: string, oid: string) => line.slice(8).split(':')[0] === oid;
  let from = 0;
  let count = 0;
  for (const { start, middle, end } of markedLines(lines)) {
    if (lines.slice(from, start).some(isOuterMark)) return false;
    if (!names(lines[start]!, base) || !names(lines[end]!, head)) return false;
    if ([...lines.slice(start + 1, middle), ...lines.slice(middle + 1, end)].some(isMark)) return false;
    from = end + 1;
    count++;
  }
  return count > 0 && !lines.slice(from).some(isOuterMark);
}

/** The text with a choice in place of each conflict, in the line endings that it has; Invalid where they do not fit it. */
export function resolveConflicts(path: string, text: string, choices: readonly ConflictChoice[]): string {
  const lines = text.split('\n');
  const ending = text.includes('\r\n') ? '\r' : '';
  const places = [...markedLines(text.split(/\r?\n/))];
  if (places.length !== choices.length) throw Invalid(t.later('error.resolve.open', { path }));
  const resolved: string[] = [];
  let from = 0;
  for (const [at, { start, middle, end }] of places.entries()) {
    const { side, text: edited = '' } = choices[at]!;
    resolved.push(...lines.slice(from, start));
    if (side === 'edit') {
      const written = edited === '' ? [] : edited.replace(/\r?\n$/, '').split(/\r?\n/);
      if (written.some(isOuterMark)) throw Invalid(t.later('error.resolve.marks', { path }));
      resolved.push(...written.map((line) => line + ending));
    }
    if (side === 'base' || side === 'both') resolved.push(...lines.slice(start + 1, middle));
    if (side === 'head' || side === 'both') resolved.push(...lines.slice(middle + 1, end));
    from = end + 1;
  }
  return [...resolved, ...lines.slice(from)].join('\n');
}

/** What the files in conflict become; Invalid where one cannot be resolved so, or was not. */
export async function resolvedFiles(
  git: GitRepository,
  tree: string,
  paths: readonly string[],
  resolution: ConflictResolution,
): Promise<TreeChange[]> {
  const changes: TreeChange[] = [];
  if (paths.length > maxConflictFiles) throw Invalid(t.later('error.resolve.files', { count: maxConflictFiles }));
  for (const path of paths) {
    const text = await conflictText(git, tree, path, resolution);
    if (text === undefined || !isResolvable(text, resolution))
      throw Invalid(t.later('error.resolve.elsewhere', { path }));
    const content = resolveConflicts(path, text, resolution.choices.get(path) ?? []);
    const { mode } = (await git.entry(tree, path))!;
    changes.push({ path, content, mode });
  }
  return changes;
}
