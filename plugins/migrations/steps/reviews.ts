import type { ImportedReview, ImportedReviewComment } from '@mortise/reviews/api';
import type { SourceReview, SourceReviewComment } from '../contract/records.js';
import { reactingUsers } from '../services/authors.js';
import { reviewShape } from '../services/record-shape.js';
import { cleanLine, cleanList, cleanOid, cleanPath, cleanText, cleanTime } from '../services/sanitize.js';
import type { ImportStepKind, StepContext } from './step.js';
import { pagesOfSubjects } from './subjects.js';

const maxComments = 5000;
const maxHunk = 20_000;
const maxLine = 10_000_000;

const commentsOf = ({ comments }: SourceReview): readonly SourceReviewComment[] => cleanList(comments, maxComments);

const lineOf = (line: number | undefined): number =>
  line !== undefined && Number.isSafeInteger(line) && line > 0 && line < maxLine ? line : 0;

/** Which of these commits the repository has. */
async function presentCommits(ids: readonly string[], { deps, options }: StepContext): Promise<Set<string>> {
  const git = deps.gitReader.open(options.repository.id);
  const presentIds = new Set<string>();
  for (const id of new Set(ids)) if (id && (await git.info(id))?.type === 'commit') presentIds.add(id);
  return presentIds;
}

/** Comments at their lines; those whose lines nobody knows any more stand in the conversation as outdated. */
function toImportedComments(
  review: SourceReview,
  commits: ReadonlySet<string>,
  { authors, options }: StepContext,
): ImportedReviewComment[] {
  const now = Date.now();
  const indexById = new Map<string, number>();
  const ready: ImportedReviewComment[] = [];
  for (const comment of commentsOf(review)) {
    const path = cleanPath(comment.path);
    const body = cleanText(comment.body);
    if (!path || !body.trim()) continue;
    const author = authors.of(comment.author);
    const createdAt = cleanTime(comment.createdAt, cleanTime(review.createdAt, now));
    const commit = cleanOid(comment.commit) || cleanOid(review.commit);
    const line = lineOf(comment.line);
    const replyTo = comment.replyTo === undefined ? undefined : indexById.get(comment.replyTo);
    indexById.set(comment.id, ready.length);
    ready.push({
      originalAuthor: author.originalAuthor,
      originalAuthorId: author.originalAuthorId,
      authorId: author.accountId,
      path,
      body,
      side: comment.side === 'old' ? 'old' : 'new',
      line: line || 1,
      startLine: lineOf(comment.startLine),
      commitId: commit,
      ...(replyTo !== undefined && { replyTo }),
      isOutdated: !line || !commits.has(commit),
      hunk: cleanText(comment.hunk, maxHunk),
      resolverId: comment.isResolved === true ? options.actor.id : 0,
      reactions: authors.reactions(comment.reactions),
      createdAt,
      updatedAt: cleanTime(comment.updatedAt, createdAt),
    });
  }
  return ready;
}

const states = new Set(['approved', 'rejected', 'comment']);

export const reviewStep: ImportStepKind<SourceReview> = {
  step: 'reviews',
  kinds: ['pull_requests'],
  maxItems: 500_000,
  itemKind: 'review',
  shape: reviewShape,
  pages: (reader, context, after) =>
    reader.reviewsOf && pagesOfSubjects(context, ['pull'], after, (pull, inner) => reader.reviewsOf!(pull, inner)),
  keyOf: ({ id, state }) => (states.has(state) ? cleanLine(id) : ''),
  async prepare(items, context) {
    const { deps, options, store, authors } = context;
    const { id } = options.repository;
    const subjects = await store.byNumbers(
      id,
      items.map(({ pull }) => pull),
    );
    const taken = items.filter(({ pull }) => subjects.get(pull)?.kind === 'pull');
    await authors.load(
      taken.flatMap((review) => [
        review.author,
        ...commentsOf(review).flatMap(({ author, reactions }) => [author, ...reactingUsers(reactions)]),
      ]),
    );
    const namedCommits = taken.flatMap((review) => [
      cleanOid(review.commit),
      ...commentsOf(review).map(({ commit }) => cleanOid(commit)),
    ]);
    const commits = await presentCommits(namedCommits, context);
    const now = Date.now();
    const reviews = taken.map((review): ImportedReview => {
      const reviewer = authors.of(review.author);
      return {
        originalAuthor: reviewer.originalAuthor,
        originalAuthorId: reviewer.originalAuthorId,
        issue: { id: subjects.get(review.pull)!.local_id, repositoryId: id },
        state: review.state,
        reviewerId: reviewer.accountId,
        body: cleanText(review.body),
        commitId: cleanOid(review.commit),
        version: 0,
        mergeBase: '',
        isDismissed: review.isDismissed === true,
        comments: toImportedComments(review, commits, context),
        createdAt: cleanTime(review.createdAt, now),
      };
    });
    return {
      async write() {
        const ids = await deps.reviewImports.reviews(reviews);
        return taken.map((review, at) => ({ kind: 'review', key: cleanLine(review.id), localId: ids[at]! }));
      },
    };
  },
};
