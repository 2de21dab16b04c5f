import { systemActor } from '@mortise/plugin-sdk';
import type { ActivityEventKind, ActivityModels, ActivityEvents, NewActivityEvent } from '@mortise/activity-events/api';
import type { CommentEvent, Issue, IssueAction, IssueEvent, Issues, Timeline } from '@mortise/issues/api';
import type { Repositories } from '@mortise/repositories/api';
import type { PullEvent, Pulls } from '../api.js';
import { headRef } from '../services/pull-refs.js';
import type { PullServices } from '../services/services.js';
import { t } from '../texts/index.js';

/** Payloads are written as the site sees things; whoever listens was allowed to. */
const siteActor = systemActor('pulls');

interface PullData {
  readonly before?: IssueEvent['before'];
  readonly record?: Readonly<Record<string, unknown>>;
  /** Of `synchronized`: the heads. */
  readonly heads?: { readonly before: string; readonly after: string };
  /** Of an edit: the base branch that it got, which receivers know as `from`. */
  readonly from?: string;
  /** Of `closed`: it was merged. */
  readonly isMerged?: boolean;
  /** Of labels: whether some were put on, or taken off. */
  readonly labels?: IssueEvent['labels'];
  /** Why it left a queue. */
  readonly reason?: string;
}

interface CommentData {
  readonly commentId: number;
  readonly before?: string;
  readonly record?: Readonly<Record<string, unknown>>;
}

/** What issues do not tell of pull requests: they are told of when the pull request is there, and as it is. */
const kindOf: Readonly<Partial<Record<IssueAction, PullKindKey>>> = {
  edited: 'pull_request',
  closed: 'pull_request',
  reopened: 'pull_request',
  deleted: 'pull_request',
  assigned: 'pull_request_assign',
  unassigned: 'pull_request_assign',
  label_updated: 'pull_request_label',
  label_cleared: 'pull_request_label',
  milestoned: 'pull_request_milestone',
  demilestoned: 'pull_request_milestone',
};

export const pullKindKeys = [
  'pull_request',
  'pull_request_assign',
  'pull_request_label',
  'pull_request_milestone',
  'pull_request_sync',
] as const;
type PullKindKey = (typeof pullKindKeys)[number];

const resourceOf = ({ id, index, title, repositoryId }: Pick<Issue, 'id' | 'index' | 'title' | 'repositoryId'>) => ({
  id,
  index,
  title,
  repositoryId,
  unit: 'pulls',
});

export async function recordIssue(
  event: IssueEvent,
  { activityEvents, pullServices }: { readonly activityEvents: ActivityEvents; readonly pullServices: PullServices },
): Promise<void> {
  const kind = kindOf[event.action];
  if (!event.isPull || !kind) return;
  const { issueId, index, title, repositoryId, action, actorId, at, before, record, labels } = event;
  // what merges it closes it
  const isMerged = action === 'closed' && (await pullServices.reader.fresh(issueId))?.isMerged === true;
  const activityEvent: NewActivityEvent<PullData> = {
    kind,
    action,
    resource: resourceOf({ id: issueId, index, title, repositoryId }),
    actorId,
    at,
    data: {
      ...(before && { before }),
      ...(record && { record }),
      ...(isMerged && { isMerged }),
      ...(labels && { labels }),
    },
  };
  await activityEvents.record([activityEvent]);
}

export async function recordPull(
  event: PullEvent,
  {
    activityEvents,
    issues,
    pulls,
  }: { readonly activityEvents: ActivityEvents; readonly issues: Issues; readonly pulls: Pulls },
): Promise<void> {
  // closing it tells of the merge
  if (event.action === 'merged' || event.action === 'checked') return;
  const issue = await issues.byId(event.issueId);
  if (!issue) return;
  const { action, before, after } = event;
  const from = action === 'retargeted' ? (await pulls.byIssueId(event.issueId))?.baseBranch : undefined;
  const activityEvent: NewActivityEvent<PullData> = {
    kind: action === 'synchronized' ? 'pull_request_sync' : 'pull_request',
    action: action === 'retargeted' ? 'edited' : action,
    resource: resourceOf(issue),
    actorId: event.actorId,
    at: event.at,
    data: { ...(before && after && { heads: { before, after } }), ...(from && { from }) },
  };
  await activityEvents.record([activityEvent]);
}

interface KindDeps {
  readonly models: ActivityModels;
  readonly repositories: Repositories;
  readonly issues: Issues;
  readonly timeline: Timeline;
  readonly pullServices: PullServices;
}

const from = (text: string) => ({ from: text });
const negative: readonly string[] = ['closed', 'deleted'];
const positive: readonly string[] = ['opened', 'reopened'];

/** What people say of it; what was closed by merging it is merged. */
const lines = [
  'opened',
  'edited',
  'closed',
  'reopened',
  'deleted',
  'assigned',
  'unassigned',
  'label_updated',
  'label_cleared',
  'milestoned',
  'demilestoned',
  'synchronized',
  'merged',
] as const;
const isLine = (word: string): word is (typeof lines)[number] => (lines as readonly string[]).includes(word);

/** A deleted one as it was; of its head the name is left by which it was kept. */
const recordOf = (record: PullData['record'] = {}) => ({
  ...record,
  ...(typeof record.head === 'object' && {
    head: { ...record.head, ref: headRef(Number(record.number)), sha: '' },
  }),
});

/** HOK-08, HOK-12, HOK-15: what happens to pull requests. */
export const pullKind = (key: PullKindKey, deps: KindDeps): ActivityEventKind<PullData> => ({
  key,
  label: t.later(`event.${key}`),
  description: t.later(`event.${key}.note`),
  group: t.later('event.group'),
  order: 80,
  event: 'pull_request',
  inputs: key === 'pull_request' ? ['pull_request_only'] : ['pull_request'],
  async describe(one) {
    const { actor, repository, repositoryUrl } = await deps.models.names(one);
    const { index = 0, title } = one.resource;
    const pull = one.action === 'closed' ? await deps.pullServices.reader.byIssueId(one.resource.id) : undefined;
    const word = pull?.isMerged ? 'merged' : one.action;
    if (!isLine(word)) return undefined;
    return {
      title: t.later(`event.line.${word}`, { actor, repository, title, index: String(index) }),
      url: one.action === 'deleted' ? `${repositoryUrl}/pulls` : `${repositoryUrl}/pulls/${index}`,
      tone:
        word === 'merged' || positive.includes(word) ? 'positive' : negative.includes(word) ? 'negative' : 'neutral',
    };
  },
  async payload({ action, resource, actorId, data }) {
    const repository = await deps.repositories.byId(resource.repositoryId ?? 0);
    const issue = await deps.issues.byId(resource.id);
    const [model] = issue ? await deps.pullServices.presenter.toApi([issue], siteActor) : [];
    if (!repository || (!model && !data.record)) return undefined;
    const { title, body } = data.before ?? {};
    return {
      action,
      ...(data.heads ?? {}),
      number: resource.index ?? 0,
      ...(data.reason && { reason: data.reason }),
      ...((data.before ?? data.from) !== undefined && {
        changes: {
          ...(title !== undefined && { title: from(title) }),
          ...(body !== undefined && { body: from(body) }),
          ...(data.from !== undefined && { ref: from(data.from) }),
          added_labels: null,
          removed_labels: null,
        },
      }),
      pull_request: model ?? recordOf(data.record),
      requested_reviewer: null,
      repository: await deps.models.repository(repository),
      sender: await deps.models.user(actorId),
      commit_id: '',
      review: null,
    };
  },
});

/** Comments of pull requests; those of issues are told of by `issues`. */
export const commentKind = (deps: KindDeps): ActivityEventKind<CommentData> => ({
  key: 'pull_request_comment',
  label: t.later('event.pull_request_comment'),
  description: t.later('event.pull_request_comment.note'),
  group: t.later('event.group'),
  order: 80,
  event: 'issue_comment',
  inputs: ['pull_request'],
  async describe(one) {
    const { actor, repository, repositoryUrl } = await deps.models.names(one);
    const { index = 0, title } = one.resource;
    const action = one.action as CommentEvent['action'];
    return {
      title: t.later(`event.comment.${action}`, { actor, repository, title, index: String(index) }),
      url: `${repositoryUrl}/pulls/${index}${action === 'deleted' ? '' : `#issuecomment-${one.data.commentId}`}`,
      tone: 'neutral',
    };
  },
  async payload({ action, resource, actorId, data }) {
    const repository = await deps.repositories.byId(resource.repositoryId ?? 0);
    const issue = await deps.issues.byId(resource.id);
    const comment = data.record ? undefined : await deps.timeline.byId(data.commentId);
    if (!repository || !issue || (!data.record && !comment)) return undefined;
    return {
      action,
      issue: (await deps.issues.toApi([issue], siteActor))[0],
      pull_request: (await deps.pullServices.presenter.toApi([issue], siteActor))[0],
      comment: data.record ?? (await deps.timeline.comments([comment!], siteActor))[0],
      ...(data.before !== undefined && {
        changes: { body: from(data.before), added_labels: null, removed_labels: null },
      }),
      repository: await deps.models.repository(repository),
      sender: await deps.models.user(actorId),
      is_pull: true,
    };
  },
});
