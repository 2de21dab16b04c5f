import type { Actor } from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';
import type { CommentMarks } from '@mortise/issues/api';
import type { SafeHtml, Viewer } from '@mortise/markup/api';
import { repositoryHome } from '@mortise/repositories/api';
import type { PullContext } from '@mortise/pulls/api';
import type { Review, ReviewComment } from '../contract/reviews.js';
import { suggestingText } from '../services/suggestion-text.js';
import { mayChange, rightsOf, type CommentRights, type PageDeps } from './page-context.js';

/** A text, rendered; around what it suggests in two parts. */
export interface WrittenText {
  readonly before?: SafeHtml;
  readonly suggestion?: string;
  readonly after?: SafeHtml;
}

export interface CommentView {
  readonly comment: ReviewComment;
  readonly author: Account | undefined;
  readonly text: WrittenText;
  readonly mayChange: boolean;
  /** Files, reactions, badges and whether it is hidden; none while it is not sent. */
  readonly marks?: CommentMarks | undefined;
}

/** A conversation about lines. */
export interface ThreadView {
  readonly root: ReviewComment;
  readonly review: Review;
  readonly comments: readonly CommentView[];
  readonly resolver: Account | undefined;
  readonly rights: CommentRights;
  /** What it suggests can be committed by the actor now. */
  readonly mayApply: boolean;
}

/** Texts that one page shows at most. */
const maxTexts = 1000;

/** Renders texts as comments of the pull request. */
export async function renderAll(
  { markup, site }: Pick<PageDeps, 'markup' | 'site'>,
  { repository }: Pick<PullContext, 'repository'>,
  texts: readonly string[],
  viewer: Viewer,
): Promise<(SafeHtml | undefined)[]> {
  const repositoryPath = repositoryHome(site, repository);
  const context = {
    kind: 'comment',
    repository: `${repository.ownerName}/${repository.name}`,
    linkBase: `${repositoryPath}/src/branch/${encodeURI(repository.defaultBranch)}`,
    imageBase: `${repositoryPath}/raw/branch/${encodeURI(repository.defaultBranch)}`,
    viewer,
  } as const;
  const rendered = await markup.renderAll(texts, context);
  return rendered.map((html, at) => (texts[at]!.trim() ? html : undefined));
}

/** Whole conversations with so many comments together, in their order; of the first as many as that. */
export function withinLimit(
  comments: readonly ReviewComment[],
  max: number,
): { readonly shown: readonly ReviewComment[]; readonly left: readonly ReviewComment[] } {
  if (comments.length <= max) return { shown: comments, left: [] };
  const sizes = new Map<number, number>();
  for (const { threadId } of comments) sizes.set(threadId, (sizes.get(threadId) ?? 0) + 1);
  const kept = new Set<number>();
  let count = 0;
  for (const [threadId, size] of sizes) {
    if (count > 0 && count + size > max) continue;
    kept.add(threadId);
    count += size;
  }
  const fitting = comments.filter(({ threadId }) => kept.has(threadId));
  const shown = new Set(fitting.slice(0, max));
  return { shown: [...shown], left: comments.filter((one) => !shown.has(one)) };
}

/** Conversations that a page shows, and comments for which it has no room. */
interface ReadThreads {
  readonly threads: readonly ThreadView[];
  readonly left: readonly ReviewComment[];
}

/** Conversations of these comments by their reviews, oldest first. */
export async function readThreads(
  deps: PageDeps,
  context: PullContext,
  comments: readonly ReviewComment[],
  reviews: ReadonlyMap<number, Review>,
  actor: Actor,
): Promise<ReadThreads> {
  const { accounts, issuePages, reviewServices, site } = deps;
  const { shown: seen, left } = withinLimit(
    comments.filter(({ reviewId }) => reviews.has(reviewId)),
    maxTexts,
  );
  if (seen.length === 0) return { threads: [], left };
  const rights = rightsOf(context, actor);
  const split = seen.map(({ body }) => suggestingText(body));
  const texts = seen.flatMap(({ body }, at) => {
    const found = split[at];
    return found ? [found.before, found.after] : [body];
  });
  const isOpen = context.pull.isOpen && rights.me > 0;
  const sent = seen.filter(({ reviewId }) => reviews.get(reviewId)!.state !== 'pending');
  const repositoryPath = repositoryHome(site, context.repository);
  const [users, htmls, marks, mayPush] = await Promise.all([
    accounts.byIds([
      ...new Set(seen.flatMap(({ authorId, resolverId }) => [authorId, resolverId]).filter((id) => id > 0)),
    ]),
    renderAll(deps, context, texts, { actor }),
    issuePages.marks({ context, actor, repositoryPath }, sent),
    isOpen && split.some(Boolean) ? reviewServices.suggestions.mayApply(context, actor) : false,
  ]);
  const threads = new Map<number, { root: ReviewComment; comments: CommentView[] }>();
  let next = 0;
  for (const [at, comment] of seen.entries()) {
    const found = split[at];
    const before = htmls[next++];
    const text: WrittenText = {
      ...(before && { before }),
      ...(found && { suggestion: found.suggestion, after: htmls[next++] }),
    };
    const review = reviews.get(comment.reviewId)!;
    const view = {
      comment,
      author: users.get(comment.authorId),
      text,
      marks: marks.get(comment.id),
      mayChange: mayChange(rights, comment, review) && !context.repository.isArchived,
    };
    const thread = threads.get(comment.threadId);
    if (thread) thread.comments.push(view);
    else threads.set(comment.threadId, { root: comment, comments: [view] });
  }
  const views = [...threads.values()].map(({ root, comments: own }) => {
    const review = reviews.get(root.reviewId)!;
    return {
      root,
      review,
      comments: own,
      resolver: root.resolverId ? users.get(root.resolverId) : undefined,
      rights,
      mayApply:
        mayPush &&
        review.state !== 'pending' &&
        !root.isOutdated &&
        root.side === 'new' &&
        root.commitId === context.pull.headOid,
    };
  });
  return { threads: views, left };
}
