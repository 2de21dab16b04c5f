import { Problem, type Database } from '@mortise/plugin-sdk';
import type { GitReader } from '@mortise/git/api';
import type { PullRequest } from '@mortise/pulls/api';
import { ReviewCommentRow } from '../models/review-comment.js';
import { followLines, hunksOf } from './hunks.js';

const maxComments = 5000;
const maxPatch = 4 * 1024 * 1024;

/** Where a file went between two commits. */
interface Moved {
  readonly path: string;
  /** Undefined: one of the lines has changed, or others came between them. */
  lines(first: number, last: number): { readonly first: number; readonly last: number } | undefined;
}

/** Keeps comments on the lines that they were written about while heads and bases move. What is done twice is done once. */
export class LineTracker {
  constructor(private readonly deps: { readonly database: Database; readonly gitReader: GitReader }) {}

  async track(pull: PullRequest): Promise<void> {
    const { database } = this.deps;
    const targets = { new: pull.headOid, old: pull.mergeBase || pull.baseOid };
    const rows = await database
      .query(ReviewCommentRow)
      .select('entry_id', 'side', 'path', 'line', 'start_line', 'commit_id')
      .where({ issue_id: pull.issueId, is_outdated: false })
      .where((either) => {
        void either.where((one) => void one.where('side', 'new').whereNot('commit_id', targets.new));
        void either.orWhere((one) => void one.where('side', 'old').whereNot('commit_id', targets.old));
      })
      .orderBy('entry_id')
      .limit(maxComments);
    const moves = new Map<string, Promise<Moved | undefined>>();
    const patches: { readonly ids: number[]; readonly patch: Partial<ReviewCommentRow> }[] = [];
    for (const row of rows) {
      const to = targets[row.side];
      const key = `${row.commit_id} ${to} ${row.path}`;
      if (!moves.has(key)) moves.set(key, this.#moved(pull.repositoryId, row.commit_id, to, row.path));
      const moved = await moves.get(key)!;
      const lines = moved?.lines(row.start_line || row.line, row.line);
      patches.push({
        ids: [row.entry_id],
        patch:
          moved && lines
            ? { path: moved.path, line: lines.last, start_line: row.start_line && lines.first, commit_id: to }
            : { is_outdated: true },
      });
    }
    await database.write(async () => {
      for (const { ids, patch } of patches)
        await database.query(ReviewCommentRow).whereIn('entry_id', ids).patch(patch);
    });
  }

  /** Undefined: the file is gone, or cannot be compared. */
  async #moved(repositoryId: number, from: string, to: string, path: string): Promise<Moved | undefined> {
    const git = this.deps.gitReader.open(repositoryId);
    try {
      const [before, after] = [await git.entry(from, path), await git.entry(to, path)];
      if (!before) return undefined;
      if (after?.oid === before.oid) return { path, lines: (first, last) => ({ first, last }) };
      const changes = after ? [] : await git.changes(from, to, { stats: false });
      const now = after ? path : changes.find((one) => one.status === 'renamed' && one.oldPath === path)?.path;
      if (now === undefined) return undefined;
      const paths = now === path ? [path] : [now, path];
      const hunks = hunksOf(await git.patchText(from, to, { paths, context: 0 }, maxPatch));
      return { path: now, lines: (first, last) => followLines(hunks, first, last) };
    } catch (error) {
      if (Problem.is(error)) return undefined;
      throw error;
    }
  }
}
