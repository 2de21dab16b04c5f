import { Problem } from '@mortise/plugin-sdk';
import type { FileChange, GitReader, GitRepository, GitWriter } from '@mortise/git/api';
import type { MergeState } from '../contract/pulls.js';

/** What the head brings to the base, as the row of a pull request keeps it. */
interface Difference {
  readonly mergeBase: string;
  readonly commitCount: number;
  readonly changedFiles: number;
  /** Lines; 0 where more files differ than git counts the lines of ({@link listChanges}). */
  readonly additions: number;
  readonly deletions: number;
  readonly paths: readonly string[];
}

interface Mergeability {
  readonly mergeState: MergeState;
  readonly conflicts: readonly string[];
}

const maxConflicts = 100;

/**
 * All files that differ. Their lines are counted as long as they are as many as pages show at once: to count lines git
 * reads every file on both sides, which takes half a minute of a processor for a hundred thousand of them.
 */
export async function listChanges(
  git: GitRepository,
  from: string | undefined,
  to: string,
): Promise<{ changes: readonly FileChange[]; isCounted: boolean }> {
  const { changes, isCounted } = await git.changePage(from, to);
  return { changes: isCounted ? changes : await git.changes(from, to, { stats: false }), isCounted };
}

/** Finds out what lies between two commits of one repository. */
export class DifferenceFinder {
  constructor(private readonly deps: { readonly reader: GitReader; readonly writer: GitWriter }) {}

  async difference(repositoryId: number, base: string, head: string): Promise<Difference> {
    const git = this.deps.reader.open(repositoryId);
    const mergeBase = (await git.mergeBase(base, head)) ?? '';
    const { changes } = await listChanges(git, mergeBase || base, head);
    return {
      mergeBase,
      commitCount: await git.count(head, [base]),
      changedFiles: changes.length,
      additions: changes.reduce((sum, one) => sum + one.additions, 0),
      deletions: changes.reduce((sum, one) => sum + one.deletions, 0),
      paths: changes.flatMap(({ path, oldPath }) => (oldPath ? [path, oldPath] : [path])),
    };
  }

  /** Whether the head merges into the base; makes objects, and nothing that would lead to them. */
  async mergeability(repositoryId: number, base: string, head: string): Promise<Mergeability> {
    const git = this.deps.reader.open(repositoryId);
    try {
      if (await git.isAncestor(head, base)) return { mergeState: 'empty', conflicts: [] };
      if (await git.isAncestor(base, head)) return { mergeState: 'clean', conflicts: [] };
      if (await this.#changesNothing(git, base, head)) return { mergeState: 'empty', conflicts: [] };
      const { tree, conflicts } = await this.deps.writer.mergeTree(repositoryId, base, head);
      if (tree) return { mergeState: 'clean', conflicts: [] };
      return { mergeState: 'conflicts', conflicts: conflicts.slice(0, maxConflicts) };
    } catch (error) {
      if (Problem.is(error)) return { mergeState: 'broken', conflicts: [] };
      throw error;
    }
  }

  async #changesNothing(git: GitRepository, base: string, head: string): Promise<boolean> {
    const [one, other] = await git.commits([base, head]);
    return one !== undefined && other !== undefined && one.tree === other.tree;
  }
}
