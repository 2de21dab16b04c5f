import { systemActor } from '@mortise/plugin-sdk';
import type {
  ActivityEventKind,
  ActivityModels,
  ActivityEvents,
  ActivityTone,
  NewActivityEvent,
} from '@mortise/activity-events/api';
import type { Issues } from '@mortise/issues/api';
import type { Pulls } from '@mortise/pulls/api';
import type { Repositories } from '@mortise/repositories/api';
import type { ReviewEvent } from '../api.js';
import type { ReviewServices } from '../services/services.js';
import { t } from '../texts/index.js';

/** Payloads are written as the site sees things; whoever listens was allowed to. */
const siteActor = systemActor('reviews');
/** Members of a team that are told of one by one. */
const maxMembers = 100;

interface ReviewData {
  readonly content: string;
  /** Who reviewed, or is asked. */
  readonly reviewerId: number;
  readonly entryId: number;
}

const kindOf = {
  approved: 'pull_request_review_approved',
  rejected: 'pull_request_review_rejected',
  comment: 'pull_request_review_comment',
} as const;
export const reviewKindKeys = [...Object.values(kindOf), 'pull_request_review_request'] as const;
type ReviewKindKey = (typeof reviewKindKeys)[number];

/** The names that receivers know them by. */
const eventNames: Readonly<Record<ReviewKindKey, string>> = {
  pull_request_review_approved: 'pull_request_approved',
  pull_request_review_rejected: 'pull_request_rejected',
  pull_request_review_comment: 'pull_request_comment',
  pull_request_review_request: 'pull_request',
};
const tones: Readonly<Record<ReviewKindKey, ActivityTone>> = {
  pull_request_review_approved: 'positive',
  pull_request_review_rejected: 'negative',
  pull_request_review_comment: 'neutral',
  pull_request_review_request: 'neutral',
};

export async function recordReview(
  event: ReviewEvent,
  {
    activityEvents,
    issues,
    reviewServices,
  }: { readonly activityEvents: ActivityEvents; readonly issues: Issues; readonly reviewServices: ReviewServices },
): Promise<void> {
  const { action, state, actorId, at, body, reviewerId, teamId, entryId } = event;
  if (action === 'comment_edited' || action === 'comment_deleted') return recordComment(event, activityEvents, issues);
  const sent = action === 'submitted' && (state === 'approved' || state === 'rejected' || state === 'comment');
  const asks = action === 'requested' || (action === 'unrequested' && reviewerId > 0);
  if (!sent && !asks) return;
  const issue = await issues.byId(event.issueId);
  if (!issue) return;
  const team = teamId
    ? await reviewServices.reviewers.teams?.members(teamId, { limit: maxMembers, offset: 0 })
    : undefined;
  const people = teamId ? (team?.items ?? []).map(({ id }) => id) : [reviewerId];
  const { id, index, title, repositoryId } = issue;
  await activityEvents.record(
    people.map((userId): NewActivityEvent<ReviewData> => {
      return {
        kind: sent ? kindOf[state] : 'pull_request_review_request',
        action: sent ? 'reviewed' : action === 'requested' ? 'review_requested' : 'review_request_removed',
        resource: { id, index, title, repositoryId, unit: 'pulls' },
        actorId,
        at,
        data: { content: body, reviewerId: userId, entryId },
      };
    }),
  );
}

/** What becomes of comments on lines is told as of other comments of pull requests. */
async function recordComment(event: ReviewEvent, activityEvents: ActivityEvents, issues: Issues): Promise<void> {
  const { action, actorId, at, before, commentId, record } = event;
  const issue = await issues.byId(event.issueId);
  if (!issue || !record) return;
  const { id, index, title, repositoryId } = issue;
  await activityEvents.record([
    {
      kind: 'pull_request_comment',
      action: action === 'comment_edited' ? 'edited' : 'deleted',
      resource: { id, index, title, repositoryId, unit: 'pulls' },
      actorId,
      at,
      data: { commentId, record, ...(before !== undefined && { before }) },
    },
  ]);
}

interface KindDeps {
  readonly models: ActivityModels;
  readonly repositories: Repositories;
  readonly issues: Issues;
  readonly pulls: Pulls;
}

/** HOK-10 to HOK-13: reviews of pull requests, and who is asked for them. */
export const reviewKind = (key: ReviewKindKey, deps: KindDeps): ActivityEventKind<ReviewData> => ({
  key,
  label: t.later(`event.${key}`),
  description: t.later(`event.${key}.note`),
  group: t.later('event.group'),
  order: 81,
  event: eventNames[key],
  inputs: key === 'pull_request_review_request' ? ['pull_request'] : ['pull_request', 'pull_request_review'],
  async describe({ action, data, resource, ...one }) {
    const { actor, repository, repositoryUrl } = await deps.models.names({ action, data, resource, ...one });
    const { index = 0, title } = resource;
    const reviewer = (await deps.models.user(data.reviewerId)).login;
    const line =
      key === 'pull_request_review_request'
        ? action === 'review_request_removed'
          ? 'event.line.unrequested'
          : 'event.line.requested'
        : (`event.line.${key}` as const);
    return {
      title: t.later(line, { actor, repository, title, reviewer, index: String(index) }),
      url: `${repositoryUrl}/pulls/${index}${data.entryId ? `#issuecomment-${data.entryId}` : ''}`,
      tone: tones[key],
    };
  },
  async payload({ action, resource, actorId, data }) {
    const repository = await deps.repositories.byId(resource.repositoryId ?? 0);
    const issue = await deps.issues.byId(resource.id);
    const [model] = issue ? await deps.pulls.toApi([issue], siteActor) : [];
    if (!repository || !model) return undefined;
    return {
      action,
      number: resource.index ?? 0,
      pull_request: model,
      requested_reviewer: await deps.models.user(data.reviewerId),
      repository: await deps.models.repository(repository),
      sender: await deps.models.user(actorId),
      commit_id: '',
      review: key === 'pull_request_review_request' ? null : { type: key, content: data.content },
    };
  },
});
