import type { ComponentChildren, VNode } from 'preact';
import { Ago, Csrf, icon, PostButton, type Site } from '@mortise/plugin-sdk';
import type { IssuePages } from '@mortise/issues/api';
import { MarkupBody } from '@mortise/markup/api';
import type { ReviewComment } from '../contract/reviews.js';
import { Hunk, SuggestionLines } from './hunk.js';
import { UserLink } from './page-context.js';
import { suggestionsForm } from './suggestions-form.js';
import type { CommentView, ThreadView, WrittenText } from './threads.js';
import { t } from '../texts/index.js';

/** Where conversations stand. */
export interface ThreadContext {
  /** Path of the pull request's page. */
  readonly own: string;
  /** `owner/name` */
  readonly repository: string;
  /** What forms lead back to, below the pull request: `files?style=split`; empty: the conversation. */
  readonly back: string;
  readonly site: Pick<Site, 'path'>;
  readonly Editor: IssuePages['Editor'];
  avatarUrl(this: void, account: NonNullable<CommentView['author']>): string;
}

const threadContextOf = ({ side, line, startLine }: Pick<ReviewComment, 'side' | 'line' | 'startLine'>): string => {
  const isOld = side === 'old';
  return startLine
    ? t(isOld ? 'thread.oldLines' : 'thread.lines', { first: startLine, last: line })
    : t(isOld ? 'thread.oldLine' : 'thread.line', { line });
};

/** A conversation below its line; one that is settled is folded. */
export function Thread({
  thread,
  threadContext,
  hasHunk,
}: {
  thread: ThreadView;
  threadContext: ThreadContext;
  hasHunk?: boolean;
}): VNode {
  const { root, resolver } = thread;
  const isResolved = root.resolverId > 0;
  const head = (
    <>
      {hasHunk ? (
        // what unfolds holds nothing else that can be pressed
        isResolved || root.isOutdated ? (
          <span class="text-mono wb-break-all">{root.path}</span>
        ) : (
          <a
            class="text-mono wb-break-all"
            href={`${threadContext.own}/files?${new URLSearchParams({ file: root.path }).toString()}#issuecomment-${root.id}`}
          >
            {root.path}
          </a>
        )
      ) : null}{' '}
      <span class="color-fg-muted">{threadContextOf(root.isOutdated ? root.original : root)}</span>{' '}
      {root.isOutdated ? <span class="Label Label--attention">{t('thread.outdated')}</span> : null}{' '}
      {thread.review.state === 'pending' ? <span class="Label Label--attention">{t('review.pending')}</span> : null}
    </>
  );
  const body = (
    <>
      {hasHunk ? <Hunk comment={root} label={t('thread.code', { path: root.path })} /> : null}
      {thread.comments.map((one) => (
        <Comment view={one} thread={thread} threadContext={threadContext} />
      ))}
      <Foot thread={thread} threadContext={threadContext} />
    </>
  );
  return (
    <div class="Box review-thread" role="group" aria-label={t('thread.title', { path: root.path })}>
      {isResolved ? (
        <details>
          <summary class="review-thread-head f6">
            {head} {icon('check')}{' '}
            {t.rich('thread.resolvedBy', { name: <strong>{resolver?.name ?? t('person.gone')}</strong> })}
          </summary>
          {body}
        </details>
      ) : (
        <>
          <div class="review-thread-head f6">{head}</div>
          {body}
        </>
      )}
    </div>
  );
}

const Written = ({ text, children }: { text: WrittenText; children?: ComponentChildren }): VNode => (
  <>
    {text.before ? <MarkupBody html={text.before} /> : null}
    {children}
    {text.after ? <MarkupBody html={text.after} /> : null}
  </>
);

function Comment({
  view,
  thread,
  threadContext,
}: {
  view: CommentView;
  thread: ThreadView;
  threadContext: ThreadContext;
}): VNode {
  const { comment, author, text, marks } = view;
  const anchor = `issuecomment-${comment.id}`;
  const body = (
    <>
      <Written text={text}>
        {text.suggestion === undefined ? null : (
          <Suggestion comment={comment} text={text.suggestion} thread={thread} threadContext={threadContext} />
        )}
      </Written>
      {marks?.below}
    </>
  );
  return (
    <article
      class="review-comment"
      id={anchor}
      aria-label={t('comment.by', { name: comment.originalAuthor || (author?.name ?? t('person.gone')) })}
    >
      <div class="f6 color-fg-muted mb-1 d-flex flex-wrap flex-items-center gap-1">
        {author && !comment.originalAuthor ? (
          <img class="avatar" src={threadContext.avatarUrl(author)} width={20} height={20} alt="" />
        ) : null}
        {comment.originalAuthor ? (
          <span class="text-bold">{comment.originalAuthor}</span>
        ) : (
          <UserLink account={author} site={threadContext.site} />
        )}
        <a class="Link--muted" href={`#${anchor}`}>
          <Ago time={comment.createdAt} />
        </a>
        {comment.updatedAt > comment.createdAt ? <span>· {t('comment.edited')}</span> : null}
        {marks?.badges}
        {marks?.menu}
      </div>
      {marks ? marks.fold(body) : body}
      {view.mayChange ? <Change view={view} threadContext={threadContext} /> : null}
    </article>
  );
}

function Suggestion(props: {
  comment: ReviewComment;
  text: string;
  thread: ThreadView;
  threadContext: ThreadContext;
}): VNode {
  const { comment, text, thread, threadContext } = props;
  const mayApply = thread.mayApply && comment.commitId === thread.root.commitId && !comment.isOutdated;
  return (
    <div class="Box mb-2 review-suggestion">
      <div class="review-suggestion-head f6">
        <strong class="flex-auto">{t('suggestion.title')}</strong>
        {mayApply && thread.root.resolverId === 0 ? (
          <label class="text-normal">
            <input type="checkbox" name="comment" value={comment.id} form={suggestionsForm} /> {t('suggestions.add')}
          </label>
        ) : null}
        {mayApply ? (
          <PostButton
            action={`${threadContext.own}/reviews/comments/${comment.id}/apply`}
            fields={{ back: threadContext.back }}
          >
            {icon('git-commit')} {t('suggestion.apply')}
          </PostButton>
        ) : comment.isOutdated ? (
          <span class="color-fg-muted">{t('thread.outdated')}</span>
        ) : null}
      </div>
      <div class="code-scroll" tabIndex={0} role="group" aria-label={t('suggestion.title')}>
        <SuggestionLines comment={comment} text={text} />
      </div>
    </div>
  );
}

/** Editing and deleting what one has written. */
function Change({ view: { comment }, threadContext }: { view: CommentView; threadContext: ThreadContext }): VNode {
  const { own, back, repository, Editor } = threadContext;
  const action = `${own}/reviews/comments/${comment.id}`;
  return (
    <div class="review-change">
      <details>
        <summary class="btn-link f6">{t('comment.edit')}</summary>
        <form method="post" action={`${action}/edit`} class="mt-2">
          <Csrf />
          <input type="hidden" name="back" value={back} />
          <Editor
            id={`edit-${comment.id}`}
            name="body"
            label={t('comment.editLabel')}
            value={comment.body}
            lines={5}
            required
            repository={repository}
          />
          <button class="btn btn-sm btn-primary" type="submit">
            {t('comment.save')}
          </button>
        </form>
      </details>
      <PostButton
        action={`${action}/delete`}
        fields={{ back }}
        class="btn-link f6 color-fg-danger"
        formClass="confirm-start"
        confirm={t('comment.deleteConfirm')}
      >
        {t('comment.delete')}
      </PostButton>
    </div>
  );
}

/** Answering and settling. */
function Foot({ thread, threadContext }: { thread: ThreadView; threadContext: ThreadContext }): VNode | null {
  const { root, review, rights } = thread;
  const { own, back, repository, Editor } = threadContext;
  const action = `${own}/reviews/comments/${root.id}`;
  const isResolved = root.resolverId > 0;
  const mayReply = rights.mayReply;
  const mayResolve = rights.mayResolve && review.state !== 'pending';
  if (!mayReply && !mayResolve) return null;
  return (
    <div class="review-foot">
      {mayReply ? (
        <details class="flex-auto min-width-0">
          <summary class="btn btn-sm">{t('thread.reply')}</summary>
          <form method="post" action={`${action}/replies`} class="mt-2">
            <Csrf />
            <input type="hidden" name="back" value={back} />
            <Editor
              id={`reply-${root.id}`}
              name="body"
              label={t('thread.replyLabel')}
              lines={4}
              required
              repository={repository}
            />
            <button class="btn btn-sm btn-primary" type="submit">
              {t('thread.replyDo')}
            </button>
          </form>
        </details>
      ) : null}
      {mayResolve ? (
        <PostButton action={`${action}/resolve`} fields={{ resolved: isResolved ? 0 : 1, back }}>
          {isResolved ? t('thread.unresolve') : t('thread.resolve')}
        </PostButton>
      ) : null}
    </div>
  );
}
