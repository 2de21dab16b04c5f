import { setImmediate as breathe } from 'node:timers/promises';
import { Invalid, Problem } from '@mortise/plugin-sdk';
import type { FileChange, GitReader } from '@mortise/git/api';
import type { PullRequest, Pulls } from '@mortise/pulls/api';
import type { CommentPosition, NewReviewComment } from '../contract/reviews.js';
import { hunkAround, hunksOf } from './hunks.js';
import { t } from '../texts/index.js';

/** A comment that is to be written, with where it stands. */
export interface LocatedComment extends CommentPosition {
  readonly body: string;
  readonly hunk: string;
}

/** Files that are looked into for the number of their lines. */
const maxFile = 8 * 1024 * 1024;
const maxPatch = 4 * 1024 * 1024;

/** Finds the lines that comments are to stand on. */
export class CommentPositions {
  constructor(
    private readonly deps: {
      readonly gitReader: GitReader;
      readonly pulls: Pulls;
      /** `[ui] CODE_COMMENT_LINES` */
      readonly linesAbove: number;
    },
  ) {}

  /** In the same order; Invalid for a file that is not changed, and for a line that it does not have. */
  async locate(pull: PullRequest, commitId: string, comments: readonly NewReviewComment[]): Promise<LocatedComment[]> {
    if (comments.length === 0) return [];
    const { start } = await this.deps.pulls.range(pull);
    const git = this.deps.gitReader.open(pull.repositoryId);
    const changes = await git.changes(start, commitId);
    const files = new Map<string, Promise<{ hunks: ReturnType<typeof hunksOf>; lines: number }>>();
    const placed: LocatedComment[] = [];
    for (const { path, side, line, startLine = 0, body } of comments) {
      const change = changes.find((one) => one.path === path || (side === 'old' && one.oldPath === path));
      if (!change) throw Invalid(t.later('error.comment.file', { path }));
      const key = `${side} ${change.path}`;
      if (!files.has(key)) files.set(key, this.#readFile(git, change, side, start, commitId));
      const { hunks, lines } = await files.get(key)!;
      if (line > lines || startLine > line) throw Invalid(t.later('error.comment.line', { path, line: String(line) }));
      const first = startLine === line ? 0 : startLine;
      // each looks through a hunk, which can be long
      await breathe();
      placed.push({
        path: side === 'old' ? (change.oldPath ?? change.path) : change.path,
        side,
        line,
        startLine: first,
        commitId: side === 'old' ? (start ?? '') : commitId,
        body,
        hunk: hunkAround(hunks, side, line, first, this.deps.linesAbove),
      });
    }
    return placed;
  }

  async #readFile(
    git: ReturnType<GitReader['open']>,
    change: FileChange,
    side: CommentPosition['side'],
    start: string | undefined,
    commitId: string,
  ) {
    const isThere = side === 'new' ? change.status !== 'deleted' : change.status !== 'added';
    if (!isThere || change.binary) return { hunks: [], lines: 0 };
    try {
      const content = await git.blob(side === 'new' ? change.oid : change.oldOid, maxFile);
      let lines = content.length && content.at(-1) !== 10 ? 1 : 0;
      for (let at = content.indexOf(10); at >= 0; at = content.indexOf(10, at + 1)) lines++;
      const paths = change.oldPath ? [change.path, change.oldPath] : [change.path];
      return { hunks: hunksOf(await git.patchText(start, commitId, { paths }, maxPatch)), lines };
    } catch (error) {
      if (!Problem.is(error)) throw error;
      throw Invalid(t.later('error.comment.file', { path: change.path }));
    }
  }
}
