import type { VNode } from 'preact';
import { Ago, Csrf, PostButton } from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';
import type { TimelineEntry, TimelineKind, TimelineLine, TimelinePageView } from '@mortise/issues/api';
import { MarkupBody, type SafeHtml } from '@mortise/markup/api';
import type { Team } from '@mortise/organizations/api';
import type { Review } from '../contract/reviews.js';
import { stateStyles, UserLink, pullContextOf, type PageDeps } from './page-context.js';
import { Thread, type ThreadContext } from './thread.js';
import { readThreads, renderAll, type ThreadView } from './threads.js';
import { t } from '../texts/index.js';

type Lines = NonNullable<TimelineKind['lines']>;
const idOf = (value: unknown): number => (typeof value === 'number' ? value : 0);

interface SentenceProps {
  readonly entry: TimelineEntry;
  readonly view: TimelinePageView;
}
const who = ({ entry, view }: SentenceProps) => ({
  name: view.userLink(entry.actorId, entry.originalAuthor),
  when: <Ago time={entry.createdAt} />,
});

const ReviewSentence = ({ review, ...props }: SentenceProps & { review: Review }): VNode => {
  const state = review.state === 'approved' || review.state === 'rejected' ? review.state : 'comment';
  return (
    <>
      {t.rich(`line.${state}`, who(props))}{' '}
      {review.isDismissed ? <span class="Label">{t('review.dismissed')}</span> : null}{' '}
      {review.isStale && !review.isDismissed && state !== 'comment' ? (
        <span class="Label Label--attention" title={t('review.staleNote')}>
          {t('review.stale')}
        </span>
      ) : null}
    </>
  );
};

interface ReviewBelowProps {
  readonly review: Review;
  readonly html: SafeHtml | undefined;
  readonly threads: readonly ThreadView[];
  /** Comments for which the page has no room. */
  readonly left: number;
  readonly threadContext: ThreadContext;
  readonly mayDismiss: boolean;
}

/** What a review says, its conversations, and what can be done with it. */
function ReviewBelow({ review, html, threads, left, threadContext, mayDismiss }: ReviewBelowProps): VNode {
  const { own } = threadContext;
  const action = `${own}/reviews/${review.id}`;
  return (
    <div class="review-below">
      {html ? (
        <div class="Box p-3 mb-2">
          <MarkupBody html={html} />
        </div>
      ) : null}
      {threads.map((thread) => (
        <Thread thread={thread} threadContext={threadContext} hasHunk />
      ))}
      {left ? <p class="color-fg-muted">{t('thread.left', { count: left })}</p> : null}
      {mayDismiss && review.isDismissed ? (
        <PostButton action={`${action}/undismiss`}>{t('review.undismiss')}</PostButton>
      ) : null}
      {mayDismiss && !review.isDismissed ? (
        <details>
          <summary class="btn btn-sm">{t('review.dismiss')}</summary>
          <form method="post" action={`${action}/dismiss`} class="d-flex flex-wrap gap-2 mt-2">
            <Csrf />
            <input
              class="form-control flex-auto"
              name="message"
              required
              maxLength={10_000}
              placeholder={t('review.dismissWhy')}
              aria-label={t('review.dismissWhy')}
            />
            <button class="btn btn-danger" type="submit">
              {t('review.dismiss')}
            </button>
          </form>
        </details>
      ) : null}
    </div>
  );
}

const threadContextIn = ({ accounts, issuePages, site }: PageDeps, view: TimelinePageView): ThreadContext => ({
  own: `${view.repositoryPath}/pulls/${view.issue.index}`,
  repository: `${view.context.repository.ownerName}/${view.context.repository.name}`,
  back: '',
  site,
  Editor: issuePages.Editor,
  avatarUrl: (account) => accounts.avatarUrl(account),
});

/** Reviews with their comments. */
export const reviewLines =
  (deps: PageDeps): Lines =>
  async (entries, view) => {
    const { reader } = deps.reviewServices;
    const context = await pullContextOf(deps, view);
    if (!context) return new Map();
    // what is said about code is for those who may read it
    const mayRead = view.context.may('read', 'code');
    const reviews = await reader.byEntries(
      view.issue.id,
      entries.map(({ id }) => id),
    );
    const sentAgain = await reader.byIds(
      entries.filter(({ id, subjectId }) => subjectId > 0 && !reviews.has(id)).map(({ subjectId }) => subjectId),
    );
    const byId = new Map([...reviews.values()].map((review) => [review.id, review]));
    const comments = mayRead ? await reader.commentsOfAll([...byId.keys()]) : [];
    const [{ threads, left }, htmls] = await Promise.all([
      readThreads(deps, context, comments, byId, view.actor),
      renderAll(
        deps,
        context,
        entries.map(({ body }) => body),
        view,
      ),
    ]);
    const threadContext = threadContextIn(deps, view);
    const mayAdminister =
      context.may('admin') && view.actor.kind === 'user' && !context.repository.isArchived && !view.issue.isClosed;
    return new Map(
      entries.flatMap((entry, at): [number, TimelineLine][] => {
        const begun = reviews.get(entry.id);
        const review = begun ?? sentAgain.get(entry.subjectId);
        if (!review) return [];
        const isOpinion = review.state === 'approved' || review.state === 'rejected';
        const own = begun ? threads.filter(({ root }) => root.reviewId === begun.id) : [];
        const mayDismiss = mayAdminister && isOpinion && begun !== undefined;
        const { icon, tone } = stateStyles[review.state];
        const missing = begun ? left.filter(({ reviewId }) => reviewId === begun.id).length : 0;
        const isShown = own.length > 0 || missing > 0 || htmls[at] || mayDismiss;
        return [
          [
            entry.id,
            {
              icon,
              ...(tone && !review.isDismissed && { tone }),
              text: <ReviewSentence entry={entry} view={view} review={review} />,
              ...(isShown && {
                below: (
                  <ReviewBelow
                    review={review}
                    html={htmls[at]}
                    threads={own}
                    left={missing}
                    threadContext={threadContext}
                    mayDismiss={mayDismiss}
                  />
                ),
              }),
            },
          ],
        ];
      }),
    );
  };

const DismissSentence = ({ person, ...props }: SentenceProps & { person: VNode }): VNode => (
  <>{t.rich('line.dismissed', { ...who(props), person })}</>
);

/** Reviews that were dismissed, with the reason. */
export const dismissLines =
  (deps: PageDeps): Lines =>
  async (entries, view) => {
    const { accounts, reviewServices, site } = deps;
    const reviews = await reviewServices.reader.byIds(entries.map(({ subjectId }) => subjectId));
    const users = await accounts.byIds([...new Set([...reviews.values()].map(({ reviewerId }) => reviewerId))]);
    const htmls = await renderAll(
      deps,
      view.context,
      entries.map(({ body }) => body),
      view,
    );
    return new Map(
      entries.map((entry, at): [number, TimelineLine] => {
        const reviewer = users.get(reviews.get(entry.subjectId)?.reviewerId ?? 0);
        const html = htmls[at];
        return [
          entry.id,
          {
            icon: 'x',
            text: <DismissSentence entry={entry} view={view} person={<UserLink account={reviewer} site={site} />} />,
            ...(html && { below: <MarkupBody html={html} /> }),
          },
        ];
      }),
    );
  };

interface AskedProps extends SentenceProps {
  readonly account: Account | undefined;
  readonly team: Team | undefined;
  readonly site: PageDeps['site'];
}
function AskedSentence({ account, team, site, ...props }: AskedProps): VNode {
  const { entry } = props;
  const isGone = entry.data.removed === true;
  const isTeam = idOf(entry.data.teamId) > 0;
  const person = isTeam ? <strong>{team?.name ?? t('team.gone')}</strong> : <UserLink account={account} site={site} />;
  const isSelf = !isTeam && entry.actorId === entry.subjectId;
  const key = isSelf ? (isGone ? 'line.unaskedSelf' : 'line.askedSelf') : isGone ? 'line.unasked' : 'line.asked';
  return <>{t.rich(key, { ...who(props), person })}</>;
}

/** Who was asked for a review, and who no longer is. */
export const requestLines =
  (deps: PageDeps): Lines =>
  async (entries, view) => {
    const { accounts, reviewServices, site } = deps;
    const teamIds = entries.map(({ data }) => idOf(data.teamId)).filter(Boolean);
    const [users, teams] = await Promise.all([
      accounts.byIds([...new Set(entries.map(({ subjectId }) => subjectId).filter(Boolean))]),
      teamIds.length ? reviewServices.reviewers.teams?.byIds([...new Set(teamIds)]) : undefined,
    ]);
    return new Map(
      entries.map((entry): [number, TimelineLine] => [
        entry.id,
        {
          icon: 'eye',
          text: (
            <AskedSentence
              entry={entry}
              view={view}
              account={users.get(entry.subjectId)}
              team={teams?.get(idOf(entry.data.teamId))}
              site={site}
            />
          ),
        },
      ]),
    );
  };
