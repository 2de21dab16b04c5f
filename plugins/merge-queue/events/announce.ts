import { systemActor } from '@mortise/plugin-sdk';
import type { AnnouncementKind, AnnouncementModels } from '@mortise/announcements/api';
import type { Issues } from '@mortise/issues/api';
import type { Pulls } from '@mortise/pulls/api';
import type { Repositories } from '@mortise/repositories/api';
import { t } from '../texts/index.js';

/** Payloads are written as the site sees things; whoever listens was allowed to. */
const siteActor = systemActor('merge-queue');

interface QueueData {
  /** A `DequeueReason`; empty when it was put in. */
  readonly reason: string;
}

/** Into a merge queue and out of it: `pull_request` with the actions `enqueued` and `dequeued`. */
export const queueKind = (parts: {
  readonly models: AnnouncementModels;
  readonly repositories: Repositories;
  readonly issues: Issues;
  readonly pulls: Pulls;
}): AnnouncementKind<QueueData> => ({
  key: 'pull_request_queue',
  label: t.later('event.label'),
  description: t.later('event.note'),
  group: t.later('event.group'),
  order: 82,
  event: 'pull_request',
  inputs: ['pull_request'],
  async describe(one) {
    const { actor, repository, home } = await parts.models.names(one);
    const { index = 0, title } = one.resource;
    const isIn = one.action === 'enqueued';
    const isGood = isIn || one.data.reason === 'merged';
    return {
      title: t.later(isIn ? 'event.enqueued' : 'event.dequeued', { actor, repository, title, index: String(index) }),
      url: `${home}/pulls/${index}`,
      tone: isGood ? 'neutral' : 'warning',
    };
  },
  async payload({ action, resource, actorId, data }) {
    const repository = await parts.repositories.byId(resource.repositoryId ?? 0);
    const issue = await parts.issues.byId(resource.id);
    const [model] = issue ? await parts.pulls.toApi([issue], siteActor) : [];
    if (!repository || !model) return undefined;
    return {
      action,
      number: resource.index ?? 0,
      ...(data.reason && { reason: data.reason }),
      pull_request: model,
      requested_reviewer: null,
      repository: await parts.models.repository(repository),
      sender: await parts.models.user(actorId),
      commit_id: '',
      review: null,
    };
  },
});
