import type { ComponentChildren, VNode } from 'preact';
import { Csrf, icon, IslandTexts } from '@mortise/plugin-sdk';
import type { IssuePages } from '@mortise/issues/api';
import { diffIslands, type DiffFile, type DiffLinePosition, type DiffSlots } from '@mortise/history/api';
import { repositoryHome } from '@mortise/repositories/api';
import type { PullDiff, PullDiffExtension } from '@mortise/pulls/api';
import type { Review } from '../contract/reviews.js';
import { markOf } from '../services/viewed-files.js';
import { Finish, LineForm, type FormContext } from './forms.js';
import { pushesSince, SinceReview } from './since-review.js';
import { filesAddress, rightsOf, type PageDeps } from './page-context.js';
import { Thread, type ThreadContext } from './thread.js';
import { isWorthForm, SuggestionsForm } from './suggestions-form.js';
import { readThreads, type ThreadView } from './threads.js';
import { t } from '../texts/index.js';

/** The island and the style sheet of reviews. */
const reviewIslands = [...diffIslands, 'reviews', 'reviews-style'] as const;

const keyOf = (path: string, side: 'new' | 'old', line: number): string => `${side} ${line} ${path}`;

/** Comments below their lines, what adds to them, and which files one has viewed. */
export const reviewDiffExtension = (deps: PageDeps): PullDiffExtension => ({
  key: 'reviews',
  islands: reviewIslands,
  slots: (diff) => slotsOf(deps, diff),
});

type ReviewComment = Awaited<ReturnType<PageDeps['reviewServices']['reader']['comments']>>[number];

/** Which file of the piece a line of one of its sides belongs to: by side and path. */
function shownPaths({ piece }: PullDiff): ReadonlyMap<string, string> {
  const paths = new Map<string, string>();
  for (const { change } of piece.files) {
    paths.set(`new ${change.path}`, change.path);
    if (change.status !== 'added') paths.set(`old ${change.oldPath ?? change.path}`, change.path);
  }
  return paths;
}

/** Every line that the piece shows. */
const linesOf = ({ piece }: PullDiff): ReadonlySet<string> =>
  new Set(
    piece.files.flatMap(({ change: { path }, hunks }) =>
      hunks.flatMap((hunk) =>
        hunk.lines.flatMap(({ before, after }) => [
          ...(before === undefined ? [] : [keyOf(path, 'old', before)]),
          ...(after === undefined ? [] : [keyOf(path, 'new', after)]),
        ]),
      ),
    ),
  );

/** What the actor may do, and what of the reviews there is to see. */
async function readReviews({ reviewServices }: PageDeps, { page: { context, actor } }: PullDiff) {
  const { issue, pull } = context;
  const { reader, viewed } = reviewServices;
  const rights = rightsOf(context, actor);
  const [comments, pending, marks, last] = await Promise.all([
    reader.comments(issue.id, actor),
    rights.me ? reader.pending(issue.id, rights.me) : undefined,
    rights.me ? viewed.of(issue.id, rights.me) : new Set<string>(),
    rights.me && pull.version > 1 ? reader.lastVersion(issue.id, rights.me) : 0,
  ]);
  return { rights, comments, pending, marks, last };
}

/** The threads of the lines that are shown, by line and by file. */
async function readVisibleThreads(deps: PageDeps, diff: PullDiff, comments: readonly ReviewComment[]) {
  const { page, head, start } = diff;
  const { context, actor } = page;
  // lines are those of the two sides that are shown
  const paths = shownPaths(diff);
  const isShown = (one: ReviewComment) =>
    !one.isOutdated && paths.has(`${one.side} ${one.path}`) && one.commitId === (one.side === 'new' ? head : start);
  const here = comments.filter(isShown);
  const reviews = await deps.reviewServices.reader.byIds(here.map(({ reviewId }) => reviewId));
  const { threads, left } = await readThreads(deps, context, here, reviews, actor);
  const byLine = new Map<string, ThreadView[]>();
  for (const thread of threads) {
    const { side, path, line } = thread.root;
    const key = keyOf(paths.get(`${side} ${path}`)!, side, line);
    byLine.set(key, [...(byLine.get(key) ?? []), thread]);
  }
  const lines = linesOf(diff);
  return {
    at: (positions: readonly DiffLinePosition[]) =>
      positions.flatMap(
        ({ path, side, line }) => byLine.get(keyOf(path, side === 'after' ? 'new' : 'old', line)) ?? [],
      ),
    /** Those of a file whose lines are not shown. */
    hiddenIn: ({ change: { path } }: DiffFile) =>
      [...byLine]
        .flatMap(([key, all]) => (!lines.has(key) && key.endsWith(` ${path}`) ? all : []))
        .filter(({ root }) => paths.get(`${root.side} ${root.path}`) === path),
    /** How many of a file were too many to be read. */
    missingIn: ({ change }: DiffFile) =>
      left.filter(({ side, path }) => paths.get(`${side} ${path}`) === change.path).length,
  };
}

interface FileNotesProps {
  readonly file: DiffFile;
  readonly threads: readonly ThreadView[];
  readonly missing: number;
  /** A comment on the file is to be written. */
  readonly isWanted: boolean;
  readonly threadContext: ThreadContext;
  readonly commit: string;
  readonly hasPending: boolean;
  readonly isWhole: boolean;
}

const FileNotes = (props: FileNotesProps): VNode => {
  const { file, threads, missing, isWanted, threadContext, commit, hasPending, isWhole } = props;
  return (
    <div class="border-top">
      {threads.length ? <Threads threads={threads} threadContext={threadContext} /> : null}
      {missing ? <p class="p-3 mb-0 color-fg-muted">{t('thread.left', { count: missing })}</p> : null}
      {isWanted ? (
        <div class="p-3" id={`comment-${file.anchor}`}>
          <LineForm
            {...threadContext}
            commit={commit}
            hasPending={hasPending}
            path={file.change.path}
            sides={isWhole ? ['new', 'old'] : ['new']}
          />
        </div>
      ) : null}
    </div>
  );
};

const threadContextOf = (deps: PageDeps, { page: { context }, piece }: PullDiff): ThreadContext => ({
  own: `${repositoryHome(deps.site, context.repository)}/pulls/${context.pull.index}`,
  repository: `${context.repository.ownerName}/${context.repository.name}`,
  back: filesAddress(piece.query),
  site: deps.site,
  Editor: deps.issuePages.Editor,
  avatarUrl: (account) => deps.accounts.avatarUrl(account),
});

async function slotsOf(deps: PageDeps, diff: PullDiff): Promise<DiffSlots> {
  const { piece, head, isWhole } = diff;
  const { issue, pull } = diff.page.context;
  const { rights, comments, pending, marks, last } = await readReviews(deps, diff);
  const threads = await readVisibleThreads(deps, diff, comments);
  const threadContext = threadContextOf(deps, diff);
  const mayComment = rights.mayReply;
  const wanted = (piece.query as Readonly<Record<string, unknown>>).comment;
  const isViewed = (file: Pick<DiffFile, 'change'>) => marks.has(markOf(file.change));
  // further files of a page come without it
  const hasToolbar = rights.me > 0 && !piece.query.piece;
  const isNewer = last > 0 && last < pull.version && diff.isWhole;
  const [since, applicable] = await Promise.all([
    hasToolbar && isNewer ? pushesSince(deps, diff, last) : undefined,
    hasToolbar && pull.isOpen ? deps.reviewServices.suggestions.countApplicable(diff.page.context, diff.page.actor) : 0,
  ]);
  const count = pending ? comments.filter(({ reviewId }) => reviewId === pending.id).length : 0;
  return {
    diffLine(positions): ComponentChildren {
      const threadsAt = threads.at(positions);
      return threadsAt.length ? <Threads threads={threadsAt} threadContext={threadContext} /> : undefined;
    },
    fileNotes(file) {
      const notes = {
        threads: threads.hiddenIn(file),
        missing: threads.missingIn(file),
        isWanted: mayComment && wanted === file.anchor,
      };
      if (notes.threads.length === 0 && !notes.isWanted && notes.missing === 0) return undefined;
      const hasPending = pending !== undefined;
      const more = { file, threadContext, commit: head, hasPending, isWhole };
      return <FileNotes {...notes} {...more} />;
    },
    isFolded: (file) => wanted !== file.anchor && piece.query.file === undefined && isViewed(file),
    ...(mayComment && {
      fileHeader: (file: DiffFile) => (
        <FileLinks file={file} threadContext={threadContext} query={piece.query} isViewed={isViewed(file)} />
      ),
    }),
    ...(hasToolbar && {
      toolbar: () => (
        <Toolbar
          forms={threadContext}
          EditorTexts={deps.issuePages.EditorTexts}
          commit={head}
          pending={pending && { review: pending, count }}
          mayComment={mayComment}
          isOwn={issue.posterId === rights.me}
          isClosed={issue.isClosed}
          isWhole={isWhole}
          since={
            since && (
              <SinceReview
                since={since}
                own={threadContext.own}
                repositoryPath={diff.page.repositoryPath}
                site={deps.site}
              />
            )
          }
          hasSuggestions={isWorthForm(applicable)}
          viewed={piece.changes.filter((change) => isViewed({ change })).length}
          total={piece.total}
        />
      ),
    }),
  };
}

const Threads = ({
  threads,
  threadContext,
}: {
  threads: readonly ThreadView[];
  threadContext: ThreadContext;
}): VNode => (
  <div class="review-threads">
    {threads.map((thread) => (
      <Thread thread={thread} threadContext={threadContext} />
    ))}
  </div>
);

interface FileLinksProps {
  readonly file: DiffFile;
  readonly threadContext: ThreadContext;
  readonly query: object;
  readonly isViewed: boolean;
}

/** In the header of a file: the way to a form for a comment, and the mark that one has viewed it. */
function FileLinks({ file, threadContext, query, isViewed }: FileLinksProps): VNode {
  const { change, anchor, state } = file;
  const { own, back } = threadContext;
  const { path } = change;
  const hasLines = state === 'shown' || state === 'collapsed';
  return (
    <>
      <form method="post" action={`${own}/files/viewed`} class="d-flex" data-review-viewed>
        <Csrf />
        <input type="hidden" name="path" value={path} />
        <input type="hidden" name="viewed" value={isViewed ? '0' : '1'} />
        <input type="hidden" name="back" value={back} />
        <button
          class="btn btn-sm"
          type="submit"
          aria-pressed={isViewed}
          aria-label={t('viewed.mark', { path })}
          title={t('viewed.title')}
        >
          <span class="review-viewed-on">{icon('check')}</span>
          <span class="review-viewed-off">{icon('square')}</span>{' '}
          <span class="d-none d-md-inline">{t('viewed.title')}</span>
        </button>
      </form>
      {hasLines ? (
        <a
          class="btn-octicon"
          href={`${own}/${filesAddress(query, { file: path, comment: anchor })}#comment-${anchor}`}
          aria-label={t('form.on', { path })}
          title={t('form.title')}
        >
          {icon('comment')}
        </a>
      ) : null}
    </>
  );
}

interface ToolbarProps {
  readonly EditorTexts: IssuePages['EditorTexts'];
  readonly forms: FormContext;
  readonly commit: string;
  readonly pending: { readonly review: Review; readonly count: number } | undefined;
  readonly mayComment: boolean;
  readonly isOwn: boolean;
  readonly isClosed: boolean;
  readonly isWhole: boolean;
  /** What was pushed since one has reviewed it. */
  readonly since: VNode | undefined;
  /** Several can be committed at once. */
  readonly hasSuggestions: boolean;
  readonly viewed: number;
  readonly total: number;
}

function Toolbar(props: ToolbarProps): VNode {
  const { forms, EditorTexts, commit, pending, mayComment, isOwn, isClosed, isWhole } = props;
  const { since, hasSuggestions, viewed, total } = props;
  return (
    <>
      {since}
      {hasSuggestions ? <SuggestionsForm own={forms.own} back={forms.back} /> : null}
      {mayComment ? (
        <span class="color-fg-muted f6" data-review-progress={total}>
          {t('viewed.progress', { viewed: String(viewed), total: String(total) })}
        </span>
      ) : null}
      {mayComment ? (
        <Finish {...forms} commit={commit} pending={pending} mayJudge={!isOwn && !isClosed} isOwn={isOwn} />
      ) : null}
      {mayComment ? (
        <template data-review-form data-sides={isWhole ? 'new old' : 'new'}>
          <LineForm {...forms} commit={commit} hasPending={pending !== undefined} sides={['new']} />
        </template>
      ) : null}
      <EditorTexts />
      <IslandTexts
        name="reviews"
        texts={{
          add: t('form.addTo', { line: '{line}' }),
          line: t('form.lineNew', { line: '{line}' }),
          lineOld: t('form.lineOld', { line: '{line}' }),
          progress: t('viewed.progress', { viewed: '{viewed}', total: '{total}' }),
          failed: t('viewed.failed'),
        }}
      />
    </>
  );
}
