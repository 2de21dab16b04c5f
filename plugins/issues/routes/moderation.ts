import { Joi, defineRoute, reply, type Route } from '@mortise/plugin-sdk';
import { issueSchema } from '../api.js';
import type { IssueServices } from '../services/services.js';
import { administerIssue, base, issuePath, issuesPath, number, readRepository, tags } from './route-options.js';

const lockBody = Joi.object<{ readonly lock_reason?: string | null }>({
  lock_reason: Joi.string().allow('', null).max(255),
})
  .allow(null)
  .label('LockIssueOption');

const lock = `${issuePath}/lock` as const;

const pin = `${issuePath}/pin` as const;

const issueLockIssue = ({ moderation }: IssueServices) =>
  defineRoute({
    method: 'PUT',
    path: lock,
    id: 'issueLockIssue',
    tags,
    summary: 'Lock the conversation: only those who may write go on',
    access: administerIssue,
    request: { payload: lockBody },
    responses: { 204: null, 404: null, 423: null },
    async handler({ actor, resource, payload }) {
      await moderation.setLocked(resource.issue, true, actor, payload?.lock_reason ?? '');
      return reply.none();
    },
  });

const issueUnlockIssue = ({ moderation }: IssueServices) =>
  defineRoute({
    method: 'DELETE',
    path: lock,
    id: 'issueUnlockIssue',
    tags,
    summary: 'Unlock the conversation',
    access: administerIssue,
    responses: { 204: null, 404: null, 423: null },
    async handler({ actor, resource }) {
      await moderation.setLocked(resource.issue, false, actor);
      return reply.none();
    },
  });

const repoListPinnedIssues = ({ presenter, moderation }: IssueServices) =>
  defineRoute({
    method: 'GET',
    path: `${issuesPath}/pinned`,
    id: 'repoListPinnedIssues',
    tags: ['repository'],
    summary: 'Pinned issues, in their order',
    access: { ...readRepository, unit: 'issues' },
    responses: { 200: Joi.array().items(issueSchema).label('IssueList') },
    handler: async ({ actor, resource }) =>
      presenter.toApi(await moderation.pinned(resource.repository.id, false), actor),
  });

const repoNewPinAllowed = ({ moderation }: IssueServices) =>
  defineRoute({
    method: 'GET',
    path: `${base}/new_pin_allowed`,
    id: 'repoNewPinAllowed',
    tags: ['repository'],
    summary: 'May another issue, or another pull request, be pinned?',
    access: { ...readRepository, scope: 'repository' },
    responses: {
      200: Joi.object({ issues: Joi.boolean().required(), pull_requests: Joi.boolean().required() }).label(
        'NewIssuePinsAllowed',
      ),
    },
    handler: async ({ resource: { repository } }) => ({
      issues: await moderation.mayPinMore(repository.id, false),
      pull_requests: await moderation.mayPinMore(repository.id, true),
    }),
  });

const pinIssue = ({ moderation }: IssueServices) =>
  defineRoute({
    method: 'POST',
    path: pin,
    id: 'pinIssue',
    tags,
    summary: 'Pin an issue',
    access: administerIssue,
    responses: { 204: null, 400: null, 404: null, 423: null },
    async handler({ actor, resource }) {
      await moderation.pin(resource.issue, actor);
      return reply.none();
    },
  });

const unpinIssue = ({ moderation }: IssueServices) =>
  defineRoute({
    method: 'DELETE',
    path: pin,
    id: 'unpinIssue',
    tags,
    summary: 'Unpin an issue',
    access: administerIssue,
    responses: { 204: null, 400: null, 404: null, 423: null },
    async handler({ actor, resource }) {
      await moderation.unpin(resource.issue, actor);
      return reply.none();
    },
  });

const moveIssuePin = ({ moderation }: IssueServices) =>
  defineRoute({
    method: 'PATCH',
    path: `${pin}/{position}`,
    id: 'moveIssuePin',
    tags,
    summary: 'Move a pinned issue',
    access: administerIssue,
    request: { params: Joi.object<{ readonly position: number }>({ position: number }) },
    responses: { 204: null, 400: null, 404: null, 423: null },
    async handler({ resource, params }) {
      await moderation.move(resource.issue, params.position);
      return reply.none();
    },
  });

/** Locking of conversations (ISS-20, ISS-21), and pinned issues. */
export function moderationRoutes(deps: IssueServices): Route[] {
  return [
    issueLockIssue(deps),
    issueUnlockIssue(deps),
    repoListPinnedIssues(deps),
    repoNewPinAllowed(deps),
    pinIssue(deps),
    unpinIssue(deps),
    moveIssuePin(deps),
  ];
}
