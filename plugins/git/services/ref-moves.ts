/** Moves references by `git update-ref`, all or none as far as git can. */
import { Conflict, Problem } from '@mortise/plugin-sdk';
import { isZeroOid, type RefUpdate } from '../api.js';
import { GitFailure } from './failure.js';
import type { GitRunner } from './git-runner.js';
import { firstLine, isLocked } from './stderr-excerpt.js';
import type { RefFingerprints } from './ref-fingerprints.js';
import { t } from '../texts/index.js';

interface RefMovesDeps {
  readonly runner: GitRunner;
  readonly fingerprints: RefFingerprints;
}

export const reversed = ({ ref, old, new: next }: RefUpdate): RefUpdate => ({ ref, old: next, new: old });

export class RefMoves {
  constructor(private readonly deps: RefMovesDeps) {}

  /**
   * All or nothing, with git's own locks. A name that goes and is in the way of one that comes (`a` and `a/b`) goes
   * before, which git cannot do in one transaction: then the journal completes or undoes what a kill leaves in between.
   */
  async move(folder: string, updates: readonly RefUpdate[]): Promise<void> {
    const { fingerprints } = this.deps;
    await fingerprints.changing(folder);
    try {
      const [inTheWay, others] = splitByConflict(updates);
      if (inTheWay.length) await this.#transaction(folder, inTheWay);
      if (others.length)
        await this.#transaction(folder, others).catch((error) => this.#putBack(folder, inTheWay, error));
    } finally {
      await fingerprints.changed(folder);
    }
  }

  async #transaction(folder: string, updates: readonly RefUpdate[]): Promise<void> {
    const input = updates
      .map(({ ref, old, new: next }) => {
        const zero = '0'.repeat(next.length);
        if (isZeroOid(next)) return `delete ${ref}\0${old}\0`;
        return `update ${ref}\0${next}\0${isZeroOid(old) ? zero : old}\0`;
      })
      .join('');
    const { runner } = this.deps;
    try {
      await runner.run(['update-ref', '-z', '--stdin'], {
        cwd: folder,
        input: `start\0${input}prepare\0commit\0`,
        timeoutMs: runner.limits.writeMs,
      });
    } catch (error) {
      if (error instanceof GitFailure) throw refusal(error);
      throw error;
    }
  }

  /** Where that fails too, the journal does it. */
  async #putBack(folder: string, moved: readonly RefUpdate[], reason: unknown): Promise<never> {
    if (moved.length)
      await this.#transaction(folder, moved.map(reversed)).catch(() => {
        throw new Problem('unavailable', t.later('error.refLocked'));
      });
    throw reason;
  }
}

/** First what has to be gone before others can come. */
function splitByConflict(updates: readonly RefUpdate[]): [RefUpdate[], RefUpdate[]] {
  const made = new Set<string>();
  const above = new Set<string>();
  for (const { ref, new: next } of updates) {
    if (isZeroOid(next)) continue;
    made.add(ref);
    for (const parent of parentsOf(ref)) above.add(parent);
  }
  const isInTheWay = ({ ref, new: next }: RefUpdate) =>
    isZeroOid(next) && (above.has(ref) || parentsOf(ref).some((parent) => made.has(parent)));
  return [updates.filter(isInTheWay), updates.filter((update) => !isInTheWay(update))];
}

/** `refs/heads/a` of `refs/heads/a/b`, and so on. */
function parentsOf(ref: string): string[] {
  const parts = ref.split('/');
  return parts.slice(1).map((_part, index) => parts.slice(0, index + 1).join('/'));
}

/** git's words for a reference that is not where it was thought to be. */
function refusal(error: GitFailure): Problem {
  const text = error.stderr;
  if (isLocked(text)) return Conflict(t.later('error.refLocked'));
  if (/but expected|already exists|unable to resolve|cannot create|exists; cannot/.test(text))
    return Conflict(t.later('error.refChanged', { reason: firstLine(text) }));
  if (/bad object|nonexistent object|non-commit object|invalid new value|not a valid SHA1/i.test(text))
    return new Problem('invalid', firstLine(text));
  return Conflict(firstLine(text));
}
