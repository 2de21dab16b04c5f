import { isUtf8 } from 'node:buffer';
import { Conflict, Forbidden, Invalid, NotFound, Problem, type Actor } from '@mortise/plugin-sdk';
import { defineFact, type GitReader, type GitWriter, type TreeChange } from '@mortise/git/api';
import type { PullContext } from '@mortise/pulls/api';
import type { BranchAccess, CommitWriter, Repositories, Repository, RepositoryAccess } from '@mortise/repositories/api';
import type { ApplySuggestions, ReviewComment } from '../contract/reviews.js';
import type { LineTracker } from './line-tracker.js';
import type { ReviewReader } from './review-reader.js';
import { suggestionIn } from './suggestion-text.js';
import { t } from '../texts/index.js';

const maxFile = 8 * 1024 * 1024;
const maxSuggestions = 100;

/** A commit applies what these comments suggest, and settles their conversations. */
export const appliedFact = defineFact<{ readonly commentIds: readonly number[]; readonly actorId: number }>(
  'reviews.applied',
);

interface Replacement {
  readonly first: number;
  readonly last: number;
  readonly text: string;
}

/** The text with these lines replaced; Invalid where they overlap or are not there. */
export function replaceLines(text: string, replacements: readonly Replacement[]): string {
  const lines = text.split('\n');
  const hasEnd = lines.at(-1) === '';
  if (hasEnd) lines.pop();
  const ending = lines.some((line) => line.endsWith('\r')) ? '\r\n' : '\n';
  let before = lines.length + 1;
  for (const { first, last, text: now } of [...replacements].sort((one, other) => other.first - one.first)) {
    if (first < 1 || last >= before || last > lines.length) throw Invalid(t.later('error.suggestion.overlap'));
    const put = now === '' ? [] : now.slice(0, -1).split('\n');
    lines.splice(first - 1, last - first + 1, ...put.map((line) => (ending === '\r\n' ? `${line}\r` : line)));
    before = first;
  }
  return lines.join('\n') + (hasEnd && lines.length ? '\n' : '');
}

/**
 * The same for the bytes of a file, whose other lines stay as they are in whatever encoding. Undefined where it is no text,
 * or it is not told how the replacement would be written in it.
 */
export function replaceInFile(file: Buffer, replacements: readonly Replacement[]): Buffer | undefined {
  const isAscii = replacements.every(({ text }) => Buffer.byteLength(text) === text.length);
  if (file.includes(0) || !(isUtf8(file) || isAscii)) return undefined;
  const bytes = (text: string) => Buffer.from(text).toString('latin1');
  const replaced = replacements.map((one) => ({ ...one, text: bytes(one.text) }));
  return Buffer.from(replaceLines(file.toString('latin1'), replaced), 'latin1');
}

/** Commits what reviewers suggest. */
export class Suggestions {
  constructor(
    private readonly deps: {
      readonly gitReader: GitReader;
      readonly gitWriter: GitWriter;
      readonly commitWriter: CommitWriter;
      readonly repositories: Repositories;
      readonly repositoryAccess: RepositoryAccess;
      readonly branchAccess: BranchAccess;
      readonly reader: ReviewReader;
      readonly lineTracker: LineTracker;
    },
  ) {}

  async apply(
    context: PullContext,
    { commentIds, message, resolves }: ApplySuggestions,
    actor: Actor,
  ): Promise<string> {
    const { pull } = context;
    const head = await this.#head(context, actor);
    if (commentIds.length === 0 || commentIds.length > maxSuggestions) throw Invalid(t.later('error.suggestion.count'));
    await this.deps.lineTracker.track(pull);
    const comments = await this.#comments(context, commentIds);
    const { gitReader, gitWriter, commitWriter } = this.deps;
    const made = await commitWriter.commit({
      repositoryId: head.id,
      branch: pull.headBranch,
      actor,
      source: 'api',
      action: 'crud',
      plan: async (tip) => {
        // the lines are those of this head
        if (tip !== pull.headOid) throw Conflict(t.later('error.suggestion.moved'));
        const git = gitReader.open(head.id);
        const changes: TreeChange[] = [];
        for (const [path, own] of groupByPath(comments)) {
          const entry = await git.entry(tip, path);
          if (entry?.type !== 'blob' || entry.mode === '120000') throw NotFound('file');
          const before = await git.blob(entry.oid, maxFile);
          const replacements = own.map(({ line, startLine, body }) => ({
            first: startLine || line,
            last: line,
            text: suggestionIn(body)!,
          }));
          const content = replaceInFile(before, replacements);
          if (!content) throw Invalid(t.later('error.suggestion.binary', { path }));
          changes.push({ path, content, mode: entry.mode });
        }
        const tree = await gitWriter.writeTree(head.id, tip, changes);
        if (tree === (await git.commit(tip)).tree) throw Invalid(t.later('error.suggestion.same'));
        return {
          tree,
          message: message?.trim() ? `${message.trim()}\n` : 'Apply suggestions from a review\n',
          ...(resolves && { facts: appliedFact.with({ commentIds, actorId: actor.id }) }),
        };
      },
    });
    return made.commit!;
  }

  /** How many suggestions of open conversations the actor could commit now. */
  async countApplicable(context: PullContext, actor: Actor): Promise<number> {
    const { pull, issue } = context;
    const commits = await this.deps.reader.suggestionCommits(issue.id);
    const count = commits.filter((commit) => commit === pull.headOid).length;
    return count > 0 && (await this.mayApply(context, actor)) ? count : 0;
  }

  /** Whether the actor may push to the head branch. */
  async mayApply(context: PullContext, actor: Actor): Promise<boolean> {
    try {
      await this.#head(context, actor);
      return true;
    } catch (error) {
      if (Problem.is(error)) return false;
      throw error;
    }
  }

  async #comments({ issue, pull }: PullContext, ids: readonly number[]): Promise<ReviewComment[]> {
    const wanted = [...new Set(ids)];
    const comments = await this.deps.reader.commentsByIds(wanted);
    const reviews = await this.deps.reader.byIds(comments.map(({ reviewId }) => reviewId));
    const own = comments.filter(
      ({ issueId, reviewId }) => issueId === issue.id && reviews.get(reviewId)?.state !== 'pending',
    );
    if (own.length < wanted.length) throw NotFound('comment');
    for (const { body, side, isOutdated, commitId } of own) {
      if (suggestionIn(body) === undefined || side === 'old') throw Invalid(t.later('error.suggestion.none'));
      if (isOutdated || commitId !== pull.headOid) throw Invalid(t.later('error.suggestion.outdated'));
    }
    return own;
  }

  /** The repository of the head, where the actor may push to it. */
  async #head({ pull, issue, context }: PullContext, actor: Actor): Promise<Repository> {
    if (actor.kind !== 'user') throw Forbidden(t.later('error.suggestion.push'));
    if (issue.isClosed || pull.isMerged) throw Invalid(t.later('error.closed'));
    const { repositories, repositoryAccess } = this.deps;
    const head = pull.flow === 'branch' ? await repositories.byId(pull.headRepositoryId) : undefined;
    if (!head || head.isArchived) throw Forbidden(t.later('error.suggestion.push'));
    const rights = await repositoryAccess.context(actor, head);
    const isLet = async () =>
      pull.allowMaintainerEdit &&
      context.may('write', 'code') &&
      (await this.deps.branchAccess.branchesOf(actor, head)).has(pull.headBranch);
    if (!rights.may('write', 'code') && !(await isLet())) throw Forbidden(t.later('error.suggestion.push'));
    return head;
  }
}

function groupByPath(comments: readonly ReviewComment[]): Map<string, ReviewComment[]> {
  const groups = new Map<string, ReviewComment[]>();
  for (const comment of comments) groups.set(comment.path, [...(groups.get(comment.path) ?? []), comment]);
  return groups;
}
