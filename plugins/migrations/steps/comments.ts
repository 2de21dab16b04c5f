import type { SourceComment } from '../contract/records.js';
import type { SourcePages, SourceReader, SourceSubject } from '../contract/source.js';
import { reactingUsers } from '../services/authors.js';
import { authoredShape } from '../services/record-shape.js';
import { cleanLine, cleanText, cleanTime } from '../services/sanitize.js';
import type { ImportStepKind, StepContext } from './step.js';
import { pagesOfSubjects } from './subjects.js';

/** Of all at once, or of one issue after the other. */
function pagesOf(
  reader: SourceReader,
  context: StepContext,
  after: string | undefined,
): SourcePages<SourceComment> | undefined {
  if (reader.comments) return reader.comments(after);
  if (!reader.commentsOf) return undefined;
  const { kinds } = context.options;
  const itemKinds = [
    ...(kinds.has('issues') ? (['issue'] as const) : []),
    ...(kinds.has('pull_requests') ? (['pull'] as const) : []),
  ];
  const read = (subject: SourceSubject, inner: string | undefined) => reader.commentsOf!(subject, inner);
  return pagesOfSubjects(context, itemKinds, after, read);
}

export const commentStep: ImportStepKind<SourceComment> = {
  step: 'comments',
  kinds: ['issues', 'pull_requests'],
  maxItems: 2_000_000,
  itemKind: 'comment',
  shape: authoredShape,
  pages: pagesOf,
  keyOf: ({ id }) => cleanLine(id),
  async prepare(items, { deps, options, store, authors }) {
    const { id } = options.repository;
    const subjects = await store.byNumbers(
      id,
      items.map(({ issue }) => issue),
    );
    // of issues that were not imported, and without a text
    const taken = items.filter(({ issue, body }) => subjects.has(issue) && cleanText(body).trim());
    await authors.load(taken.flatMap(({ author, reactions }) => [author, ...reactingUsers(reactions)]));
    const now = Date.now();
    const comments = taken.map((comment) => {
      const author = authors.of(comment.author);
      const createdAt = cleanTime(comment.createdAt, now);
      return {
        originalAuthor: author.originalAuthor,
        originalAuthorId: author.originalAuthorId,
        issueId: subjects.get(comment.issue)!.local_id,
        authorId: author.accountId,
        body: cleanText(comment.body),
        reactions: authors.reactions(comment.reactions),
        createdAt,
        updatedAt: cleanTime(comment.updatedAt, createdAt),
      };
    });
    return {
      async write() {
        const ids = await deps.issueImports.comments(id, comments);
        return taken.map((comment, at) => ({ kind: 'comment', key: cleanLine(comment.id), localId: ids[at]! }));
      },
    };
  },
};
