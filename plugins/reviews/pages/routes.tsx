import type { VNode } from 'preact';
import {
  contextWith,
  Csrf,
  Forbidden,
  formId,
  formRoute,
  formText,
  Invalid,
  NotFound,
  toId,
  type Flash,
  type FormValues,
  type Route,
} from '@mortise/plugin-sdk';
import type { IssuePages } from '@mortise/issues/api';
import { pullResource, type PullContext, type PullPages } from '@mortise/pulls/api';
import { mustBeActive, refuseBlocked } from '@mortise/repositories/api';
import type { NewReviewComment, Review, ReviewComment, Verdict } from '../contract/reviews.js';
import { checkParticipation, mustReadCode } from '../services/participation.js';
import { ReviewReader } from '../services/review-reader.js';
import { requestedBy } from '../services/reviewers-extension.js';
import { returnPath, mayChange, rightsOf, type PageDeps, type PullRoute } from './page-context.js';
import { t } from '../texts/index.js';

const base = '/{owner}/{repo}/pulls/{index}';
const use = { actor: 'user', resource: pullResource } as const;
const maxBody = 1_000_000;

interface RouteDeps extends PageDeps {
  readonly pages: PullPages;
}

/** As it was written, with the spaces around it. */
const rawOf = (values: FormValues, name: string, max: number): string => {
  const given = values[name];
  return (typeof given === 'string' ? given : '').slice(0, max);
};
const bodyOf = (values: FormValues): string => {
  const text = rawOf(values, 'body', maxBody).replaceAll('\r\n', '\n');
  return text.trim() ? text : '';
};
const verdicts: readonly Verdict[] = ['approved', 'rejected', 'comment'];

/** Names of people and of teams (`organization/team`), with commas or spaces between them. */
export function namesIn(values: FormValues, name: string): { users: string[]; teams: string[] } {
  const given = [values[name] ?? []]
    .flat()
    .flatMap((text) => text.slice(0, 2000).split(/[\s,]+/))
    .filter(Boolean)
    .slice(0, 50);
  return { users: given.filter((one) => !one.includes('/')), teams: given.filter((one) => one.includes('/')) };
}

const idIn = ({ params }: PullRoute): number => toId((params as Readonly<Record<string, unknown>>).id);

function lineOf(values: FormValues): NewReviewComment {
  const path = rawOf(values, 'path', 4096);
  const [line, startLine] = [formId(values, 'line'), formId(values, 'start_line')];
  if (!line) throw Invalid(t.later('error.comment.noLine', { path }));
  const side = formText(values, 'side') === 'old' ? 'old' : 'new';
  return { path, side, line, body: bodyOf(values), ...(startLine && startLine < line && { startLine }) };
}

const mustAdminister = ({ resource }: PullRoute) => {
  if (!resource.may('admin')) throw Forbidden(t.later('error.needsAdmin'));
  mustBeActive(resource.context);
};

/** What these routes share. */
function reviewPageContext(deps: RouteDeps) {
  const { accounts, pulls, pages, reviewServices } = deps;
  const { reader, writer, comments, reviewers, requests, viewed, suggestions } = reviewServices;
  /** A form: it leads to the files or the conversation; what is refused is shown with what was written. */
  const form = (path: string, run: (context: PullRoute, values: FormValues) => Promise<string | void>): Route =>
    formRoute<PullContext>(
      `${base}/${path}`,
      use,
      async (context, values) => {
        mustReadCode(context.resource);
        const anchor = await run(context, values);
        return `${pages.path(context.resource)}${returnPath(values)}${anchor ? `#${anchor}` : ''}`;
      },
      (context, values, flash) => refused(context, path, values, flash),
    );
  const refused = (context: PullRoute, path: string, values: FormValues, flash: Flash) => {
    if (!formText(values, 'body', 10)) return pages.conversation(asNew(context), flash);
    const action = path.replace('{id}', String(idIn(context)));
    return pages.page(context, 'files', {
      flash,
      body: (
        <Again
          action={`${pages.path(context.resource)}/${action}`}
          values={values}
          parts={deps.issuePages}
          back={`${pages.path(context.resource)}${returnPath(values)}`}
          repository={`${context.resource.repository.ownerName}/${context.resource.repository.name}`}
        />
      ),
    });
  };
  const commentOf = async (context: PullRoute): Promise<[ReviewComment, Review]> => {
    const { resource, actor } = context;
    const comment = await reader.comment(idIn(context));
    const review = comment && (await reader.byId(comment.reviewId));
    if (!review || comment.issueId !== resource.issue.id || !ReviewReader.isVisible(review, actor))
      throw NotFound('comment');
    return [comment, review];
  };
  const ownComment = async (context: PullRoute): Promise<ReviewComment> => {
    const { resource, actor } = context;
    const [comment, review] = await commentOf(context);
    mustBeActive(resource.context);
    if (!mayChange(rightsOf(resource, actor), comment, review)) throw Forbidden(t.later('error.notYourComment'));
    await refuseBlocked(accounts, actor, resource.repository.ownerId);
    return comment;
  };
  const reviewOf = async (context: PullRoute): Promise<Review> => {
    const { resource, actor } = context;
    const review = await reader.byId(idIn(context));
    if (review?.issueId !== resource.issue.id || !ReviewReader.isVisible(review, actor)) throw NotFound('review');
    return review;
  };
  return {
    form,
    accounts,
    writer,
    reader,
    commentOf,
    comments,
    ownComment,
    suggestions,
    reviewOf,
    reviewers,
    requests,
    pulls,
    viewed,
  };
}

type ReviewPageRouteContext = ReturnType<typeof reviewPageContext>;

const submitReview = ({ form, accounts, writer }: ReviewPageRouteContext) =>
  form('reviews', async ({ resource, actor }, values) => {
    await checkParticipation(accounts, resource, actor);
    const state = verdicts.find((one) => one === formText(values, 'state'));
    if (!state) throw Invalid(t.later('error.verdict'));
    const commitId = formText(values, 'commit', 64);
    const review = await writer.submit(resource, { state, body: bodyOf(values), ...(commitId && { commitId }) }, actor);
    return `issuecomment-${review.entryId}`;
  });

const addComment = ({ form, accounts, reader, writer }: ReviewPageRouteContext) =>
  form('reviews/comments', async ({ resource, actor }, values) => {
    await checkParticipation(accounts, resource, actor);
    const comment = lineOf(values);
    if (!comment.body) throw Invalid(t.later('error.noWords'));
    const pending = await reader.pending(resource.issue.id, actor.id);
    const isSingle = formText(values, 'action') === 'single' && !pending;
    const commitId = formText(values, 'commit', 64);
    const review = await writer.submit(
      resource,
      { state: isSingle ? 'comment' : 'pending', ...(commitId && { commitId }), comments: [comment] },
      actor,
    );
    const made = (await reader.commentsOf(review.id)).at(-1);
    return made && `issuecomment-${made.id}`;
  });

const addReply = ({ form, commentOf, accounts, comments }: ReviewPageRouteContext) =>
  form('reviews/comments/{id}/replies', async (context, values) => {
    const { resource, actor } = context;
    const [comment] = await commentOf(context);
    await checkParticipation(accounts, resource, actor);
    const body = bodyOf(values);
    if (!body) throw Invalid(t.later('error.noWords'));
    const made = await comments.reply(resource, comment, body, actor);
    return `issuecomment-${made.id}`;
  });

const editComment = ({ form, ownComment, comments }: ReviewPageRouteContext) =>
  form('reviews/comments/{id}/edit', async (context, values) => {
    const comment = await ownComment(context);
    const body = bodyOf(values);
    if (!body) throw Invalid(t.later('error.noWords'));
    await comments.edit(context.resource, comment, body, context.actor);
    return `issuecomment-${comment.id}`;
  });

const deleteComment = ({ form, comments, ownComment }: ReviewPageRouteContext) =>
  form('reviews/comments/{id}/delete', async (context) => {
    await comments.delete(context.resource.issue, await ownComment(context), context.actor);
  });

const resolveConversation = ({ form, commentOf, accounts, comments }: ReviewPageRouteContext) =>
  form('reviews/comments/{id}/resolve', async (context, values) => {
    const { resource, actor } = context;
    const [comment] = await commentOf(context);
    if (!rightsOf(resource, actor).mayResolve) {
      mustBeActive(resource.context);
      throw Forbidden(t.later('error.resolve'));
    }
    await refuseBlocked(accounts, actor, resource.repository.ownerId);
    await comments.resolve(resource.issue, comment, formText(values, 'resolved') === '1', actor);
    return `issuecomment-${comment.id}`;
  });

const applySuggestion = ({ form, commentOf, accounts, suggestions }: ReviewPageRouteContext) =>
  form('reviews/comments/{id}/apply', async (context) => {
    const { resource, actor } = context;
    const [comment] = await commentOf(context);
    mustBeActive(resource.context);
    await refuseBlocked(accounts, actor, resource.repository.ownerId);
    // who may push to the head may not always settle conversations here
    const resolves = rightsOf(resource, actor).mayResolve;
    await suggestions.apply(resource, { commentIds: [comment.id], resolves }, actor);
    return `issuecomment-${comment.id}`;
  });

/** Several as one commit. */
const applySuggestions = ({ form, accounts, suggestions }: ReviewPageRouteContext) =>
  form('suggestions', async ({ resource, actor }, values) => {
    mustBeActive(resource.context);
    await refuseBlocked(accounts, actor, resource.repository.ownerId);
    const commentIds = [values.comment ?? []].flat().map((id) => toId(id));
    const message = formText(values, 'message', 1000);
    const resolves = rightsOf(resource, actor).mayResolve;
    await suggestions.apply(resource, { commentIds, message, resolves }, actor);
    return `issuecomment-${commentIds[0]}`;
  });

const dismissReview = ({ form, reviewOf, writer }: ReviewPageRouteContext) =>
  form('reviews/{id}/dismiss', async (context, values) => {
    const { resource, actor } = context;
    const review = await reviewOf(context);
    mustAdminister(context);
    const message = formText(values, 'message', 10_000);
    if (!message) throw Invalid(t.later('error.dismissWords'));
    await writer.dismiss(resource.issue, review, { message, priors: false, actor });
  });

const undismissReview = ({ form, reviewOf, writer }: ReviewPageRouteContext) =>
  form('reviews/{id}/undismiss', async (context) => {
    const review = await reviewOf(context);
    mustAdminister(context);
    await writer.undismiss(context.resource.issue, review, context.actor);
    return `issuecomment-${review.entryId}`;
  });

const discardReview = ({ form, reviewOf, writer }: ReviewPageRouteContext) =>
  form('reviews/{id}/discard', async (context) => {
    const { resource, actor } = context;
    const review = await reviewOf(context);
    if (review.state !== 'pending' || review.reviewerId !== actor.id) throw Forbidden(t.later('error.notYours'));
    mustBeActive(resource.context);
    await writer.delete(resource.issue, review, actor);
  });

const changeReviewers = ({ form, accounts, reviewers, requests }: ReviewPageRouteContext) =>
  form('reviewers', async ({ resource, actor }, values) => {
    const { repository, issue, pull, context } = resource;
    mustBeActive(context);
    await refuseBlocked(accounts, actor, repository.ownerId);
    const mayAsk = await reviewers.mayAsk(repository, issue.posterId, actor);
    const gone = { userId: formId(values, 'remove_user'), teamId: formId(values, 'remove_team') };
    if (gone.userId || gone.teamId) {
      if (!mayAsk && gone.userId !== actor.id) throw Forbidden(t.later('error.mayNotAsk'));
      if (issue.isClosed) throw Forbidden(t.later('error.closed'));
      await requests.remove(
        repository,
        issue,
        [gone.teamId ? { teamId: gone.teamId } : { userId: gone.userId }],
        actor,
      );
      return;
    }
    if (!mayAsk) throw Forbidden(t.later('error.mayNotAsk'));
    if (issue.isClosed) throw Forbidden(t.later('error.closed'));
    const named = namesIn(values, 'names');
    const teams = [...named.teams, ...namesIn(values, 'teams').users];
    const of = { repository, branch: pull.baseBranch, posterId: issue.posterId, askerId: actor.id };
    const asked = await requestedBy({ users: named.users, teams }, of, reviewers);
    if (asked.length === 0) throw Invalid(t.later('error.nobodyAsked'));
    await requests.add(repository, issue, asked, actor.id);
  });

const markFileViewed = ({ form, pulls, viewed }: ReviewPageRouteContext) =>
  form('files/viewed', async ({ resource, actor }, values) => {
    const path = rawOf(values, 'path', 4096);
    const pull = (await pulls.byIssueId(resource.issue.id)) ?? resource.pull;
    const change = (await pulls.changes(pull)).find((one) => one.path === path);
    if (!change) throw Invalid(t.later('error.comment.file', { path }));
    const isViewed = formText(values, 'viewed') === '1';
    await viewed.set(resource.issue.id, actor.id, change, isViewed);
  });

/** What people do with reviews on pages. */
export function reviewPageRoutes(deps: RouteDeps): Route[] {
  const context = reviewPageContext(deps);
  return [
    submitReview(context),
    addComment(context),
    addReply(context),
    editComment(context),
    deleteComment(context),
    resolveConversation(context),
    applySuggestion(context),
    applySuggestions(context),
    dismissReview(context),
    undismissReview(context),
    discardReview(context),
    changeReviewers(context),
    markFileViewed(context),
  ];
}

/** The page as it is opened, whatever form was sent to it. */
const asNew = (context: PullRoute): PullRoute =>
  contextWith(context, { query: {}, page: { ...context.page, page: 1 } });

interface AgainProps {
  readonly action: string;
  readonly values: FormValues;
  readonly back: string;
  readonly repository: string;
  readonly parts: Pick<IssuePages, 'Editor' | 'EditorTexts'>;
}

/** A form that was refused, with everything that was sent. */
const Again = ({ action, values, back, repository, parts: { Editor, EditorTexts } }: AgainProps): VNode => (
  <form method="post" action={action}>
    <Csrf />
    {Object.entries(values)
      .filter(([name]) => name !== 'body' && name !== '_csrf')
      .map(([name, value]) => (
        <input type="hidden" name={name} value={typeof value === 'string' ? value : (value?.[0] ?? '')} />
      ))}
    <Editor
      id="again-body"
      name="body"
      label={t('form.body')}
      value={rawOf(values, 'body', maxBody)}
      lines={8}
      repository={repository}
      hidden={false}
    />
    <div class="d-flex gap-2">
      <button class="btn btn-primary" type="submit">
        {t('form.again')}
      </button>
      <a class="btn" href={back}>
        {t('form.cancel')}
      </a>
    </div>
    <EditorTexts />
  </form>
);
