import { systemActor } from '@mortise/plugin-sdk';
import type { ActivityEventKind, ActivityModels, ActivityEvents, NewActivityEvent } from '@mortise/activity-events/api';
import type { Repositories } from '@mortise/repositories/api';
import { unitOf, type CommentEvent, type IssueAction, type IssueEvent } from '../api.js';
import type { IssueServices } from '../services/services.js';
import { t } from '../texts/index.js';

/** Payloads are written as the site sees things; whoever listens was allowed to. */
const siteActor = systemActor('issues');

interface IssueData {
  readonly before?: IssueEvent['before'];
  /** Of one that was closed or reopened: the entry of its timeline. */
  readonly commentId?: number;
  readonly commit?: string;
  /** Of labels: whether some were put on, or taken off. */
  readonly labels?: IssueEvent['labels'];
  /** Model `Issue` as it was, of one that was deleted. */
  readonly record?: Readonly<Record<string, unknown>>;
}

/** What feeds quote of a comment. */
const maxExcerpt = 200;

interface CommentData {
  readonly commentId: number;
  /** Of a new one: how it begins. */
  readonly excerpt?: string;
  readonly before?: string;
  /** Model `Comment` as it was, of one that was deleted. */
  readonly record?: Readonly<Record<string, unknown>>;
}

const kindOf: Readonly<Record<IssueAction, string>> = {
  opened: 'issues',
  edited: 'issues',
  closed: 'issues',
  reopened: 'issues',
  deleted: 'issues',
  assigned: 'issue_assign',
  unassigned: 'issue_assign',
  label_updated: 'issue_label',
  label_cleared: 'issue_label',
  milestoned: 'issue_milestone',
  demilestoned: 'issue_milestone',
};

/** Issues alone: pull requests are recorded by their plugin. */
export async function recordIssue(
  event: IssueEvent,
  { activityEvents }: { readonly activityEvents: ActivityEvents },
): Promise<void> {
  if (event.isPull) return;
  const { issueId, index, title, repositoryId, action, actorId, at, before, commit, entryId, record, labels } = event;
  const activityEvent: NewActivityEvent<IssueData> = {
    kind: kindOf[action],
    action,
    resource: { id: issueId, index, title, repositoryId, unit: 'issues' },
    actorId,
    at,
    data: {
      ...(before && { before }),
      ...(commit && { commit }),
      ...(labels && { labels }),
      ...(entryId && { commentId: entryId }),
      ...(record && { record }),
    },
  };
  await activityEvents.record([activityEvent]);
}

export async function recordComment(
  event: CommentEvent,
  { activityEvents, issueServices }: { readonly activityEvents: ActivityEvents; readonly issueServices: IssueServices },
): Promise<void> {
  const { issueId, commentId, action, actorId, at, before, record } = event;
  const issue = await issueServices.reader.byId(issueId);
  if (!issue) return;
  const written = action === 'created' ? await issueServices.entries.byId(commentId) : undefined;
  const activityEvent: NewActivityEvent<CommentData> = {
    kind: issue.isPull ? 'pull_request_comment' : 'issue_comment',
    action,
    resource: {
      id: issueId,
      index: issue.index,
      title: issue.title,
      repositoryId: issue.repositoryId,
      unit: unitOf(issue),
    },
    actorId,
    at,
    data: {
      commentId,
      ...(written && { excerpt: written.body.slice(0, maxExcerpt) }),
      ...(before !== undefined && { before }),
      ...(record && { record }),
    },
  };
  await activityEvents.record([activityEvent]);
}

interface KindDeps {
  readonly models: ActivityModels;
  readonly repositories: Repositories;
  readonly issueServices: IssueServices;
}

const from = (text: string) => ({ from: text });

/** Kinds of what happens to issues (HOK-27, HOK-28). */
export const issueEventKinds = ['issues', 'issue_assign', 'issue_label', 'issue_milestone'] as const;
type IssueKindKey = (typeof issueEventKinds)[number];

const negative: readonly string[] = ['closed', 'deleted'] satisfies IssueAction[];
const positive: readonly string[] = ['opened', 'reopened'] satisfies IssueAction[];

export const issueKind = (
  key: IssueKindKey,
  { models, repositories, issueServices }: KindDeps,
): ActivityEventKind<IssueData> => ({
  key,
  label: t.later(`event.${key}`),
  description: t.later(`event.${key}.note`),
  group: t.later('event.group'),
  order: 70,
  event: 'issues',
  // the coarse name stands for all of them
  inputs: key === 'issues' ? ['issues_only'] : ['issues'],
  async describe(one) {
    const { actor, repository, repositoryUrl } = await models.names(one);
    const { index = 0, title } = one.resource;
    return {
      title: t.later(`event.line.${one.action as IssueAction}`, { actor, repository, title, index: String(index) }),
      url: one.action === 'deleted' ? `${repositoryUrl}/issues` : `${repositoryUrl}/issues/${index}`,
      tone: negative.includes(one.action) ? 'negative' : positive.includes(one.action) ? 'positive' : 'neutral',
    };
  },
  async payload({ action, resource, actorId, data }) {
    const repository = await repositories.byId(resource.repositoryId ?? 0);
    const issue = data.record ? undefined : await issueServices.reader.byId(resource.id);
    if (!repository || (!data.record && !issue)) return undefined;
    const { title, body } = data.before ?? {};
    return {
      action,
      number: resource.index ?? 0,
      ...(data.before && {
        changes: {
          ...(title !== undefined && { title: from(title) }),
          ...(body !== undefined && { body: from(body) }),
          added_labels: null,
          removed_labels: null,
        },
      }),
      issue: data.record ?? (await issueServices.presenter.toApi([issue!], siteActor))[0],
      repository: await models.repository(repository),
      sender: await models.user(actorId),
      commit_id: data.commit ?? '',
    };
  },
});

export const commentKind = ({ models, repositories, issueServices }: KindDeps): ActivityEventKind<CommentData> => ({
  key: 'issue_comment',
  label: t.later('event.issue_comment'),
  description: t.later('event.issue_comment.note'),
  group: t.later('event.group'),
  order: 70,
  inputs: ['issues'],
  async describe(one) {
    const { actor, repository, repositoryUrl } = await models.names(one);
    const { index = 0, title } = one.resource;
    const action = one.action as CommentEvent['action'];
    return {
      title: t.later(`event.comment.${action}`, { actor, repository, title, index: String(index) }),
      url: `${repositoryUrl}/issues/${index}${action === 'deleted' ? '' : `#issuecomment-${one.data.commentId}`}`,
      tone: 'neutral',
    };
  },
  async payload({ action, resource, actorId, data }) {
    const repository = await repositories.byId(resource.repositoryId ?? 0);
    const issue = await issueServices.reader.byId(resource.id);
    const comment = data.record ? undefined : await issueServices.entries.byId(data.commentId);
    if (!repository || !issue || (!data.record && !comment)) return undefined;
    return {
      action,
      issue: (await issueServices.presenter.toApi([issue], siteActor))[0],
      comment: data.record ?? (await issueServices.timelinePresenter.comments([comment!], siteActor))[0],
      ...(data.before !== undefined && {
        changes: { body: from(data.before), added_labels: null, removed_labels: null },
      }),
      repository: await models.repository(repository),
      sender: await models.user(actorId),
      is_pull: issue.isPull,
    };
  },
});
