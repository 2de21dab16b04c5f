import { Forbidden, Joi, NotFound, apiTime, defineRoute, reply, type Actor, type Route } from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';
import { refuseBlockedPair, userList, userListSchema } from '@mortise/repositories/api';
import { unitOf, type IssueContext } from '../api.js';
import type { IssueServices } from '../services/services.js';
import { issuePath, readIssue, tags, useIssue } from './route-options.js';
import { t } from '../texts/index.js';

const watchInfo = Joi.object({
  subscribed: Joi.boolean().required(),
  ignored: Joi.boolean().required(),
  reason: Joi.any().allow(null).required(),
  created_at: Joi.string().isoDate().required(),
  url: Joi.string().required(),
  repository_url: Joi.string().required(),
}).label('WatchInfo');

/** Who is told about an issue. */
export function subscriptionRoutes({ deps, subscriptions }: IssueServices): Route[] {
  const { accounts, repositories } = deps;
  const list = `${issuePath}/subscriptions` as const;
  /** One's own; administrators of the site decide for others too. */
  const user = async (name: string, actor: Actor) => {
    const account = await accounts.byName(name);
    if (!account || account.kind !== 'user') throw NotFound('user');
    if (account.id !== actor.id && !actor.isAdmin) throw Forbidden(t.later('error.otherSubscription'));
    return account;
  };
  /** Who cannot read it is not subscribed, nor who the owner blocks, nor who blocks the owner. */
  const checkMaySubscribe = async (account: Account, { repository, issue }: IssueContext) => {
    await refuseBlockedPair(accounts, account, repository.ownerId);
    const rights = (await deps.repositoryAccess.rightsOf(account, [repository])).get(repository.id);
    if (!rights?.may('read', unitOf(issue))) throw NotFound('user');
  };
  const change = {
    path: `${list}/{user}`,
    tags,
    access: useIssue,
    responses: { 200: null, 201: null, 404: null },
  } as const;

  return [
    defineRoute({
      method: 'GET',
      path: list,
      id: 'issueSubscriptions',
      tags,
      summary: 'Users who asked to be told about an issue',
      access: readIssue,
      responses: { 200: userListSchema, 404: null },
      async handler({ actor, resource, page }) {
        const { ids, total } = await subscriptions.subscribers(resource.issue, page);
        return userList(accounts, ids, actor, total);
      },
    }),
    defineRoute({
      method: 'GET',
      path: `${list}/check`,
      id: 'issueCheckSubscription',
      tags,
      summary: 'Is the user told about the issue?',
      access: useIssue,
      responses: { 200: watchInfo, 404: null },
      async handler({ actor, resource: { issue, repository } }) {
        const subscribed = await subscriptions.isSubscribed(issue, actor.id);
        const apiUrl = repositories.apiUrl(repository);
        return {
          subscribed,
          ignored: !subscribed,
          reason: null,
          created_at: apiTime(issue.createdAt),
          url: `${apiUrl}/issues/${issue.index}/subscriptions`,
          repository_url: apiUrl,
        };
      },
    }),
    defineRoute({
      ...change,
      method: 'PUT',
      id: 'issueAddSubscription',
      summary: 'Be told about an issue; 200 where that is so already',
      async handler({ actor, resource, params }) {
        const account = await user(params.user, actor);
        await checkMaySubscribe(account, resource);
        return reply.empty((await subscriptions.set(resource.issue, account.id, true)) ? 201 : 200);
      },
    }),
    defineRoute({
      ...change,
      method: 'DELETE',
      id: 'issueDeleteSubscription',
      summary: 'Be told no more about an issue; 200 where that is so already',
      async handler({ actor, resource, params }) {
        const { id } = await user(params.user, actor);
        return reply.empty((await subscriptions.set(resource.issue, id, false)) ? 201 : 200);
      },
    }),
  ];
}
